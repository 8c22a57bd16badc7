#include "pollux/placement/migration_automaton.hpp"

#include <algorithm>
#include <utility>

namespace pollux::placement {

MigrationAutomaton::MigrationAutomaton(const Options& options, Rng& rng)
    : options_(options),
      arm_(options.sites),
      depth_(options.sites, options.states - 1),
      means_(options.arms) {
  for (std::size_t i = 0; i < arm_.size(); ++i) arm_[i] = i % options_.arms;
  for (std::size_t i = arm_.size(); i > 1; --i) std::swap(arm_[i - 1], arm_[rng.below(i)]);
}

bool MigrationAutomaton::is_fast(std::size_t site, double seconds) {
  Mean& mean = means_[arm_[site]];
  mean.sum += seconds;
  ++mean.count;
  return seconds < mean.sum / mean.count;
}

void MigrationAutomaton::reward(std::size_t site, bool fast) {
  depth_[site] = std::min(depth_[site] + (fast ? options_.jump : 1), options_.states - 1);
}

bool MigrationAutomaton::penalise(std::size_t site, bool fast) {
  if (depth_[site] == 0) return true;
  depth_[site] -= std::min(depth_[site], fast ? 1 : options_.jump);
  return false;
}

void MigrationAutomaton::poll_pair(std::size_t first, double first_seconds, std::size_t second,
                                   double second_seconds) {
  const bool first_fast = is_fast(first, first_seconds);
  const bool second_fast = is_fast(second, second_seconds);
  if (arm_[first] == arm_[second]) {
    reward(first, first_fast);
    reward(second, second_fast);
    return;
  }
  const bool first_leaves = penalise(first, first_fast);
  const bool second_leaves = penalise(second, second_fast);
  if (!first_leaves && !second_leaves) return;
  switch (options_.exchange) {
    case Exchange::action_5:
      std::swap(arm_[first], arm_[second]);
      return;
    case Exchange::classic:
      if (first_leaves && second_leaves) follow(first, second);
      return;
    case Exchange::eager:
      break;
  }
  first_leaves ? follow(first, second) : follow(second, first);
}

void MigrationAutomaton::follow(std::size_t site, std::size_t partner) {
  const std::size_t arm = arm_[partner];
  std::size_t outermost = site;
  for (std::size_t i = 0; i < arm_.size(); ++i) {
    if (arm_[i] != arm || i == partner) continue;
    if (outermost == site || depth_[i] < depth_[outermost]) outermost = i;
  }
  if (outermost == site) return;
  arm_[outermost] = std::exchange(arm_[site], arm);
  depth_[outermost] = depth_[site] = 0;
}

}  // namespace pollux::placement
