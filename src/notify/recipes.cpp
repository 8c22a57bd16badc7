// The bodies that well-known receivers of webhooks want.
#include "notify/recipes.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/notify/excerpt.hpp"
#include "pollux/notify/render.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

namespace json = boost::json;

constexpr std::size_t slack_block = 2900;         // of 3000 characters
constexpr std::size_t discord_content = 1900;     // of 2000
constexpr std::size_t telegram_text = 4000;       // of 4096
constexpr std::size_t teams_body_bytes = 24'000;  // of 28 KB, with what stands around it
constexpr std::size_t listed = 20;                // events of a digest

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  text.resize(beginning_of(text, most).size());
  return text + "…";
}

// A fence inside of a fence would end it.
std::string fenced(std::string_view diff, std::string_view language) {
  std::string text = shortened_excerpt(diff, 20, 1200);
  for (auto at = text.find("```"); at != std::string::npos; at = text.find("```", at))
    text.replace(at, 3, "'''");
  return fmt::format("```{}\n{}\n```", language, text);
}

std::string slack_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

// Characters that make markup are told to be themselves.
std::string backslashed(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_escaped(std::string_view text) {
  return backslashed(text, "\\`*_~|>#[]()<@!");
}

// An address that can be put between angle brackets without an escape.
bool is_plain_link(std::string_view line) {
  return (line.starts_with("https://") || line.starts_with("http://")) &&
         line.find_first_of(" <>|\\\"`()[]") == std::string_view::npos;
}

// The lines of each event, each escaped as the receiver wants it; that of the page's own address
// becomes a link.
template <typename Escape, typename Link, typename Diff>
std::string composed(const Message& message, std::size_t most, const Escape& escape,
                     const Link& link, const Diff& diff) {
  std::string text;
  std::size_t told = 0;
  for (const Item& item : message.items) {
    std::string part;
    for (const std::string& line : lines_of(item))
      part += (line == item.url && is_plain_link(line) ? link(line) : escape(line)) + "\n";
    if (!item.diff.empty()) {
      const std::string shown = diff(item.diff);
      if (text.size() + part.size() + shown.size() < most) part += shown + "\n";
    }
    if (told == listed || (told > 0 && text.size() + part.size() > most)) break;
    text += (told > 0 ? "\n" : "") + part;
    ++told;
  }
  if (const auto more = message.count - static_cast<std::int64_t>(told); more > 0)
    text += fmt::format("\nand {}\n", count_of(more, "more event"));
  if (!text.empty()) text.pop_back();
  return cut(std::move(text), most);
}

std::string click_of(const Message& message) {
  return message.items.size() == 1 ? message.items.front().url : std::string();
}

// An event of Matrix may have 64 KiB, with its plain text.
constexpr std::size_t longest_html = 24'000;

std::string html_text(const Message& message) {
  std::string html = "<strong>" + html_escaped(title_of(message)) + "</strong>";
  std::size_t told = 0;
  for (const Item& item : message.items) {
    if (told++ == listed || html.size() > longest_html) break;
    html += "<br/>";
    for (const std::string& line : lines_of(item)) html += html_escaped(line) + "<br/>";
    if (!item.diff.empty())
      html +=
          "<pre><code>" + html_escaped(shortened_excerpt(item.diff, 20, 1500)) + "</code></pre>";
  }
  return html;
}

}  // namespace

json::object slack_body(const Message& message) {
  const std::string title = cut(slack_escaped(title_of(message)), 500);
  const std::string text = composed(
      message, slack_block, slack_escaped,
      [](std::string_view url) { return "<" + slack_escaped(url) + ">"; },
      [](std::string_view diff) { return slack_escaped(fenced(diff, "")); });
  json::array blocks;
  blocks.push_back(
      {{"type", "section"}, {"text", {{"type", "mrkdwn"}, {"text", text}, {"verbatim", true}}}});
  return {{"text", title}, {"blocks", std::move(blocks)}};
}

