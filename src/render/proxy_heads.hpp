// The heads of what passes the proxy, read strictly: what a browser sends, and nothing else. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::render {

inline constexpr std::size_t longest_head = 64u << 10;

// The bytes up to and with the empty line; none: it has not come yet.
std::optional<std::size_t> head_length(std::string_view bytes);

struct ProxyRequest {
  bool tunnel = false;     // CONNECT
  std::string host;        // lower case; an IPv6 address without brackets
  std::uint16_t port = 0;  // never 0
  std::string host_port;   // for people, and to know a host by
  std::string head;        // no tunnel: what its server is sent; one request for each connection
};
// Of a whole head; none: it is not one that a browser sends to a proxy.
std::optional<ProxyRequest> parse_proxy_request(std::string_view head);

struct AnswerLine {
  int status = 0;
  std::string head;  // what the browser is sent: no word of keeping the connection
};
std::optional<AnswerLine> parse_answer(std::string_view head);

}  // namespace pollux::render
