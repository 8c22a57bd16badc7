#include "pollux/placement/placement.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace pollux::placement {
namespace {

// Times closer than this are the same for all we know: one state, not two.
constexpr double clearly = 1.25;
// Doubt grows with what polls take beyond the host's habit and shrinks otherwise (a CUSUM test);
// the noisier the host, the more it takes. Beyond the limit something has changed.
constexpr double habit_weight = 0.05;
constexpr double first_deviation = 0.15;
constexpr double most_doubt_a_poll = 1;
constexpr double tolerated = 0.1, tolerated_deviations = 0.5;
constexpr double limit = 0.8, limit_deviations = 4;
// An estimate this many times too high is out of date (an outage, a repaired line): start anew.
constexpr double outdated = 4;
// A probe of another access point is rare: it counts more than one among many.
constexpr double probe_weight = 0.5;
constexpr int candidates = 8;  // for an exchange
// What an exchange must save, in parts of what the two hosts take now; less is noise.
constexpr double worth_it = 0.02;
// An access point remembered as dead is probed all the same, once in some thousand polls.
constexpr double least_cheap = 0.05;
constexpr double shortest = 1e-6;

}  // namespace

Placement::Placement(Options options, Rng rng)
    : options_(std::move(options)),
      rng_(rng),
      members_(options_.capacities.size()),
      open_(options_.capacities.size(), true) {
  assert(!options_.capacities.empty() && options_.capacities.size() <= most_access_points);
  options_.states = std::clamp(options_.states, 2u, 250u);
}

bool Placement::knows(HostSlot host) const {
  return index(host) < hosts_.size() && hosts_[index(host)].used;
}

void Placement::add(HostSlot slot, const std::optional<HostMemory>& memory) {
  if (knows(slot)) return;
  const std::uint32_t host = index(slot);
  if (host >= hosts_.size()) {
    hosts_.resize(host + 1);
    times_.resize((host + 1) * access_points());
  }
  for (std::size_t i = 0; i < access_points(); ++i) time(host, i) = 0;
  hosts_[host] = {};
  hosts_[host].used = true;
  hosts_[host].deviation = static_cast<float>(first_deviation);
  const bool remembered =
      memory && memory->access_point < access_points() && has_room(memory->access_point);
  put(host, remembered ? memory->access_point : access_point_with_room());
  if (memory) {
    if (remembered) {
      hosts_[host].depth = static_cast<std::uint8_t>(std::min(memory->depth, options_.states - 1));
    }
    for (std::size_t i = 0; i < std::min(access_points(), memory->seconds.size()); ++i) {
      time(host, i) = static_cast<float>(memory->seconds[i]);
    }
  }
  if (!remembered) mark(host);
}

void Placement::remove(HostSlot host) {
  if (!knows(host)) return;
  take_out(index(host));
  hosts_[index(host)].used = false;
}

std::size_t Placement::choose(HostSlot slot) {
  const std::uint32_t host = index(slot);
  if (!open_[hosts_[host].access_point]) flee(host);
  const Host& own = hosts_[host];
  if (access_points() == 1 || !open_[own.access_point] || time(host, own.access_point) == 0)
    return own.access_point;
  for (std::size_t i = 0; i < access_points(); ++i) {
    if (time(host, i) == 0 && open_[i]) return i;
  }
  std::size_t other = rng_.below(access_points() - 1);
  if (other >= own.access_point) ++other;
  if (!open_[other] || time(host, other) == 0) return own.access_point;
  // Seconds lost by a probe are other − own; with a probability in inverse proportion to `other`,
  // the expected loss stays below `explore` of the time however slow it is.
  const double unsure = static_cast<double>(options_.states) / (own.depth + 1.0);
  const double cheap =
      std::clamp(double{time(host, own.access_point)} / time(host, other), least_cheap, 1.0);
  return rng_.chance(options_.explore * unsure * cheap) ? other : own.access_point;
}

void Placement::feed(HostSlot slot, std::size_t point, double seconds) {
  if (!knows(slot) || point >= access_points()) return;
  const std::uint32_t host = index(slot);
  seconds = std::max(seconds, shortest);
  const double usual = time(host, point);
  learn(host, point, seconds);
  if (point == hosts_[host].access_point) {
    if (has_changed(hosts_[host], seconds)) forget_others(host);
    judge(host, seconds, usual);
  }
  mark(host);
}

