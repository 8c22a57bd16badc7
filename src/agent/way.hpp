// What the way between a brain and one of its agents takes, from messages whose answers came at
// once: the time there and back, which small ones tell, and the time for each byte more, which
// large ones tell. In document 002: 2 L_AC and N_AC. Threading: one owner.
#pragma once

#include "pollux/base/time.hpp"

#include <algorithm>
#include <cstddef>

namespace pollux::agent {

class Way {
 public:
  // From the sending of a message to its answer of so many bytes, without what the agent took.
  void note(Duration took, std::size_t bytes) {
    const double seconds = std::clamp(to_seconds(took), 0.0, longest);
    if (bytes <= small) {
      smooth(round_trip_, seconds, trips_);
    } else if (bytes >= large && trips_ > 0) {
      smooth(seconds_per_byte_, std::max(0.0, seconds - round_trip_) / static_cast<double>(bytes),
             loads_);
    }
  }
  double round_trip() const { return round_trip_; }
  double seconds_per_byte() const { return seconds_per_byte_; }

 private:
  static constexpr double longest = 10;  // what takes longer was lost in between
  static constexpr std::size_t small = 2u << 10, large = 8u << 10;
  static constexpr int memory = 16;  // the newest of so many weighs as much as any

  static void smooth(double& value, double seen, int& seen_before) {
    seen_before = std::min(seen_before + 1, memory);
    value += (seen - value) / seen_before;
  }
  double round_trip_ = 0, seconds_per_byte_ = 0;
  int trips_ = 0, loads_ = 0;
};

}  // namespace pollux::agent
