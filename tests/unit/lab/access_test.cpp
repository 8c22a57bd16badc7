// What document 003 claims of its automaton, and what the daemon's placement makes of the same
// world.
#include "pollux/lab/access.hpp"

#include "pollux/lab/figure.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

namespace pollux::lab {
namespace {

AccessCurve average(AccessWorld world, const std::function<AccessCurve(const AccessWorld&)>& run) {
  std::vector<AccessCurve> curves;
  for (world.seed = 1; world.seed <= 8; ++world.seed) curves.push_back(run(world));
  return mean(curves);
}

AccessCurve published(const AccessWorld& world, unsigned jump, int rounds,
                      placement::Exchange exchange = placement::Exchange::eager) {
  const PublishedRules rules{.jump = jump, .exchange = exchange};
  return average(world, [&](const AccessWorld& w) { return run_published(w, rules, rounds); });
}

AccessCurve ours(const AccessWorld& world, Capacities capacities, int rounds) {
  return average(world, [&](const AccessWorld& w) { return run_placement(w, capacities, rounds); });
}

// The first round from which on five rounds take at most `limit` on average, from 1; curve.size() +
// 1 when there is none.
std::size_t reached(const AccessCurve& curve, double limit) {
  constexpr std::size_t window = 5;
  for (std::size_t i = 0; i + window <= curve.size(); ++i) {
    const auto begin = curve.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::accumulate(begin, begin + window, 0.0) <= limit * window) return i + 1;
  }
  return curve.size() + 1;
}

double tail(const AccessCurve& curve, std::size_t rounds) {
  return std::accumulate(curve.end() - static_cast<std::ptrdiff_t>(rounds), curve.end(), 0.0) /
         static_cast<double>(rounds);
}

TEST(Access, the_published_automaton_is_near_the_best_after_some_forty_rounds) {
  AccessWorld world;
  world.kin = 0.3;
  const AccessCurve curve = published(world, 2, 100);
  EXPECT_GT(curve.front(), 2.0);
  EXPECT_GT(reached(curve, 1.10), 20u);
  EXPECT_LT(reached(curve, 1.10), 60u);
}

TEST(Access, the_published_automaton_learns_nothing_final_from_random_pairs) {
  AccessWorld world;
  world.kin = 0;
  EXPECT_GT(tail(published(world, 2, 200), 50), 1.5);
}

TEST(Access, without_the_second_state_the_published_automaton_does_not_learn) {
  EXPECT_GT(tail(published({}, 1, 150), 50), 2.0);
}

TEST(Access, two_states_end_nearer_to_the_best_than_three_or_four) {
  const double two = tail(published({}, 2, 150), 40);
  const double three = tail(published({}, 3, 150), 40);
  const double four = tail(published({}, 4, 150), 40);
  EXPECT_LT(two + 0.01, three);
  EXPECT_LT(three + 0.01, four);
}

TEST(Access, more_sites_need_more_polls) {
  AccessWorld few, many;
  many.sites = 360;
  const auto polls = [](const AccessWorld& world) {
    return reached(published(world, 2, 80), 1.10) * world.sites;
  };
  EXPECT_GT(polls(many), 3 * polls(few));
}

TEST(Access, more_arms_need_more_rounds) {
  AccessWorld three, six;
  three.sites = six.sites = 360;
  six.arms = 6;
  EXPECT_GT(reached(published(six, 2, 150), 1.10), reached(published(three, 2, 150), 1.10) * 3 / 2);
}

TEST(Access, the_placement_of_the_daemon_is_there_after_ten_rounds_and_stays) {
  for (const Capacities capacities : {Capacities::none, Capacities::equal}) {
    const AccessCurve curve = ours({}, capacities, 200);
    EXPECT_LT(reached(curve, 1.10), 10u);
    EXPECT_LT(tail(curve, 150), 1.05);
    EXPECT_LT(*std::max_element(curve.end() - 150, curve.end()), 1.10);
  }
}

TEST(Access, more_arms_cost_the_placement_a_round_each) {
  AccessWorld world;
  world.sites = 360;
  world.arms = 9;
  EXPECT_LT(reached(ours(world, Capacities::none, 60), 1.10), 20u);
}

TEST(Access, when_best_arms_change_the_placement_follows_and_the_published_automaton_is_late) {
  AccessWorld world;
  world.change_every = 100;
  const AccessCurve placed = ours(world, Capacities::none, 400);
  const AccessCurve automaton = published(world, 2, 400);
  for (std::ptrdiff_t change = 100; change < 400; change += 100) {
    const AccessCurve after(placed.begin() + change, placed.begin() + change + 100);
    EXPECT_GT(after.front(), 2.5);
    EXPECT_LT(reached(after, 1.10), 25u);
    EXPECT_LT(tail(after, 50), 1.06);
    const AccessCurve late(automaton.begin() + change, automaton.begin() + change + 100);
    EXPECT_GT(reached(late, 1.10), reached(after, 1.10));
  }
}

TEST(Access, the_best_placement_is_that_of_all_tried) {
  Rng rng(5);
  for (int instance = 0; instance < 50; ++instance) {
    std::vector<std::vector<double>> times(6, std::vector<double>(3));
    for (auto& site : times) {
      for (double& time : site) time = rng.uniform();
    }
    const std::vector<std::uint32_t> capacities{2, 3, instance % 2 == 0 ? 1u : 0u};
    double least = 1e9;
    for (int code = 0; code < 729; ++code) {
      std::vector<std::uint32_t> used(3);
      double sum = 0;
      for (int site = 0, rest = code; site < 6; ++site, rest /= 3) {
        ++used[rest % 3];
        sum += times[site][rest % 3];
      }
      bool fits = true;
      for (int arm = 0; arm < 3; ++arm) {
        fits = fits && (capacities[arm] == 0 || used[arm] <= capacities[arm]);
      }
      if (fits) least = std::min(least, sum);
    }
    double sum = 0;
    const std::vector<std::size_t> best = best_placement(times, capacities);
    for (std::size_t site = 0; site < 6; ++site) sum += times[site][best[site]];
    EXPECT_NEAR(sum, least, 1e-9) << instance;
  }
}

TEST(Access, switching_the_pair_learns_nothing_waiting_learns_slowly_following_learns) {
  using placement::Exchange;
  const auto end = [](Exchange exchange) { return tail(published({}, 2, 100, exchange), 25); };
  EXPECT_GT(end(Exchange::action_5), 2.1);
  EXPECT_LT(end(Exchange::classic), 1.5);
  EXPECT_GT(end(Exchange::classic), 1.1);
  EXPECT_LT(end(Exchange::eager), 1.03);
}

TEST(Access, the_figures_of_the_document_can_be_drawn) {
  const auto known = figures();
  for (const char* id : {"003-10", "003-11", "003-12", "003-13", "003-further"}) {
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const FigureInfo& info) {
      return info.id == id;
    })) << id;
  }
  const Plot plot = make_figure("003-10", 1);
  EXPECT_EQ(plot.series.size(), 11u);
  EXPECT_EQ(plot.series[0].points.size(), 100u);
}

}  // namespace
}  // namespace pollux::lab
