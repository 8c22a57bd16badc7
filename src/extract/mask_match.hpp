// Whether a mask fits a place, and how a neighbour is written in one.
#pragma once

#include "extract/mask_tokens.hpp"
#include "pollux/extract/masks.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pollux::extract {

// A number is "#", other tokens that may be noise "#uuid" and so on, the sign itself "##".
std::string generalised(const MaskToken& token);
bool neighbour_fits(const std::string& neighbour, const MaskToken& token);
// A word or a sign beside it, or there is nothing that keeps a mask in its place.
bool has_context(const Mask& mask);
bool matches(const Mask& mask, const std::vector<MaskToken>& tokens, std::size_t at);

// "price", "left", "€": numbers next to it are what people watch a page for.
bool is_telling_word(std::string_view word);
// A price, a version, a number of pieces left: what people watch a page for.
bool number_matters(const std::vector<MaskToken>& tokens, std::size_t at);

constexpr bool is_of_time(TokenKind kind) {
  return kind == TokenKind::datetime || kind == TokenKind::date || kind == TokenKind::time ||
         kind == TokenKind::age;
}

// Adds what stands in one more of a mask's places.
void note_shown(std::string_view text, Shown& shown);

// A quick look: most tokens are short words.
inline bool may_be_masked(const MaskToken& token) {
  return token.kind || token.text.size() >= 8;
}

}  // namespace pollux::extract
