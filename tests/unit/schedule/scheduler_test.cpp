#include "pollux/schedule/scheduler.hpp"

#include "unit/schedule/scheduler_world.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::schedule {
namespace {

using namespace std::chrono_literals;

TEST(Scheduler, pages_are_served_in_the_ratio_of_their_shares) {
  World w({1, 2, 4, 8}, options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 4; ++p) w.page(p, 0);
  w.run(150s, 100ms);
  for (std::uint32_t p = 0; p < 4; ++p) EXPECT_NEAR(w.polls(p), 100 * (1 << p), 2) << p;
  EXPECT_EQ(w.idle, 0);
}

TEST(Scheduler, a_page_is_served_at_even_intervals) {
  World w({1, 1, 1, 5}, options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 4; ++p) w.page(p, 0);
  w.run(100s, 100ms);
  EXPECT_LE(w.longest_gap(3), 300ms);
  EXPECT_LE(w.longest_gap(0), 1100ms);
}

TEST(Scheduler, a_page_due_often_is_not_kept_waiting_by_many_that_are_due_together) {
  std::vector<double> weights(400, 0.5 / 399);
  weights[0] = 0.5;
  World w(weights, options(10));
  for (std::uint32_t p = 0; p < 400; ++p) {
    w.host(p, no_politeness);
    w.page(p, p);
  }
  w.run(200s, 100ms);
  EXPECT_NEAR(w.polls(0), 1000, 10);
  int even = 0;
  for (std::size_t i = 1; i < w.starts[0].size(); ++i) {
    even += w.starts[0][i] - w.starts[0][i - 1] == 200ms ? 1 : 0;
  }
  EXPECT_GT(even, 750);  // by tags alone it is 363
  EXPECT_NEAR(w.polls(7), 2.5, 1.5);
}

TEST(Scheduler, shares_hold_across_hosts_too) {
  World w({1, 3, 6, 10}, options(10));
  for (std::uint32_t p = 0; p < 4; ++p) {
    w.host(p, no_politeness);
    w.page(p, p);
  }
  w.run(200s, 100ms);
  EXPECT_NEAR(w.polls(0), 100, 2);
  EXPECT_NEAR(w.polls(1), 300, 2);
  EXPECT_NEAR(w.polls(3), 1000, 2);
}

TEST(Scheduler, a_host_held_back_keeps_the_ratios_of_its_own_pages) {
  // Host 0 may be asked once a second but deserves 9 of 10 polls; host 1 takes the rest.
  World w({6, 3, 1}, options(10));
  w.host(0, {1s, 1});
  w.host(1, no_politeness);
  w.page(0, 0);
  w.page(1, 0);
  w.page(2, 1);
  w.run(600s, 100ms);
  EXPECT_NEAR(w.polls(0) + w.polls(1), 600, 60);
  EXPECT_NEAR(w.polls(0) / w.polls(1), 2, 0.1);
  EXPECT_EQ(w.idle, 0);
}

TEST(Scheduler, the_delay_of_a_host_lies_between_end_and_start) {
  World w({1, 1}, options(10));
  w.host(0, {1s, 1});
  w.page(0, 0);
  w.page(1, 0);
  w.run(60s, 100ms, 500ms);
  std::vector<Instant> all = w.starts[0];
  all.insert(all.end(), w.starts[1].begin(), w.starts[1].end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i] - all[i - 1], 1500ms);
  EXPECT_GE(all.size(), 36u);
}

TEST(Scheduler, no_more_requests_to_a_host_than_connections) {
  World w({1, 1, 1, 1}, options(10));
  w.host(0, {Duration::zero(), 2});
  for (std::uint32_t p = 0; p < 4; ++p) w.page(p, 0);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(w.scheduler.next(w.now));
  EXPECT_FALSE(w.scheduler.next(w.now));
  EXPECT_FALSE(w.scheduler.try_take_host(HostSlot{0}, w.now));
  w.scheduler.release_host(HostSlot{0}, w.now);
  EXPECT_TRUE(w.scheduler.next(w.now));
}

