// A template of the user's: "${name}" and nothing else is replaced, once; what takes its place is
// not looked at again, so nothing that a page says is a placeholder.
#include "pollux/base/text.hpp"
#include "pollux/notify/excerpt.hpp"
#include "pollux/notify/render.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

constexpr std::array<std::string_view, 15> placeholders = {
    "title", "text",  "event", "name", "url",   "summary", "diff", "why",
    "at",    "since", "rule",  "key",  "count", "link",    "json"};

std::string value_of(std::string_view name, const Message& message) {
  static const Item none;
  const Item& item = message.items.empty() ? none : message.items.front();
  if (name == "title") return title_of(message);
  if (name == "text") return text_of(message);
  if (name == "event") return std::string(name_of(item.event));
  if (name == "name") return notify::name_of(item);
  if (name == "url") return item.url;
  if (name == "summary") return item.summary;
  if (name == "diff") return item.diff;
  if (name == "why") return item.why;
  if (name == "at") return report::time_text(item.at);
  if (name == "since") return item.since ? report::time_text(*item.since) : std::string();
  if (name == "rule") return message.rule;
  if (name == "key") return message.key;
  if (name == "count") return std::to_string(message.count);
  if (name == "link") return item.link;
  return boost::json::serialize(json_of(message));
}

// Calls `text` for what stands between placeholders and `name` for each of them.
template <typename Text, typename Name>
void scan(std::string_view template_text, const Text& text, const Name& name) {
  while (!template_text.empty()) {
    const std::size_t open = template_text.find("${");
    text(template_text.substr(0, open));
    if (open == std::string_view::npos) return;
    const std::size_t close = template_text.find('}', open);
    if (close == std::string_view::npos) return text(template_text.substr(open));
    name(template_text.substr(open + 2, close - open - 2));
    template_text.remove_prefix(close + 1);
  }
}

bool begins_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

std::string as_in_a_string(const std::string& text) {
  const std::string quoted = boost::json::serialize(boost::json::value(text));
  return quoted.substr(1, quoted.size() - 2);
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

enum class Kind { plain, json, form, markup };

Kind kind_of(std::string_view text, std::string_view content_type) {
  std::string type(content_type);
  std::ranges::transform(type, type.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (type.find("x-www-form-urlencoded") != std::string::npos) return Kind::form;
  if (begins_json(text)) return Kind::json;
  const bool markup =
      type.find("xml") != std::string::npos || type.find("html") != std::string::npos;
  return markup ? Kind::markup : Kind::plain;
}

// A parameter of a form whose value is JSON: `payload={"text": "${title}"}`.
bool is_json_parameter(std::string_view written) {
  const std::size_t begin = written.rfind('&') + 1;  // of none: 0
  const std::size_t equals = written.find('=', begin);
  return equals != std::string_view::npos && begins_json(written.substr(equals + 1));
}

}  // namespace

Status check_template(std::string_view text) {
  std::string unknown;
  scan(
      text, [](std::string_view) {},
      [&](std::string_view name) {
        if (std::find(placeholders.begin(), placeholders.end(), name) == placeholders.end())
          unknown = printable(name, 40);
      });
  if (unknown.empty()) return success();
  std::string known;
  for (const std::string_view name : placeholders)
    known += fmt::format("{}${{{}}}", known.empty() ? "" : " ", name);
  return Error{fmt::format("there is no placeholder ${{{}}}; there are {}", unknown, known),
               ExitCode::configuration};
}

// The whole message as JSON is a value of its own, everything else part of a string.
std::string fill_in(std::string_view text, const Message& message, std::string_view content_type) {
  const Kind kind = kind_of(text, content_type);
  std::string out;
  scan(
      text, [&](std::string_view plain) { out += plain; },
      [&](std::string_view name) {
        std::string value = value_of(name, message);
        const bool in_json = kind == Kind::json || (kind == Kind::form && is_json_parameter(out));
        if (in_json && name != "json") value = as_in_a_string(value);
        if (kind == Kind::form) value = percent_encoded(value);
        if (kind == Kind::markup) value = html_escaped(value);
        out += value;
      });
  return out;
}

}  // namespace pollux::notify
