#include "pollux/schedule/budget.hpp"

#include "pollux/base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::schedule {
namespace {

using namespace std::chrono_literals;

// Starts whenever allowed, waking up late by up to `lateness`.
std::vector<Instant> spend(Budget& budget, Instant from, Duration length, Duration lateness,
                           Rng& rng) {
  std::vector<Instant> starts;
  Instant now = from;
  while (true) {
    const Instant allowed = budget.next_allowed();
    if (allowed > now) {
      now = allowed + Duration(static_cast<Duration::rep>(rng.uniform() *
                                                          static_cast<double>(lateness.count())));
    }
    if (now >= from + length) return starts;
    budget.take(now);
    starts.push_back(now);
  }
}

std::size_t fullest_second(const std::vector<Instant>& starts) {
  std::size_t worst = 0, first = 0;
  for (std::size_t last = 0; last < starts.size(); ++last) {
    while (starts[last] - starts[first] >= 1s) ++first;
    worst = std::max(worst, last - first + 1);
  }
  return worst;
}

class BudgetRates : public testing::TestWithParam<double> {};

TEST_P(BudgetRates, no_second_holds_more_than_the_rate_plus_one_and_99_percent_is_used) {
  const double rate = GetParam();
  Rng rng(7);
  const Instant start{100s};
  Budget budget(rate, start);
  const Duration length = rate < 1 ? Duration(600s) : Duration(30s);
  const auto starts = spend(budget, start, length, 2ms, rng);
  EXPECT_LE(static_cast<double>(fullest_second(starts)), rate + 1);
  EXPECT_GE(static_cast<double>(starts.size()), std::floor(0.99 * rate * to_seconds(length)) - 1);
}
INSTANTIATE_TEST_SUITE_P(FromSlowToFast, BudgetRates,
                         testing::Values(0.05, 0.5, 1, 2.5, 20, 50, 333.3, 1000, 20000));

TEST(Budget, a_stall_is_not_made_up_for_by_a_burst) {
  Rng rng(1);
  const Instant start{0s};
  Budget budget(50, start);
  auto starts = spend(budget, start, 5s, 1ms, rng);
  const auto later = spend(budget, start + 15s, 5s, 1ms, rng);  // ten seconds of silence between
  EXPECT_LE(fullest_second(later), 51u);
  EXPECT_LE(later.size(), 252u);
  starts.insert(starts.end(), later.begin(), later.end());
  EXPECT_LE(fullest_second(starts), 51u);
}

TEST(Budget, the_first_start_is_one_spacing_after_birth) {
  const Instant birth{5s};
  EXPECT_EQ(Budget(10, birth).next_allowed(), birth + 100ms);
}

TEST(Budget, a_lower_rate_counts_the_starts_already_made) {
  Rng rng(3);
  Budget budget(100, Instant{0s});
  auto starts = spend(budget, Instant{0s}, 3s, 1ms, rng);
  budget.set_rate(10, Instant{3s});
  const auto after = spend(budget, Instant{3s}, 5s, 1ms, rng);
  ASSERT_FALSE(after.empty());
  // Ten starts in the last second were more than enough already.
  EXPECT_GE(after.front(), starts[starts.size() - 10] + 1s);
  EXPECT_LE(fullest_second(after), 11u);
}

TEST(Budget, a_higher_rate_applies_at_once_without_a_burst) {
  Rng rng(3);
  Budget budget(1, Instant{0s});
  (void)spend(budget, Instant{0s}, 5s, 1ms, rng);
  budget.set_rate(200, Instant{5s});
  const auto after = spend(budget, Instant{5s}, 2s, 1ms, rng);
  EXPECT_LE(fullest_second(after), 201u);
  EXPECT_GE(after.size(), 395u);
}

TEST(Budget, starts_that_wait_on_purpose_cost_none_of_those_after_them) {
  Budget budget(20, Instant{});
  EXPECT_EQ(budget.can_wait_until(0), Instant{} + 75ms);
  EXPECT_EQ(budget.can_wait_until(2), Instant{} + 175ms);
  Instant now{};
  for (int i = 0; i < 1000; ++i) {
    now = std::max(now, i % 3 == 0 ? std::max(budget.next_allowed(), budget.can_wait_until(0))
                                   : budget.next_allowed());
    budget.take(now);
  }
  EXPECT_LE(now - Instant{}, 50 * 1006ms + 50ms) << "20 in each window of 1 006 ms";
}

TEST(Budget, nobody_waits_on_purpose_where_that_is_a_timers_lateness_or_long) {
  EXPECT_EQ(Budget(1000, Instant{}).can_wait_until(0), Instant::min());
  EXPECT_EQ(Budget(std::numeric_limits<double>::infinity(), Instant{}).can_wait_until(0),
            Instant::min());
  const Budget slow(0.001, Instant{});
  EXPECT_LE(slow.can_wait_until(0) - slow.next_allowed(), 1s);
}

TEST(Budget, a_rate_that_changes_all_the_time_does_not_put_a_start_off) {
  Budget budget(0.1, Instant{0s});
  Instant now{0s};
  int starts = 0;
  for (; now < Instant{1000s}; now += 1s) {
    budget.set_rate(now.time_since_epoch() % 2s == 0s ? 0.1 : 0.11, now);
    if (budget.next_allowed() > now) continue;
    budget.take(now);
    ++starts;
  }
  EXPECT_GE(starts, 90);
  EXPECT_LE(starts, 111);
}

TEST(Budget, one_that_is_lent_is_over_at_its_end) {
  Budget budget(10, Instant{0s});
  EXPECT_FALSE(budget.over(Instant{24h}));
  budget.end_at(Instant{5s});
  EXPECT_FALSE(budget.over(Instant{5s} - 1us));
  EXPECT_TRUE(budget.over(Instant{5s}));
  budget.end_at(Instant{9s});
  EXPECT_FALSE(budget.over(Instant{5s}));
}

TEST(Budget, infinity_never_waits) {
  Budget budget(std::numeric_limits<double>::infinity(), Instant{0s});
  for (int i = 0; i < 1000; ++i) {
    ASSERT_LE(budget.next_allowed(), Instant{0s});
    budget.take(Instant{0s});
  }
}

TEST(Budget, a_dear_start_is_paid_for_by_those_after_it) {
  Instant now{1000s};
  Budget budget(10, now);
  int spent = 0;
  const Instant end = now + 60s;
  for (int i = 0; now < end; ++i) {
    now = std::max(now, budget.next_allowed());
    const int price = i % 3 == 0 ? 5 : 1;
    budget.take(now, price);
    spent += price;
  }
  EXPECT_NEAR(spent, 600, 10);
  // One that costs more than a second holds does not use up more than it costs.
  Budget slow(0.5, now);
  now = slow.next_allowed();
  slow.take(now, 5);
  EXPECT_GE(slow.next_allowed() - now, 8s);
  EXPECT_LE(slow.next_allowed() - now, 10s);
}

}  // namespace
}  // namespace pollux::schedule