TEST(Scheduler, a_shorter_delay_applies_at_once_also_to_a_request_in_flight) {
  World w({1, 1}, options(10));
  w.host(0, {1h, 1});
  w.page(0, 0);
  w.page(1, 0);
  const auto first = w.scheduler.next(w.now);
  ASSERT_TRUE(first);
  w.scheduler.set_politeness(HostSlot{0}, no_politeness, w.now);
  w.now += 1s;
  w.end_poll(index(first->page));
  EXPECT_TRUE(w.scheduler.next(w.now));
}

TEST(Scheduler, a_shorter_delay_does_not_lift_a_retry_after) {
  World w({1}, options(10));
  w.host(0, {1s, 1});
  w.page(0, 0);
  w.scheduler.block_host(HostSlot{0}, w.now + 1h);
  w.scheduler.set_politeness(HostSlot{0}, no_politeness, w.now);
  EXPECT_FALSE(w.scheduler.next(w.now + 59min));
  EXPECT_TRUE(w.scheduler.next(w.now + 1h));
}

TEST(Scheduler, limits_that_did_not_change_keep_the_order_of_the_longest_unseen) {
  World w({1, 1}, options(10, 0.5));
  w.host(0, no_politeness);
  w.page(0, 0);
  w.page(1, 0);
  w.run(1s, 100ms);
  const std::uint32_t older = w.starts[0].back() < w.starts[1].back() ? 0 : 1;
  w.scheduler.set_limits(PageSlot{older}, no_limits);
  w.scheduler.set_limits(PageSlot{1 - older}, no_limits);
  w.scheduler.set_explore(1);
  EXPECT_EQ(index(w.scheduler.next(w.now)->page), older);
}

TEST(Scheduler, the_stretch_of_max_intervals_begins_where_the_budget_ends) {
  for (const auto& [pages, stretch] :
       {std::pair(99u, 1.0), std::pair(100u, 1.0), std::pair(110u, 1.1 / 0.9)}) {
    World w(std::vector<double>(pages, 1), options(1));
    w.host(0, no_politeness);
    for (std::uint32_t p = 0; p < pages; ++p) w.page(p, 0, {Duration::zero(), 100s});
    EXPECT_NEAR(w.scheduler.max_interval_stretch(), stretch, 1e-6) << pages;
  }
}

TEST(Scheduler, a_page_in_flight_is_not_chosen_again) {
  World w({1}, options(10));
  w.host(0, no_politeness);
  w.page(0, 0);
  ASSERT_TRUE(w.scheduler.next(w.now));
  EXPECT_FALSE(w.scheduler.next(w.now + 1h));
  EXPECT_EQ(w.scheduler.wake_at(), Instant::max());
}

TEST(Scheduler, min_interval_is_kept_and_the_others_get_the_polls) {
  World w({100, 1, 1}, options(10));
  w.host(0, no_politeness);
  w.page(0, 0, {2s, 24h});
  w.page(1, 0);
  w.page(2, 0);
  w.run(100s, 100ms);
  EXPECT_EQ(w.shortest_gap(0), 2s);
  EXPECT_NEAR(w.polls(0), 50, 1);
  EXPECT_EQ(w.idle, 0);
  EXPECT_NEAR(w.polls(1), 475, 3);
}

TEST(Scheduler, with_nothing_eligible_it_says_when_to_come_back) {
  World w({1}, options(10));
  w.host(0, no_politeness);
  w.page(0, 0, {5s, 24h});
  ASSERT_TRUE(w.scheduler.next(w.now));
  w.end_poll(0);
  EXPECT_FALSE(w.scheduler.next(w.now + 1s));
  EXPECT_EQ(w.scheduler.wake_at(), w.now + 5s);
  EXPECT_TRUE(w.scheduler.next(w.now + 5s));
}

TEST(Scheduler, max_interval_is_met_by_a_page_with_hardly_any_share) {
  World w({1e-9, 1, 1}, options(10));
  w.host(0, no_politeness);
  w.page(0, 0, {Duration::zero(), 7s});
  w.page(1, 0);
  w.page(2, 0);
  w.run(700s, 100ms);
  EXPECT_LE(w.longest_gap(0), 7s);
  EXPECT_NEAR(w.polls(0), 100, 2);
}

