// How long a page that gave no usable answer is left alone. Doubles with every failure in a row, is
// never shorter than what the server asked for, and is jittered so that pages which failed together
// do not come back together. Pure.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/base/time.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace pollux::engine {

struct BackOff {
  Duration first = std::chrono::seconds(10);
  Duration longest = std::chrono::hours(6);  // or the page's max_interval, if that is shorter
};

inline Duration back_off_delay(const BackOff& rule, const schedule::Limits& limits, int streak,
                               std::optional<Duration> retry_after, Rng& rng) {
  const double first = to_seconds(std::max(rule.first, limits.min_interval));
  const double longest = std::max(first, to_seconds(std::min(rule.longest, limits.max_interval)));
  const double doubled = std::min(longest, first * std::exp2(std::clamp(streak - 1, 0, 40)));
  const double jittered = doubled * (0.75 + 0.5 * rng.uniform());
  // What the server asked for is a lower bound; the jitter goes on top of it.
  const double asked = retry_after ? to_seconds(*retry_after) * (1 + 0.1 * rng.uniform()) : 0;
  return from_seconds(std::max(jittered, asked));
}

}  // namespace pollux::engine
