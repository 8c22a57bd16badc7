// A moment as people write it on a command line or in a query, and a version of a page by its
// moment or number.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pollux::web {

// What help says of WHEN.
inline constexpr char when_words[] = "3h, 2d, yesterday, 2026-11-15 or 2026-11-15T08:30 (UTC)";

// A duration before `now` ("2d", "6h"), a word ("now", "today", "yesterday") or a moment in UTC
// ("2026-11-15", "2026-11-15T08:30", "2026-11-15T08:30:00.5Z"). A day is the moment it begins.
// Refused with ExitCode::usage. Complaints name the option.
Result<WallTime> parse_when(const std::string& text, WallTime now, const std::string& option);

// A whole number, as versions have: "3", or "-1" for the last. nullopt: it is none.
std::optional<std::int64_t> parse_version_number(const std::string& text);

}  // namespace pollux::web
