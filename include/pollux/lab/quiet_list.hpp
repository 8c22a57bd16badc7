// A list as many are: nine pages of ten never change, the others seldom or often, in no order. Two
// years of it, as a trace.
#pragma once

#include "pollux/lab/trace.hpp"

#include <cstddef>
#include <cstdint>

namespace pollux::lab {

inline constexpr double quiet_list_days = 720;
Trace quiet_list(std::size_t pages, std::uint64_t seed);

}  // namespace pollux::lab
