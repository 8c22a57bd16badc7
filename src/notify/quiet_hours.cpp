#include "pollux/notify/quiet_hours.hpp"

#include <map>
#include <memory>
#include <mutex>

#include <unicode/timezone.h>
#include <unicode/unistr.h>

namespace pollux::notify {
namespace {

constexpr int minutes_a_day = 24 * 60;
// A zone may skip an hour or have one twice; no quiet time is longer than a day.
constexpr int longest_search = 2 * minutes_a_day;

// Zones are few and never forgotten; they may be asked from several threads.
const icu::TimeZone& zone_of(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<icu::TimeZone>> known;
  const std::lock_guard lock(mutex);
  std::unique_ptr<icu::TimeZone>& zone = known[name];
  if (!zone) zone.reset(icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(name)));
  return *zone;
}

}  // namespace

bool is_time_zone(const std::string& name) {
  if (name == "UTC" || name == "GMT" || name == "Etc/UTC") return true;
  // ICU takes anything and makes the unknown zone of it.
  return !name.empty() && zone_of(name) != icu::TimeZone::getUnknown();
}

int minute_of_day(WallTime at, const std::string& zone) {
  std::int32_t raw = 0, daylight = 0;
  UErrorCode problem = U_ZERO_ERROR;
  const auto milliseconds = at.time_since_epoch().count();
  zone_of(zone).getOffset(static_cast<UDate>(milliseconds), false, raw, daylight, problem);
  if (U_FAILURE(problem)) raw = daylight = 0;
  constexpr std::int64_t a_minute = 60'000, a_day = minutes_a_day * a_minute;
  const std::int64_t local = ((milliseconds + raw + daylight) % a_day + a_day) % a_day;
  return static_cast<int>(local / a_minute);
}

bool is_quiet(const Quiet& quiet, WallTime at) {
  const int minute = minute_of_day(at, quiet.zone);
  if (quiet.from <= quiet.to) return minute >= quiet.from && minute < quiet.to;
  return minute >= quiet.from || minute < quiet.to;
}

WallTime quiet_until(const Quiet& quiet, WallTime at) {
  if (!is_quiet(quiet, at)) return at;
  // Minute by minute: right whatever the zone does to its clocks, and asked seldom.
  WallTime moment = std::chrono::floor<std::chrono::minutes>(at);
  for (int i = 0; i < longest_search; ++i) {
    moment += std::chrono::minutes(1);
    if (!is_quiet(quiet, moment)) break;
  }
  return moment;
}

}  // namespace pollux::notify
