// Where a server is: "nats://host:port" or "tls://host:port"; the port is 4222 unless it is given.
#pragma once

#include "pollux/base/result.hpp"

#include <string>
#include <string_view>

namespace pollux::bus {

struct NatsAddress {
  std::string url;   // as libnats takes it: always with the scheme nats
  std::string host;  // as a certificate names it
  bool tls = false;
};

Result<NatsAddress> parse_nats_address(std::string_view text);

}  // namespace pollux::bus
