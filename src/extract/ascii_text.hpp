// More of ascii.hpp, for whole texts.
#pragma once

#include "extract/ascii.hpp"

#include <string>
#include <string_view>

namespace pollux::extract {

constexpr bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace pollux::extract
