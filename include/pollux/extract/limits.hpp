// The bounds of one extraction. Whatever a server sends, it ends within them.
#pragma once

#include "pollux/extract/children.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace pollux::extract {

struct Limits {
  std::size_t max_nodes = 200'000;
  std::size_t max_depth = 512;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::size_t max_kept = std::size_t{16} << 20U;  // bytes of content, and of what a program prints
  Children* children = nullptr;                   // null: it may start them
};

// Why a document was given up: "more than 200 000 nodes", "deeper than 512", "took longer than 1
// s".
struct TooComplex {
  std::string reason;
};

}  // namespace pollux::extract
