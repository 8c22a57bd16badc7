#include "engine/access_points.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace pollux::engine {
namespace {

// What a proxy answers in place of a server that it cannot reach, or to whom it will not speak.
bool is_proxy_trouble(int status) {
  return status == 407 || status == 502 || status == 504;
}

std::string describe(const fetch::AccessPoint& point) {
  if (!point.interface.empty()) return "interface " + point.interface;
  if (!point.address.empty()) return "address " + point.address;
  if (!point.agent.empty()) return "agent " + point.agent;
  return "proxy " + point.proxy;
}

}  // namespace

AccessPoints::AccessPoints(const config::Config& config, HostTable& hosts) : hosts_(hosts) {
  set_up(config);
}

void AccessPoints::set_up(const config::Config& config) {
  configured_.clear();
  for (const fetch::AccessPoint& point : config.fetch.access_points)
    configured_.push_back(id_of(point));
  capacities_ = config.placement.capacities;
  has_agents_ = std::ranges::any_of(configured_, [this](auto id) { return is_agent(id); });
  placement_.reset();
  if (!configured_.empty()) placement_.emplace(config.placement, Rng(config.schedule.seed));
}

fetch::AccessPointId AccessPoints::id_of(const fetch::AccessPoint& point) {
  const auto known = std::find(points_.begin(), points_.end(), point);
  const fetch::AccessPointId id{static_cast<std::uint32_t>(known - points_.begin())};
  if (known == points_.end()) points_.push_back(point);
  return id;
}

std::optional<std::size_t> AccessPoints::position_of(fetch::AccessPointId id) const {
  const auto found = std::find(configured_.begin(), configured_.end(), id);
  if (found == configured_.end()) return {};
  return static_cast<std::size_t>(found - configured_.begin());
}

std::optional<std::size_t> AccessPoints::position_named(const std::string& name) const {
  for (std::size_t position = 0; position < configured_.size(); ++position) {
    if (point(configured_[position]).name == name) return position;
  }
  return {};
}

std::optional<std::vector<store::PlacementRow>> AccessPoints::change(const config::Config& config) {
  std::vector<fetch::AccessPointId> wanted;
  for (const fetch::AccessPoint& point : config.fetch.access_points) wanted.push_back(id_of(point));
  if (wanted == configured_ && config.placement.capacities == capacities_) return {};

  std::vector<store::PlacementRow> rows = take_changed(hosts_.size());
  const std::vector<fetch::AccessPointId> configured_before = std::move(configured_);
  const std::optional<placement::Placement> before = std::move(placement_);
  set_up(config);
  for (std::uint32_t i = 0; before && i < hosts_.size(); ++i) {
    const HostSlot host{i};
    if (!before->knows(host)) continue;
    const placement::HostMemory old = before->memory(host);
    const std::string& name = point(configured_before[old.access_point]).name;
    const std::optional<std::size_t> stays = position_named(name);
    if (!stays && !hosts_[host].passing)
      rows.push_back({hosts_[host].name, name, false, 0, old.seconds[old.access_point]});
    if (!placement_) continue;
    placement::HostMemory memory{stays.value_or(configured_.size()), old.depth, {}};
    memory.seconds.resize(configured_.size());
    for (std::size_t position = 0; position < configured_before.size(); ++position) {
      if (const auto same = position_of(configured_before[position]))
        memory.seconds[*same] = old.seconds[position];
    }
    placement_->add(host, memory);
  }
  for (store::PlacementRow& row : rows) {
    if (!position_named(row.access_point)) row.placed = false, row.depth = 0;
  }
  std::vector<store::PlacementRow> moved = take_changed(hosts_.size());
  rows.insert(rows.end(), std::make_move_iterator(moved.begin()),
              std::make_move_iterator(moved.end()));
  return rows;
}

void AccessPoints::restore(const std::vector<store::PlacementRow>& rows) {
  if (!placement_) return;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    placement::HostMemory memory;
    memory.access_point = configured_.size();  // nowhere, unless a row says where
    memory.seconds.resize(configured_.size());
    for (end = begin; end < rows.size() && rows[end].host == rows[begin].host; ++end) {
      const store::PlacementRow& row = rows[end];
      const std::optional<std::size_t> position = position_named(row.access_point);
      if (!position) continue;
      memory.seconds[*position] = std::max(row.seconds, 0.0);
      if (!row.placed) continue;
      memory.access_point = *position;
      memory.depth = static_cast<unsigned>(std::clamp<std::int64_t>(row.depth, 0, 255));
    }
    if (const auto host = hosts_.find(rows[begin].host)) placement_->add(*host, memory);
  }
}

std::optional<fetch::AccessPointId> AccessPoints::choose(
    HostSlot host, std::optional<fetch::AccessPointId> hop_before, HasSecrets secrets) {
  if (!placement_) return {};
  see_who_is_there();
  fetch::AccessPointId chosen = configured_.front();
  // Whoever redirects may name any number of hosts: nothing is learnt or kept of those.
  if (hosts_[host].passing) {
    if (hop_before && position_of(*hop_before)) chosen = *hop_before;
    const auto open =
        std::ranges::find_if(configured_, [this](auto id) { return takes(id, false); });
    if (!takes(chosen, false) && open != configured_.end()) chosen = *open;
  } else {
    placement_->add(host);
    chosen = configured_[placement_->choose(host)];
  }
  if (secrets == HasSecrets::yes && !takes(chosen, true)) return {};
  return chosen;
}

