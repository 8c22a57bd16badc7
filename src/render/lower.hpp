// ASCII letters in lower case.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace pollux::render {

inline std::string lower(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return all;
}

}  // namespace pollux::render
