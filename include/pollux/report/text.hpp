// Words for moments, durations and parts of a whole. Pure.
#pragma once

#include "pollux/base/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pollux::report {

// What there is to say of one thing: "budget", "20/s, 97.1 % used". The text is one line; where it
// quotes strangers (errors, file names) they are made printable.
struct Line {
  std::string topic;
  std::string text;
};

inline constexpr char unknown[] = "—";

std::string ago(const std::optional<WallTime>& time, WallTime now);    // "3 min ago", "never"
std::string until(const std::optional<WallTime>& time, WallTime now);  // "in 5 s", "unknown"
std::string time_text(
    WallTime time);  // "2026-11-15T08:30:00Z": who wants milliseconds asks for JSON
std::string tags_text(const std::string& list);           // of a JSON list: "a, b"; "—"
std::string seconds_text(std::optional<double> seconds);  // "6.7 s", "—"
std::string number_text(double number);                   // "1.24", "7300", "< 0.0001"
std::string percent_text(double part);                    // of 1: "0.75 %"
std::string yaml_text(std::string_view text);             // in quotes, to be pasted

}  // namespace pollux::report
