// 200000 → `200 000`, as numbers are written in messages.
#pragma once

#include <cstddef>
#include <string>

namespace pollux::extract {

inline std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ' ');
  return text;
}

}  // namespace pollux::extract
