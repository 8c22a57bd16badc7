// Parts of regular expressions.
#pragma once

#include "pollux/extract/masks.hpp"

#include <span>
#include <string>
#include <string_view>

namespace pollux::extract {

// Wide enough for whatever a place of this kind may hold; what is around it keeps it in its place.
std::string_view pattern_of(TokenKind kind);
// What matches this text and nothing else.
std::string as_literal(std::string_view text);
// The same, but white space that is more than a space in any length.
std::string as_pattern(std::string_view text);
// For a place of this kind, as simple as what was seen there allows.
std::string shape_of(TokenKind kind, std::span<const std::string_view> seen);

}  // namespace pollux::extract
