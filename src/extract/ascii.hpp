// ASCII as HTML, HTTP and XML mean it, whatever the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace pollux::extract {

inline char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii_lower(c);
  return out;
}

inline bool ascii_same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

inline bool ascii_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

inline bool ascii_letter(char c) {
  const char l = ascii_lower(c);
  return l >= 'a' && l <= 'z';
}

inline bool ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

inline std::string_view ascii_trim(std::string_view text) {
  while (!text.empty() && ascii_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && ascii_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace pollux::extract
