// Polls whose looks run a program. They are slow to end, so there are only so many at a time, over
// all and of one host: the others stay where they are in the queue of the scheduler.
// Threading: the engine's thread.
#pragma once

#include "pollux/base/ids.hpp"
#include "pollux/base/time.hpp"

#include <cstddef>
#include <unordered_map>

namespace pollux::engine {

class ProgramFlights {
 public:
  static constexpr std::size_t most = 64, most_of_a_host = 8;
  static constexpr Duration retry = std::chrono::milliseconds(250);  // for who found no room
  bool has_room(HostSlot host) const {
    const auto found = of_host_.find(host);
    return flights_ < most && (found == of_host_.end() || found->second < most_of_a_host);
  }
  void begin(HostSlot host) {
    ++flights_;
    ++of_host_[host];
  }
  void end(HostSlot host) {
    --flights_;
    const auto found = of_host_.find(host);
    if (--found->second == 0) of_host_.erase(found);
  }

 private:
  std::size_t flights_ = 0;
  std::unordered_map<HostSlot, std::size_t> of_host_;
};

}  // namespace pollux::engine
