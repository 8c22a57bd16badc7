// A wall time to start from.
#pragma once

#include "pollux/base/clock.hpp"

#include <chrono>

namespace pollux::engine {

inline constexpr WallTime noon{std::chrono::seconds(1'790'000'000)};

}  // namespace pollux::engine
