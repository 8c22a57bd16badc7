// Hours in which nobody is disturbed, by the clock on the wall of a time zone: when daylight saving
// begins or ends, they follow it. Pure but for the zones' rules, which come with ICU.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/notify/options.hpp"

#include <string>

namespace pollux::notify {

bool is_time_zone(const std::string& name);  // "Europe/Berlin", "UTC"
// From midnight, by that zone's clock. An unknown zone is UTC.
int minute_of_day(WallTime at, const std::string& zone);

bool is_quiet(const Quiet& quiet, WallTime at);
// The first moment after `at` that is not quiet; `at` itself if it is not.
WallTime quiet_until(const Quiet& quiet, WallTime at);

}  // namespace pollux::notify
