#include "bus/nats_address.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace pollux::bus {
namespace {

Error no_address(std::string_view text, std::string_view why) {
  return {"'" + std::string(text) + "' is no address of a NATS server: " + std::string(why) +
              "; it looks like nats://host:4222 or tls://host:4222",
          ExitCode::configuration};
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

Result<NatsAddress> parse_nats_address(std::string_view text) {
  std::string_view rest = text;
  NatsAddress address;
  address.tls = take(rest, "tls://");
  if (!address.tls && !take(rest, "nats://")) return no_address(text, "it has another scheme");
  if (rest.find('@') != std::string_view::npos) {
    return no_address(text, "user and password have keys of their own");
  }
  if (rest.find_first_of("/, \t?#") != std::string_view::npos) {
    return no_address(text, "something follows the port");
  }
  const bool bracketed = rest.starts_with('[');
  const std::size_t end = bracketed ? rest.find(']') + 1 : std::min(rest.find(':'), rest.size());
  if (bracketed && end == 0) return no_address(text, "a bracket is missing");
  const std::string_view host = rest.substr(0, end);
  address.host = bracketed ? host.substr(1, host.size() - 2) : host;
  if (address.host.empty()) return no_address(text, "it has no host");
  std::string_view port = rest.substr(end);
  std::uint16_t number = 4222;
  if (!port.empty()) {
    if (!take(port, ":")) return no_address(text, "a colon stands before the port");
    const auto [last, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc{} || last != port.data() + port.size() || number == 0) {
      return no_address(text, "the port is no number from 1 to 65535");
    }
  }
  address.url = "nats://" + std::string(host) + ":" + std::to_string(number);
  return address;
}

}  // namespace pollux::bus
