// How much compressed bodies may unfold before everything else has had its turn: a few kilobytes
// become megabytes, and a hundred such bodies may come in one moment. What is left over waits
// compressed and goes on in a turn of its own.
// Threading: the thread of its fetcher.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pollux::fetch {

class UnfoldQuota {
 public:
  // Less than a millisecond. Nearly every page fits and is unfolded where it comes in.
  static constexpr std::size_t bytes_a_turn = 256u << 10;

  void begin_turn() { left_ = bytes_a_turn; }
  void take(std::size_t bytes) { left_ -= std::min(bytes, left_); }
  bool spent() const { return left_ == 0; }

 private:
  std::size_t left_ = bytes_a_turn;
};

}  // namespace pollux::fetch
