// Looks that the policy proposes: polls out of turn that obey every limit.
#include "unit/schedule/scheduler_world.hpp"

#include <gtest/gtest.h>

namespace pollux::schedule {
namespace {

using namespace std::chrono_literals;
using Pages = std::vector<std::uint32_t>;

// Pages alike, on one host or each on its own.
struct Looks : World {
  Looks(std::uint32_t pages, Politeness politeness, Limits limits = no_limits,
        bool own_hosts = true, Options with = options(10))
      : World(std::vector<double>(pages, 1), with) {
    for (std::uint32_t p = 0; p < pages; ++p) {
      if (p == 0 || own_hosts) host(p, politeness);
      page(p, own_hosts ? p : 0, limits);
    }
  }
  // Polls save up looks; what is counted begins after it.
  void warm_up(Duration length = 10s) {
    run(length, 100ms);
    starts.clear();
    reasons.clear();
    looks.clear();
  }
};

TEST(Looks, one_is_made_at_once_and_says_why) {
  Looks w(20, no_politeness);
  w.warm_up();
  w.policy.propose(13, 1, 4);
  const auto choice = w.scheduler.next(w.now);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->page, PageSlot{13});
  EXPECT_EQ(choice->reason, Reason::look);
  ASSERT_TRUE(choice->look);
  EXPECT_EQ(choice->look->because, PageSlot{4});
}

TEST(Looks, the_best_goes_first_so_importance_weighs_and_trials_go_before) {
  Looks w(20, no_politeness);
  w.warm_up();
  for (const auto& [page, value] : {std::pair(3U, 0.2), {4U, 0.9}, {5U, 0.5}})
    w.policy.propose(page, value);
  w.policy.propose(6, 0.01);
  w.policy.proposed.back().trial = true;
  w.run(400ms, 100ms);
  EXPECT_EQ(w.looks, (Pages{6, 4, 5, 3}));
}

TEST(Looks, one_that_is_not_wanted_any_more_is_dropped) {
  Looks w(20, no_politeness);
  w.warm_up();
  w.policy.propose(3);
  w.policy.wants_looks = false;
  w.run(1s, 100ms);
  EXPECT_TRUE(w.looks.empty());
  w.policy.wants_looks = true;
  w.run(1s, 100ms);
  EXPECT_TRUE(w.looks.empty());
}

TEST(Looks, they_keep_the_delay_of_their_host_and_none_is_lost) {
  Looks w(10, {500ms, 1}, no_limits, false);
  w.warm_up(60s);
  for (std::uint32_t p = 0; p < 10; ++p) w.policy.propose(p, 1 + p);
  w.run(5s, 100ms, 100ms);
  std::vector<Instant> all;
  for (const auto& [page, times] : w.starts) all.insert(all.end(), times.begin(), times.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i] - all[i - 1], 600ms);
  ASSERT_FALSE(w.looks.empty());
  EXPECT_EQ(w.looks.front(), 9U);
  // As many as the host lets: each is a look, until all are made.
  EXPECT_EQ(w.looks.size(), std::min<std::size_t>(all.size(), 10));
}

TEST(Looks, one_whose_host_is_free_in_a_moment_is_worth_waiting_for) {
  Looks w(10, {500ms, 1}, no_limits, false);
  w.warm_up(60s);
  EXPECT_FALSE(w.scheduler.look_soon(w.now, w.now + 1s)) << "none is wanted";
  for (std::uint32_t p = 0; p < 3; ++p) w.policy.propose(p, 1 + p);
  w.now += 1s;
  const auto first = w.scheduler.next(w.now);
  ASSERT_TRUE(first && first->look);
  w.scheduler.note_sent(HostSlot{0}, w.now);
  EXPECT_FALSE(w.scheduler.look_soon(w.now, w.now + 1s)) << "nobody knows when it ends";
  w.scheduler.release_host(HostSlot{0}, w.now);
  w.scheduler.finish(first->page, w.now);
  EXPECT_FALSE(w.scheduler.next(w.now));
  EXPECT_FALSE(w.scheduler.look_soon(w.now, w.now + 499ms));
  EXPECT_EQ(w.scheduler.look_soon(w.now, w.now + 500ms), w.now + 500ms);
  EXPECT_FALSE(w.scheduler.look_soon(w.now + 500ms, w.now + 1s)) << "it can go";
  w.scheduler.hold_host(HostSlot{0});
  EXPECT_FALSE(w.scheduler.look_soon(w.now, w.now + 500ms));
}

TEST(Looks, they_keep_the_connections_of_their_host) {
  Looks w(10, {Duration::zero(), 2}, no_limits, false);
  w.warm_up();
  for (std::uint32_t p = 0; p < 10; ++p) w.policy.propose(p);
  int open = 0;
  while (const auto choice = w.scheduler.next(w.now)) {
    EXPECT_EQ(choice->reason, Reason::look);
    ++open;
  }
  EXPECT_EQ(open, 2);
}

