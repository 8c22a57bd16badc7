// How long a page that gave no usable answer is left alone. Doubles with every failure in a row, is
// never shorter than what the server asked for, and is jittered so that pages which failed together
// do not come back together. A page that is gone (404, 410) is polled rarely, whatever its
// max_interval. Pure.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/base/time.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace pollux::engine {

struct BackOff {
  Duration first = std::chrono::seconds(10);
  Duration longest = std::chrono::hours(6);  // or the page's max_interval, if that is shorter
  Duration first_when_gone = std::chrono::hours(1);
  Duration longest_when_gone = std::chrono::hours(24 * 7);
};

// 404 may be a slip and begins like any failure; 410 is meant.
enum class Gone : std::uint8_t { no, perhaps, yes };
inline Gone gone(int status) {
  return status == 410 ? Gone::yes : status == 404 ? Gone::perhaps : Gone::no;
}

inline Duration back_off_delay(const BackOff& rule, const schedule::Limits& limits, int streak,
                               std::optional<Duration> retry_after, Rng& rng,
                               Gone page = Gone::no) {
  const Duration begin = page == Gone::yes ? rule.first_when_gone : rule.first;
  const Duration end = page == Gone::no ? std::min(rule.longest, limits.max_interval)
                                        : std::max(rule.longest_when_gone, limits.max_interval);
  const double first = to_seconds(std::max(begin, limits.min_interval));
  const double longest = std::max(first, to_seconds(end));
  const double doubled = std::min(longest, first * std::exp2(std::clamp(streak - 1, 0, 40)));
  const double jittered = doubled * (0.75 + 0.5 * rng.uniform());
  // What the server asked for is a lower bound; the jitter goes on top of it.
  const double asked = retry_after ? to_seconds(*retry_after) * (1 + 0.1 * rng.uniform()) : 0;
  return from_seconds(std::max(jittered, asked));
}

}  // namespace pollux::engine
