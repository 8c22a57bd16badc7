#include "learn/papers/two_day_plan.hpp"

#include "pollux/base/rng.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

// Document 002, Table 1: A has 85 % today, 95 % tomorrow if unobserved, 25 % tomorrow if observed
// today; B has 80 %, 81 % and 5 %.
const std::vector<TwoDayCost> table_1{
    {.neither = 0.85 + 0.95, .today = 0.25, .tomorrow = 0.85, .both = 0},
    {.neither = 0.80 + 0.81, .today = 0.05, .tomorrow = 0.80, .both = 0}};

TEST(TwoDayPlan, the_four_costs_of_table_1) {
  using enum TwoDays;
  EXPECT_DOUBLE_EQ(cost_of(table_1, std::vector{today, tomorrow}), 1.05);  // AB
  EXPECT_DOUBLE_EQ(cost_of(table_1, std::vector{tomorrow, today}), 0.90);  // BA
  EXPECT_DOUBLE_EQ(cost_of(table_1, std::vector{both, neither}), 1.61);    // AA
  EXPECT_DOUBLE_EQ(cost_of(table_1, std::vector{neither, both}), 1.80);    // BB
}

TEST(TwoDayPlan, the_plan_of_table_1_polls_b_first) {
  const std::vector<TwoDays> plan = two_day_plan(table_1, 1);
  EXPECT_EQ(plan, (std::vector{TwoDays::tomorrow, TwoDays::today}));
}

std::size_t polls(const std::vector<TwoDays>& plan, TwoDays day) {
  std::size_t count = 0;
  for (const TwoDays group : plan) {
    count += (static_cast<unsigned>(group) & static_cast<unsigned>(day)) != 0 ? 1 : 0;
  }
  return count;
}

double least_cost(const std::vector<TwoDayCost>& pages, std::size_t per_day) {
  std::size_t plans = 1;
  for (std::size_t i = 0; i < pages.size(); ++i) plans *= 4;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t number = 0; number < plans; ++number) {
    std::vector<TwoDays> plan;
    for (std::size_t rest = number, i = 0; i < pages.size(); ++i, rest /= 4) {
      plan.push_back(static_cast<TwoDays>(rest % 4));
    }
    if (polls(plan, TwoDays::today) != per_day || polls(plan, TwoDays::tomorrow) != per_day)
      continue;
    least = std::min(least, cost_of(pages, plan));
  }
  return least;
}

TEST(TwoDayPlan, no_plan_of_a_random_list_is_cheaper) {
  Rng rng(7);
  for (int round = 0; round < 400; ++round) {
    const std::size_t count = 1 + rng.below(7);
    const std::size_t per_day = rng.below(count + 1);
    std::vector<TwoDayCost> pages;
    for (std::size_t i = 0; i < count; ++i) {
      // Half of them as arbitrary as can be, half as pages are: waiting costs more and more.
      const double first = rng.uniform(), second = rng.uniform();
      if (round % 2 == 0) {
        pages.push_back({first, second, rng.uniform(), rng.uniform()});
      } else {
        const double tomorrow = first + (1 - first) * second;
        pages.push_back({first + tomorrow, rng.uniform(), first, 0});
      }
    }
    const std::vector<TwoDays> plan = two_day_plan(pages, per_day);
    ASSERT_EQ(polls(plan, TwoDays::today), per_day);
    ASSERT_EQ(polls(plan, TwoDays::tomorrow), per_day);
    ASSERT_NEAR(cost_of(pages, plan), least_cost(pages, per_day), 1e-7) << round;
  }
}

TEST(TwoDayPlan, more_polls_than_pages_poll_everything) {
  EXPECT_EQ(two_day_plan(table_1, 5), (std::vector{TwoDays::both, TwoDays::both}));
  EXPECT_TRUE(two_day_plan({}, 5).empty());
}

}  // namespace
}  // namespace pollux::learn
