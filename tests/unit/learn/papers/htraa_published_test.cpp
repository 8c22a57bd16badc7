#include "learn/papers/htraa_published.hpp"

#include "learn/papers/exact_edf.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

PageSlot page(std::uint32_t i) {
  return static_cast<PageSlot>(i);
}

Observation seen(bool changed) {
  return {.changed = changed, .elapsed = 1, .now = 1};
}

TEST(TwofoldTree, pages_are_chosen_in_proportion_to_their_shares_of_the_moment) {
  TwofoldTree tree(50, Doubling::no);
  for (std::uint32_t i = 0; i < 11; ++i) tree.add(i);
  for (int k = 0; k < 15; ++k) tree.feed(6, true, [](float) { return false; });
  std::map<std::uint32_t, int> chosen;
  for (int t = 0; t < 10000; ++t) ++chosen[tree.choose().value()];
  for (std::uint32_t i = 0; i < 11; ++i) {
    EXPECT_NEAR(chosen[i], 10000 * tree.share(i), 5) << i;
  }
}

TEST(TwofoldTree, what_is_learnt_counts_at_the_next_choice) {
  TwofoldTree tree(4, Doubling::no);
  tree.add(0);
  tree.add(1);
  for (int t = 0; t < 20; ++t) (void)tree.choose();
  for (int k = 0; k < 4; ++k) tree.feed(1, true, [](float) { return false; });  // 4/5 for it
  int second = 0;
  for (int t = 0; t < 10; ++t) second += tree.choose().value() == 1 ? 1 : 0;
  EXPECT_EQ(second, 8);
}

TEST(TwofoldTree, a_page_that_comes_late_has_nothing_saved_up) {
  TwofoldTree tree(4, Doubling::no);
  tree.add(0);
  tree.add(2);
  for (int t = 0; t < 1000; ++t) (void)tree.choose();
  tree.add(3);
  int late = 0;
  for (int t = 0; t < 12; ++t) late += tree.choose().value() == 3 ? 1 : 0;
  EXPECT_LE(late, 5);
  EXPECT_GE(late, 3);
}

TEST(TwofoldTree, doubling_gives_the_upper_automata_smaller_steps) {
  const auto after_one_reward = [](Doubling doubling) {
    TwofoldTree tree(8, doubling);
    for (std::uint32_t i = 0; i < 64; ++i) tree.add(i);
    tree.feed(0, true, [](float) { return false; });
    double left_half = 0;
    for (std::uint32_t i = 0; i < 32; ++i) left_half += tree.share(i);
    return left_half;
  };
  EXPECT_NEAR(after_one_reward(Doubling::no), 0.5, 0.2);
  EXPECT_GT(after_one_reward(Doubling::no), 0.55);
  EXPECT_LT(after_one_reward(Doubling::yes), 0.51);
}

TEST(HtraaPublished, an_unrewarded_hit_is_no_penalty) {
  HtraaPublished policy({.feedback = Feedback::reward_penalty}, 3);
  policy.add(page(0), 1e-9, std::nullopt);  // a hit on it hardly ever counts
  policy.add(page(1), 1, std::nullopt);
  policy.set_sweep(2);
  for (int t = 0; t < 500; ++t) policy.feed(page(0), seen(true));
  EXPECT_DOUBLE_EQ(policy.share(page(0)), 0.5);
}

TEST(HtraaPublished, inaction_penalty_hears_misses_only_and_reward_inaction_hits_only) {
  for (const auto& [feedback, heard] :
       {std::pair{Feedback::inaction_penalty, false}, {Feedback::reward_inaction, true}}) {
    HtraaPublished policy({.feedback = feedback, .choose_in_tree = false}, 3);
    policy.add(page(0), 1, std::nullopt);
    policy.add(page(1), 1, std::nullopt);
    for (int t = 0; t < 100; ++t) policy.feed(page(0), seen(!heard));
    EXPECT_DOUBLE_EQ(policy.share(page(0)), 0.5);
    for (int t = 0; t < 100; ++t) policy.feed(page(0), seen(heard));
    EXPECT_NE(policy.share(page(0)), 0.5);
  }
}

TEST(HtraaPublished, a_miss_out_of_turn_is_no_penalty) {
  HtraaPublished policy({.feedback = Feedback::reward_penalty}, 3);
  policy.add(page(0), 1, std::nullopt);
  policy.add(page(1), 1, std::nullopt);
  policy.set_sweep(2);
  for (int t = 0; t < 100; ++t) policy.feed(page(0), seen(false));  // explored
  EXPECT_DOUBLE_EQ(policy.share(page(0)), 0.5);
  for (int t = 0; t < 100; ++t) {
    for (const PageSlot turn : policy.take_moved()) policy.feed(turn, seen(index(turn) == 1));
  }
  EXPECT_LT(policy.share(page(0)), 0.5);
}

TEST(HtraaPublished, the_page_with_the_turn_is_due_before_everybody) {
  HtraaPublished policy({}, 3);
  for (std::uint32_t i = 0; i < 8; ++i) policy.add(page(i), 1, std::nullopt);
  policy.set_sweep(8);
  const std::vector<PageSlot> moved = policy.take_moved();
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_LT(policy.interval(moved[0]), 0);
  policy.feed(moved[0], seen(false));
  EXPECT_GT(policy.interval(moved[0]), 0);
}

TEST(HtraaPublished, a_turn_that_nobody_takes_lapses) {
  HtraaPublished policy({}, 3);
  for (std::uint32_t i = 0; i < 2000; ++i) policy.add(page(i), 1, std::nullopt);
  policy.set_sweep(2000);
  const PageSlot stuck = policy.take_moved().at(0);  // its host is silent, say
  for (int decision = 0; decision < 2000; ++decision) {
    for (const PageSlot moved : policy.take_moved()) {
      if (moved != stuck) policy.feed(moved, seen(false));
    }
  }
  EXPECT_GT(policy.interval(stuck), 0);
}

TEST(ExactEdf, the_earliest_deadline_by_the_shares_of_the_moment_is_next) {
  auto inner = std::make_unique<HtraaPublished>(
      HtraaPublished::Rules{.states = 9, .choose_in_tree = false}, 3);
  ExactEdf policy(std::move(inner));
  for (std::uint32_t i = 0; i < 4; ++i) policy.add(page(i), 1, std::nullopt);
  policy.set_sweep(4);
  Rng rng(1);
  std::vector<double> polled(4, 0);
  for (int t = 1; t <= 300; ++t) {
    std::uint32_t expected = 0;
    for (std::uint32_t i = 1; i < 4; ++i) {
      const auto due = [&](std::uint32_t k) { return polled[k] + 1 / policy.share(page(k)); };
      if (due(i) < due(expected)) expected = i;
    }
    const std::vector<PageSlot> moved = policy.take_moved();
    ASSERT_EQ(moved.size(), 1U);
    ASSERT_EQ(index(moved[0]), expected) << t;
    policy.feed(moved[0], seen(rng.chance(expected == 2 ? 0.8 : 0.2)));
    polled[expected] = t;
  }
}

}  // namespace
}  // namespace pollux::learn
