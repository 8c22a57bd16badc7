#include "brains/division.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::brains {
namespace {

constexpr double step_size = 0.05;    // of the logarithm of odds, where values differ by their mean
constexpr double largest_reward = 5;  // a value against the mean
constexpr float most_odds = 1e4F;

float left_part(float odds, float left, float right) {
  const float weighted = odds * left;
  return weighted + right > 0 ? weighted / (weighted + right) : 0.5F;
}

}  // namespace

void Division::set(const std::string& name, double marginal_value, std::uint64_t pages) {
  const auto weight = static_cast<float>(std::max<std::uint64_t>(pages, 1));
  const double value = std::isfinite(marginal_value) ? std::max(marginal_value, 0.0) : 0;
  if (const auto found = brains_.find(name); found != brains_.end()) {
    found->second.value = value;
    // Pages that come and go move the part by themselves only where they are many.
    const float before = tree_.weight(found->second.slot);
    if (std::abs(weight - before) > 0.1F * before) tree_.set_weight(found->second.slot, weight);
    return;
  }
  Brain brain{static_cast<std::uint32_t>(brains_.size()), value};
  if (!free_slots_.empty()) {
    brain.slot = free_slots_.back();
    free_slots_.pop_back();
  }
  tree_.add(brain.slot, weight);
  brains_.emplace(name, brain);
}

void Division::remove(const std::string& name) {
  const auto found = brains_.find(name);
  if (found == brains_.end()) return;
  tree_.remove(found->second.slot);
  free_slots_.push_back(found->second.slot);
  brains_.erase(found);
}

double Division::learnt_part(const Brain& brain) {
  return tree_.share(brain.slot, left_part);
}

double Division::part(const std::string& name) {
  const auto found = brains_.find(name);
  if (found == brains_.end()) return 0;
  const double equal = 1 / static_cast<double>(brains_.size());
  return least_part * equal + (1 - least_part) * learnt_part(found->second);
}

void Division::step() {
  double mean = 0;
  std::map<std::string, double> parts;
  for (const auto& [name, brain] : brains_)
    mean += brain.value * (parts[name] = learnt_part(brain));
  if (!(mean > 0)) return;
  for (const auto& [name, brain] : brains_) {
    // Less what all get: where values are the same nothing moves, in whatever order it is done.
    const double reward =
        step_size * parts[name] * (std::min(brain.value / mean, largest_reward) - 1);
    tree_.update(brain.slot, tree_.weight(brain.slot), left_part,
                 [reward](float odds, float side, bool is_left, std::uint32_t) {
                   const double by =
                       std::min(reward / std::max(double{side}, 1e-9), step_size * largest_reward);
                   const double moved = odds * std::exp(is_left ? by : -by);
                   return std::clamp(static_cast<float>(moved), 1 / most_odds, most_odds);
                 });
  }
}

std::vector<std::string> Division::names() const {
  std::vector<std::string> names;
  for (const auto& [name, brain] : brains_) names.push_back(name);
  return names;
}

}  // namespace pollux::brains
