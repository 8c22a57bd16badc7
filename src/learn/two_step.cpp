#include "learn/two_step.hpp"

#include "learn/two_day_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pollux::learn {

namespace {
constexpr double days_per_sweep = 4;
constexpr double soonest = 1e-3;  // seconds: an interval is never nothing
}  // namespace

double TwoStep::day() const {
  return sweep_ / days_per_sweep;
}

std::size_t TwoStep::looks_per_day() const {
  return std::max<std::size_t>(1, count_ / static_cast<std::size_t>(days_per_sweep));
}

void TwoStep::add(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
  if (index(page) >= pages_.size()) pages_.resize(index(page) + std::size_t{1});
  pages_[index(page)] = {.importance = static_cast<float>(importance)};
  set_interval(page, memory && memory->streak > 0 ? memory->streak : sweep_);
  ++count_;
  known_.add(page, memory);
}

void TwoStep::remove(PageSlot page) {
  pages_[index(page)] = {};
  frequencies_.set(index(page), 0);
  --count_;
  known_.remove(page);
}

void TwoStep::set_interval(PageSlot page, double seconds) {
  float& interval = pages_[index(page)].interval;
  interval = static_cast<float>(std::max(seconds, soonest));
  frequencies_.set(index(page), 1 / static_cast<double>(interval));
}

void TwoStep::set_sweep(double seconds) {
  sweep_ = seconds;
  known_.set_sweep(seconds);
}

void TwoStep::feed(PageSlot slot, const Observation& seen) {
  known_.feed(slot, seen);
  pages_[index(slot)].polled = seen.now;
  // Looked at: out of today's plan. What follows is decided by the next one.
  set_interval(slot, sweep_);
  if (++looks_ >= looks_per_day()) plan(seen.now);
}

// The costs of eqs. (26), (28), (30) and (31), times importance. A page that this process has not
// polled has no moment to count from: it keeps its place in the queue.
void TwoStep::plan(double now) {
  looks_ = 0;
  std::vector<PageSlot> slots;
  std::vector<TwoDayCost> costs;
  for (std::uint32_t slot = 0; slot < pages_.size(); ++slot) {
    const Page& page = pages_[slot];
    if (page.importance == 0 || page.polled == 0) continue;
    const AgeForecast forecast = known_.forecast(PageSlot{slot});
    const auto importance = static_cast<double>(page.importance);
    const double waited = now - page.polled;
    const double today = importance * forecast.outdated(waited + day());
    const double tomorrow = importance * forecast.outdated(waited + 2 * day());
    costs.push_back({.neither = today + tomorrow,
                     .today = importance * forecast.outdated_after_look(waited + day(), day()),
                     .tomorrow = today,
                     .both = 0});
    slots.emplace_back(PageSlot{slot});
  }
  const std::vector<TwoDays> plan = two_day_plan(costs, looks_per_day());
  // Within a day the page that is most probably out of date goes first.
  std::array<std::vector<std::pair<double, PageSlot>>, 3> days;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool today = plan[i] == TwoDays::today || plan[i] == TwoDays::both;
    const std::size_t at = today ? 0 : plan[i] == TwoDays::tomorrow ? 1 : 2;
    days[at].emplace_back(-costs[i].tomorrow, slots[i]);
  }
  for (std::size_t at = 0; at < days.size(); ++at) {
    std::sort(days[at].begin(), days[at].end());
    const double start = now + day() * static_cast<double>(at);
    const double spacing = day() / static_cast<double>(std::max<std::size_t>(days[at].size(), 1));
    for (std::size_t i = 0; i < days[at].size(); ++i) {
      const PageSlot slot = days[at][i].second;
      set_interval(slot, start + spacing * static_cast<double>(i) - pages_[index(slot)].polled);
    }
  }
  moved_ = std::move(slots);
}

std::vector<PageSlot> TwoStep::take_moved() {
  return std::exchange(moved_, {});
}

std::size_t TwoStep::memory_bytes() const {
  return sizeof(*this) + pages_.capacity() * sizeof(Page) + known_.memory_bytes() +
         frequencies_.memory_bytes() + moved_.capacity() * sizeof(PageSlot);
}

}  // namespace pollux::learn
