// "FILE:LINE: what is wrong; what to write instead": the shape of every message about a file.
#pragma once

#include "pollux/base/text.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace pollux::config {

inline std::string at(std::string_view file, std::uint32_t line, std::string_view message) {
  return printable(file) + ':' + std::to_string(line) + ": " + std::string(message);
}

// The beginning of such a message, taken apart again; line 0 when it is not one.
struct Place {
  std::string_view file;
  std::uint32_t line = 0;
};
inline Place place_in(std::string_view message) {
  const std::size_t end = message.find(": ");
  const std::size_t colon = end == message.npos ? message.npos : message.rfind(':', end - 1);
  if (colon == message.npos || end == 0) return {};
  Place place{message.substr(0, colon)};
  const char* const last = message.data() + end;
  const auto [stop, problem] = std::from_chars(message.data() + colon + 1, last, place.line);
  return problem == std::errc{} && stop == last ? place : Place{};
}

}  // namespace pollux::config
