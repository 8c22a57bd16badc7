#include "extract/ascii_text.hpp"
#include "pollux/extract/significance.hpp"

#include <charconv>

namespace pollux::extract {
namespace {

// What groups digits: spaces of any kind, and apostrophes. Bytes of it; 0: it is something else.
std::size_t grouping(std::string_view text) {
  for (const std::string_view sign : {" ", "\u00A0", "\u2009", "\u202F", "'", "\u2019"}) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

bool three_digits(std::string_view text) {
  return text.size() >= 3 && is_digit(text[0]) && is_digit(text[1]) && is_digit(text[2]) &&
         (text.size() == 3 || !is_digit(text[3]));
}

// Whether the last . or , is the decimal sign: one or two digits follow it, or thousands cannot be
// written so. "1.299" is a price, "1.0845" and "0,999" are rates.
bool is_decimal(std::string_view number, std::size_t last_sign, bool grouped) {
  if (last_sign == std::string_view::npos) return false;
  const std::size_t digits = number.size() - last_sign - 1;
  if (digits <= 2) return true;
  const std::string_view before = number.substr(0, last_sign);
  if (before.find(number[last_sign]) != std::string_view::npos) return false;  // 1.299.000
  const bool other_sign = before.find_first_of(".,") != std::string_view::npos;
  return digits != 3 || before.starts_with('0') || grouped || other_sign || before.size() > 3;
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
  std::size_t group = 0;                      // digits since the last sign
  bool grouped = false;                       // by a space or an apostrophe
  while (at < text.size()) {
    if (is_digit(text[at])) {
      number += text[at++];
      ++group;
    } else if ((text[at] == '.' || text[at] == ',') && at + 1 < text.size() &&
               is_digit(text[at + 1])) {
      last_sign = number.size();
      number += text[at++];
      group = 0;
    } else if (const std::size_t sign = grouping(text.substr(at));
               sign > 0 && last_sign == std::string::npos && group <= 3 &&
               three_digits(text.substr(at + sign))) {
      // Nobody groups "2026 100" or "0 250".
      if (number.starts_with('0')) break;
      at += sign;
      group = 0;
      grouped = true;
    } else {
      break;
    }
  }
  const bool decimal = is_decimal(number, last_sign, grouped);
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
