// Letters of ASCII without regard to their size, as hosts, schemes and media types are compared.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace pollux::web {

constexpr char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), small_letter);
  return out;
}

}  // namespace pollux::web
