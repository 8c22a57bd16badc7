#include "pollux/placement/placement.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace pollux::placement {
namespace {

// Times closer than this are the same for all we know: one state, not two.
constexpr double clearly = 1.25;
// Doubt grows with what polls take beyond the site's habit and shrinks otherwise (a CUSUM test);
// the noisier the site, the more it takes. Beyond the limit something has changed.
constexpr double habit_weight = 0.05;
constexpr double first_deviation = 0.15;
constexpr double most_doubt_a_poll = 1;
constexpr double tolerated = 0.1, tolerated_deviations = 0.5;
constexpr double limit = 0.8, limit_deviations = 4;
// An estimate this many times too high is out of date (an outage, a repaired line): start anew.
constexpr double outdated = 4;
// A poll through another arm is rare: it counts more than one among many.
constexpr double glance_weight = 0.5;
constexpr int candidates = 8;  // for an exchange
// What an exchange must save, in parts of what the two sites take now; less is noise.
constexpr double worth_it = 0.02;
// An arm remembered as dead is looked at all the same, once in some thousand polls.
constexpr double least_cheap = 0.05;
constexpr double shortest = 1e-6;

}  // namespace

Placement::Placement(Options options, Rng rng)
    : options_(std::move(options)), rng_(rng), members_(options_.capacities.size()) {
  assert(!options_.capacities.empty() && options_.capacities.size() <= most_arms);
  options_.states = std::clamp(options_.states, 2u, 250u);
}

bool Placement::knows(HostSlot site) const {
  return index(site) < sites_.size() && sites_[index(site)].used;
}

void Placement::add(HostSlot slot, const std::optional<SiteMemory>& memory) {
  if (knows(slot)) return;
  const std::uint32_t site = index(slot);
  if (site >= sites_.size()) {
    sites_.resize(site + 1);
    times_.resize((site + 1) * arms());
  }
  for (std::size_t i = 0; i < arms(); ++i) time(site, i) = 0;
  sites_[site] = {};
  sites_[site].used = true;
  sites_[site].deviation = static_cast<float>(first_deviation);
  const bool remembered = memory && memory->arm < arms() && has_room(memory->arm);
  put(site, remembered ? memory->arm : arm_with_room());
  if (memory) {
    if (remembered) {
      sites_[site].depth = static_cast<std::uint8_t>(std::min(memory->depth, options_.states - 1));
    }
    for (std::size_t i = 0; i < std::min(arms(), memory->seconds.size()); ++i) {
      time(site, i) = static_cast<float>(memory->seconds[i]);
    }
  }
  if (!remembered) mark(site);
}

void Placement::remove(HostSlot site) {
  if (!knows(site)) return;
  take_out(index(site));
  sites_[index(site)].used = false;
}

std::size_t Placement::choose(HostSlot slot) {
  const std::uint32_t site = index(slot);
  const Site& own = sites_[site];
  if (arms() == 1 || time(site, own.arm) == 0) return own.arm;
  for (std::size_t i = 0; i < arms(); ++i) {
    if (time(site, i) == 0) return i;
  }
  std::size_t other = rng_.below(arms() - 1);
  if (other >= own.arm) ++other;
  // Seconds lost by a look are other − own; with a probability in inverse proportion to `other`,
  // the expected loss stays below `explore` of the time however slow the arms are.
  const double unsure = static_cast<double>(options_.states) / (own.depth + 1.0);
  const double cheap =
      std::clamp(double{time(site, own.arm)} / time(site, other), least_cheap, 1.0);
  return rng_.chance(options_.explore * unsure * cheap) ? other : own.arm;
}

void Placement::feed(HostSlot slot, std::size_t arm, double seconds) {
  if (!knows(slot) || arm >= arms()) return;
  const std::uint32_t site = index(slot);
  seconds = std::max(seconds, shortest);
  const double usual = time(site, arm);
  learn(site, arm, seconds);
  if (arm == sites_[site].arm) {
    if (has_changed(sites_[site], seconds)) forget_others(site);
    judge(site, seconds, usual);
  }
  mark(site);
}

void Placement::fail(HostSlot slot, std::size_t arm, double seconds) {
  feed(slot, arm, std::max(seconds, options_.failure_seconds));
  if (!knows(slot) || sites_[index(slot)].arm != arm) return;
  sites_[index(slot)].depth = 0;
  forget_others(index(slot));
}

void Placement::learn(std::uint32_t site, std::size_t arm, double seconds) {
  float& known = time(site, arm);
  const double weight = arm == sites_[site].arm ? options_.weight : glance_weight;
  if (known == 0 || seconds * outdated < known) {
    known = static_cast<float>(seconds);
  } else {
    known += static_cast<float>(weight * (seconds - known));
  }
}

// Compares with the site's habit in its arm. True when too much has spoken against it.
bool Placement::has_changed(Site& own, double seconds) {
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

// What the other arms take is not known any more: each is looked at again.
void Placement::forget_others(std::uint32_t site) {
  for (std::size_t i = 0; i < arms(); ++i) {
    if (i != sites_[site].arm) time(site, i) = 0;
  }
}

std::optional<std::size_t> Placement::best_elsewhere(std::uint32_t site) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < arms(); ++i) {
    if (i == sites_[site].arm || time(site, i) == 0) continue;
    if (!best || time(site, i) < time(site, *best)) best = i;
  }
  return best;
}

