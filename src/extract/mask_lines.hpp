// Masks of whole lines: what stands between two lines that stay.
#pragma once

#include "pollux/extract/masks.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace pollux::extract {

// From the line that is masked first to the one behind the last, on a text on which masks of tokens
// were applied. None: it fits nowhere, or in more than one place.
struct LineRange {
  std::size_t begin = 0, end = 0;
};
std::optional<LineRange> lines_masked(const Mask& mask, std::string_view text);

// The mask that has put its mark on the line at `at`, by the lines around it that make it a single
// place.
Mask mask_between(std::span<const std::string_view> lines, std::size_t at);

// Those of `masks` that are of lines, on a text on which the others were applied.
void apply_to_lines(std::span<const Mask> masks, Masked& masked);

// As find_masks(). `polls`: so many at the beginning are polls before the looks; nothing has to
// explain how those differ.
Noise find_masks_after_polls(std::span<const std::string_view> looks, std::size_t polls, Looks kind,
                             bool numbers_count, std::span<const WallTime> seen);

}  // namespace pollux::extract
