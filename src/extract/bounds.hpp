// What is said when a document is beyond its Limits.
#pragma once

#include "extract/grouped.hpp"
#include "pollux/extract/limits.hpp"

#include <chrono>
#include <string>

namespace pollux::extract {

inline bool out_of_time(const Limits& limits) {
  return std::chrono::steady_clock::now() > limits.deadline;
}
inline TooComplex took_too_long() {
  return TooComplex{"took too long"};
}
inline TooComplex more_than(std::size_t number, const std::string& of_what) {
  return TooComplex{"more than " + grouped(number) + " " + of_what};
}
inline TooComplex deeper_than(std::size_t depth) {
  return TooComplex{"deeper than " + grouped(depth)};
}
inline TooComplex too_long_to_keep(const Limits& limits) {
  return more_than(limits.max_kept, "bytes to keep");
}

}  // namespace pollux::extract
