#include "pollux/learn/next_poll.hpp"

#include "pollux/learn/importance.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

NextPoll list_of(double rate, int pages = 100) {
  NextPoll list;
  for (int i = 0; i < pages; ++i) list.add(1.0 / pages, rate, 1);
  return list;
}

TEST(NextPoll, is_worth_what_one_more_poll_would_find_at_any_budget) {
  const NextPoll list = list_of(0.01);  // one change per second in all
  for (const double polls : {0.1, 1.0, 7.0})
    EXPECT_NEAR(list.worth(polls), marginal_value(1 / polls), 1e-9) << polls;
  EXPECT_EQ(list.worth(0), 0);
  EXPECT_EQ(NextPoll().worth(1), 0);
}

TEST(NextPoll, counts_shares_and_importance) {
  NextPoll list;
  list.add(0.75, 0.3, 2);
  list.add(0.25, 0.5, 1);
  EXPECT_NEAR(list.worth(2), 0.75 * 2 * marginal_value(0.3 / 1.5) + 0.25 * marginal_value(1), 1e-9);
}

TEST(NextPoll, of_pages_nobody_has_seen_is_that_of_one_change_for_each_poll) {
  NextPoll list;
  list.add(1, std::nullopt, 1);
  EXPECT_NEAR(list.worth(0.01), marginal_value(1), 1e-9);
  EXPECT_NEAR(list.worth(100), marginal_value(1), 1e-9);
}

constexpr Polled nothing{};

TEST(PollValue, follows_the_budget_at_once_and_a_burst_over_a_sweep) {
  PollValue value;
  for (int i = 0; i < 100; ++i) value.walked(list_of(0.01), 0.1, nothing, 1);
  const double usual = value.worth(1);
  EXPECT_NEAR(usual, marginal_value(1), 1e-9);
  EXPECT_NEAR(value.worth(4), marginal_value(0.25), 1e-9);
  value.walked(list_of(0.1), 0.01, nothing, 1);
  EXPECT_LT(value.worth(1), usual * 1.05) << "one walk that saw ten times as much";
  for (int i = 0; i < 100; ++i) value.walked(list_of(0.1), 0.1, nothing, 1);
  EXPECT_NEAR(value.worth(1), marginal_value(10), 0.01);
}

TEST(PollValue, takes_the_first_walk_whole) {
  PollValue value;
  value.walked(list_of(0.01), 0, nothing, 1);
  EXPECT_NEAR(value.worth(1), marginal_value(1), 1e-9);
}

TEST(PollValue, believes_what_polls_find_more_than_what_rates_foretell) {
  // By the rates a poll finds a change with 1 - 1/e; these find one in a hundred.
  PollValue value;
  for (int i = 0; i < 100; ++i) value.walked(list_of(0.01), 0.1, {1000, 10}, 1);
  const double found = 0.01 / -std::expm1(-1);
  EXPECT_NEAR(value.worth(1), marginal_value(found), 0.1 * marginal_value(found));
  for (int i = 0; i < 100; ++i) value.walked(list_of(0.01), 0.1, {1000, 632}, 1);
  EXPECT_NEAR(value.worth(1), marginal_value(1), 0.01) << "what was before is forgotten";
}

TEST(PollValue, is_that_of_the_rates_as_long_as_hardly_anything_was_polled) {
  PollValue value;
  value.walked(list_of(0.01), 0, {1, 0}, 1);
  EXPECT_GT(value.worth(1), 0.3 * marginal_value(1));
}

}  // namespace
}  // namespace pollux::learn