TEST(Looks, one_waits_while_its_host_is_blocked_or_held_and_others_are_looked_at) {
  Looks w(10, no_politeness);
  w.warm_up();
  w.scheduler.block_host(HostSlot{3}, w.now + 5s);
  w.scheduler.hold_host(HostSlot{4});
  for (const std::uint32_t p : {3U, 4U, 5U}) w.policy.propose(p);
  w.run(4s, 100ms);
  EXPECT_EQ(w.looks, Pages{5});
  w.scheduler.unhold_host(HostSlot{4}, w.now);
  w.run(3s, 100ms);
  EXPECT_EQ(w.looks, (Pages{5, 4, 3}));
}

TEST(Looks, a_page_keeps_its_min_interval_and_its_look) {
  Looks w(50, no_politeness, {20s, 24h});
  w.warm_up(60s);
  w.now += 30s;
  w.policy.propose(7);
  w.run(100ms, 100ms);
  ASSERT_EQ(w.looks, Pages{7});
  w.policy.propose(7);
  w.run(19800ms, 100ms);
  EXPECT_EQ(w.looks, Pages{7});
  w.run(400ms, 100ms);
  EXPECT_EQ(w.looks, (Pages{7, 7}));
  EXPECT_GE(w.shortest_gap(7), 20s);
}

TEST(Looks, others_keep_their_max_interval) {
  // Ten pages must be polled every second, which is the budget; looks leave that to them.
  Looks w(20, no_politeness, {Duration::zero(), 24h});
  for (std::uint32_t p = 0; p < 10; ++p)
    w.scheduler.set_limits(PageSlot{p}, {Duration::zero(), 2s});
  w.warm_up(20s);
  for (int round = 0; round < 40; ++round) {
    for (std::uint32_t p = 10; p < 20; ++p) w.policy.propose(p);
    w.run(500ms, 100ms);
  }
  EXPECT_GT(w.looks.size(), 20U);
  for (std::uint32_t p = 0; p < 10; ++p) EXPECT_LE(w.longest_gap(p), 2300ms) << p;
}

TEST(Looks, a_page_that_backs_off_is_not_looked_at) {
  Looks w(10, no_politeness);
  w.not_before[3] = 1h;
  w.warm_up(30s);
  w.policy.propose(3);
  w.policy.propose(4);
  w.run(5s, 100ms);
  EXPECT_EQ(w.looks, Pages{4});
  EXPECT_TRUE(w.scheduler.back_off_end(PageSlot{3}));
}

TEST(Looks, a_page_in_flight_is_not_looked_at_again) {
  Looks w(10, no_politeness);
  w.warm_up();
  w.policy.propose(3);
  const auto first = w.scheduler.next(w.now);
  ASSERT_EQ(first->page, PageSlot{3});
  w.policy.propose(3);
  const auto second = w.scheduler.next(w.now);
  ASSERT_TRUE(second);
  EXPECT_NE(second->page, PageSlot{3});
  EXPECT_FALSE(second->look);
}

TEST(Looks, they_take_no_more_than_their_part_while_others_wait) {
  Looks w(100, no_politeness, no_limits, true,
          {.budget = 10, .explore = 0, .follow = 0.25, .seed = 5});
  for (int second = 0; second < 1000; ++second) {
    for (std::uint32_t p = 0; p < 50; ++p) w.policy.propose(p, 1);
    w.run(1s, 100ms);
  }
  EXPECT_NEAR(static_cast<double>(w.looks.size()) / 10000, 0.25, 0.02);
  // Everybody else keeps a part of what it had: 7.5 polls per second for a hundred pages.
  for (std::uint32_t p = 50; p < 100; ++p) {
    EXPECT_GT(w.polls(p), 60) << p;
    EXPECT_LT(w.longest_gap(p), 30s) << p;
  }
}

TEST(Looks, when_nobody_else_can_be_polled_they_may_take_all) {
  Looks w(2, no_politeness, no_limits, true,
          {.budget = 10, .explore = 0, .follow = 0.01, .seed = 5});
  w.warm_up(1s);
  w.scheduler.hold_host(HostSlot{0});
  for (int i = 0; i < 20; ++i) {
    w.policy.propose(1);
    w.run(100ms, 100ms);
  }
  EXPECT_EQ(w.starts[1].size(), 20U);
}

TEST(Looks, follow_0_makes_none) {
  Looks w(20, no_politeness, no_limits, true, {.budget = 10, .explore = 0, .follow = 0, .seed = 5});
  w.warm_up();
  for (int i = 0; i < 20; ++i) {
    w.policy.propose(3);
    w.run(1s, 100ms);
  }
  EXPECT_TRUE(w.looks.empty());
}

TEST(Looks, a_poll_that_was_a_look_counts_as_the_turn_of_its_page) {
  Looks w(10, no_politeness);
  w.warm_up(20s);
  w.policy.propose(3);
  w.run(1s, 100ms);
  ASSERT_EQ(w.looks, Pages{3});
  const Duration gap = w.scheduler.next_due(PageSlot{3}, w.now) - w.starts[3].front();
  EXPECT_GT(gap, 500ms) << "ten pages at ten per second: about a second later";
}