TEST(Scheduler, max_intervals_that_cannot_be_paid_are_stretched_and_learning_goes_on) {
  std::vector<double> weights(100, 1);
  weights[7] = 300;
  World w(weights, options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 100; ++p) w.page(p, 0, {Duration::zero(), 1s});
  EXPECT_NEAR(w.scheduler.max_interval_stretch(), 20, 0.01);
  w.run(600s, 100ms);
  EXPECT_GT(w.polls(7), 0.3 * 6000) << "half of the budget is still divided by shares";
  EXPECT_LE(w.longest_gap(0), 21s);
}

TEST(Scheduler, exploring_takes_its_part_and_goes_to_the_longest_unseen) {
  std::vector<double> weights(50, 1e-9);
  weights[0] = 1;
  World w(weights, options(10, 0.05));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 50; ++p) w.page(p, 0);
  w.run(1000s, 100ms);
  EXPECT_NEAR(w.reasons[Reason::explore], 500, 5);
  for (std::uint32_t p = 1; p < 50; ++p) EXPECT_NEAR(w.polls(p), 10, 2) << p;
}

TEST(Scheduler, a_back_off_is_honoured_and_ends_without_a_burst) {
  World w({1, 1}, options(10));
  w.host(0, no_politeness);
  w.page(0, 0);
  w.page(1, 0);
  w.not_before[0] = 30s;
  w.run(120s, 100ms);
  EXPECT_GE(w.shortest_gap(0), 30s);
  EXPECT_NEAR(w.polls(0), 4, 1);
  w.not_before.clear();
  w.run(30s, 100ms);  // the last back-off runs out
  w.starts.clear();
  w.run(20s, 100ms);
  EXPECT_NEAR(w.polls(0), 100, 2);
  EXPECT_NEAR(w.polls(1), 100, 2);
}

TEST(Scheduler, a_blocked_host_comes_back_without_a_burst) {
  std::vector<double> weights(20, 1);
  World w(weights, options(10));
  w.host(0, no_politeness);
  w.host(1, no_politeness);
  for (std::uint32_t p = 0; p < 20; ++p) w.page(p, p % 2);
  w.run(20s, 100ms);
  w.scheduler.block_host(HostSlot{0}, w.now + 100s);
  w.starts.clear();
  w.run(100s, 100ms);
  for (std::uint32_t p = 0; p < 20; p += 2) EXPECT_EQ(w.polls(p), 0);
  w.starts.clear();
  w.run(20s, 100ms);
  double blocked = 0;
  for (std::uint32_t p = 0; p < 20; p += 2) blocked += w.polls(p);
  EXPECT_LE(blocked, 100 + 32);
  EXPECT_GE(blocked, 95);
}

TEST(Scheduler, an_explored_page_does_not_keep_its_old_claim) {
  World w({1, 1, 1, 1}, options(10, 0.5));
  for (std::uint32_t p = 0; p < 4; ++p) {
    w.host(p, no_politeness);
    w.page(p, p);
  }
  w.run(100s, 100ms);
  for (std::uint32_t p = 0; p < 4; ++p) EXPECT_NEAR(w.polls(p), 250, 5);
  EXPECT_LE(w.longest_gap(0), 900ms);
}

TEST(Scheduler, absolute_policies_are_served_earliest_due_first) {
  World w({2, 5, 10}, options(1), learn::Timeline::absolute);
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 3; ++p) w.page(p, 0);
  w.run(1000s, 1250ms);  // exactly the demand: 0.5 + 0.2 + 0.1 polls a second
  EXPECT_NEAR(w.polls(0), 500, 10);
  EXPECT_NEAR(w.polls(1), 200, 10);
  EXPECT_NEAR(w.polls(2), 100, 10);
}

TEST(Scheduler, a_page_whose_interval_the_policy_changed_is_moved) {
  World w({1000, 1000, 1000}, options(1), learn::Timeline::absolute);
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 3; ++p) w.page(p, 0);
  w.policy.move(1, 10);
  w.policy.move(2, 20);
  w.policy.move(7, 1);  // not known here
  w.run(100s, 1s);
  EXPECT_EQ(w.polls(0), 0);
  EXPECT_GT(w.polls(1), w.polls(2));
  EXPECT_GT(w.polls(2), 5);
}

