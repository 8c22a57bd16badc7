// "FILE:LINE: what is wrong; what to write instead": the shape of every message about a file.
#pragma once

#include "pollux/base/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace pollux::config {

inline std::string at(std::string_view file, std::uint32_t line, std::string_view message) {
  return printable(file) + ':' + std::to_string(line) + ": " + std::string(message);
}

}  // namespace pollux::config
