// A small, fast, seedable generator (xoshiro256**). One per owner, passed in; not thread-safe.
#pragma once

#include <cmath>
#include <cstdint>

namespace pollux {

class Rng {
 public:
  // Seed 0 takes entropy from the system; any other seed gives the same sequence every time.
  explicit Rng(std::uint64_t seed);

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return uniform() < probability; }
  // In [0, n); n > 0.
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * n) >> 64);
  }
  // Waiting time of a process with this rate.
  double exponential(double rate) { return -std::log1p(-uniform()) / rate; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t state_[4];
};

}  // namespace pollux
