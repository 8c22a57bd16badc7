// Which rule of the scheduler is switched off. The build copies src/schedule and puts this question
// before the lines that keep each rule (tests/CMakeLists.txt): the engine is the production one but
// for that line. Threading: one thread.
#pragma once

#include <cstdint>

namespace pollux {

enum class Broken : std::uint8_t {
  nothing,
  budget,      // what is sent is not counted
  pause,       // the end of a request is forgotten
  retry_after  // what a host asked for is forgotten
};
inline Broken broken = Broken::nothing;

}  // namespace pollux