TEST(Scheduler, a_removed_page_is_never_chosen_even_if_it_was_in_flight) {
  World w({1, 1, 1}, options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 3; ++p) w.page(p, 0);
  w.run(10s, 100ms);
  w.scheduler.remove(PageSlot{1});
  const auto choice = w.scheduler.next(w.now);
  ASSERT_TRUE(choice);
  w.scheduler.remove(choice->page);
  w.scheduler.release_host(HostSlot{0}, w.now);
  const std::uint32_t left = index(choice->page) == 0 ? 2 : 0;
  w.starts.clear();
  w.run(10s, 100ms);
  EXPECT_EQ(w.starts.size(), 1u);
  EXPECT_EQ(w.polls(left), 100);
  EXPECT_EQ(w.scheduler.page_count(), 1u);
}

TEST(Scheduler, a_slot_can_be_used_again) {
  World w({1, 1}, options(10));
  w.host(0, no_politeness);
  w.page(0, 0);
  w.page(1, 0);
  w.run(5s, 100ms);
  w.scheduler.remove(PageSlot{1});
  w.page(1, 0);
  w.starts.clear();
  w.run(10s, 100ms);
  EXPECT_NEAR(w.polls(1), 50, 3);
}

TEST(Scheduler, new_limits_apply_to_a_queued_and_to_a_resting_page) {
  World w({1, 1}, options(10));
  w.host(0, no_politeness);
  w.page(0, 0, {2s, 1h});
  w.page(1, 0, {Duration::zero(), 1h});
  w.run(10s, 100ms);
  w.scheduler.set_limits(PageSlot{0}, {4s, 1h});
  w.scheduler.set_limits(PageSlot{1}, {1s, 1h});
  w.starts.clear();
  w.run(100s, 100ms);
  EXPECT_GE(w.shortest_gap(0), 4s);
  EXPECT_GE(w.shortest_gap(1), 1s);
  EXPECT_NEAR(w.polls(0), 25, 1);
  EXPECT_NEAR(w.polls(1), 100, 2);
}

TEST(Scheduler, a_restart_goes_on_where_it_was_and_spreads_what_is_overdue) {
  World w(std::vector<double>(100, 1), options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 100; ++p) {
    w.host_of[p] = 0;
    // The first half was polled 3 s ago and is due in 7 s; the other half a day ago.
    w.scheduler.add(PageSlot{p}, HostSlot{0}, no_limits, w.now, p < 50 ? w.now - 3s : w.now - 24h);
  }
  w.run(3s, 100ms);
  for (std::uint32_t p = 0; p < 50; ++p) EXPECT_EQ(w.polls(p), 0) << p;
}

TEST(Scheduler, next_due_is_close_to_what_happens) {
  std::vector<double> weights(50);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0 / static_cast<double>(i + 1);
  World w(weights, options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 50; ++p) w.page(p, 0);
  w.run(200s, 100ms);
  const Instant told = w.scheduler.next_due(PageSlot{30}, w.now);
  w.starts.clear();
  w.run(60s, 100ms);
  ASSERT_FALSE(w.starts[30].empty());
  EXPECT_NEAR(to_seconds(w.starts[30].front() - told), 0, 2.0);
}

TEST(Scheduler, one_slow_host_does_not_delay_the_others) {
  std::vector<double> weights(40, 1);
  World w(weights, options(10));
  w.host(0, {5s, 1});
  w.host(1, no_politeness);
  for (std::uint32_t p = 0; p < 40; ++p) w.page(p, p < 20 ? 0 : 1);
  w.run(400s, 100ms);
  double fast = 0;
  for (std::uint32_t p = 20; p < 40; ++p) fast += w.polls(p);
  EXPECT_GE(fast, 4000 - 82);
  EXPECT_EQ(w.idle, 0);
}

