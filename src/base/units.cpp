#include "pollux/base/units.hpp"

#include "pollux/base/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <spdlog/fmt/fmt.h>

namespace pollux {
namespace {

struct Unit {
  std::string_view name;
  double size;
};

constexpr auto duration_units = std::to_array<Unit>({{"w", 7 * 86400e6},
                                                     {"d", 86400e6},
                                                     {"h", 3600e6},
                                                     {"min", 60e6},
                                                     {"m", 60e6},
                                                     {"s", 1e6},
                                                     {"ms", 1e3}});
constexpr auto byte_units = std::to_array<Unit>({{"", 1},
                                                 {"B", 1},
                                                 {"kB", 1e3},
                                                 {"KB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9},
                                                 {"TB", 1e12},
                                                 {"KiB", 0x1p10},
                                                 {"MiB", 0x1p20},
                                                 {"GiB", 0x1p30},
                                                 {"TiB", 0x1p40}});
constexpr auto rate_units =
    std::to_array<Unit>({{"", 1}, {"/s", 1}, {"/min", 60}, {"/h", 3600}, {"/d", 86400}});

constexpr double longest_duration = 36525 * 86400e6;  // a century, in microseconds
constexpr double largest_bytes = 0x1p60;
constexpr double fastest_rate = 1e6;
constexpr double slowest_rate = 1e-7;

constexpr std::string_view duration_help = "write for example 250ms, 30s, 5m, 6h, 1d or 1h30m";
constexpr std::string_view bytes_help = "write for example 512, 64KiB, 10MiB or 10MB";
constexpr std::string_view rate_help =
    "write for example 20, 0.5, 20/s, 300/min, 5000/h, 100/d or unlimited";

Error refuse(std::string_view text, std::string_view problem, std::string_view help) {
  return {fmt::format("'{}' {}; {}", printable(text, 60), problem, help), ExitCode::bad_data};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

std::string_view trimmed(std::string_view text) {
  skip_spaces(text);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes "12" or "1.5" off the front: no sign, no exponent, no nan.
std::optional<double> take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && (is_digit(text[length]) || text[length] == '.')) ++length;
  double value = 0;
  const char* const end = text.data() + length;
  const auto [stop, problem] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (length == 0 || !is_digit(text[0]) || problem != std::errc{} || stop != end ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  text.remove_prefix(length);
  return value;
}

// Takes the letters (and a leading slash) off the front.
std::string_view take_unit(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && !is_digit(text[length]) && text[length] != ' ' &&
         text[length] != '.') {
    ++length;
  }
  const std::string_view unit = text.substr(0, length);
  text.remove_prefix(length);
  return unit;
}

template <std::size_t n>
const Unit* find_unit(const std::array<Unit, n>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// Three digits that matter, without trailing zeros; whole numbers whole.
std::string short_number(double value) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (rest.empty()) return refuse(text, "is no duration", duration_help);
  if (rest.front() == '-') return refuse(text, "is negative", duration_help);
  double total = 0;
  double smallest = std::numeric_limits<double>::infinity();
  while (!rest.empty()) {
    const std::optional<double> number = take_number(rest);
    if (!number) return refuse(text, "is no duration", duration_help);
    skip_spaces(rest);
    const std::string_view name = take_unit(rest);
    if (name.empty()) return refuse(text, "has no unit", duration_help);
    const Unit* unit = find_unit(duration_units, name);
    if (unit == nullptr) return refuse(text, "has an unknown unit", duration_help);
    if (unit->size >= smallest) {
      return refuse(text, "does not go from large units to small ones", duration_help);
    }
    smallest = unit->size;
    total += *number * unit->size;
    skip_spaces(rest);
  }
  if (total > longest_duration) return refuse(text, "is longer than a century", duration_help);
  return Duration(std::llround(total));
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (!rest.empty() && rest.front() == '-') return refuse(text, "is negative", bytes_help);
  const std::optional<double> number = take_number(rest);
  if (!number) return refuse(text, "is no size", bytes_help);
  skip_spaces(rest);
  const Unit* unit = find_unit(byte_units, rest);
  if (unit == nullptr) return refuse(text, "has an unknown unit", bytes_help);
  const double total = *number * unit->size;
  if (total > largest_bytes) return refuse(text, "is too large", bytes_help);
  if (total != std::floor(total)) return refuse(text, "is no whole number of bytes", bytes_help);
  return static_cast<std::uint64_t>(total);
}

Result<double> parse_rate(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (rest == "unlimited") return std::numeric_limits<double>::infinity();
  if (!rest.empty() && rest.front() == '-') return refuse(text, "is negative", rate_help);
  const std::optional<double> number = take_number(rest);
  if (!number) return refuse(text, "is no rate", rate_help);
  skip_spaces(rest);
  const Unit* unit = find_unit(rate_units, rest);
  if (unit == nullptr) return refuse(text, "is no rate", rate_help);
  const double rate = *number / unit->size;
  if (*number <= 0) return refuse(text, "is not above zero", rate_help);
  if (rate > fastest_rate) return refuse(text, "is above 1000000/s", rate_help);
  if (rate < slowest_rate) return refuse(text, "is less than four polls a year", rate_help);
  return rate;
}

std::string format_duration(Duration d) {
  if (d == Duration::max()) return "never";
  if (d < Duration::zero())
    return "-" + format_duration(d == Duration::min() ? Duration::max() : -d);
  const double us = static_cast<double>(d.count());
  if (us == 0) return "0 s";
  if (us < 999.5e3) return short_number(us / 1e3) + " ms";
  if (us < 59.95e6) return short_number(std::round(us / 1e5) / 10) + " s";

  struct Pair {
    std::string_view big, small;
    std::int64_t ratio;
    double small_us;
    std::int64_t limit;  // of the big unit
  };
  static constexpr Pair pairs[] = {
      {"min", "s", 60, 1e6, 60},
      {"h", "min", 60, 60e6, 24},
      {"d", "h", 24, 3600e6, std::numeric_limits<std::int64_t>::max()}};
  for (const Pair& pair : pairs) {
    const std::int64_t total = std::llround(us / pair.small_us);
    const std::int64_t big = total / pair.ratio;
    if (big >= pair.limit) continue;
    const std::int64_t small = total % pair.ratio;
    return small == 0 ? fmt::format("{} {}", big, pair.big)
                      : fmt::format("{} {} {} {}", big, pair.big, small, pair.small);
  }
  return "never";
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::string_view names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < std::size(names)) {
    value /= 1024;
    ++unit;
  }
  return short_number(value) + ' ' + std::string(names[unit]);
}

std::string count_of(std::int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string format_rate(double per_second) {
  if (std::isinf(per_second)) return "unlimited";
  if (per_second >= 1 || !(per_second > 0)) return short_number(per_second) + "/s";
  // A little under one is still one: 0.999/min reads worse than 1/min.
  if (per_second * 60 >= 0.995) return short_number(per_second * 60) + "/min";
  if (per_second * 3600 >= 0.995) return short_number(per_second * 3600) + "/h";
  return short_number(per_second * 86400) + "/d";
}

std::string format_time(WallTime t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(t - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

}  // namespace pollux
