// How much work bodies may make before everything else has had its turn. A few compressed kilobytes
// become megabytes, and a hundred such bodies may come in one moment; a body may also come byte by
// byte, each in a chunk of its own, and curl hands over every one. What is left over waits as it
// came and goes on in a turn of its own.
// Threading: the thread of its fetcher.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pollux::fetch {

class BodyQuota {
 public:
  // About a millisecond. Nearly every page fits and is taken where it comes in.
  static constexpr std::size_t bytes_a_turn = 256u << 10;
  // What taking over one part from curl costs, in bytes to unfold.
  static constexpr std::size_t part = 64;

  void begin_turn() { left_ = bytes_a_turn; }
  void take(std::size_t bytes) { left_ -= std::min(bytes, left_); }
  bool spent() const { return left_ == 0; }

 private:
  std::size_t left_ = bytes_a_turn;
};

}  // namespace pollux::fetch
