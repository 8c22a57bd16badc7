#include "render/messages.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>

namespace pollux::render {
namespace {

namespace json = boost::json;

constexpr std::size_t deepest = 64;

}  // namespace

bool MessageSplitter::add(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > longest_ &&
      buffer_.size() + std::min(bytes.find('\0'), bytes.size()) > longest_)
    return false;
  buffer_.append(bytes);
  return true;
}

std::optional<std::string> MessageSplitter::next() {
  const std::size_t end = buffer_.find('\0', searched_);
  if (end == std::string::npos) {
    searched_ = buffer_.size();
    return {};
  }
  std::string text = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  searched_ = 0;
  return text;
}

std::optional<Message> parse_message(std::string_view text) {
  boost::system::error_code bad;
  json::parse_options options;
  options.max_depth = deepest;
  options.allow_invalid_utf8 = true;
  json::value root = json::parse(text, bad, {}, options);
  json::object* const all = bad ? nullptr : root.if_object();
  if (all == nullptr) return {};
  Message message;
  message.method = text_at(*all, "method");
  message.session = text_at(*all, "sessionId");
  if (const auto id = number_at(*all, "id"); id && *id > 0)
    message.id = static_cast<std::uint64_t>(*id);
  if (!message.id && message.method.empty()) return {};
  if (all->contains("error")) {
    message.error = printable(text_at(*all, "error.message"), 300);
    if (message.error.empty()) message.error = "an error without a word";
  }
  if (json::value* values = all->if_contains(message.id ? "result" : "params");
      values != nullptr && values->is_object())
    message.values = std::move(values->get_object());
  return message;
}

const json::value* value_at(const json::object& values, std::string_view path) {
  const json::object* at = &values;
  for (;;) {
    const std::size_t dot = path.find('.');
    const json::value* const found = at->if_contains(path.substr(0, dot));
    if (found == nullptr || dot == std::string_view::npos) return found;
    at = found->if_object();
    if (at == nullptr) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

std::string_view text_at(const json::object& values, std::string_view path) {
  const json::value* const found = value_at(values, path);
  if (found == nullptr || !found->is_string()) return {};
  return found->get_string();
}

std::optional<std::int64_t> number_at(const json::object& values, std::string_view path) {
  const json::value* const found = value_at(values, path);
  if (found == nullptr) return {};
  if (const auto* whole = found->if_int64()) return *whole;
  if (const auto* positive = found->if_uint64(); positive && *positive <= INT64_MAX)
    return static_cast<std::int64_t>(*positive);
  return {};
}

}  // namespace pollux::render
