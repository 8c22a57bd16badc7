#include "engine/back_off.hpp"

#include <algorithm>
#include <set>
#include <vector>

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

// A thousand pages fail in the same moment and go on failing: the rounds they come back in must
// not stay recognisable.
TEST(BackOff, a_thousand_failing_pages_never_march_in_step) {
  Rng rng(1);
  std::vector<double> due(1000, 0);
  for (int streak = 1; streak <= 8; ++streak) {
    for (double& at : due)
      at += to_seconds(back_off_delay(BackOff{}, limits, streak, std::nullopt, rng));
    std::vector<double> sorted = due;
    std::sort(sorted.begin(), sorted.end());
    const double delay = 10.0 * (1 << (streak - 1));
    EXPECT_GE(sorted.back() - sorted.front(), 0.4 * delay) << streak;
    // Spread evenly over half a delay a fiftieth of it holds 40 of them; no fiftieth holds thrice.
    std::size_t fullest = 0, first = 0;
    for (std::size_t last = 0; last < sorted.size(); ++last) {
      while (sorted[last] - sorted[first] > delay / 50) ++first;
      fullest = std::max(fullest, last - first + 1);
    }
    EXPECT_LE(fullest, 120u) << streak;
  }
}

TEST(BackOff, a_page_that_is_gone_becomes_a_rare_poll_whatever_its_max_interval) {
  Rng rng(1);
  const schedule::Limits hourly{5s, 1h};
  const auto delay = [&](int streak, int status) {
    return back_off_delay(BackOff{}, hourly, streak, std::nullopt, rng, gone(status));
  };
  EXPECT_LE(delay(1, 404), Duration(13s)) << "a 404 may be a slip";
  EXPECT_GE(delay(1, 410), Duration(45min)) << "a 410 is meant";
  EXPECT_GE(delay(30, 404), Duration(24h * 5));
  EXPECT_GE(delay(30, 410), Duration(24h * 5));
  EXPECT_LE(delay(30, 410), Duration(24h * 9));
  EXPECT_LE(delay(30, 500), Duration(75min)) << "what fails otherwise keeps its max_interval";
}

}  // namespace
}  // namespace pollux::engine
