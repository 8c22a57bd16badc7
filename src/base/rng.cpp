#include "pollux/base/rng.hpp"

#include <random>

namespace pollux {

Rng::Rng(std::uint64_t seed) {
  if (seed == 0) {
    std::random_device device;
    seed = (static_cast<std::uint64_t>(device()) << 32) ^ device();
  }
  // splitmix64: spreads one word over the state, never all zero.
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    word = z ^ (z >> 31);
  }
}

}  // namespace pollux
