// "Since when" as people write it.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <string>

namespace pollux::cli {

// A duration before `now` ("2d", "6h") or a moment in UTC ("2026-11-15", "2026-11-15T08:30",
// "2026-11-15T08:30:00.5Z"). Refused with ExitCode::usage.
// Complaints name the option.
Result<WallTime> parse_since(const std::string& text, WallTime now,
                             const std::string& option = "--since");

}  // namespace pollux::cli
