#include "pollux/report/text.hpp"

#include "pollux/base/units.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::report {

std::string ago(const std::optional<WallTime>& time, WallTime now) {
  if (!time) return "never";
  if (now - *time < std::chrono::seconds(1)) return "just now";
  return format_duration(std::chrono::floor<std::chrono::seconds>(now - *time)) + " ago";
}

std::string until(const std::optional<WallTime>& time, WallTime now) {
  if (!time) return "unknown";
  if (*time - now < std::chrono::seconds(1)) return "now";
  return "in " + format_duration(std::chrono::floor<std::chrono::seconds>(*time - now));
}

std::string seconds_text(std::optional<double> seconds) {
  return seconds ? format_duration(from_seconds(*seconds)) : unknown;
}

std::string percent_text(double part) {
  return fmt::format("{:.3g} %", part * 100);
}

}  // namespace pollux::report
