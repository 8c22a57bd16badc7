#include "pollux/placement/placement.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace pollux::placement {
namespace {

HostSlot host(std::size_t i) {
  return HostSlot{static_cast<std::uint32_t>(i)};
}

// Hosts with one fast access point each; the others take three to six times as long.
class PlacementTest : public testing::Test {
 protected:
  void make(std::size_t hosts, std::vector<std::uint32_t> capacities, std::uint64_t seed = 1) {
    Options options;
    options.capacities = std::move(capacities);
    const std::size_t points = options.capacities.size();
    placement_ = std::make_unique<Placement>(options, Rng(seed));
    for (std::size_t s = 0; s < hosts; ++s) {
      times_.emplace_back();
      for (std::size_t a = 0; a < points; ++a) {
        times_[s].push_back(a == s % points ? 0.02 : 0.06 + 0.06 * world_.uniform());
      }
      placement_->add(host(s));
    }
  }
  // Every host is polled once; the time it took altogether ÷ the least possible.
  double round(double noise = 0.1) {
    double taken = 0, best = 0;
    for (std::size_t s = 0; s < times_.size(); ++s) {
      const std::size_t point = placement_->choose(host(s));
      taken += times_[s][point];
      best += *std::min_element(times_[s].begin(), times_[s].end());
      placement_->feed(host(s), point, times_[s][point] * (1 + noise * (2 * world_.uniform() - 1)));
    }
    return taken / best;
  }
  double rounds(int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += round();
    return sum / count;
  }
  std::size_t at_home() const {
    std::size_t count = 0;
    for (std::size_t s = 0; s < times_.size(); ++s) {
      const auto& t = times_[s];
      const auto best = std::min_element(t.begin(), t.end()) - t.begin();
      count += placement_->access_point(host(s)) == static_cast<std::size_t>(best) ? 1 : 0;
    }
    return count;
  }

