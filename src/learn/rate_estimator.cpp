#include "learn/rate_estimator.hpp"

#include <algorithm>
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

double telling_wait(const RateSums& sums, double rate, double elapsed) {
  constexpr double certain = 10;  // times between changes
  constexpr double unusual = 10;  // times the usual wait
  if (sums.hits <= 0) return elapsed;
  const double usual = static_cast<double>(sums.hit_time) / static_cast<double>(sums.hits);
  return std::min(elapsed, std::max(certain / rate, unusual * usual));
}

namespace {

// The rate at which the expected number of hits is the one seen: ln(1 + hits·m/quiet)/m with
// m = hit_time/hits; for m → 0 it is hits/quiet.
double closed_form(double hits, double hit_time, double quiet) {
  const double ratio = hit_time / quiet;
  if (ratio < 1e-6) return hits / quiet;
  return std::log(1 + ratio) * hits / hit_time;
}

// As if `prior.hits` more changes had been seen, in intervals as long as the page's own, among as
// much quiet time as fits the mean.
double rate_in_list(double hits, double hit_time, double quiet, const RatePrior& prior) {
  constexpr double certain = 50;
  if (hits <= 0 || hit_time <= 0)
    return (hits + prior.hits) / (hit_time + quiet + prior.hits / prior.mean);
  const double length = hit_time / hits;
  const double assumed = prior.hits * length / std::expm1(std::min(prior.mean * length, certain));
  return std::log1p((hits + prior.hits) * length / (quiet + assumed)) / length;
}

}  // namespace

double estimated_rate(const RateSums& sums, const RatePrior& prior) {
  const auto seen_hits = static_cast<double>(sums.hits);
  const auto seen_hit_time = static_cast<double>(sums.hit_time);
  const auto seen_quiet = static_cast<double>(sums.miss_time);
  if (prior.mean > 0) return rate_in_list(seen_hits, seen_hit_time, seen_quiet, prior);
  if (seen_hit_time + seen_quiet <= 0) return prior.hits / (prior.strength * prior.time);

  // Pseudo-hits come in intervals as long as the others, so that they do not distort m.
  const double hits = seen_hits + prior.hits;
  const double hit_time = seen_hits > 0 ? seen_hit_time * (hits / seen_hits) : 0;
  double rate = hits / (seen_hit_time + seen_quiet);
  for (int i = 0; i < 3; ++i) {
    const double assumed = prior.strength * prior.time / (1 + prior.time * rate);
    rate = closed_form(hits, hit_time, seen_quiet + assumed);
  }
  return rate;
}

}  // namespace pollux::learn
