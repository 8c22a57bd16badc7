// Where a webhook's message goes, and with which headers.
#include "notify/recipes.hpp"
#include "pollux/notify/render.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace pollux::notify {
namespace {

namespace json = boost::json;

struct UrlParts {
  std::string_view before_query, query;
};

UrlParts split(std::string_view url) {
  const std::size_t question = url.find('?');
  if (question == std::string_view::npos) return {url, {}};
  return {url.substr(0, question), url.substr(question + 1)};
}

// The value of a parameter as it is written there, and the query without it.
std::string_view take_parameter(std::string_view query, std::string_view name,
                                std::string& others) {
  std::string_view value;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (part.starts_with(name) && part.size() > name.size() && part[name.size()] == '=') {
      value = part.substr(name.size() + 1);
    } else {
      others.append(others.empty() ? "" : "&").append(part);
    }
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return value;
}

std::string percent_decoded(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// The room's address takes the key as the transaction's name: the server itself knows repetitions.
void set_matrix(HttpMessage& http, const Message& message) {
  const UrlParts url = split(http.url);
  std::string to(url.before_query);
  if (!to.ends_with('/')) to += '/';
  to += message.key;
  if (!url.query.empty()) to.append("?").append(url.query);
  http.method = "PUT";
  http.url = std::move(to);
  http.body = json::serialize(matrix_body(message));
}

// JSON is posted to the root of the server, with the topic in it.
void set_ntfy(HttpMessage& http, const Message& message) {
  const UrlParts url = split(http.url);
  const std::size_t slash = url.before_query.rfind('/');
  const std::string topic(url.before_query.substr(slash + 1));
  std::string root(url.before_query.substr(0, slash + 1));
  if (!url.query.empty()) root.append("?").append(url.query);
  http.body = json::serialize(ntfy_body(message, topic));
  http.url = std::move(root);
}

// The chat stands in the URL's query and goes into the body.
void set_telegram(HttpMessage& http, const Message& message) {
  const UrlParts url = split(http.url);
  std::string others;
  const std::string chat = percent_decoded(take_parameter(url.query, "chat_id", others));
  http.body = json::serialize(telegram_body(message, chat));
  http.url = std::string(url.before_query) + (others.empty() ? "" : "?" + others);
}

bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

bool names(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + ('a' - 'A')) : b);
         });
}

}  // namespace

HttpMessage http_message(const Webhook& webhook, const Message& message) {
  HttpMessage http{.url = webhook.url, .headers = webhook.headers, .body = {}};
  std::string type = "application/json";
  const auto is_type = [](const std::string& line) { return names(line, "content-type"); };
  const auto own_type = std::ranges::find_if(http.headers, is_type);
  const bool has_type = own_type != http.headers.end();
  switch (webhook.body) {
    case Body::json:
      http.body = json::serialize(json_of(message));
      break;
    case Body::slack:
      http.body = json::serialize(slack_body(message));
      break;
    case Body::discord:
      http.body = json::serialize(discord_body(message));
      break;
    case Body::matrix:
      set_matrix(http, message);
      break;
    case Body::ntfy:
      set_ntfy(http, message);
      break;
    case Body::gotify:
      http.body = json::serialize(gotify_body(message));
      break;
    case Body::telegram:
      set_telegram(http, message);
      break;
    case Body::teams:
      http.body = json::serialize(teams_body(message));
      break;
    case Body::own:
      http.body = fill_in(webhook.own, message, has_type ? *own_type : std::string());
      if (!is_json(webhook.own)) type = "text/plain; charset=utf-8";
      break;
  }
  if (!has_type) http.headers.push_back("Content-Type: " + type);
  http.headers.push_back("Idempotency-Key: " + message.key);
  return http;
}

}  // namespace pollux::notify
