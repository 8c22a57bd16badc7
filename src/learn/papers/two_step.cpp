#include "learn/papers/two_step.hpp"

#include <algorithm>
#include <limits>

namespace pollux::learn {

namespace {
constexpr double days_per_sweep = 4;
// Up to so many pages are planned at once, which takes some milliseconds. Of a longer list every
// poll plans this many, each four times over, so that the plan is ready after half a day.
constexpr std::size_t planned_at_once = 2048;
constexpr std::size_t pages_per_poll = 32;
}  // namespace

double TwoStep::day() const {
  return sweep_ / days_per_sweep;
}

std::size_t TwoStep::polls_per_day() const {
  return std::max<std::size_t>(1, count_ / static_cast<std::size_t>(days_per_sweep));
}

void TwoStep::add(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
  put(page, importance, memory);
  polled_.resize(pages_.size());
  polled_[index(page)] = 0;
  set_interval(page, memory && memory->streak > 0 ? memory->streak : sweep_);
}

void TwoStep::remove(PageSlot page) {
  take_out(page);
}

void TwoStep::set_sweep(double seconds) {
  sweep_ = seconds;
  known_.set_sweep(seconds);
}

void TwoStep::feed(PageSlot slot, const Observation& seen) {
  known_.feed(slot, seen);
  polled_[index(slot)] = seen.now;
  // Polled: out of today's plan. What follows is decided by the next one.
  set_interval(slot, sweep_);
  if (++polls_ >= polls_per_day() && !draft_) {
    polls_ = 0;
    draft_ = std::make_unique<Draft>();
    draft_->now = seen.now;
    draft_->day = day();
    draft_->polls = polls_per_day();
    draft_->slots.reserve(count_);
    draft_->costs.reserve(count_);
  }
  if (draft_) advance();
}

void TwoStep::advance() {
  Draft& draft = *draft_;
  std::size_t pages =
      count_ <= planned_at_once ? std::numeric_limits<std::size_t>::max() : pages_per_poll;
  for (; pages > 0 && draft.gathered < pages_.size(); --pages) gather(draft.gathered++);
  if (pages == 0) return;
  if (!draft.planner) {
    draft.planner = std::make_unique<TwoDayPlanner>(std::move(draft.costs), draft.polls);
  }
  for (; pages > 0 && draft.planner->step(); --pages) {
  }
  for (; pages > 0 && draft.dealt < draft.slots.size(); --pages) deal(draft.dealt++);
  for (; pages > 0; --pages) {
    if (carry_over()) continue;
    draft_.reset();
    return;
  }
}

// The costs of eqs. (26), (28), (30) and (31), times importance; the second day's discounted by κ
// (eq. 25). A page that this process has not
// polled has no moment to count from: it keeps its position in the queue.
void TwoStep::gather(std::uint32_t slot) {
  Draft& draft = *draft_;
  const Page& page = pages_[slot];
  if (page.importance == 0 || polled_[slot] == 0 || polled_[slot] > draft.now) return;
  const double waited = draft.now - polled_[slot];
  if (waited > longest_wait()) {
    draft.days[0].emplace(std::numeric_limits<double>::infinity(), slot);
    ++draft.sizes[0];
    if (draft.polls > 0) --draft.polls;
    return;
  }
  const AgeForecast forecast = known_.forecast(PageSlot{slot});
  const auto importance = static_cast<double>(page.importance);
  const double today = importance * forecast.outdated(waited + draft.day);
  const double later = importance * discount_;
  const double tomorrow = later * forecast.outdated(waited + 2 * draft.day);
  draft.costs.push_back(
      {.neither = today + tomorrow,
       .today = later * forecast.outdated_after_poll(waited + draft.day, draft.day),
       .tomorrow = today,
       .both = 0});
  draft.slots.push_back(slot);
}

void TwoStep::deal(std::size_t at) {
  Draft& draft = *draft_;
  const TwoDays plan = draft.planner->plan(at);
  const bool today = plan == TwoDays::today || plan == TwoDays::both;
  const std::size_t day = today ? 0 : plan == TwoDays::tomorrow ? 1 : 2;
  // Within a day the page that is most probably out of date goes first.
  draft.days[day].emplace(draft.planner->cost(at).tomorrow, draft.slots[at]);
  ++draft.sizes[day];
}

// The next page of the plan gets its moment; false: there is none left.
bool TwoStep::carry_over() {
  Draft& draft = *draft_;
  while (draft.today < draft.days.size() && draft.days[draft.today].empty()) ++draft.today;
  if (draft.today == draft.days.size()) return false;
  auto& turns = draft.days[draft.today];
  const std::size_t before = draft.sizes[draft.today] - turns.size();
  const std::uint32_t slot = turns.top().second;
  turns.pop();
  const bool known = pages_[slot].importance > 0 && polled_[slot] != 0;
  if (!known || polled_[slot] > draft.now) return true;  // gone, or polled meanwhile
  const double spacing = draft.day / static_cast<double>(draft.sizes[draft.today]);
  const double due = draft.now + draft.day * static_cast<double>(draft.today) +
                     spacing * static_cast<double>(before);
  set_interval(PageSlot{slot}, due - polled_[slot]);
  moved_.push_back(PageSlot{slot});
  return true;
}

std::size_t TwoStep::memory_bytes() const {
  return MomentPolicy::memory_bytes() + sizeof(*this) - sizeof(MomentPolicy) +
         polled_.capacity() * sizeof(double) + moved_.capacity() * sizeof(PageSlot);
}

}  // namespace pollux::learn
