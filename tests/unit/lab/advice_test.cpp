#include "pollux/lab/advice.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::lab {
namespace {

AdviceList alike(std::size_t pages, double rate, double budget) {
  AdviceList list;
  list.pages.assign(pages, {.rate = rate});
  list.budget = budget;
  return list;
}

TEST(Advice, of_pages_alike_everything_follows_from_one_interval) {
  const Outlook o = outlook(alike(10, 0.02, 1), 1);
  // Each is polled every 10 s: λ/x = 0.2.
  const double chance = 1 - std::exp(-0.2);
  EXPECT_NEAR(o.polls, 1, 1e-4);
  EXPECT_NEAR(o.found, chance, 1e-4);
  EXPECT_NEAR(o.share, chance / 0.2, 1e-4);
  EXPECT_NEAR(o.mean_delay, 10 - (1 / 0.02 - 10 * std::exp(-0.2) / chance), 0.01);
}

TEST(Advice, with_equal_importance_polls_go_by_rate_and_more_budget_brings_more) {
  AdviceList list = alike(4, 0.01, 1);
  list.pages[2].rate = 0.09;
  const Outlook half = outlook(list, 0.05), twice = outlook(list, 0.2);
  EXPECT_NEAR(half.frequencies[2] / half.frequencies[0], 9, 1e-3);
  EXPECT_GT(twice.found, half.found);
  EXPECT_LT(twice.found, 4 * half.found);
  EXPECT_LT(twice.mean_delay, half.mean_delay);
}

TEST(Advice, limits_hold_and_a_budget_that_nobody_may_use_is_not_spent) {
  AdviceList list = alike(3, 0.01, 1);
  for (AdvicePage& page : list.pages) page.min_interval = 10;
  EXPECT_NEAR(outlook(list, 5).polls, 0.3, 1e-9);
  list.pages[0].rate = 1e-9;
  list.pages[0].max_interval = 100;
  EXPECT_NEAR(outlook(list, 0.1).frequencies[0], 0.01, 1e-9);
}

TEST(Advice, a_dead_page_with_a_short_max_interval_could_be_dropped_and_that_is_what_it_costs) {
  AdviceList list = alike(50, 0.01, 0.2);
  list.pages[7] = {.rate = 1e-8, .max_interval = 20};
  const Outlook now = outlook(list, list.budget);
  const Droppable some = droppable(list, now);
  ASSERT_EQ(some.pages, (std::vector<std::uint32_t>{7}));
  EXPECT_NEAR(some.polls, 0.05, 1e-6);
  EXPECT_GT(some.gain, 100 * some.found);
  const auto costs = interval_costs(list, now, 5);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].max_interval, 20);
  EXPECT_EQ(costs[0].pages, 1u);
  EXPECT_NEAR(costs[0].extra_polls, 0.05, 1e-3);
  EXPECT_NEAR(costs[0].lost, some.gain, 1e-3 * some.gain);
}

TEST(Advice, where_no_limit_binds_nothing_can_be_dropped) {
  AdviceList list = alike(20, 0.01, 0.5);
  for (std::size_t i = 0; i < 20; ++i) list.pages[i].rate *= static_cast<double>(i + 1);
  const Outlook now = outlook(list, list.budget);
  EXPECT_TRUE(droppable(list, now).pages.empty());
  EXPECT_TRUE(interval_costs(list, now, 5).empty());
}

}  // namespace
}  // namespace pollux::lab
