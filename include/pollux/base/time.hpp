// Two time lines, kept apart by type. `Instant` is monotonic: every interval, deadline and budget
// decision uses it, so a clock that jumps changes nothing. `WallTime` is what people read and what
// the database stores; it is never compared with an Instant.
#pragma once

#include <chrono>
#include <cstdint>

namespace pollux {

using Duration = std::chrono::microseconds;

struct MonotonicTag {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  static constexpr bool is_steady = true;
};
using Instant = std::chrono::time_point<MonotonicTag, Duration>;

// Unix time in milliseconds, the unit of every time column in the database.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

inline constexpr double to_seconds(Duration d) {
  return std::chrono::duration<double>(d).count();
}
// Saturates instead of overflowing, so that 1e300 seconds is simply "never".
constexpr Duration from_seconds(double s) {
  constexpr double limit = 9.0e18 / 1e6;
  if (!(s < limit)) return Duration::max();
  if (s < -limit) return Duration::min();
  return Duration(static_cast<Duration::rep>(s * 1e6));
}

}  // namespace pollux
