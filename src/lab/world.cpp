#include "pollux/lab/world.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::lab {

double importance_like_change(double chance, Rng& rng) {
  return std::clamp(std::pow(rng.uniform(), 1 - chance), 0.01, 1.0);
}

}  // namespace pollux::lab
