#include "learn/rate_estimator.hpp"

#include <cmath>

namespace pollux::learn {

void RateSums::observe(bool changed, double elapsed, float keep) {
  const auto time = static_cast<float>(elapsed);
  hits *= keep;
  hit_time *= keep;
  miss_time *= keep;
  if (changed) {
    hits += 1;
    hit_time += time;
  } else {
    miss_time += time;
  }
}

double estimated_rate(const RateSums& sums, const RatePrior& prior) {
  const double hits = static_cast<double>(sums.hits) + prior.hits;
  const double hit_time = static_cast<double>(sums.hit_time);
  const double quiet = static_cast<double>(sums.miss_time) + prior.time;
  // ln(1 + hits·m/quiet)/m with m = hit_time/hits; for m → 0 it is hits/quiet.
  const double ratio = hit_time / quiet;
  if (ratio < 1e-9) return hits / quiet;
  return std::log1p(ratio) * hits / hit_time;
}

}  // namespace pollux::learn
