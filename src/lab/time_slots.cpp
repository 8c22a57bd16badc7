#include "pollux/lab/time_slots.hpp"

#include "pollux/lab/watch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pollux::lab {

TimeSlotWorld::TimeSlotWorld(const TimeSlotOptions& options)
    : options_(options),
      rng_(options.seed * 0x9e3779b97f4a7c15ull + 3),
      polls_per_slot_(std::max<std::size_t>(options.pages / 10, 1)),
      unchanged_(options.pages, 1),
      settled_slot_(options.pages, 0) {
  const std::size_t n = options.pages;
  std::vector<double> logs;  // of the chances, for θ_max = 1
  for (std::size_t rank = 1; rank <= n; ++rank) {
    logs.push_back(-std::log(static_cast<double>(rank)) * rng_.uniform());
  }
  const double wanted = options.change_ratio * static_cast<double>(polls_per_slot_);
  double low = 0, high = 16;
  for (int round = 0; round < 50; ++round) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (const double log : logs) sum += std::exp(middle * log);
    (sum > wanted ? low : high) = middle;
  }
  for (const double log : logs) {
    chance_.push_back(std::min(std::exp(low * log), 0.999));
    importance_.push_back(importance_like_change(chance_.back(), rng_));
  }
}

double TimeSlotWorld::rate(std::uint32_t page) const {
  return -std::log1p(-chance_[page]) / static_cast<double>(polls_per_slot_);
}

double TimeSlotWorld::expected_value() const {
  return std::inner_product(chance_.begin(), chance_.end(), importance_.begin(), 0.0);
}

void TimeSlotWorld::settle(std::uint32_t page) {
  const auto slots = static_cast<double>(slot_ - settled_slot_[page]);
  unchanged_[page] *= std::pow(1 - chance_[page], slots);
  settled_slot_[page] = slot_;
}

bool TimeSlotWorld::advance(double now) {
  const std::uint64_t slot = (static_cast<std::uint64_t>(now) - 1) / polls_per_slot_ + 1;
  if (slot == slot_) return false;
  slot_ = slot;
  if (options_.reverse_every == 0 || slot_ % options_.reverse_every != 0) return false;
  for (std::uint32_t page = 0; page < pages(); ++page) settle(page);
  std::reverse(chance_.begin(), chance_.end());
  std::reverse(importance_.begin(), importance_.end());
  return true;
}

bool TimeSlotWorld::poll(std::uint32_t page, double) {
  settle(page);
  const double chance =
      options_.updates == Updates::vanishing ? chance_[page] : 1 - unchanged_[page];
  unchanged_[page] = 1;
  return rng_.chance(chance);
}

namespace {

// An automaton of cgla in state k of N asks to be polled in k/N of the slots; it starts in state 1.
double asked_polls(Watch& watch, const TimeSlotWorld& world, const TimeSlotRun& run) {
  const double states = run.papers.states > 0 ? run.papers.states : 64;
  double asked = 0;
  for (std::uint32_t page = 0; page < world.pages(); ++page) {
    asked += std::max(watch.policy().memory(PageSlot{page}).position, 1.0) / states;
  }
  return asked;
}

}  // namespace

TimeSlotResult run_time_slots(const TimeSlotRun& run) {
  TimeSlotWorld world(run.world);
  // The thesis knows no exploring beside the policies' own.
  Watch watch(world, {.policy = run.policy,
                      .seed = run.world.seed,
                      .explore = 0,
                      .polls_at_once = world.polls_per_slot(),
                      .papers = run.papers});
  TimeSlotResult result;
  const std::uint64_t polls = run.slots * world.polls_per_slot();
  const std::uint64_t stretch = std::max<std::uint64_t>(polls / run.points, 1);
  double found = 0, expected = 0, tail = 0, tail_expected = 0;
  for (std::uint64_t t = 1; t <= polls; ++t) {
    const Watch::Poll poll = watch.step();
    const double value = poll.changed ? world.importance(poll.page) : 0;
    const bool ends_slot = t % world.polls_per_slot() == 0;
    const double possible = ends_slot ? world.expected_value() : 0;
    found += value;
    expected += possible;
    if (4 * t > 3 * polls) {
      tail += value;
      tail_expected += possible;
    }
    if (t % stretch == 0) {
      result.curve.push_back(expected > 0 ? found / expected : 0);
      result.asked.push_back(asked_polls(watch, world, run));
      found = expected = 0;
    }
  }
  result.tail = tail_expected > 0 ? tail / tail_expected : 0;
  return result;
}

}  // namespace pollux::lab
