#include "engine/ways_out.hpp"

#include <algorithm>

namespace pollux::engine {
namespace {

// What a proxy answers in place of a server that it cannot reach, or to whom it will not speak.
bool is_proxy_trouble(int status) {
  return status == 407 || status == 502 || status == 504;
}

std::string describe(const fetch::AccessPoint& point) {
  if (!point.interface.empty()) return "interface " + point.interface;
  if (!point.address.empty()) return "address " + point.address;
  return "proxy " + point.proxy;
}

}  // namespace

WaysOut::WaysOut(const config::Config& config, HostTable& hosts)
    : points_(config.fetch.access_points),
      capacities_(config.place.capacities),
      hosts_(hosts),
      placement_(config.place, Rng(config.schedule.seed)) {}

void WaysOut::restore(const std::vector<store::PlacementRow>& rows) {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    place::SiteMemory memory;
    memory.arm = placement_.arms();  // nowhere, unless a row says where
    memory.seconds.resize(placement_.arms());
    for (end = begin; end < rows.size() && rows[end].host == rows[begin].host; ++end) {
      const store::PlacementRow& row = rows[end];
      const auto known = std::find_if(points_.begin(), points_.end(), [&](const auto& point) {
        return point.name == row.access_point;
      });
      if (known == points_.end()) continue;
      const auto arm = static_cast<std::size_t>(known - points_.begin());
      memory.seconds[arm] = std::max(row.seconds, 0.0);
      if (!row.placed) continue;
      memory.arm = arm;
      memory.depth = static_cast<unsigned>(std::clamp<std::int64_t>(row.depth, 0, 255));
    }
    if (const auto host = hosts_.find(rows[begin].host)) placement_.add(*host, memory);
  }
}

std::uint32_t WaysOut::choose(HostSlot host, std::optional<std::uint32_t> hop_before) {
  // Whoever redirects may name any number of hosts: nothing is learnt or kept of those.
  if (hosts_[host].passing) return hop_before.value_or(0);
  placement_.add(host);
  return static_cast<std::uint32_t>(placement_.choose(host));
}

bool WaysOut::is_look(HostSlot host, std::uint32_t way) const {
  return placement_.knows(host) && placement_.arm(host) != way;
}

std::uint32_t WaysOut::own(HostSlot host) const {
  return static_cast<std::uint32_t>(placement_.arm(host));
}

bool WaysOut::blames_way(std::uint32_t way, const fetch::Response& response, Try which) const {
  using fetch::Failure;
  const bool proxy = !points_[way].proxy.empty();
  switch (response.failure) {
    case Failure::none:
      return proxy && is_proxy_trouble(response.status);
    case Failure::connection_lost:
      return which == Try::second || response.status != 0 || !response.reused_connection;
    case Failure::timeout:
    case Failure::connect:
    case Failure::tls:
      return true;
    case Failure::dns:
      return proxy;  // its own name: those of pages are not looked up
    default:
      return false;
  }
}

void WaysOut::note(HostSlot host, std::uint32_t way, const fetch::Response& response, Try which) {
  if (!placement_.knows(host)) return;
  if (blames_way(way, response, which)) {
    placement_.fail(host, way, to_seconds(response.elapsed));
  } else if (response.failure == fetch::Failure::none && response.status < 400) {
    placement_.feed(host, way, to_seconds(response.exchange));
  }
}

std::vector<store::AccessPointRow> WaysOut::rows() const {
  std::vector<store::AccessPointRow> rows;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    rows.push_back({points_[i].name, describe(points_[i]), capacities_[i]});
  }
  return rows;
}

std::vector<store::PlacementRow> WaysOut::take_changed(std::size_t most_hosts) {
  std::vector<store::PlacementRow> rows;
  for (const HostSlot host : placement_.take_changed(most_hosts)) {
    if (hosts_[host].passing) continue;
    const place::SiteMemory memory = placement_.memory(host);
    for (std::size_t arm = 0; arm < points_.size(); ++arm) {
      const bool placed = memory.arm == arm;
      rows.push_back({hosts_[host].name, points_[arm].name, placed, placed ? memory.depth : 0,
                      memory.seconds[arm]});
    }
  }
  return rows;
}

}  // namespace pollux::engine
