#include "pollux/report/text.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
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

std::string time_text(WallTime time) {
  std::string text = format_time(time);
  const std::size_t dot = text.find('.');
  return dot == std::string::npos ? text : text.substr(0, dot) + "Z";
}

std::string tags_text(const std::string& list) {
  boost::system::error_code problem;
  const boost::json::value tags = boost::json::parse(list, problem);
  if (problem || !tags.is_array()) return list.empty() ? unknown : list;
  std::string text;
  for (const boost::json::value& tag : tags.as_array()) {
    if (!tag.is_string()) continue;
    text += (text.empty() ? "" : ", ") + std::string(tag.as_string());
  }
  return text.empty() ? unknown : text;
}

std::string seconds_text(std::optional<double> seconds) {
  return seconds ? format_duration(from_seconds(*seconds)) : unknown;
}

std::string number_text(double number) {
  // Never 1.2e+03: people read digits.
  constexpr double least = 0.9995e-4;  // what is above rounds to 0.0001
  if (number != 0 && std::abs(number) < least) {
    return number < 0 ? "> -0.0001" : "< 0.0001";
  }
  return std::abs(number) < 999.5 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
}

std::string percent_text(double part) {
  return number_text(part * 100) + " %";
}

std::string yaml_text(std::string_view text) {
  // Between single quotes a backslash is itself, as in regular expressions.
  const bool plain = printable(text, text.size() + 1) == text;
  std::string out(1, plain ? '\'' : '"');
  for (const char c : text) {
    if (plain) {
      out += c == '\'' ? "''" : std::string(1, c);
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + out.front();
}

}  // namespace pollux::report
