#include "engine/back_off.hpp"

#include <set>

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

using namespace std::chrono_literals;

const schedule::Limits limits{5s, 24h};

TEST(BackOff, doubles_with_every_failure_within_a_quarter_of_jitter) {
  Rng rng(1);
  const BackOff rule;
  for (int streak = 1; streak <= 8; ++streak) {
    const double delay = to_seconds(back_off_delay(rule, limits, streak, std::nullopt, rng));
    const double plain = 10.0 * (1 << (streak - 1));
    EXPECT_GE(delay, 0.75 * plain);
    EXPECT_LE(delay, 1.25 * plain);
  }
}

TEST(BackOff, has_a_longest_delay_however_long_the_streak) {
  Rng rng(1);
  EXPECT_LE(back_off_delay(BackOff{}, limits, 65535, std::nullopt, rng), Duration(6h) * 5 / 4);
}

TEST(BackOff, is_not_longer_than_the_page_may_wait) {
  Rng rng(1);
  EXPECT_LE(back_off_delay(BackOff{}, {5s, 1min}, 20, std::nullopt, rng), Duration(75s));
}

TEST(BackOff, never_comes_before_what_the_server_asked_for) {
  Rng rng(1);
  for (int i = 0; i < 100; ++i)
    EXPECT_GE(back_off_delay(BackOff{}, limits, 1, Duration(10min), rng), Duration(10min));
}

TEST(BackOff, pages_that_fail_together_do_not_come_back_together) {
  Rng rng(1);
  std::set<Duration> delays;
  for (int i = 0; i < 100; ++i)
    delays.insert(back_off_delay(BackOff{}, limits, 3, Duration(1min), rng));
  EXPECT_GT(delays.size(), 95u);
}

}  // namespace
}  // namespace pollux::engine