TEST(Looks, one_that_cannot_go_now_waits_on_with_its_host) {
  Looks w(10, no_politeness);
  w.warm_up();
  w.policy.propose(3);
  const auto choice = w.scheduler.next(w.now);
  ASSERT_TRUE(choice && choice->look);
  w.scheduler.decline(*choice, w.now);
  w.scheduler.delay_host(HostSlot{3}, w.now + 2s);
  w.run(1s, 100ms);
  EXPECT_TRUE(w.looks.empty());
  w.run(2s, 100ms);
  EXPECT_EQ(w.looks, Pages{3});
}

TEST(Looks, one_that_was_declined_is_not_paid_for) {
  Looks w(2, no_politeness, no_limits, true,
          {.budget = 10, .explore = 0, .follow = 0.05, .seed = 5});
  w.warm_up(20s);  // just one look is saved up
  w.policy.propose(1);
  for (int i = 0; i < 5; ++i) {
    const auto choice = w.scheduler.next(w.now);
    ASSERT_TRUE(choice && choice->look) << i;
    EXPECT_TRUE(choice->look_paid);
    w.scheduler.decline(*choice, w.now);
  }
}

TEST(Looks, however_small_their_part_one_can_be_saved_up) {
  Looks w(2, no_politeness, no_limits, true,
          {.budget = 10, .explore = 0, .follow = 0.01, .seed = 5});
  w.warm_up(20s);
  w.policy.propose(1);
  w.run(100ms, 100ms);
  EXPECT_EQ(w.looks, Pages{1});
}

TEST(Looks, a_page_that_leaves_the_list_takes_its_looks_along) {
  Looks w(10, no_politeness);
  w.warm_up();
  w.scheduler.hold_host(HostSlot{3});
  w.policy.propose(3);
  w.run(1s, 100ms);
  w.scheduler.remove(PageSlot{3});
  w.scheduler.unhold_host(HostSlot{3}, w.now);
  w.run(1s, 100ms);
  EXPECT_TRUE(w.looks.empty());
  // Another page has its slot now.
  w.page(3, 3);
  w.run(1s, 100ms);
  EXPECT_TRUE(w.looks.empty());
  w.policy.propose(3);
  w.run(1s, 100ms);
  EXPECT_EQ(w.looks, Pages{3});
}

TEST(Looks, one_at_rest_does_not_outlive_its_page) {
  Looks w(10, no_politeness, {5s, 24h});
  w.warm_up(20s);
  w.policy.propose(3);
  w.run(100ms, 100ms);
  w.policy.propose(3);
  w.run(100ms, 100ms);
  w.looks.clear();
  w.scheduler.remove(PageSlot{3});
  w.page(3, 3, {5s, 24h});
  w.run(20s, 100ms);
  EXPECT_TRUE(w.looks.empty());
}

TEST(Looks, one_whose_cause_has_left_the_list_is_not_made) {
  Looks w(10, no_politeness);
  w.warm_up();
  w.scheduler.hold_host(HostSlot{3});
  w.policy.propose(3, 1, 5);
  w.run(1s, 100ms);
  w.policy.propose(4, 1, 5);  // and this one was not heard of yet
  w.scheduler.remove(PageSlot{5});
  w.page(5, 5);  // another page
  w.scheduler.unhold_host(HostSlot{3}, w.now);
  w.run(2s, 100ms);
  EXPECT_TRUE(w.looks.empty());
  w.policy.propose(4, 1, 5);
  w.run(1s, 100ms);
  EXPECT_EQ(w.looks, Pages{4});
}

TEST(Looks, of_a_host_the_best_are_kept_and_all_hosts_have_a_bound) {
  Looks w(3000, no_politeness, no_limits, false, options(1000));
  w.run(2s, 1ms);
  w.scheduler.hold_host(HostSlot{0});
  for (std::uint32_t p = 0; p < 3000; ++p) w.policy.propose(p, p);
  w.run(100ms, 100ms);
  w.scheduler.unhold_host(HostSlot{0}, w.now);
  w.run(400ms, 1ms);
  ASSERT_EQ(w.looks.size(), 400U);
  for (std::size_t i = 0; i < w.looks.size(); ++i) EXPECT_EQ(w.looks[i], 2999 - i);
}

TEST(Looks, they_are_made_for_policies_with_moments_too) {
  World w(std::vector<double>(10, 100.0), options(10), learn::Timeline::absolute);
  for (std::uint32_t p = 0; p < 10; ++p) {
    w.host(p, no_politeness);
    w.page(p, p);
  }
  w.run(20s, 100ms);
  w.looks.clear();
  w.policy.propose(3);
  w.run(200ms, 100ms);
  EXPECT_EQ(w.looks, Pages{3});
}

}  // namespace
}  // namespace pollux::schedule
