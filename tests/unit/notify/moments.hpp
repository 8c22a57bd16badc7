// Moments as people write them.
#pragma once

#include "pollux/base/time.hpp"

#include <cstdio>
#include <string>

namespace pollux::notify {

// "2026-03-01T12:00:00Z"
inline WallTime moment(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::sscanf(text.c_str(), "%d-%u-%uT%u:%u:%uZ", &year, &month, &day, &hour, &minute, &second);
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  return WallTime(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

}  // namespace pollux::notify