void Placement::fail(HostSlot slot, std::size_t point, double seconds) {
  feed(slot, point, std::max(seconds, options_.failure_seconds));
  if (!knows(slot) || hosts_[index(slot)].access_point != point) return;
  hosts_[index(slot)].depth = 0;
  forget_others(index(slot));
}

void Placement::learn(std::uint32_t host, std::size_t point, double seconds) {
  float& known = time(host, point);
  const double weight = point == hosts_[host].access_point ? options_.weight : probe_weight;
  if (known == 0 || seconds * outdated < known) {
    known = static_cast<float>(seconds);
  } else {
    known += static_cast<float>(weight * (seconds - known));
  }
}

// Compares with the host's habit at its access point. True when too much has spoken against it.
bool Placement::has_changed(Host& own, double seconds) {
  if (own.habit == 0) own.habit = static_cast<float>(seconds);
  const double excess = std::clamp(seconds / own.habit - 1, -1.0, most_doubt_a_poll);
  own.doubt += static_cast<float>(excess - tolerated - tolerated_deviations * own.deviation);
  own.doubt = std::max(own.doubt, 0.0f);
  const bool changed = own.doubt > limit + limit_deviations * own.deviation;
  own.deviation += static_cast<float>(habit_weight * (std::abs(excess) - own.deviation));
  own.habit += static_cast<float>(habit_weight * (seconds - own.habit));
  if (changed) {
    own.habit = static_cast<float>(seconds);
    own.doubt = 0;
  }
  return changed;
}

// What the other access points take is not known any more: each is probed again.
void Placement::forget_others(std::uint32_t host) {
  for (std::size_t i = 0; i < access_points(); ++i) {
    if (i != hosts_[host].access_point) time(host, i) = 0;
  }
}

std::optional<std::size_t> Placement::best_elsewhere(std::uint32_t host) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < access_points(); ++i) {
    if (i == hosts_[host].access_point || time(host, i) == 0 || !open_[i]) continue;
    if (!best || time(host, i) < time(host, *best)) best = i;
  }
  return best;
}

// Its access point is closed. What the host took there is remembered: it is probed again when it
// opens.
void Placement::flee(std::uint32_t host) {
  std::optional<std::size_t> best;
  const auto is_better = [&](std::size_t one, std::size_t other) {
    if (has_room(one) != has_room(other)) return has_room(one);
    const bool known = time(host, one) != 0;
    if (known != (time(host, other) != 0)) return known;
    return known ? time(host, one) < time(host, other)
                 : members_[one].size() < members_[other].size();
  };
  for (std::size_t i = 0; i < access_points(); ++i) {
    if (open_[i] && (!best || is_better(i, *best))) best = i;
  }
  if (best) move(host, *best);
}

// One vote of a poll through the host's own access point.
void Placement::judge(std::uint32_t host, double seconds, double usual) {
  const std::optional<std::size_t> best = best_elsewhere(host);
  if (!best) return;
  Host& own = hosts_[host];
  const double elsewhere = time(host, *best);
  // The host answers again after an outage that had spoilt the times of every access point.
  if (usual > options_.failure_seconds / 2 && seconds * outdated < usual) forget_others(host);
  if (seconds <= elsewhere) {
    const unsigned step = seconds * clearly < elsewhere ? 2 : 1;
    own.depth = static_cast<std::uint8_t>(std::min(own.depth + step, options_.states - 1));
    return;
  }
  if (own.depth == 0) {
    if (time(host, own.access_point) > elsewhere) migrate(host);
    return;
  }
  const unsigned step = seconds > clearly * elsewhere ? 2 : 1;
  own.depth = static_cast<std::uint8_t>(own.depth - std::min<unsigned>(own.depth, step));
}

