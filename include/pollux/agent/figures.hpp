// How an agent does, as its brain knows it, for people. Since the brain's start.
#pragma once

#include "pollux/base/time.hpp"

#include <cstdint>
#include <string>

namespace pollux::agent {

struct AgentFigures {
  std::string name, version;
  bool alive = false, secrets = false;
  Duration silent_for{};                   // since its last ask; zero: it never asked
  std::uint32_t renders = 0;               // pages at a time; 0: none
  std::uint32_t slots = 0, in_flight = 0;  // polls that it takes, and that it has
  std::uint64_t polls = 0;                 // done
  std::uint64_t unused = 0, lost = 0;      // see above
  std::uint64_t late = 0;                  // results that came again, or after the end
  std::uint64_t faults = 0;                // messages that could not be read, or made no sense
  std::uint64_t bytes = 0;                 // of its messages
  double seconds = 0;                      // of a download there, smoothed
  // Contents that were put aside; of them, those that were asked for, and that did not come.
  std::uint64_t put_aside = 0, brought = 0, not_brought = 0;
  double round_trip = 0, seconds_per_byte = 0;  // of the way there, smoothed
};

}  // namespace pollux::agent
