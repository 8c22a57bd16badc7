// A server that takes long to answer is left alone for longer. Pure.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/config/config.hpp"

#include <algorithm>

namespace pollux::engine {

// The response time as it is remembered: a single slow answer counts for something, ten for all.
inline Duration smoothed_response(Duration before, Duration latest) {
  if (before <= Duration::zero()) return latest;
  return from_seconds(0.7 * to_seconds(before) + 0.3 * to_seconds(latest));
}

// Zero where the delay is zero: politeness has been switched off there, knowingly.
inline Duration adaptive_pause(const config::HostSettings& wanted, Duration response_time) {
  if (wanted.delay <= Duration::zero()) return Duration::zero();
  return std::min(from_seconds(wanted.adaptive_delay * to_seconds(response_time)),
                  wanted.max_adaptive_delay);
}

}  // namespace pollux::engine
