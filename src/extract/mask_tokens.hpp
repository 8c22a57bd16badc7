// A text as the tokens that masks are made of: those that may be noise, words, and single signs.
#pragma once

#include "extract/ascii_text.hpp"
#include "pollux/extract/masks.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::extract {

// A mark that stands for a place, ‹kind›, is a token of that kind: so what is beside it fits the
// text before and after it was masked.
struct MaskToken {
  std::string_view text;
  std::optional<TokenKind> kind;  // none: a word or a sign
  bool in_url = false;
};

constexpr std::string_view mark_opens = "‹", mark_closes = "›";
inline bool is_mark(const MaskToken& token) {
  return token.kind && token.text.starts_with(mark_opens);
}

// In order; between them is white space, or nothing. Linear.
std::vector<MaskToken> mask_tokens(std::string_view text);

// Whether a place of this kind may hold this token. Wider than the token's own kind: a hexadecimal
// token may happen to have digits only.
bool fits(TokenKind kind, const MaskToken& token);

// The length of an age, date or time at the start of `text`, 0 if there is none: "3 minutes ago",
// "Mon, 12 May 2025", "12:30:05 UTC". What stands before is no letter or digit.
// A quick look whether any of them is worth trying.
bool may_begin_a_time(std::string_view text);
std::size_t age_length(std::string_view text);
std::size_t date_length(std::string_view text);
std::size_t time_length(std::string_view text);
// A date and a time.
std::size_t datetime_length(std::string_view text);
// Which of them begins there: a date with a time before a date alone.
struct TimeAhead {
  TokenKind kind{};
  std::size_t length = 0;
};
std::optional<TimeAhead> time_ahead(std::string_view text);

constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || is_letter(c);
}
// A letter of any alphabet, too: one byte of it.
constexpr bool is_wordlike(char c) {
  return is_alphanumeric(c) || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace pollux::extract