TEST(Scheduler, a_declined_choice_leaves_no_trace) {
  World w({1, 1, 1}, options(10));
  w.host(0, {10s, 1});
  w.page(0, 0, {1h, 24h});
  const auto choice = w.scheduler.next(w.now);
  ASSERT_TRUE(choice);
  w.scheduler.decline(*choice, w.now);
  const auto again = w.scheduler.next(w.now);
  ASSERT_TRUE(again) << "neither the host's delay nor min_interval have begun";
  w.scheduler.decline(*again, w.now, w.now + 1min);
  EXPECT_FALSE(w.scheduler.next(w.now + 59s));
  EXPECT_TRUE(w.scheduler.next(w.now + 1min));
}

TEST(Scheduler, a_declined_choice_keeps_its_place_among_those_that_wait_longest) {
  World w(std::vector<double>(5, 1), options(10));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 5; ++p) w.page(p, 0, {Duration::zero(), 1s});
  w.now += 10s;
  for (int i = 0; i < 3; ++i) {
    const auto choice = w.scheduler.next(w.now);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->reason, Reason::max_interval);
    EXPECT_EQ(choice->page, PageSlot{0}) << "the first of them, however often it was put off";
    w.scheduler.decline(*choice, w.now);
  }
}

// Redirects wait all the time and are looked at before anything else.
std::pair<int, int> polls_and_redirects(World& w, Duration length,
                                        Duration pause = Duration::zero()) {
  const HostSlot host{0};
  int polls = 0, redirects = 0;
  for (const Instant end = w.now + length; w.now < end; w.now += 10ms) {
    if (w.scheduler.try_take_host(host, w.now, Taker::guest)) {
      ++redirects;
      w.scheduler.note_sent(host, w.now);
      w.scheduler.release_host(host, w.now);
      w.scheduler.delay_host(host, w.now + pause);
      w.scheduler.delay_guests(host, w.now + 10 * pause);
    }
    if (const auto choice = w.scheduler.next(w.now)) {
      ++polls;
      w.scheduler.note_sent(host, w.now);
      w.scheduler.release_host(host, w.now);
      w.scheduler.finish(choice->page, w.now);
    }
  }
  return {polls, redirects};
}

TEST(Scheduler, redirects_leave_a_host_a_turn_for_its_own_pages_between_any_two) {
  World w({1}, options(10));
  w.host(0, {1s, 1});
  w.page(0, 0);
  const auto [polls, redirects] = polls_and_redirects(w, 60s);
  EXPECT_NEAR(polls, 30, 2);
  EXPECT_NEAR(redirects, 30, 2);
}

// A redirect to what is slow makes the host wait, and would be there first when it is ready again.
TEST(Scheduler, redirects_that_make_a_host_wait_leave_it_most_of_its_time) {
  World w({1}, options(10));
  w.host(0, {1s, 1});
  w.page(0, 0);
  const auto [polls, redirects] = polls_and_redirects(w, 600s, 6s);
  EXPECT_GE(polls, 500);
  EXPECT_GE(redirects, 9);
}

TEST(Scheduler, a_redirect_waits_for_no_page_that_is_not_due) {
  World w({1}, options(10));
  w.host(0, {1s, 1});
  w.page(0, 0, {10s, 1h});
  const auto [polls, redirects] = polls_and_redirects(w, 60s);
  EXPECT_NEAR(polls, 6, 1);
  EXPECT_GE(redirects, 50);
}

TEST(Scheduler, a_held_host_waits_and_others_do_not) {
  World w({1, 1}, options(10));
  w.host(0, no_politeness);
  w.host(1, no_politeness);
  w.page(0, 0, {Duration::zero(), 1s});
  w.page(1, 1);
  w.scheduler.hold_host(HostSlot{0});
  EXPECT_TRUE(w.scheduler.try_take_host(HostSlot{0}, w.now)) << "errands are not held";
  w.scheduler.release_host(HostSlot{0}, w.now);
  w.run(10s, 100ms);
  EXPECT_EQ(w.polls(0), 0);
  EXPECT_EQ(w.polls(1), 100);
  w.scheduler.unhold_host(HostSlot{0}, w.now);
  w.run(10s, 100ms);
  EXPECT_NEAR(w.polls(0), 50, 35) << "it comes back, and not with all it has missed";
}

