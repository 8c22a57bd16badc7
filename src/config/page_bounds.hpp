// What may be written of a page, wherever it is written: in a file, or while the daemon runs.
#pragma once

#include "pollux/base/text.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <string_view>

namespace pollux::config {

inline constexpr double least_importance = 0.001, most_importance = 1000;
inline constexpr Duration longest_interval = std::chrono::hours(24) * 36525;
inline constexpr Duration shortest_max_interval = std::chrono::milliseconds(1);

// A line of text for people, or a word of it: a name, a tag.
inline constexpr std::size_t longest_title = 200;
inline constexpr std::string_view title_cure =
    "write 1 to 200 printable characters, without blanks around them";
inline bool is_title(std::string_view text) {
  const bool blank_ends = text.starts_with(' ') || text.ends_with(' ');
  return !text.empty() && text.size() <= longest_title && !blank_ends && printable(text) == text;
}

}  // namespace pollux::config
