#include "learn/rate_estimator.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

constexpr RatePrior none{.hits = 0, .time = 0, .strength = 0};

TEST(RateEstimator, without_observations_the_prior_speaks) {
  EXPECT_DOUBLE_EQ(estimated_rate({}, {.hits = 0.5, .time = 50, .strength = 1}), 0.01);
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

TEST(RateEstimator, misses_only_is_prior_hits_over_time) {
  RateSums sums;
  sums.observe(false, 30, 1.0F);
  sums.observe(false, 60, 1.0F);
  // Quiet 90 s, half a hit: rates 0.5/90, then with 100/(1 + 100·rate) s of assumed quiet time,
  // three times: 0.5/154.286, 0.5/165.517, 0.5/166.798.
  const double rate = estimated_rate(sums, {.hits = 0.5, .time = 100, .strength = 1});
  EXPECT_NEAR(rate, 0.5 / 166.798, 1e-7);
}

TEST(RateEstimator, the_prior_does_not_slow_down_a_page_far_faster_than_it) {
  // Changed at every poll, a second apart, under a prior of one change in 1000 s.
  RateSums sums;
  for (int i = 0; i < 10; ++i) sums.observe(true, 1, 1.0F);
  EXPECT_GT(estimated_rate(sums, {.hits = 0.5, .time = 1000, .strength = 1}), 2);
}

TEST(RateEstimator, the_prior_slows_down_a_page_that_was_just_lucky) {
  RateSums sums;
  sums.observe(true, 1, 1.0F);
  const double quick = estimated_rate(sums, {.hits = 0.5, .time = 1, .strength = 1});
  sums.observe(false, 100, 1.0F);
  EXPECT_LT(estimated_rate(sums, {.hits = 0.5, .time = 1, .strength = 1}), quick / 10);
}

TEST(RateEstimator, a_change_after_a_very_long_wait_says_nothing_about_the_rate) {
  // Two pages seen to change at every poll, a second and an hour apart; then a night without polls.
  const RatePrior prior{.hits = 0.5, .time = 1, .strength = 1};
  RateSums quick, slow;
  for (int i = 0; i < 100; ++i) {
    quick.observe(true, 1, 1.0F);
    slow.observe(true, 3600, 1.0F);
  }
  const double quick_before = estimated_rate(quick, prior);
  const double slow_before = estimated_rate(slow, prior);
  constexpr double night = 8 * 3600;
  quick.observe(true, telling_wait(quick, quick_before, night), 1.0F);
  slow.observe(true, telling_wait(slow, slow_before, night), 1.0F);
  EXPECT_NEAR(estimated_rate(quick, prior) / quick_before, 1, 0.1);
  EXPECT_NEAR(estimated_rate(slow, prior) / slow_before, 1, 0.1);
}

TEST(RateEstimator, a_wait_counts_whole_while_the_change_was_not_certain) {
  RateSums sums;  // a change a quarter of an hour, polled every second
  sums.observe(true, 1, 1.0F);
  sums.observe(false, 900, 1.0F);
  EXPECT_EQ(telling_wait(sums, 1.0 / 900, 3000), 3000);
  EXPECT_EQ(telling_wait(sums, 1.0 / 900, 30'000), 9000);
  EXPECT_EQ(telling_wait({}, 1.0 / 900, 30'000), 30'000) << "nothing else is known";
}

TEST(RateEstimator, forgetting_is_per_poll) {
  RateSums sums;
  sums.observe(true, 10, 0.5F);
  sums.observe(false, 8, 0.5F);
  EXPECT_FLOAT_EQ(sums.hits, 0.5F);
  EXPECT_FLOAT_EQ(sums.hit_time, 5);
  EXPECT_FLOAT_EQ(sums.miss_time, 8);
}

TEST(RateEstimator, a_page_of_a_known_list_begins_at_its_mean_and_leaves_it_as_it_is_seen) {
  const RatePrior list{.hits = 5, .mean = 0.02};
  EXPECT_DOUBLE_EQ(estimated_rate({}, list), 0.02);
  // Polls that show just what the mean expects leave it there: P(hit) = 1 - e^(-1) in 50 s.
  const RateSums usual{.hits = static_cast<float>(10 * -std::expm1(-1)),
                       .hit_time = static_cast<float>(500 * -std::expm1(-1)),
                       .miss_time = static_cast<float>(500 * std::exp(-1))};
  EXPECT_NEAR(estimated_rate(usual, list), 0.02, 1e-6);
  RateSums quiet;
  quiet.observe(false, 250, 1.0F);
  EXPECT_NEAR(estimated_rate(quiet, list), 5.0 / 500, 1e-9);
  RateSums lively;
  for (int i = 0; i < 200; ++i) lively.observe(i % 2 == 0, 5, 1.0F);
  EXPECT_GT(estimated_rate(lively, list), 5 * list.mean);
}

}  // namespace
}  // namespace pollux::learn
