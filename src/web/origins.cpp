#include "web/origins.hpp"

#include "web/letters.hpp"

#include <algorithm>
#include <string>

#include <arpa/inet.h>

namespace pollux::web {
namespace {

struct HostAndPort {
  std::string host;  // an IPv6 address without its brackets
  bool ok = false;
};

HostAndPort split_host(std::string_view text) {
  std::string_view rest;
  HostAndPort parts;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return {};
    parts.host = lower_case(text.substr(1, end - 1));
    rest = text.substr(end + 1);
  } else {
    const std::size_t colon = text.find(':');
    parts.host = lower_case(text.substr(0, colon));
    rest = colon == text.npos ? std::string_view() : text.substr(colon);
  }
  const bool port =
      rest.empty() ||
      (rest.size() > 1 && rest.size() <= 6 && rest.front() == ':' &&
       std::ranges::all_of(rest.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
  parts.ok = port && !parts.host.empty();
  return parts;
}

bool is_literal(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

}  // namespace

bool Origins::is_our_host(std::string_view host) const {
  const HostAndPort said = split_host(host);
  if (!said.ok) return false;
  if (std::ranges::find(options_.hosts, said.host) != options_.hosts.end()) return true;
  const bool everywhere = options_.address == "0.0.0.0" || options_.address == "::";
  if (said.host == "localhost") return everywhere || is_loopback(options_.address);
  if (!is_literal(said.host)) return false;
  // An address is no name that somebody could turn to us.
  return everywhere || said.host == options_.address ||
         (is_loopback(said.host) && is_loopback(options_.address));
}

bool Origins::is_our_origin(std::string_view origin, std::string_view host) const {
  const std::string said = lower_case(origin), own = lower_case(host);
  const bool secure = !options_.certificate.empty();
  if (secure || options_.behind_proxy) {
    if (said == "https://" + own) return true;
  }
  return !secure && said == "http://" + own;
}

}  // namespace pollux::web
