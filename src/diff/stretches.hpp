// Where two texts have to be compared closely. What is equal at both ends is left out; of large
// texts so are equal stretches of some words each, so that time and memory keep to their bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pollux::diff {

enum class Grain : std::uint8_t { words, lines };

// Bytes of either text; equal up to it, and behind the last one. It begins where a word (a line)
// does.
struct Stretch {
  std::size_t old_begin = 0, old_end = 0, new_begin = 0, new_end = 0;
  bool too_large = false;  // to be compared: it counts as replaced
};
std::vector<Stretch> stretches(std::string_view old_text, std::string_view new_text, Grain grain);

}  // namespace pollux::diff