std::optional<fetch::AccessPointId> AccessPoints::home(
    HostSlot host, std::optional<fetch::AccessPointId> hop_before) {
  if (!placement_) return {};
  if (hosts_[host].passing)
    return hop_before && position_of(*hop_before) ? hop_before : std::nullopt;
  placement_->add(host);
  return own(host);
}

std::optional<fetch::AccessPointId> AccessPoints::quickest_renderer(HostSlot host,
                                                                    HasSecrets secrets) const {
  const std::vector<double> seconds =
      knows(host) ? placement_->memory(host).seconds : std::vector<double>(configured_.size());
  // What was never measured comes last; hosts of which nothing is known are spread.
  const auto rank = [&](std::size_t position) {
    const bool busy = render_room(configured_[position], secrets) == agent::RenderRoom::busy;
    const bool unknown = seconds[position] <= 0;
    return std::tuple(busy, unknown, seconds[position],
                      (position + index(host)) % configured_.size());
  };
  std::optional<std::size_t> best;
  for (std::size_t position = 0; position < configured_.size(); ++position) {
    if (render_room(configured_[position], secrets) == agent::RenderRoom::none) continue;
    if (!best || rank(position) < rank(*best)) best = position;
  }
  return best ? std::optional(configured_[*best]) : std::nullopt;
}

void AccessPoints::see_who_is_there() {
  if (!has_agents_) return;
  for (std::size_t position = 0; position < configured_.size(); ++position)
    placement_->set_open(position, takes(configured_[position], false));
}

bool AccessPoints::any_open() {
  return !placement_ || !has_agents_ ||
         std::ranges::any_of(configured_, [this](auto id) { return takes(id, false); });
}

bool AccessPoints::any_room() const {
  if (!placement_ || !has_agents_) return true;
  bool any_there = false;
  for (const fetch::AccessPointId id : configured_) {
    if (!takes(id, false)) continue;
    if (!is_full(id)) return true;
    any_there = true;
  }
  return !any_there;
}

bool AccessPoints::has_room(HostSlot host) const {
  if (!has_agents_ || !knows(host)) return true;
  const fetch::AccessPointId id = own(host);
  return !takes(id, false) || !is_full(id);
}

bool AccessPoints::is_probe(HostSlot host, fetch::AccessPointId id) const {
  return knows(host) && position_of(id) && own(host) != id;
}

fetch::AccessPointId AccessPoints::own(HostSlot host) const {
  return configured_[placement_->access_point(host)];
}

bool AccessPoints::blames(fetch::AccessPointId id, const fetch::Response& response,
                          Attempt attempt) const {
  using fetch::Failure;
  const bool proxy = !point(id).proxy.empty();
  switch (response.failure) {
    case Failure::none:
      return proxy && is_proxy_trouble(response.status);
    case Failure::connection_lost:
      return attempt != Attempt::first || response.status != 0 || !response.reused_connection;
    case Failure::timeout:
    case Failure::connect:
    case Failure::tls:
      return true;
    case Failure::dns:
      return proxy || is_agent(id);  // a proxy's own name; an agent looks up those of pages
    case Failure::address_refused:
      return is_agent(id);  // what it may connect to is its own to say
    default:
      return false;
  }
}

void AccessPoints::note(HostSlot host, fetch::AccessPointId id, const fetch::Response& response,
                        Attempt attempt) {
  const std::optional<std::size_t> position = position_of(id);
  if (!knows(host) || !position) return;
  if (blames(id, response, attempt)) {
    placement_->fail(host, *position, to_seconds(response.elapsed));
  } else if (response.failure == fetch::Failure::none && response.status < 400) {
    placement_->feed(host, *position, to_seconds(response.exchange));
  }
}

std::vector<store::AccessPointRow> AccessPoints::rows() const {
  std::vector<store::AccessPointRow> rows;
  for (std::size_t position = 0; position < configured_.size(); ++position) {
    const fetch::AccessPoint& one = point(configured_[position]);
    rows.push_back({one.name, describe(one), capacities_[position]});
  }
  return rows;
}

std::vector<store::PlacementRow> AccessPoints::take_changed(std::size_t most_hosts) {
  std::vector<store::PlacementRow> rows;
  if (!placement_) return rows;
  for (const HostSlot host : placement_->take_changed(most_hosts)) {
    if (hosts_[host].passing) continue;
    const placement::HostMemory memory = placement_->memory(host);
    for (std::size_t position = 0; position < configured_.size(); ++position) {
      const bool placed = memory.access_point == position;
      rows.push_back({hosts_[host].name, point(configured_[position]).name, placed,
                      placed ? memory.depth : 0, memory.seconds[position]});
    }
  }
  return rows;
}

}  // namespace pollux::engine
