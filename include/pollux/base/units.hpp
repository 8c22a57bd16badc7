// Quantities as people write them. Parsers refuse what they do not understand, with a message that
// says what would be accepted; they never guess.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace pollux {

// "250ms", "30s", "5m" or "5min", "6h", "1d", "2w", "1h30m"; a bare number is refused (no unit).
Result<Duration> parse_duration(std::string_view text);
// "512", "64KiB", "10MiB", "1GiB", "10MB" (1 MB = 10^6 bytes).
Result<std::uint64_t> parse_bytes(std::string_view text);
// Polls per second: "20", "0.5", "20/s", "300/min", "5000/h", "100/d", "unlimited" (infinity).
Result<double> parse_rate(std::string_view text);

// "1.5 s", "6 h", "3 d 4 h": at most two units, for people.
std::string format_duration(Duration d);
std::string format_bytes(std::uint64_t bytes);
// "20/s", "5/min", "1.2/h", "3/d": the unit that keeps the number readable.
std::string format_rate(double per_second);
// "1 page", "2 pages"
std::string count_of(std::int64_t number, std::string_view thing);
// 2026-11-15T23:58:40.123Z
std::string format_time(WallTime t);

}  // namespace pollux