json::object discord_body(const Message& message) {
  const std::string text = composed(
      message, discord_content, markdown_escaped,
      [](std::string_view url) { return fmt::format("<{}>", url); },
      [](std::string_view diff) { return fenced(diff, "diff"); });
  return {{"content", text},
          {"flags", 4},  // no previews of links
          {"allowed_mentions", {{"parse", json::array()}}}};
}

json::object matrix_body(const Message& message) {
  return {{"msgtype", "m.text"},
          {"body", text_of(message)},
          {"format", "org.matrix.custom.html"},
          {"formatted_body", html_text(message)},
          {"m.mentions", json::object()}};  // nobody, whatever a page says
}

json::object ntfy_body(const Message& message, std::string_view topic) {
  json::object body{{"topic", topic},
                    {"title", cut(title_of(message), 200)},
                    {"message", cut(text_of(message), 3800)},
                    {"tags", json::array{"pollux"}}};
  if (const std::string url = click_of(message); !url.empty()) body["click"] = url;
  return body;
}

json::object gotify_body(const Message& message) {
  json::object extras{{"client::display", {{"contentType", "text/plain"}}}};
  if (const std::string url = click_of(message); !url.empty())
    extras["client::notification"] = {{"click", {{"url", url}}}};
  return {{"title", cut(title_of(message), 200)},
          {"message", text_of(message)},
          {"priority", 5},
          {"extras", std::move(extras)}};
}

// As plain text: no parse_mode, so nothing in it is markup.
json::object telegram_body(const Message& message, std::string_view chat) {
  return {{"chat_id", chat},
          {"text", cut(text_of(message, {.bytes = telegram_text - 100}), telegram_text)},
          {"link_preview_options", {{"is_disabled", true}}}};
}

json::object teams_body(const Message& message) {
  json::array body;
  body.push_back({{"type", "TextBlock"},
                  {"text", cut(markdown_escaped(title_of(message)), 500)},
                  {"weight", "Bolder"},
                  {"size", "Medium"},
                  {"wrap", true}});
  // As it is sent: escapes are escaped again there.
  std::size_t room = teams_body_bytes;
  const auto add = [&](json::object block) {
    const std::size_t size = json::serialize(block).size();
    if (size > room) return false;
    room -= size;
    body.push_back(std::move(block));
    return true;
  };
  std::size_t told = 0;
  for (const Item& item : message.items) {
    if (told == listed) break;
    std::string text;
    for (const std::string& line : lines_of(item)) {
      const bool link = line == item.url && is_plain_link(line);
      text += (link ? fmt::format("[{0}]({0})", line) : markdown_escaped(line)) + "\n\n";
    }
    // The first one is told at any rate.
    if (told == 0) text = cut(std::move(text), teams_body_bytes / 4);
    if (!add({{"type", "TextBlock"}, {"text", text}, {"wrap", true}})) break;
    ++told;
    if (!item.diff.empty())
      add({{"type", "TextBlock"},
           {"text", markdown_escaped(shortened_excerpt(item.diff, 20, 1500))},
           {"fontType", "Monospace"},
           {"wrap", true}});
  }
  if (const auto more = message.count - static_cast<std::int64_t>(told); more > 0)
    body.push_back({{"type", "TextBlock"},
                    {"text", fmt::format("and {}", count_of(more, "more event"))},
                    {"wrap", true}});
  json::object card{{"$schema", "http://adaptivecards.io/schemas/adaptive-card.json"},
                    {"type", "AdaptiveCard"},
                    {"version", "1.4"},
                    {"body", std::move(body)}};
  if (const std::string url = click_of(message); !url.empty())
    card["actions"] =
        json::array{{{"type", "Action.OpenUrl"}, {"title", "Open the page"}, {"url", url}}};
  return {{"type", "message"},
          {"attachments", json::array{{{"contentType", "application/vnd.microsoft.card.adaptive"},
                                       {"contentUrl", nullptr},
                                       {"content", std::move(card)}}}}};
}

}  // namespace pollux::notify
