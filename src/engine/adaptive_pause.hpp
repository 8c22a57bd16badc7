// A server that takes long to answer gets its time: it is left alone for longer. Pure.
#pragma once

#include "engine/host_table.hpp"
#include "pollux/base/time.hpp"
#include "pollux/config/config.hpp"
#include "pollux/fetch/fetcher.hpp"

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

// Whether the host has noticed anything of the request.
inline bool was_asked(const fetch::Response& response) {
  switch (response.failure) {
    case fetch::Failure::dns:
    case fetch::Failure::address_refused:
    case fetch::Failure::cancelled:
    case fetch::Failure::internal:
    case fetch::Failure::agent:
      return false;
    default:
      return true;
  }
}

// What the host's response time asks for now; `host.pause` has what everything together does.
inline Duration note_pause(HostRecord& host, const config::HostSettings& wanted) {
  const Duration adaptive = adaptive_pause(wanted, host.response_time);
  host.pause = std::max(adaptive, polite_towards(wanted, host.robots).delay);
  return adaptive;
}

// The same after an answer that took so long.
inline Duration note_pace(HostRecord& host, const config::HostSettings& wanted, Duration elapsed) {
  host.response_time = smoothed_response(host.response_time, elapsed);
  return note_pause(host, wanted);
}

}  // namespace pollux::engine
