#include "extract/ascii_text.hpp"
#include "pollux/extract/significance.hpp"

#include <charconv>

namespace pollux::extract {
namespace {

// Spaces that group digits: the usual one is a word's end, U+00A0, U+2009 and U+202F are not.
std::size_t grouping_space(std::string_view text) {
  for (const std::string_view space : {"\u00A0", "\u2009", "\u202F"}) {
    if (text.starts_with(space)) return space.size();
  }
  return 0;
}

bool three_digits(std::string_view text) {
  return text.size() >= 3 && is_digit(text[0]) && is_digit(text[1]) && is_digit(text[2]) &&
         (text.size() == 3 || !is_digit(text[3]));
}

bool word_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::optional<double> first_number(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && !is_digit(text[at])) ++at;
  if (at == text.size()) return {};
  const std::size_t start = at;
  // The digits and the signs between them.
  std::string number;
  std::size_t last_sign = std::string::npos;  // in `number`
  while (at < text.size()) {
    if (is_digit(text[at])) {
      number += text[at++];
    } else if ((text[at] == '.' || text[at] == ',' || text[at] == '\'') && at + 1 < text.size() &&
               is_digit(text[at + 1])) {
      if (text[at] != '\'') last_sign = number.size();
      number += text[at++];
    } else if (const std::size_t space = grouping_space(text.substr(at));
               space > 0 && three_digits(text.substr(at + space))) {
      at += space;
    } else {
      break;
    }
  }
  const bool decimal = last_sign != std::string::npos && number.size() - last_sign <= 3;
  std::string plain;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (is_digit(number[i])) plain += number[i];
    if (decimal && i == last_sign) plain += '.';
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (problem != std::errc{} || end != plain.data() + plain.size()) return {};
  // U+2212 is a minus, too.
  const std::string_view before = text.substr(0, start);
  for (const std::string_view sign : {"-", "\u2212"}) {
    if (!before.ends_with(sign)) continue;
    const std::string_view further = before.substr(0, before.size() - sign.size());
    if (further.empty() || !word_character(further.back())) value = -value;
  }
  return value;
}

}  // namespace pollux::extract
