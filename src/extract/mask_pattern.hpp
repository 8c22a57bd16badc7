// Parts of regular expressions.
#pragma once

#include "pollux/extract/masks.hpp"

#include <string>
#include <string_view>

namespace pollux::extract {

// Wide enough for whatever a place of this kind may hold; what is around it keeps it in its place.
std::string_view pattern_of(TokenKind kind);
// What matches this text and nothing else.
std::string as_literal(std::string_view text);

}  // namespace pollux::extract
