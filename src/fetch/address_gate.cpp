#include "pollux/fetch/address_gate.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace pollux::fetch {
namespace {

using Bytes4 = std::array<unsigned char, 4>;
using Bytes16 = std::array<unsigned char, 16>;

struct Block4 {
  Bytes4 base;
  unsigned prefix;
};
struct Block6 {
  Bytes16 base;
  unsigned prefix;
};

// The IANA registries of special-purpose addresses (RFC 6890 and what was added since), plus the
// metadata services that live on public-looking addresses. The few blocks there that are globally
// reachable are refused as well: they are anycast, so whoever is nearest answers, perhaps within
// our own network (AS112 is meant to be run there), and none of them holds a page.
constexpr Block4 refused4[] = {
    {{0, 0, 0, 0}, 8},         // "this network"; 0.0.0.0 reaches the own host
    {{10, 0, 0, 0}, 8},        // private
    {{100, 64, 0, 0}, 10},     // carrier-grade NAT; 100.100.100.200 is Alibaba's metadata
    {{127, 0, 0, 0}, 8},       // loopback
    {{168, 63, 129, 16}, 32},  // Azure's wire server
    {{169, 254, 0, 0}, 16},    // link-local; 169.254.169.254 is the metadata of most clouds
    {{172, 16, 0, 0}, 12},     // private
    {{192, 0, 0, 0}, 24},      // protocol assignments; 192.0.0.192 is Oracle's metadata
    {{192, 0, 2, 0}, 24},      // documentation
    {{192, 31, 196, 0}, 24},   // AS112
    {{192, 52, 193, 0}, 24},   // multicast relays (AMT)
    {{192, 88, 99, 0}, 24},    // 6to4 relays, withdrawn
    {{192, 168, 0, 0}, 16},    // private
    {{192, 175, 48, 0}, 24},   // AS112
    {{198, 18, 0, 0}, 15},     // benchmarking
    {{198, 51, 100, 0}, 24},   // documentation
    {{203, 0, 113, 0}, 24},    // documentation
    {{224, 0, 0, 0}, 4},       // multicast
    {{240, 0, 0, 0}, 4},       // reserved; ends in the broadcast address
};

// IPv6 is refused unless it lies in the one block of global unicast addresses. That covers ::,
// ::1, v4-compatible, v4-translated, 64:ff9b:1::/48, 100::/64, 100:0:0:1::/64, 5f00::/16, fc00::/7,
// fe80::/10, fec0::/10 and ff00::/8 without naming them.
constexpr Block6 global6 = {{0x20}, 3};
constexpr Block6 refused6[] = {
    {{0x20, 0x01}, 23},                          // protocol assignments: Teredo, ORCHID, AS112 …
    {{0x20, 0x01, 0x0d, 0xb8}, 32},              // documentation
    {{0x26, 0x20, 0x00, 0x4f, 0x80, 0x00}, 48},  // AS112
    {{0x3f, 0xff}, 20},                          // documentation
};

// Blocks that carry an IPv4 address, which decides (Teredo hides its own and is refused above):
// byte offset of that address.
struct Carrier {
  Block6 block;
  std::size_t offset;
};
constexpr Carrier carriers[] = {
    {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96}, 12},  // v4-mapped
    {{{0x00, 0x64, 0xff, 0x9b}, 96}, 12},                    // NAT64
    {{{0x20, 0x02}, 16}, 2},                                 // 6to4
};
constexpr const Block6& mapped = carriers[0].block;

bool within(const unsigned char* address, const unsigned char* base, unsigned prefix) {
  const unsigned whole = prefix / 8;
  if (std::memcmp(address, base, whole) != 0) return false;
  const unsigned rest = prefix % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<unsigned char>(0xff << (8 - rest));
  return (address[whole] & mask) == (base[whole] & mask);
}

bool is_public4(const unsigned char* address) {
  return std::none_of(std::begin(refused4), std::end(refused4), [&](const Block4& block) {
    return within(address, block.base.data(), block.prefix);
  });
}

bool is_public6(const unsigned char* address) {
  const auto in = [&](const Block6& block) {
    return within(address, block.base.data(), block.prefix);
  };
  for (const Carrier& carrier : carriers) {
    if (in(carrier.block)) return is_public4(address + carrier.offset);
  }
  return in(global6) && std::none_of(std::begin(refused6), std::end(refused6), in);
}

std::optional<unsigned> parse_prefix(std::string_view text, unsigned limit) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > limit) return {};
  return value;
}

}  // namespace

Result<AddressGate> AddressGate::create(const std::vector<std::string>& allow) {
  AddressGate gate;
  for (const std::string& entry : allow) {
    const Error bad{"network.allow: \"" + printable(entry) +
                        "\" is not an address or a CIDR; write for example 127.0.0.1, "
                        "10.0.0.0/8 or fd00::/8",
                    ExitCode::configuration};
    const std::size_t slash = entry.find('/');
    const std::string address = entry.substr(0, slash);
    Range range{};
    if (inet_pton(AF_INET, address.c_str(), range.bytes) == 1) {
      range.v6 = false;
    } else if (inet_pton(AF_INET6, address.c_str(), range.bytes) == 1) {
      range.v6 = true;
    } else {
      return bad;
    }
    const unsigned bits = range.v6 ? 128 : 32;
    range.prefix = bits;
    if (slash != std::string::npos) {
      const auto prefix = parse_prefix(std::string_view(entry).substr(slash + 1), bits);
      if (!prefix) return bad;
      range.prefix = *prefix;
    }
    if (range.v6 && range.prefix >= mapped.prefix &&
        within(range.bytes, mapped.base.data(), mapped.prefix)) {
      range.v6 = false;
      range.prefix -= mapped.prefix;
      std::memmove(range.bytes, range.bytes + 12, 4);
    }
    gate.allow_.push_back(range);
  }
  return gate;
}

bool AddressGate::permits(const sockaddr& address) const {
  Bytes16 bytes{};
  bool v6 = false;
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    std::memcpy(bytes.data(), &v4.sin_addr, 4);
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &address, sizeof six);
    std::memcpy(bytes.data(), &six.sin6_addr, 16);
    v6 = true;
    if (within(bytes.data(), mapped.base.data(), mapped.prefix)) {
      v6 = false;
      std::memmove(bytes.data(), bytes.data() + 12, 4);
    }
  } else {
    return false;
  }
  if (v6 ? is_public6(bytes.data()) : is_public4(bytes.data())) return true;
  return std::any_of(allow_.begin(), allow_.end(), [&](const Range& range) {
    return range.v6 == v6 && within(bytes.data(), range.bytes, range.prefix);
  });
}

bool AddressGate::permits_origin(std::string_view origin) const {
  std::string_view host = origin.substr(std::min(origin.find("://") + 3, origin.size()));
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  std::string text(host);
  // Whoever looks this up finds itself (RFC 6761).
  if (host == "localhost" || host.ends_with(".localhost")) text = "127.0.0.1";
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    return permits(reinterpret_cast<const sockaddr&>(v4));
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    return permits(reinterpret_cast<const sockaddr&>(v6));
  }
  return !host.empty();
}

}  // namespace pollux::fetch
