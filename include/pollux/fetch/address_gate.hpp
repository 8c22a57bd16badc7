// Which addresses may be connected to. Checked on the resolved address of every connection, so a
// name, a redirect or a DNS answer cannot lead inside. Pure; thread-safe once built.
#pragma once

#include "pollux/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace pollux::fetch {

class AddressGate {
 public:
  // Each entry is an address or a CIDR ("127.0.0.1", "10.0.0.0/8", "fd00::/8").
  static Result<AddressGate> create(const std::vector<std::string>& allow);
  // Public unicast addresses pass; everything else (private, loopback, link-local, CGNAT,
  // multicast, documentation, unspecified, the anycast services of the special-purpose registries,
  // v4-mapped/6to4/NAT64 forms of those …) only when allowed.
  bool permits(const sockaddr& address) const;
  // For an origin ("http://10.0.0.1:80") that somebody else connects to: an address written there
  // must be permitted; what a name leads to is not known here.
  bool permits_origin(std::string_view origin) const;

 private:
  struct Range {
    bool v6;
    unsigned prefix;
    unsigned char bytes[16];
  };
  std::vector<Range> allow_;
};

}  // namespace pollux::fetch
