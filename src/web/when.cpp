#include "pollux/web/when.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <charconv>
#include <ctime>
#include <system_error>

namespace pollux::web {
namespace {

// Takes ".5" off the end of "08:30:00.5Z" and gives it in milliseconds.
std::int64_t take_fraction(std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return 0;
  std::size_t end = dot + 1;
  std::int64_t ms = 0;
  for (std::int64_t weight = 100; end < text.size() && text[end] >= '0' && text[end] <= '9';
       ++end, weight /= 10) {
    ms += weight * (text[end] - '0');
  }
  text.erase(dot, end - dot);
  return ms;
}

std::optional<WallTime> parse_moment(std::string text) {
  const std::int64_t ms = take_fraction(text);
  if (!text.empty() && text.back() == 'Z') text.pop_back();
  for (const char* format :
       {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    std::tm parts{};
    const char* end = strptime(text.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') continue;
    return WallTime(std::chrono::milliseconds(std::int64_t{timegm(&parts)} * 1000 + ms));
  }
  return std::nullopt;
}

}  // namespace

Result<WallTime> parse_when(const std::string& text, WallTime now, const std::string& option) {
  const WallTime today = std::chrono::floor<std::chrono::days>(now);
  if (text == "now") return now;
  if (text == "today") return today;
  if (text == "yesterday") return today - std::chrono::days(1);
  if (const Result<Duration> back = parse_duration(text); back.ok()) {
    return now - std::chrono::duration_cast<std::chrono::milliseconds>(*back);
  }
  if (const std::optional<WallTime> moment = parse_moment(text)) return *moment;
  return Error{option + " " + printable(text) +
                   ": write a duration (30min, 6h, 2d), today, yesterday or a time in UTC "
                   "(2026-11-15 or 2026-11-15T08:30:00Z)",
               ExitCode::usage};
}

std::optional<std::int64_t> parse_version_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace pollux::web
