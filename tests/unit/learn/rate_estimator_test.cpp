#include "learn/rate_estimator.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

constexpr RatePrior none{.hits = 0, .time = 0};

TEST(RateEstimator, without_observations_the_prior_speaks) {
  EXPECT_DOUBLE_EQ(estimated_rate({}, {.hits = 0.5, .time = 50}), 0.01);
}

TEST(RateEstimator, equal_intervals_give_the_exact_maximum_likelihood) {
  // Three hits and one miss, all 10 s long: P(hit) = 3/4, so the rate is ln(4)/10.
  RateSums sums;
  for (const bool changed : {true, false, true, true}) sums.observe(changed, 10, 1.0F);
  EXPECT_FLOAT_EQ(sums.hits, 3);
  EXPECT_FLOAT_EQ(sums.hit_time, 30);
  EXPECT_FLOAT_EQ(sums.miss_time, 10);
  EXPECT_NEAR(estimated_rate(sums, none), std::log(4.0) / 10, 1e-12);
}

TEST(RateEstimator, a_prior_counts_as_hits_in_quiet_time) {
  const RateSums sums{.hits = 1.5F, .hit_time = 20, .miss_time = 30};
  // hits 2, hit_time 20, quiet 40: m = 10, ln(1 + 2·10/40)/10.
  EXPECT_NEAR(estimated_rate(sums, {.hits = 0.5, .time = 10}), std::log(1.5) / 10, 1e-12);
}

TEST(RateEstimator, misses_only_is_hits_over_time) {
  RateSums sums;
  sums.observe(false, 30, 1.0F);
  sums.observe(false, 60, 1.0F);
  EXPECT_NEAR(estimated_rate(sums, {.hits = 0.5, .time = 10}), 0.5 / 100, 1e-12);
}

TEST(RateEstimator, forgetting_is_per_poll) {
  RateSums sums;
  sums.observe(true, 10, 0.5F);
  sums.observe(false, 8, 0.5F);
  EXPECT_FLOAT_EQ(sums.hits, 0.5F);
  EXPECT_FLOAT_EQ(sums.hit_time, 5);
  EXPECT_FLOAT_EQ(sums.miss_time, 8);
}

}  // namespace
}  // namespace pollux::learn
