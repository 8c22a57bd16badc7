// Masks as rules that people can paste under `ignore:`. Pure.
#pragma once

#include "pollux/extract/masks.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

// A rule drops what is around a place as well, so masks near each other are one rule, and no two
// rules have a word in common.
struct IgnoreRules {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::string> patterns;  // RE2
  std::vector<std::size_t> of_mask;   // which of them, for each mask; none: it fits nowhere, or
                                      // no pattern hides it and nothing else
  bool equal = false;                 // with them all looks are equal
};
// `looks`: texts that the masks were found in, or one in which they have been applied already.
// Nothing is made of more than a megabyte.
IgnoreRules ignore_rules(std::span<const Mask> masks, std::span<const std::string_view> looks);

// A place that is set aside in a text: what stands around it, and a pattern for `ignore:`; empty:
// none hides it and nothing else.
struct PlaceAside {
  Mask around;
  std::string pattern;
};
// Those of the text's marks that are of none of `masks`; at most so many.
std::vector<PlaceAside> places_aside(std::string_view marked, std::span<const Mask> masks,
                                     std::size_t most);

}  // namespace pollux::extract
