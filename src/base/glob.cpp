#include "pollux/base/glob.hpp"

#include <cstddef>

namespace pollux {

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t in_pattern = 0;
  std::size_t in_text = 0;
  // Behind the last star, and where what follows it was tried. Only the last one is ever moved: if
  // what stands before it fits here, no other place for that can make the rest fit any better.
  std::size_t behind_star = std::string_view::npos;
  std::size_t tried = 0;
  while (in_text < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      behind_star = ++in_pattern;
      if (behind_star == pattern.size()) return true;
      tried = in_text;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '?' || pattern[in_pattern] == text[in_text])) {
      ++in_pattern;
      ++in_text;
    } else if (behind_star != std::string_view::npos) {
      in_pattern = behind_star;
      in_text = ++tried;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

}  // namespace pollux