TEST(Scheduler, a_longer_pause_holds_this_once) {
  World w({1}, options(10));
  w.host(0, {1s, 1});
  w.page(0, 0);
  ASSERT_TRUE(w.scheduler.next(w.now));
  w.end_poll(0);
  w.scheduler.delay_host(HostSlot{0}, w.now + 10s);
  EXPECT_FALSE(w.scheduler.next(w.now + 9s));
  w.now += 10s;
  ASSERT_TRUE(w.scheduler.next(w.now));
  w.end_poll(0);
  EXPECT_TRUE(w.scheduler.next(w.now + 1s));
}

TEST(Scheduler, pages_that_may_not_be_polled_stretch_nobody_elses_max_interval) {
  World w(std::vector<double>(200, 1), options(1));
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 200; ++p) w.page(p, 0, {Duration::zero(), 100s});
  EXPECT_GT(w.scheduler.max_interval_stretch(), 1.5);
  for (int i = 0; i < 100; ++i) {
    const auto choice = w.scheduler.next(w.now);
    ASSERT_TRUE(choice);
    w.scheduler.decline(*choice, w.now, w.now + 1h);
  }
  EXPECT_NEAR(w.scheduler.max_interval_stretch(), 1, 1e-6);
  w.scheduler.set_limits(PageSlot{0}, {Duration::zero(), 50s});
  w.now += 2h;
  (void)w.scheduler.next(w.now);
  EXPECT_GT(w.scheduler.max_interval_stretch(), 1.5) << "they count again";
}

TEST(Scheduler, wishes_that_a_host_cannot_serve_stretch_nobody_elses_max_interval) {
  World w(std::vector<double>(1050, 1), options(10));
  w.host(0, {1s, 1});
  w.host(1, no_politeness);
  for (std::uint32_t p = 0; p < 1000; ++p) w.page(p, 0, {Duration::zero(), 10s});
  for (std::uint32_t p = 1000; p < 1050; ++p) w.page(p, 1, {Duration::zero(), 10s});
  EXPECT_NEAR(w.scheduler.max_interval_stretch(), 1, 1e-6) << "1/s and 5/s of 10/s";
  w.scheduler.set_politeness(HostSlot{0}, no_politeness, w.now);
  EXPECT_GT(w.scheduler.max_interval_stretch(), 10);
}

TEST(Scheduler, outdated_heap_entries_do_not_pile_up) {
  std::vector<double> weights(50, 1e-12);
  weights[0] = 1;
  World w(weights, options(10, 0.5));  // exploring leaves an outdated entry at every poll
  w.host(0, no_politeness);
  for (std::uint32_t p = 0; p < 50; ++p) w.page(p, 0);
  w.run(100s, 100ms);
  const std::size_t early = w.scheduler.memory_bytes();
  w.run(4000s, 100ms);
  EXPECT_LE(w.scheduler.memory_bytes(), 2 * early);
}

// One page that wants 83 % and may have 37 %: what it leaves goes to the others, and the plan says
// so.
TEST(Scheduler, the_virtual_rate_tells_what_pages_get_when_limits_bind_others) {
  World world({83, 5, 4, 3, 2, 2, 1}, {.budget = 0.54, .explore = 0, .seed = 1});
  world.host(0, no_politeness);
  world.page(0, 0, {5s, 24h * 365});
  for (std::uint32_t p = 1; p < 7; ++p) world.page(p, 0);
  world.run(4h, from_seconds(1 / 0.54));
  for (auto& [page, starts] : world.starts) starts.clear();
  world.run(4h, from_seconds(1 / 0.54));
  const double rate = world.scheduler.virtual_rate();
  for (std::uint32_t p = 1; p < 7; ++p) {
    const double planned = 1 / (world.policy.share(PageSlot{p}) * rate);
    const double measured = 4 * 3600 / static_cast<double>(world.starts[p].size());
    EXPECT_NEAR(planned / measured, 1, 0.15) << p;
  }
}

TEST(Scheduler, moments_have_no_virtual_rate) {
  World world({5, 5}, {.budget = 1, .explore = 0, .seed = 1}, learn::Timeline::absolute);
  world.host(0, no_politeness);
  world.page(0, 0);
  world.run(1min, 1s);
  EXPECT_EQ(world.scheduler.virtual_rate(), 0);
}

}  // namespace
}  // namespace pollux::schedule
