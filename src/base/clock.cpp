#include "pollux/base/clock.hpp"

#include <ctime>

namespace pollux {

Instant SystemClock::now() const {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

WallTime SystemClock::wall() const {
  return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
}

Instant BootClock::now() const {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                                      std::chrono::nanoseconds(time.tv_nsec)));
}

WallTime BootClock::wall() const {
  return SystemClock().wall();
}

}  // namespace pollux
