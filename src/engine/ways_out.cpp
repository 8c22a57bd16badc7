#include "engine/ways_out.hpp"

#include <algorithm>
#include <iterator>

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

WaysOut::WaysOut(const config::Config& config, HostTable& hosts) : hosts_(hosts) {
  set_up(config);
}

void WaysOut::set_up(const config::Config& config) {
  ways_.clear();
  for (const fetch::AccessPoint& point : config.fetch.access_points) ways_.push_back(way_of(point));
  capacities_ = config.placement.capacities;
  placement_.reset();
  if (!ways_.empty()) placement_.emplace(config.placement, Rng(config.schedule.seed));
}

std::uint32_t WaysOut::way_of(const fetch::AccessPoint& point) {
  const auto known = std::find(points_.begin(), points_.end(), point);
  const auto way = static_cast<std::uint32_t>(known - points_.begin());
  if (known == points_.end()) points_.push_back(point);
  return way;
}

std::optional<std::size_t> WaysOut::arm_of(std::uint32_t way) const {
  const auto found = std::find(ways_.begin(), ways_.end(), way);
  if (found == ways_.end()) return {};
  return static_cast<std::size_t>(found - ways_.begin());
}

std::optional<std::size_t> WaysOut::arm_named(const std::string& name) const {
  for (std::size_t arm = 0; arm < ways_.size(); ++arm) {
    if (points_[ways_[arm]].name == name) return arm;
  }
  return {};
}

std::optional<std::vector<store::PlacementRow>> WaysOut::change(const config::Config& config) {
  std::vector<std::uint32_t> wanted;
  for (const fetch::AccessPoint& point : config.fetch.access_points)
    wanted.push_back(way_of(point));
  if (wanted == ways_ && config.placement.capacities == capacities_) return {};

  std::vector<store::PlacementRow> rows = take_changed(hosts_.size());
  const std::vector<std::uint32_t> ways_before = std::move(ways_);
  const std::optional<placement::Placement> before = std::move(placement_);
  set_up(config);
  for (std::uint32_t i = 0; before && i < hosts_.size(); ++i) {
    const HostSlot host{i};
    if (!before->knows(host)) continue;
    const placement::HostMemory old = before->memory(host);
    const std::string& name = points_[ways_before[old.access_point]].name;
    const std::optional<std::size_t> stays = arm_named(name);
    if (!stays && !hosts_[host].passing)
      rows.push_back({hosts_[host].name, name, false, 0, old.seconds[old.access_point]});
    if (!placement_) continue;
    placement::HostMemory memory{stays.value_or(ways_.size()), old.depth, {}};
    memory.seconds.resize(ways_.size());
    for (std::size_t arm = 0; arm < ways_before.size(); ++arm) {
      if (const auto same = arm_of(ways_before[arm])) memory.seconds[*same] = old.seconds[arm];
    }
    placement_->add(host, memory);
  }
  for (store::PlacementRow& row : rows) {
    if (!arm_named(row.access_point)) row.placed = false, row.depth = 0;
  }
  std::vector<store::PlacementRow> moved = take_changed(hosts_.size());
  rows.insert(rows.end(), std::make_move_iterator(moved.begin()),
              std::make_move_iterator(moved.end()));
  return rows;
}

void WaysOut::restore(const std::vector<store::PlacementRow>& rows) {
  if (!placement_) return;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    placement::HostMemory memory;
    memory.access_point = ways_.size();  // nowhere, unless a row says where
    memory.seconds.resize(ways_.size());
    for (end = begin; end < rows.size() && rows[end].host == rows[begin].host; ++end) {
      const store::PlacementRow& row = rows[end];
      const std::optional<std::size_t> arm = arm_named(row.access_point);
      if (!arm) continue;
      memory.seconds[*arm] = std::max(row.seconds, 0.0);
      if (!row.placed) continue;
      memory.access_point = *arm;
      memory.depth = static_cast<unsigned>(std::clamp<std::int64_t>(row.depth, 0, 255));
    }
    if (const auto host = hosts_.find(rows[begin].host)) placement_->add(*host, memory);
  }
}

std::optional<std::uint32_t> WaysOut::choose(HostSlot host,
                                             std::optional<std::uint32_t> hop_before) {
  if (!placement_) return {};
  // Whoever redirects may name any number of hosts: nothing is learnt or kept of those.
  if (hosts_[host].passing) return hop_before && arm_of(*hop_before) ? *hop_before : ways_.front();
  placement_->add(host);
  return ways_[placement_->choose(host)];
}

bool WaysOut::is_look(HostSlot host, std::uint32_t way) const {
  return knows(host) && arm_of(way) && own(host) != way;
}

std::uint32_t WaysOut::own(HostSlot host) const {
  return ways_[placement_->access_point(host)];
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
  const std::optional<std::size_t> arm = arm_of(way);
  if (!knows(host) || !arm) return;
  if (blames_way(way, response, which)) {
    placement_->fail(host, *arm, to_seconds(response.elapsed));
  } else if (response.failure == fetch::Failure::none && response.status < 400) {
    placement_->feed(host, *arm, to_seconds(response.exchange));
  }
}

std::vector<store::AccessPointRow> WaysOut::rows() const {
  std::vector<store::AccessPointRow> rows;
  for (std::size_t arm = 0; arm < ways_.size(); ++arm) {
    const fetch::AccessPoint& point = points_[ways_[arm]];
    rows.push_back({point.name, describe(point), capacities_[arm]});
  }
  return rows;
}

std::vector<store::PlacementRow> WaysOut::take_changed(std::size_t most_hosts) {
  std::vector<store::PlacementRow> rows;
  if (!placement_) return rows;
  for (const HostSlot host : placement_->take_changed(most_hosts)) {
    if (hosts_[host].passing) continue;
    const placement::HostMemory memory = placement_->memory(host);
    for (std::size_t arm = 0; arm < ways_.size(); ++arm) {
      const bool placed = memory.access_point == arm;
      rows.push_back({hosts_[host].name, points_[ways_[arm]].name, placed,
                      placed ? memory.depth : 0, memory.seconds[arm]});
    }
  }
  return rows;
}

}  // namespace pollux::engine