// One vote of a poll through the site's own arm.
void Placement::judge(std::uint32_t site, double seconds, double usual) {
  const std::optional<std::size_t> best = best_elsewhere(site);
  if (!best) return;
  Site& own = sites_[site];
  const double elsewhere = time(site, *best);
  // The site answers again after an outage, which had spoilt every arm's time.
  if (usual > options_.failure_seconds / 2 && seconds * outdated < usual) forget_others(site);
  if (seconds <= elsewhere) {
    const unsigned step = seconds * clearly < elsewhere ? 2 : 1;
    own.depth = static_cast<std::uint8_t>(std::min(own.depth + step, options_.states - 1));
    return;
  }
  if (own.depth == 0) {
    if (time(site, own.arm) > elsewhere) migrate(site);
    return;
  }
  const unsigned step = seconds > clearly * elsewhere ? 2 : 1;
  own.depth = static_cast<std::uint8_t>(own.depth - std::min<unsigned>(own.depth, step));
}

// To the fastest arm that has room or a site to exchange with.
void Placement::migrate(std::uint32_t site) {
  const double here = time(site, sites_[site].arm);
  std::uint64_t tried = 0;  // one bit an arm
  while (true) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < arms(); ++i) {
      const double there = time(site, i);
      if (there == 0 || there >= here || (tried >> i & 1) != 0) continue;
      if (!best || there < time(site, *best)) best = i;
    }
    if (!best) break;
    tried |= std::uint64_t{1} << *best;
    if (has_room(*best)) return move(site, *best);
    if (const auto other = partner(site, *best)) {
      const std::size_t left = sites_[site].arm;
      move(*other, left);
      return move(site, *best);
    }
  }
  // Better arms are full of sites that need them more: ask again after a few polls, not at each.
  sites_[site].depth = static_cast<std::uint8_t>(options_.states / 2);
}

// Of a few sites in that arm, the one whose exchange saves most; none when it saves too little.
std::optional<std::uint32_t> Placement::partner(std::uint32_t site, std::size_t arm) {
  const std::vector<std::uint32_t>& members = members_[arm];
  const std::size_t left = sites_[site].arm;
  const double gain = double{time(site, left)} - time(site, arm);
  std::optional<std::uint32_t> best;
  double most = 0;
  for (int i = 0; i < candidates && !members.empty(); ++i) {
    const std::uint32_t other = members[rng_.below(members.size())];
    // What was never measured is taken to be no worse: trying is how it gets known.
    const double loss = time(other, left) == 0 ? 0 : double{time(other, left)} - time(other, arm);
    const double saved = gain - loss;
    if (saved <= most || saved < worth_it * (time(site, left) + time(other, arm))) continue;
    most = saved;
    best = other;
  }
  return best;
}

bool Placement::has_room(std::size_t arm) const {
  return options_.capacities[arm] == 0 || members_[arm].size() < options_.capacities[arm];
}

std::size_t Placement::arm_with_room() {
  std::size_t found = 0, chosen = 0;
  for (std::size_t i = 0; i < arms(); ++i) {
    if (has_room(i) && rng_.below(++found) == 0) chosen = i;
  }
  if (found > 0) return chosen;
  const auto fill = [&](std::size_t i) {
    return static_cast<double>(members_[i].size()) / options_.capacities[i];
  };
  for (std::size_t i = 1; i < arms(); ++i) {
    if (fill(i) < fill(chosen)) chosen = i;
  }
  return chosen;
}

void Placement::put(std::uint32_t site, std::size_t arm) {
  Site& entry = sites_[site];
  entry.arm = static_cast<std::uint8_t>(arm);
  entry.depth = 0;
  entry.habit = entry.doubt = 0;
  entry.position = static_cast<std::uint32_t>(members_[arm].size());
  members_[arm].push_back(site);
}

void Placement::take_out(std::uint32_t site) {
  std::vector<std::uint32_t>& members = members_[sites_[site].arm];
  const std::uint32_t hole = sites_[site].position;
  members[hole] = members.back();
  sites_[members[hole]].position = hole;
  members.pop_back();
}

void Placement::move(std::uint32_t site, std::size_t arm) {
  take_out(site);
  put(site, arm);
  mark(site);
  ++migrations_;
}

void Placement::mark(std::uint32_t site) {
  if (!std::exchange(sites_[site].changed, true)) changed_.push_back(HostSlot{site});
}

SiteMemory Placement::memory(HostSlot slot) const {
  const Site& site = sites_[index(slot)];
  SiteMemory memory{site.arm, site.depth, {}};
  for (std::size_t i = 0; i < arms(); ++i) memory.seconds.push_back(time(index(slot), i));
  return memory;
}

std::vector<HostSlot> Placement::take_changed(std::size_t most) {
  std::vector<HostSlot> taken;
  while (!changed_.empty() && taken.size() < most) {
    const HostSlot site = changed_.back();
    changed_.pop_back();
    Site& entry = sites_[index(site)];
    entry.changed = false;
    if (entry.used) taken.push_back(site);
  }
  return taken;
}

std::size_t Placement::memory_bytes() const {
  std::size_t bytes = sites_.capacity() * sizeof(Site) + times_.capacity() * sizeof(float) +
                      changed_.capacity() * sizeof(HostSlot);
  for (const auto& members : members_) bytes += members.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace pollux::placement
