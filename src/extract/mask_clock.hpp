// Whether a date, a time or an age runs with the clock, as one that says when a page was made does.
// A deadline that was moved, or the next departure, is news. Pure.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/extract/masks.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace pollux::extract {

// What a date, a time or an age says.
struct Reading {
  int year = 0, month = 0, day = 0;  // 0: no date
  bool may_be_swapped = false;       // 5/12/2025: either of them is the month
  std::optional<int> hours;          // none: no time
  int minutes = 0;
  std::optional<int> seconds;
  std::optional<std::chrono::minutes> zone;  // east of Greenwich
  std::chrono::seconds age{0}, age_unit{0};  // the unit is the largest one named
};
// None: `text` is no such token.
std::optional<Reading> reading_of(std::string_view text, TokenKind kind);

// The smallest step in which it tells the time.
std::chrono::seconds unit_of(const Reading& reading);

// `values`: what one place said, and when that was seen. A date or time is about that moment each
// time, or as much older as a page from a cache, in one time zone for all where none is named; an
// age grows no faster than time does. Of two values more is asked: a time is told to the second, an
// age has grown by as much as time has passed.
bool runs_with_the_clock(std::span<const std::string_view> values, TokenKind kind,
                         std::span<const WallTime> seen);

}  // namespace pollux::extract
