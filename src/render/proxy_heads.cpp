#include "render/proxy_heads.hpp"

#include "pollux/base/url.hpp"
#include "render/lower.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace pollux::render {
namespace {

constexpr std::size_t most_fields = 256;
constexpr std::array<std::string_view, 6> of_the_connection = {
    "connection",          "keep-alive",         "proxy-connection",
    "proxy-authorization", "proxy-authenticate", "upgrade"};

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_clean(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

struct Head {
  std::string_view first;
  std::vector<std::pair<std::string_view, std::string_view>> fields;  // value with its blanks
};

std::optional<Head> split(std::string_view text) {
  Head head;
  if (text.size() > longest_head || !text.ends_with("\r\n\r\n")) return {};
  text.remove_suffix(2);
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty() || !is_clean(line)) return {};
    if (first) {
      head.first = line;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return {};
    if (head.fields.size() == most_fields) return {};
    head.fields.emplace_back(line.substr(0, colon), line.substr(colon + 1));
  }
  if (head.first.empty()) return {};
  return head;
}

// The fields that go on, and the end of the head.
std::string rest_of(const Head& head, std::string_view without = {}) {
  std::string text;
  for (const auto& [name, value] : head.fields) {
    const std::string word = lower(name);
    if (word == without || std::ranges::find(of_the_connection, word) != of_the_connection.end())
      continue;
    text.append(name).append(":").append(value).append("\r\n");
  }
  return text + "Connection: close\r\n\r\n";
}

// "http://host:port" in any spelling → the request's host and port.
bool take_authority(const std::string& origin, ProxyRequest& request) {
  const Result<Url> url = parse_url(origin);
  if (!url) return false;
  request.host_port = url->host_port;
  const std::size_t colon = url->host_port.rfind(':');
  request.host = url->host_port.substr(0, colon);
  if (request.host.starts_with('[')) request.host = request.host.substr(1, request.host.size() - 2);
  const std::string_view port = std::string_view(url->host_port).substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), request.port);
  return error == std::errc{} && end == port.data() + port.size() && request.port != 0 &&
         !request.host.empty();
}

}  // namespace

std::optional<std::size_t> head_length(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return {};
  return end + 4;
}

std::optional<ProxyRequest> parse_proxy_request(std::string_view text) {
  const std::optional<Head> head = split(text);
  if (!head) return {};
  const std::size_t first = head->first.find(' ');
  const std::size_t second = head->first.rfind(' ');
  if (first == std::string_view::npos || second <= first + 1) return {};
  const std::string_view method = head->first.substr(0, first);
  const std::string_view target = head->first.substr(first + 1, second - first - 1);
  const std::string_view version = head->first.substr(second + 1);
  if (!is_token(method) || target.find(' ') != std::string_view::npos || version != "HTTP/1.1")
    return {};
  ProxyRequest request;
  request.tunnel = method == "CONNECT";
  if (request.tunnel) {
    // A port must be written here, and nothing may follow it.
    if (target.find_first_of("/?#@\\") != std::string_view::npos) return {};
    const std::size_t colon = target.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == target.size() || target.ends_with(']'))
      return {};
    if (!take_authority("http://" + std::string(target) + "/", request)) return {};
    return request;
  }
  constexpr std::string_view scheme = "http://";
  if (!target.starts_with(scheme)) return {};
  const std::size_t path = std::min(target.find_first_of("/?#", scheme.size()), target.size());
  if (!take_authority(std::string(target.substr(0, path)) + "/", request)) return {};
  std::string_view rest = target.substr(path);
  rest = rest.substr(0, rest.find('#'));
  const std::string_view authority = target.substr(scheme.size(), path - scheme.size());
  request.head.append(method).append(" ");
  if (!rest.starts_with('/')) request.head.append("/");
  request.head.append(rest).append(" HTTP/1.1\r\nHost: ").append(authority).append("\r\n");
  request.head += rest_of(*head, "host");
  return request;
}

std::optional<AnswerLine> parse_answer(std::string_view text) {
  const std::optional<Head> head = split(text);
  // "HTTP/1.1 200 OK", whatever follows the number.
  if (!head || head->first.size() < 12 || !head->first.starts_with("HTTP/1.")) return {};
  AnswerLine answer;
  const std::string_view digits = head->first.substr(9, 3);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + 3, answer.status);
  if (head->first[8] != ' ' || error != std::errc{} || end != digits.data() + 3 ||
      answer.status < 100 || (head->first.size() > 12 && head->first[12] != ' '))
    return {};
  answer.head.append(head->first).append("\r\n").append(rest_of(*head));
  return answer;
}

}  // namespace pollux::render
