// Where and within which bounds pages are rendered. Plain values.
#pragma once

#include "pollux/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace pollux::render {

// What becomes of a page whose scripts ask for an address that the gate refuses. The request never
// leaves, either way.
enum class Refused : std::uint8_t { error, skip };

struct Options {
  bool chromium = false;                            // there is a browser
  std::string program = "chromium-headless-shell";  // a name, or a path
  std::size_t pages = 2;                            // at a time
  int price = 5;  // what a rendered request costs in the budget, in ordinary ones
  // How long a page may go on asking for things; then it is taken as it is.
  Duration wait = std::chrono::seconds(10);
  std::uint64_t memory = 1ull << 30;        // of each of the browser's processes
  std::uint64_t max_traffic = 64ull << 20;  // of one page, both ways
  std::size_t max_requests = 1000;          // of one page
  Refused refused_addresses = Refused::error;
  bool operator==(const Options&) const = default;
};

}  // namespace pollux::render
