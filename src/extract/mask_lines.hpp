// Masks of whole lines: what stands between two lines that stay.
#pragma once

#include "pollux/extract/masks.hpp"

#include <span>

namespace pollux::extract {

constexpr bool is_of_lines(TokenKind kind) {
  return kind == TokenKind::lines || kind == TokenKind::order;
}

// Those of `masks` that are of lines, on a text on which the others were applied.
void apply_to_lines(std::span<const Mask> masks, Masked& masked);

}  // namespace pollux::extract
