#include "config/access_points.hpp"

#include "config/request_headers.hpp"
#include "config/section_readers.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include <arpa/inet.h>
#include <net/if.h>
#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::size_t longest_name = 40;

bool is_word(std::string_view text, std::size_t longest) {
  return !text.empty() && text.size() <= longest &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

bool is_address(const std::string& text) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

// What makes two of them one: where their polls leave.
bool same_exit(const fetch::AccessPoint& a, const fetch::AccessPoint& b) {
  return a.interface == b.interface && a.address == b.address && a.proxy == b.proxy &&
         a.agent == b.agent;
}

Status check(const LoadContext& r, const Node& where, const fetch::AccessPoint& point) {
  if (point.name.empty()) return r.error(where, "an access point without a name; add 'name: …'");
  const int named = !point.interface.empty() + !point.address.empty() + !point.proxy.empty() +
                    !point.agent.empty();
  if (named != 1) {
    return r.error(where,
                   fmt::format("access point '{}': {} of 'interface', 'address', 'proxy' and "
                               "'agent' is given; "
                               "write exactly one",
                               point.name, named == 0 ? "none" : "more than one"));
  }
  if (!point.proxy_login.empty() && point.proxy.empty()) {
    return r.error(where, fmt::format("access point '{}': a proxy_auth_file without a proxy; drop "
                                      "it, or name the proxy",
                                      point.name));
  }
  for (const fetch::AccessPoint& other : r.config.fetch.access_points) {
    if (other.name != point.name && !same_exit(other, point)) continue;
    return r.error(where, fmt::format("access point '{}': {} '{}'; keep one of them", point.name,
                                      other.name == point.name ? "there are two called"
                                                               : "it is the same access point as",
                                      other.name));
  }
  return success();
}

}  // namespace

Status read_access_points(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::list) {
    return r.error(value, fmt::format("'{}' is {}; write a list of {{ name: …, interface: … }}",
                                      name_of(key), kind_name(value.kind())));
  }
  for (const Node entry : value) {
    if (entry.kind() != Kind::mapping) {
      r.note(r.error(entry, fmt::format("an access point is {}; write {{ name: …, interface: … }}",
                                        kind_name(entry.kind()))));
      continue;
    }
    if (r.config.fetch.access_points.size() == placement::Placement::most_access_points) {
      return r.error(entry, fmt::format("more than {} access points; drop some",
                                        placement::Placement::most_access_points));
    }
    fetch::AccessPoint point;
    std::uint32_t capacity = 0;
    r.access_point = &point;
    r.capacity = &capacity;
    if (!read_keys(r, "access_points[]", entry) || !r.note(check(r, entry, point))) continue;
    r.config.fetch.access_points.push_back(std::move(point));
    r.config.placement.capacities.push_back(capacity);
  }
  return success();
}

Status read_access_point_name(LoadContext& r, const Key& key, const Node& value) {
  if (Status status = read_line(r, key, value, r.access_point->name); !status) return status;
  if (is_word(r.access_point->name, longest_name)) return success();
  return r.error(value, fmt::format("name: '{}' does not do; write 1 to {} letters, digits, '-', "
                                    "'_' or '.'",
                                    printable(r.access_point->name, 60), longest_name));
}

Status read_access_point_interface(LoadContext& r, const Key& key, const Node& value) {
  if (Status status = read_line(r, key, value, r.access_point->interface); !status) return status;
  if (is_word(r.access_point->interface, IFNAMSIZ - 1)) return success();
  return r.error(value, fmt::format("interface: '{}' is no network interface; `ip link` lists them",
                                    printable(r.access_point->interface, 60)));
}

Status read_access_point_address(LoadContext& r, const Key& key, const Node& value) {
  if (Status status = read_line(r, key, value, r.access_point->address); !status) return status;
  if (is_address(r.access_point->address)) return success();
  return r.error(value, fmt::format("address: '{}' is no address; write one of this machine, for "
                                    "example 192.0.2.7",
                                    printable(r.access_point->address, 60)));
}

Status read_access_point_proxy(LoadContext& r, const Key& key, const Node& value) {
  return read_proxy(r, key, value, r.access_point->proxy);
}

Status read_access_point_login(LoadContext& r, const Key& key, const Node& value) {
  return read_login_file(r, key, value, r.access_point->proxy_login);
}

Status read_access_point_capacity(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 1, std::numeric_limits<std::uint32_t>::max());
  if (status) *r.capacity = static_cast<std::uint32_t>(number);
  return status;
}

void warn_of_small_capacities(const Config& config, std::size_t hosts,
                              std::vector<Warning>& warnings) {
  std::uint64_t room = 0;
  for (const std::uint32_t capacity : config.placement.capacities) {
    if (capacity == 0) return;
    room += capacity;
  }
  if (config.placement.capacities.empty() || room >= hosts) return;
  warnings.push_back(
      {fmt::format("{}: access_points: there are {} hosts, but all capacities "
                   "together hold {}; they will be exceeded in proportion",
                   printable(config.file), hosts, room)});
}

}  // namespace pollux::config
