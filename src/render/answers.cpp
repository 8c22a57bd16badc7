#include "render/answers.hpp"

#include "pollux/base/url.hpp"
#include "render/lower.hpp"
#include "render/messages.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace pollux::render {
namespace {

namespace json = boost::json;
using fetch::Failure;

constexpr std::size_t most_cookies = 64;  // as curl's jars
constexpr std::size_t most_cookie_bytes = 16u << 10;

bool is_true(const json::object& values, std::string_view key) {
  const json::value* const found = values.if_contains(key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

fetch::AnswerHead head_of(const json::object& paused) {
  fetch::AnswerHead head;
  const auto status = number_at(paused, "responseStatusCode").value_or(0);
  head.status = status >= 100 && status <= 999 ? static_cast<int>(status) : 0;
  const json::value* const fields = paused.if_contains("responseHeaders");
  if (fields == nullptr || !fields->is_array()) return head;
  for (const json::value& field : fields->get_array()) {
    if (!field.is_object()) continue;
    const std::string_view name = text_at(field.get_object(), "name");
    // The browser has undone codings, and knows lengths; of cookies it has a jar.
    const std::string word = lower(name);
    if (word == "content-length" || word == "transfer-encoding" || word == "content-encoding" ||
        word == "set-cookie")
      continue;
    head.fields.emplace_back(name, text_at(field.get_object(), "value"));
  }
  return head;
}

Failure failure_of(std::string_view net_error) {
  constexpr std::string_view prefix = "net::ERR_";
  if (net_error.starts_with(prefix)) net_error.remove_prefix(prefix.size());
  const auto starts = [&](std::string_view with) { return net_error.starts_with(with); };
  if (starts("CERT_") || starts("SSL_") || starts("BAD_SSL") || starts("ECH_")) return Failure::tls;
  if (starts("NAME_") || starts("DNS_")) return Failure::dns;
  if (starts("TIMED_OUT")) return Failure::timeout;
  if (starts("CONNECTION_TIMED_OUT") || starts("CONNECTION_REFUSED") ||
      starts("CONNECTION_FAILED") || starts("ADDRESS_UNREACHABLE") || starts("TUNNEL_") ||
      starts("PROXY_") || starts("INTERNET_DISCONNECTED"))
    return Failure::connect;
  if (starts("CONNECTION_") || starts("EMPTY_RESPONSE") || starts("SOCKET_") ||
      starts("CONTENT_LENGTH_MISMATCH") || starts("INCOMPLETE_"))
    return Failure::connection_lost;
  if (starts("CONTENT_DECODING")) return Failure::bad_encoding;
  if (starts("INVALID_") || starts("HTTP2_") || starts("RESPONSE_HEADERS_") || starts("UNSAFE_") ||
      starts("ABORTED") || starts("UNKNOWN_URL_SCHEME"))
    return Failure::protocol;
  return Failure::rendering;
}

bool is_document(std::string_view content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (type.ends_with(' ') || type.ends_with('\t')) type.pop_back();
  // Without a word of it a browser looks for itself; what it takes for a download never becomes a
  // document.
  return type.empty() || type == "text/html" || type == "application/xhtml+xml";
}

std::string host_port_of(std::string_view url) {
  const Result<Url> parsed = parse_url(url);
  return parsed ? parsed->host_port : std::string();
}

json::array cookies_for_browser(const fetch::CookieLines& jar) {
  json::array cookies;
  for (std::string_view line : jar) {
    json::object cookie;
    constexpr std::string_view hidden = "#HttpOnly_";
    if (line.starts_with(hidden)) {
      line.remove_prefix(hidden.size());
      cookie["httpOnly"] = true;
    }
    std::vector<std::string_view> fields;
    for (std::size_t at = 0; fields.size() < 7;) {
      const std::size_t tab = fields.size() == 6 ? line.size() : line.find('\t', at);
      fields.push_back(line.substr(at, tab == line.npos ? tab : tab - at));
      if (tab == line.npos || tab >= line.size()) break;
      at = tab + 1;
    }
    if (fields.size() == 6) fields.emplace_back();
    if (fields.size() != 7 || fields[0].empty() || fields[5].empty()) continue;
    std::string_view domain = fields[0];
    const bool all_hosts = fields[1] == "TRUE";
    if (domain.starts_with('.')) domain.remove_prefix(1);
    const bool secure = fields[3] == "TRUE";
    cookie["name"] = fields[5];
    cookie["value"] = fields[6];
    // Without a domain it is for the URL's own host.
    cookie["url"] = std::string(secure ? "https://" : "http://") + std::string(domain) + "/";
    if (all_hosts) cookie["domain"] = "." + std::string(domain);
    cookie["path"] = fields[2];
    cookie["secure"] = secure;
    std::int64_t expires = 0;
    std::from_chars(fields[4].data(), fields[4].data() + fields[4].size(), expires);
    if (expires > 0) cookie["expires"] = expires;
    cookies.push_back(std::move(cookie));
  }
  return cookies;
}

fetch::CookieLines cookies_from_browser(const json::array& cookies) {
  fetch::CookieLines jar;
  std::size_t bytes = 0;
  for (const json::value& value : cookies) {
    if (!value.is_object() || jar.size() == most_cookies) continue;
    const json::object& cookie = value.get_object();
    const std::string_view domain = text_at(cookie, "domain");
    const std::string_view path = text_at(cookie, "path");
    const std::string_view name = text_at(cookie, "name");
    const std::string_view content = text_at(cookie, "value");
    if (domain.empty() || name.empty() || !is_plain(domain) || !is_plain(path) || !is_plain(name) ||
        !is_plain(content))
      continue;
    double expires = 0;
    if (const json::value* const at = cookie.if_contains("expires");
        at != nullptr && !is_true(cookie, "session")) {
      boost::system::error_code bad;
      expires = at->to_number<double>(bad);
      if (bad || !(expires > 0) || expires > 1e12) expires = 0;
    }
    std::string line = is_true(cookie, "httpOnly") ? "#HttpOnly_" : "";
    line.append(domain).append(domain.starts_with('.') ? "\tTRUE\t" : "\tFALSE\t");
    line.append(path).append(is_true(cookie, "secure") ? "\tTRUE\t" : "\tFALSE\t");
    line.append(std::to_string(static_cast<std::int64_t>(std::ceil(expires)))).append("\t");
    line.append(name).append("\t").append(content);
    bytes += line.size();
    if (bytes > most_cookie_bytes) break;
    jar.push_back(std::move(line));
  }
  return jar;
}

}  // namespace pollux::render