  Rng world_{7};
  std::vector<std::vector<double>> times_;
  std::unique_ptr<Placement> placement_;
};

TEST_F(PlacementTest, hosts_are_within_ten_per_cent_of_the_best_after_ten_polls_each) {
  make(90, {0, 0, 0});
  rounds(10);
  EXPECT_EQ(at_home(), 90u);
  EXPECT_LT(rounds(20), 1.10);
}

TEST_F(PlacementTest, what_is_learnt_stays) {
  make(90, {0, 0, 0});
  rounds(30);
  for (int i = 0; i < 10; ++i) EXPECT_LT(rounds(20), 1.10);
  EXPECT_EQ(at_home(), 90u);
}

TEST_F(PlacementTest, swapped_delays_are_followed_within_twenty_polls_each) {
  make(90, {0, 0, 0});
  rounds(60);
  for (auto& times : times_) std::rotate(times.begin(), times.begin() + 1, times.end());
  EXPECT_GT(round(), 2.0);
  rounds(19);
  EXPECT_GE(at_home(), 88u);
  EXPECT_LT(rounds(20), 1.10);
}

TEST_F(PlacementTest, capacities_are_kept_and_full_access_points_exchange_hosts) {
  make(90, {30, 30, 30});
  for (int i = 0; i < 40; ++i) {
    round();
    for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(placement_->placed(a), 30u);
  }
  EXPECT_GE(at_home(), 87u);
  EXPECT_LT(rounds(20), 1.10);
}

TEST_F(PlacementTest, an_access_point_too_small_for_its_friends_keeps_those_that_need_it_most) {
  make(0, {10, 0});
  for (std::size_t s = 0; s < 30; ++s) {
    times_.push_back({0.01, s < 10 ? 0.10 : 0.02});
    placement_->add(host(s));
  }
  rounds(200);
  EXPECT_EQ(placement_->placed(0), 10u);
  std::size_t needy = 0;
  for (std::size_t s = 0; s < 10; ++s) needy += placement_->access_point(host(s)) == 0 ? 1 : 0;
  EXPECT_GE(needy, 9u);
}

TEST_F(PlacementTest, a_shortage_of_capacity_is_shared) {
  make(90, {10, 20});
  EXPECT_EQ(placement_->placed(0), 30u);
  EXPECT_EQ(placement_->placed(1), 60u);
}

TEST_F(PlacementTest, an_access_point_that_fails_is_left_and_taken_again_when_it_works) {
  make(3, {0, 0, 0});
  rounds(20);
  const HostSlot first = host(0);
  ASSERT_EQ(placement_->access_point(first), 0u);
  for (int i = 0; i < 12; ++i) {
    const std::size_t point = placement_->choose(first);
    if (point == 0) {
      placement_->fail(first, point, 0.001);
    } else {
      placement_->feed(first, point, times_[0][point]);
    }
  }
  EXPECT_NE(placement_->access_point(first), 0u);
  // An access point remembered as dead is probed rarely: it costs a time-out each.
  for (int i = 0; i < 12000 && placement_->access_point(first) != 0; ++i) {
    const std::size_t point = placement_->choose(first);
    placement_->feed(first, point, times_[0][point]);
  }
  EXPECT_EQ(placement_->access_point(first), 0u);
}

TEST_F(PlacementTest, a_host_that_was_down_everywhere_is_placed_anew_within_ten_polls) {
  make(3, {0, 0, 0});
  rounds(20);
  for (int i = 0; i < 50; ++i) placement_->fail(host(1), placement_->choose(host(1)), 0.001);
  for (int i = 0; i < 10; ++i) {
    const std::size_t point = placement_->choose(host(1));
    placement_->feed(host(1), point, times_[1][point]);
  }
  EXPECT_EQ(placement_->access_point(host(1)), 1u);
}

TEST_F(PlacementTest, one_slow_poll_moves_nobody_who_is_sure) {
  make(9, {0, 0, 0});
  rounds(20);
  const std::uint64_t before = placement_->migrations();
  placement_->feed(host(4), placement_->access_point(host(4)), 5);
  rounds(20);
  EXPECT_EQ(placement_->migrations(), before);
}

TEST_F(PlacementTest, probing_costs_what_it_may_cost) {
  make(30, {0, 0, 0});
  rounds(50);
  EXPECT_LT(rounds(400), 1.04);
}

TEST_F(PlacementTest, memory_gives_back_the_placement) {
  make(30, {0, 0, 0});
  rounds(30);
  Options options;
  options.capacities = {0, 0, 0};
  Placement again(options, Rng(9));
  for (std::size_t s = 0; s < 30; ++s) again.add(host(s), placement_->memory(host(s)));
  for (std::size_t s = 0; s < 30; ++s) {
    EXPECT_EQ(again.access_point(host(s)), placement_->access_point(host(s)));
    EXPECT_EQ(again.memory(host(s)).depth, placement_->memory(host(s)).depth);
    EXPECT_EQ(again.memory(host(s)).seconds, placement_->memory(host(s)).seconds);
  }
  EXPECT_TRUE(again.take_changed(100).empty());
}

TEST_F(PlacementTest, one_seed_gives_one_course) {
  make(30, {0, 12, 0}, 3);
  rounds(30);
  const std::uint64_t migrations = placement_->migrations();
  const HostMemory seventh = placement_->memory(host(7));
  times_.clear();
  world_ = Rng(7);
  make(30, {0, 12, 0}, 3);
  rounds(30);
  EXPECT_EQ(placement_->migrations(), migrations);
  EXPECT_EQ(placement_->memory(host(7)).seconds, seventh.seconds);
}

TEST_F(PlacementTest, changes_are_handed_out_once_and_in_portions) {
  make(5, {0, 0});
  EXPECT_EQ(placement_->take_changed(2).size(), 2u);
  EXPECT_EQ(placement_->take_changed(10).size(), 3u);
  EXPECT_TRUE(placement_->take_changed(10).empty());
  placement_->feed(host(3), 0, 0.1);
  placement_->feed(host(3), 1, 0.1);
  EXPECT_EQ(placement_->take_changed(10), std::vector{host(3)});
}

TEST_F(PlacementTest, a_removed_host_frees_its_slot_and_late_answers_are_ignored) {
  make(4, {2, 2});
  const std::size_t point = placement_->access_point(host(2));
  placement_->remove(host(2));
  EXPECT_EQ(placement_->placed(point), 1u);
  placement_->feed(host(2), point, 1);
  EXPECT_FALSE(placement_->knows(host(2)));
  placement_->add(host(9));
  EXPECT_EQ(placement_->access_point(host(9)), point);
}

TEST_F(PlacementTest, a_single_access_point_is_always_chosen) {
  make(3, {0});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(round(), 1.0);
}

TEST_F(PlacementTest, a_host_costs_few_bytes) {
  make(10000, {0, 0, 0});
  EXPECT_LT(placement_->memory_bytes(), 10000u * 2 * (24 + 4 * 3 + 8));
}

TEST_F(PlacementTest,
       hosts_leave_a_closed_access_point_at_their_next_poll_and_come_back_by_probes) {
  make(60, {0, 0, 0});
  rounds(60);
  ASSERT_GE(at_home(), 57u);
  placement_->set_open(0, false);
  for (std::size_t s = 0; s < 60; ++s) {
    const std::size_t point = placement_->choose(host(s));
    EXPECT_NE(point, 0u);
    EXPECT_NE(placement_->access_point(host(s)), 0u);
  }
  for (int i = 0; i < 20; ++i) {
    for (std::size_t s = 0; s < 60; ++s) EXPECT_NE(placement_->choose(host(s)), 0u);
    rounds(1);
  }
  placement_->set_open(0, true);
  rounds(300);
  EXPECT_GE(at_home(), 57u);
}

TEST_F(PlacementTest, hosts_that_flee_go_where_there_is_room_and_to_the_fastest_known) {
  make(30, {0, 12, 0});
  rounds(60);
  placement_->set_open(0, false);
  for (std::size_t s = 0; s < 30; ++s) static_cast<void>(placement_->choose(host(s)));
  EXPECT_EQ(placement_->placed(0), 0u);
  EXPECT_LE(placement_->placed(1), 12u);
}

TEST_F(PlacementTest, hosts_stay_while_everything_is_closed) {
  make(6, {0, 0});
  rounds(30);
  const std::size_t before = at_home();
  placement_->set_open(0, false);
  placement_->set_open(1, false);
  for (std::size_t s = 0; s < 6; ++s)
    EXPECT_EQ(placement_->choose(host(s)), placement_->access_point(host(s)));
  EXPECT_EQ(at_home(), before);
}

}  // namespace
}  // namespace pollux::placement
