#include "pollux/lab/ablation.hpp"

#include <cmath>
#include <numeric>

namespace pollux::lab {

std::span<const AblationVariant> ablation_variants() {
  static constexpr AblationVariant variants[] = {
      {"everything", {}},
      {"without two speeds", {.two_speeds = false}},
      {"without trust", {.trust = false}},
      {"without likeness", {.likeness = false}},
      {"without quiet", {.quiet = false}},
      {"without automata", {.automata = false}},
      {"without looks", {.looks = false}},
      {"without unrest", {.unrest = false}},
      {"without explore", {}, 0},
      {"only rates",
       {.two_speeds = false,
        .trust = false,
        .likeness = false,
        .quiet = false,
        .automata = false,
        .looks = false,
        .unrest = false}},
  };
  return variants;
}

Estimate estimate_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Estimate estimate;
  estimate.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.error = std::sqrt(squares / (count - 1) / count);
  return estimate;
}

}  // namespace pollux::lab