// To the fastest access point that has room or a host to exchange with.
void Placement::migrate(std::uint32_t host) {
  const double here = time(host, hosts_[host].access_point);
  std::uint64_t tried = 0;  // one bit an access point
  while (true) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < access_points(); ++i) {
      const double there = time(host, i);
      if (there == 0 || there >= here || !open_[i] || (tried >> i & 1) != 0) continue;
      if (!best || there < time(host, *best)) best = i;
    }
    if (!best) break;
    tried |= std::uint64_t{1} << *best;
    if (has_room(*best)) return move(host, *best);
    if (const auto other = partner(host, *best)) {
      const std::size_t left = hosts_[host].access_point;
      move(*other, left);
      return move(host, *best);
    }
  }
  // Better access points are full of hosts that need them more: ask again after a few polls, not at
  // each.
  hosts_[host].depth = static_cast<std::uint8_t>(options_.states / 2);
}

// Of a few hosts placed there, the one whose exchange saves most; none when it saves too little.
std::optional<std::uint32_t> Placement::partner(std::uint32_t host, std::size_t point) {
  const std::vector<std::uint32_t>& members = members_[point];
  const std::size_t left = hosts_[host].access_point;
  const double gain = double{time(host, left)} - time(host, point);
  std::optional<std::uint32_t> best;
  double most = 0;
  for (int i = 0; i < candidates && !members.empty(); ++i) {
    const std::uint32_t other = members[rng_.below(members.size())];
    // What was never measured is taken to be no worse: trying is how it gets known.
    const double loss = time(other, left) == 0 ? 0 : double{time(other, left)} - time(other, point);
    const double saved = gain - loss;
    if (saved <= most || saved < worth_it * (time(host, left) + time(other, point))) continue;
    most = saved;
    best = other;
  }
  return best;
}

bool Placement::has_room(std::size_t point) const {
  return options_.capacities[point] == 0 || members_[point].size() < options_.capacities[point];
}

std::size_t Placement::access_point_with_room() {
  std::size_t found = 0, chosen = 0;
  for (std::size_t i = 0; i < access_points(); ++i) {
    if (has_room(i) && open_[i] && rng_.below(++found) == 0) chosen = i;
  }
  if (found > 0) return chosen;
  const auto fill = [&](std::size_t i) {
    return static_cast<double>(members_[i].size()) / options_.capacities[i];
  };
  for (std::size_t i = 1; i < access_points(); ++i) {
    if (fill(i) < fill(chosen)) chosen = i;
  }
  return chosen;
}

void Placement::put(std::uint32_t host, std::size_t point) {
  Host& entry = hosts_[host];
  entry.access_point = static_cast<std::uint8_t>(point);
  entry.depth = 0;
  entry.habit = entry.doubt = 0;
  entry.position = static_cast<std::uint32_t>(members_[point].size());
  members_[point].push_back(host);
}

void Placement::take_out(std::uint32_t host) {
  std::vector<std::uint32_t>& members = members_[hosts_[host].access_point];
  const std::uint32_t hole = hosts_[host].position;
  members[hole] = members.back();
  hosts_[members[hole]].position = hole;
  members.pop_back();
}

void Placement::move(std::uint32_t host, std::size_t point) {
  take_out(host);
  put(host, point);
  mark(host);
  ++migrations_;
}

void Placement::mark(std::uint32_t host) {
  if (!std::exchange(hosts_[host].changed, true)) changed_.push_back(HostSlot{host});
}

HostMemory Placement::memory(HostSlot slot) const {
  const Host& host = hosts_[index(slot)];
  HostMemory memory{host.access_point, host.depth, {}};
  for (std::size_t i = 0; i < access_points(); ++i) memory.seconds.push_back(time(index(slot), i));
  return memory;
}

std::vector<HostSlot> Placement::take_changed(std::size_t most) {
  std::vector<HostSlot> taken;
  while (!changed_.empty() && taken.size() < most) {
    const HostSlot host = changed_.back();
    changed_.pop_back();
    Host& entry = hosts_[index(host)];
    entry.changed = false;
    if (entry.used) taken.push_back(host);
  }
  return taken;
}

std::size_t Placement::memory_bytes() const {
  std::size_t bytes = hosts_.capacity() * sizeof(Host) + times_.capacity() * sizeof(float) +
                      changed_.capacity() * sizeof(HostSlot);
  for (const auto& members : members_) bytes += members.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace pollux::placement
