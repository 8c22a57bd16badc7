#include "pollux/schedule/budget.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pollux::schedule {
namespace {

// A little more than a second, so that requests delayed on their way still arrive under the
// ceiling.
constexpr Duration window = std::chrono::milliseconds(1006);
// An ordinary timer's lateness, made up for by starting the next ones sooner.
constexpr double timer_lateness_us = 10'000;
constexpr double longest_wait_us = 1e6;  // on purpose: a moment, however slow the rate
// Above this the ring would be large and the rate is beyond what one machine can do anyway.
constexpr double largest_recorded_rate = 1e6;

double microseconds(Instant t) {
  return static_cast<double>(t.time_since_epoch().count());
}

Instant from_microseconds(double at) {
  constexpr double far = 9e18;  // a rate of almost nothing: never, instead of an overflow
  return at > far ? Instant::max() : Instant(Duration(static_cast<Duration::rep>(std::ceil(at))));
}

}  // namespace

Budget::Budget(double per_second, Instant now) : rate_(0) {
  set_rate(per_second, now);
}

void Budget::set_rate(double per_second, Instant now) {
  assert(per_second > 0);
  if (per_second == rate_) return;
  rate_ = per_second;
  // As far from the next start as before, in spacings: a rate that changes all the time must not
  // put it off for ever.
  const double at = microseconds(now);
  const double left = spacing_us_ > 0 ? std::clamp((due_us_ - at) / spacing_us_, 0.0, 1.0) : 1;
  spacing_us_ = 1e6 / rate_;
  catch_up_us_ = std::max(spacing_us_ / 2, timer_lateness_us);
  due_us_ = at + left * spacing_us_;

  std::vector<Instant> recent;  // oldest first
  for (std::size_t i = 0; i < last_second_.size(); ++i) {
    recent.push_back(last_second_[(oldest_ + i) % last_second_.size()]);
  }
  const std::size_t size =
      rate_ <= largest_recorded_rate ? static_cast<std::size_t>(std::ceil(rate_)) : 0;
  const std::size_t kept = std::min(size, recent.size());
  last_second_.assign(size - kept, Instant::min());
  last_second_.insert(last_second_.end(), recent.end() - static_cast<std::ptrdiff_t>(kept),
                      recent.end());
  oldest_ = 0;
}

Instant Budget::allowed_at(double due_us, std::size_t earlier) const {
  const Instant due = from_microseconds(due_us);
  if (last_second_.empty()) return due;
  const std::size_t size = last_second_.size();
  const Instant leaves = last_second_[(oldest_ + std::min(earlier, size - 1)) % size];
  return leaves == Instant::min() ? due : std::max(due, leaves + window);
}

Instant Budget::next_allowed() const {
  return unlimited() ? Instant::min() : allowed_at(due_us_, 0);
}

Instant Budget::next_allowed(Instant now, std::size_t promised) const {
  if (unlimited()) return Instant::min();
  if (promised == 0) return next_allowed();
  // As if the others were taken now.
  const double due = std::max(due_us_, microseconds(now) - catch_up_us_);
  return allowed_at(due + static_cast<double>(promised) * spacing_us_, promised);
}

Instant Budget::can_wait_until(std::size_t promised) const {
  if (unlimited() || catch_up_us_ <= timer_lateness_us) return Instant::min();
  // By the even line: the last second's starts may hold one back further, and that adds up.
  const double due = due_us_ + static_cast<double>(promised) * spacing_us_;
  return from_microseconds(due + std::min(catch_up_us_, longest_wait_us));
}

void Budget::take(Instant now, int price) {
  assert(next_allowed() <= now && price >= 1);
  due_us_ = std::max(due_us_, microseconds(now) - catch_up_us_) + spacing_us_;
  due_us_ += (price - 1) * spacing_us_;
  const std::size_t recorded = std::min(static_cast<std::size_t>(price), last_second_.size());
  for (std::size_t i = 0; i < recorded; ++i) {
    last_second_[oldest_] = now;
    oldest_ = (oldest_ + 1) % last_second_.size();
  }
}

}  // namespace pollux::schedule
