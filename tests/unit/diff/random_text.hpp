// Texts that differ by known kinds of edits, from a seed.
#pragma once

#include "pollux/base/rng.hpp"

#include <string>
#include <vector>

namespace pollux::diff {

inline std::string random_text(Rng& rng, std::size_t words, std::uint64_t vocabulary) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    text += "w" + std::to_string(rng.below(vocabulary));
    text += rng.chance(0.1) ? "\n" : rng.chance(0.05) ? "  " : " ";
  }
  return text;
}

// Cuts, doubles and scribbles at random places, white space included.
inline std::string edited(Rng& rng, std::string text, int edits) {
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = rng.below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(rng.below(20), text.size() - at);
    switch (rng.below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, " n" + std::to_string(rng.below(50)) + " ");
        break;
      default:
        text.insert(at, 1, rng.chance(0.5) ? '\n' : ' ');
        break;
    }
  }
  return text;
}

}  // namespace pollux::diff
