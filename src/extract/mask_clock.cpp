#include "extract/mask_clock.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace pollux::extract {
namespace {

constexpr int units_off =
    2;  // a clock may be wrong by, or its page as old as, so many of its units

// Time zones as countries have them, in minutes east. A quarter past the hour is none of them: what
// is always a quarter of an hour ahead is a timetable.
constexpr auto zones = std::to_array<int>(
    {-720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120,
     -60,  0,    60,   120,  180,  210,  240,  270,  300,  330,  345,  360,  390,  420,
     480,  525,  540,  570,  600,  630,  660,  720,  765,  780,  825,  840});
using Zones = std::bitset<zones.size()>;

std::optional<std::chrono::sys_days> date_of(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

// `late`: so old may the page be, that comes from a cache.
bool is_about(const Reading& reading, std::optional<std::chrono::sys_days> date,
              std::chrono::sys_seconds local, std::chrono::seconds late) {
  const auto today = std::chrono::floor<std::chrono::days>(local);
  if (!reading.hours) return date == today;
  const std::chrono::seconds unit =
      reading.seconds ? std::chrono::seconds(1) : std::chrono::seconds(60);
  const std::chrono::seconds said = std::chrono::hours(*reading.hours) +
                                    std::chrono::minutes(reading.minutes) +
                                    std::chrono::seconds(reading.seconds.value_or(0));
  auto ahead = (date.value_or(today) + said - local.time_since_epoch()).time_since_epoch();
  if (!date) {  // the day may have ended between the two
    constexpr std::chrono::seconds day = std::chrono::days(1);
    ahead = (ahead % day + day + day / 2) % day - day / 2;
  }
  return ahead <= units_off * unit && ahead > -std::max((units_off + 1) * unit, late);
}

// The zones in which it is about what the clock says.
Zones zones_of(const Reading& reading, WallTime seen, std::chrono::seconds late) {
  std::vector<std::optional<std::chrono::sys_days>> dates;
  if (reading.year == 0) {
    dates.emplace_back();
  } else {
    dates.push_back(date_of(reading.year, reading.month, reading.day));
    if (reading.may_be_swapped) dates.push_back(date_of(reading.year, reading.day, reading.month));
    std::erase(dates, std::nullopt);
  }
  const auto fits = [&](std::chrono::minutes zone) {
    const auto local = std::chrono::floor<std::chrono::seconds>(seen) + zone;
    return std::ranges::any_of(
        dates, [&](const auto& date) { return is_about(reading, date, local, late); });
  };
  Zones found;
  if (reading.zone) return fits(*reading.zone) ? found.set() : found;
  for (std::size_t i = 0; i < zones.size(); ++i) found[i] = fits(std::chrono::minutes(zones[i]));
  return found;
}

bool grows_with_time(const Reading& before, const Reading& now, WallTime then, WallTime seen) {
  // "2 hours" may be one and a minute, or three and a minute less.
  const std::chrono::seconds youngest = now.age - now.age_unit,
                             oldest = before.age + before.age_unit;
  return youngest <= oldest + std::chrono::ceil<std::chrono::seconds>(seen - then);
}

// "3 minutes ago" and "4 minutes ago" may lie a second apart, or two minutes.
bool grows_as_time_does(const Reading& before, const Reading& now, WallTime then, WallTime seen) {
  constexpr std::chrono::seconds late{2};  // that an answer may come
  const std::chrono::seconds passed = std::chrono::floor<std::chrono::seconds>(seen - then),
                             grown = now.age - before.age;
  const std::chrono::seconds off = std::max({before.age_unit, now.age_unit, late});
  return grown > std::chrono::seconds(0) && grown - passed <= off && passed - grown <= off;
}

}  // namespace

std::chrono::seconds unit_of(const Reading& reading) {
  if (reading.age_unit > std::chrono::seconds(0)) return reading.age_unit;
  if (!reading.hours) return std::chrono::days(1);
  return reading.seconds ? std::chrono::seconds(1) : std::chrono::seconds(60);
}

bool runs_with_the_clock(std::span<const std::string_view> values, TokenKind kind,
                         std::span<const WallTime> seen) {
  constexpr std::size_t enough = 3;
  const bool closely = values.size() < enough;
  const std::chrono::seconds late = closely ? std::chrono::seconds(10) : std::chrono::seconds(60);
  if (values.size() != seen.size()) return false;
  Zones common;
  common.set();
  std::optional<Reading> before;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::optional<Reading> now = reading_of(values[i], kind);
    if (!now) return false;
    if (kind == TokenKind::age) {
      const auto grows = closely ? grows_as_time_does : grows_with_time;
      if (before && !grows(*before, *now, seen[i - 1], seen[i])) return false;
    } else {
      if (closely && !now->seconds) return false;
      common &= zones_of(*now, seen[i], late);
    }
    before = now;
  }
  return common.any();
}

}  // namespace pollux::extract
