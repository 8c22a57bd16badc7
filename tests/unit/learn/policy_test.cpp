#include "pollux/learn/policy.hpp"

#include "pollux/base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

PageSlot slot(std::uint32_t i) {
  return static_cast<PageSlot>(i);
}

std::unique_ptr<Policy> make(std::string_view name, std::uint32_t pages, double sweep) {
  auto policy = make_policy({.policy = std::string(name), .seed = 7});
  for (std::uint32_t i = 0; i < pages; ++i) policy->add(slot(i), 1, std::nullopt);
  policy->set_sweep(sweep);
  return policy;
}

// Polls in proportion to shares, at random, or whom the policy gives the turn: enough to teach it
// without a scheduler.
void teach(Policy& policy, const std::vector<double>& rates, int polls, Rng& rng) {
  std::vector<double> last(rates.size(), 0);
  for (int t = 1; t <= polls; ++t) {
    double left = rng.uniform();
    std::uint32_t i = 0;
    for (; i + 1 < rates.size(); ++i) {
      left -= policy.share(slot(i));
      if (left < 0) break;
    }
    for (const PageSlot moved : policy.take_moved()) {
      if (policy.interval(moved) < 0) i = index(moved);
    }
    const double elapsed = t - last[i];
    last[i] = t;
    policy.feed(slot(i), {.changed = rng.chance(1 - std::exp(-rates[i] * elapsed)),
                          .elapsed = elapsed,
                          .now = static_cast<double>(t)});
  }
}

class EveryPolicy : public testing::TestWithParam<std::string_view> {};

double total_share(const Policy& policy, const std::set<std::uint32_t>& live) {
  double total = 0;
  for (const std::uint32_t i : live) {
    const double share = policy.share(slot(i));
    EXPECT_GT(share, 0);
    total += share;
  }
  return total;
}

TEST_P(EveryPolicy, knows_its_own_name) {
  EXPECT_EQ(make(GetParam(), 1, 1)->name(), GetParam());
}

// Automata on a coarse grid and fixed partitions cannot start at exactly 1/n.
bool starts_even(std::string_view name) {
  return name != "lakg" && name != "cgla" && name != "fpa";
}

TEST_P(EveryPolicy, shares_add_up_to_one_through_growth_removal_and_feedback) {
  const auto policy = make(GetParam(), 0, 100);
  Rng rng(3);
  std::set<std::uint32_t> live;
  for (std::uint32_t i = 0; i < 70; ++i) {
    policy->add(slot(i), 1, std::nullopt);
    live.insert(i);
    EXPECT_NEAR(total_share(*policy, live), 1, 1e-5);
    if (starts_even(GetParam())) {
      EXPECT_NEAR(policy->share(slot(i)) * static_cast<double>(live.size()), 1, 0.05);
    }
  }
  for (int round = 0; round < 300; ++round) {
    const auto i = static_cast<std::uint32_t>(rng.below(70));
    if (!live.contains(i)) {
      policy->add(slot(i), 1, std::nullopt);
      live.insert(i);
    } else if (rng.chance(0.3)) {
      policy->remove(slot(i));
      live.erase(i);
    } else {
      policy->feed(slot(i), {.changed = rng.chance(0.4), .elapsed = 50, .now = round * 1.0});
    }
    ASSERT_NEAR(total_share(*policy, live), 1, 1e-4) << round;
  }
}

TEST_P(EveryPolicy, what_is_remembered_continues_exactly) {
  const auto policy = make(GetParam(), 40, 40);
  Rng rng(5);
  for (int round = 0; round < 2000; ++round) {
    const auto i = static_cast<std::uint32_t>(rng.below(40));
    policy->feed(slot(i),
                 {.changed = rng.chance(1.0 / (1 + i)), .elapsed = 40, .now = round * 1.0});
  }
  const auto resumed = make_policy({.policy = std::string(GetParam()), .seed = 7});
  for (std::uint32_t i = 0; i < 40; ++i) resumed->add(slot(i), 1, policy->memory(slot(i)));
  resumed->set_sweep(40);
  resumed->restore_nodes(policy->take_changed_nodes(1000000));
  for (std::uint32_t i = 0; i < 40; ++i) {
    // Sums kept by differences may differ in the last digits.
    EXPECT_NEAR(policy->share(slot(i)) / resumed->share(slot(i)), 1, 1e-9) << i;
    EXPECT_EQ(policy->interval(slot(i)), resumed->interval(slot(i))) << i;
    EXPECT_EQ(policy->change_rate(slot(i)), resumed->change_rate(slot(i))) << i;
  }
}

std::vector<std::string_view> names_without_oracles() {
  std::vector<std::string_view> names;
  for (const PolicyInfo& row : policies()) {
    if (!row.oracle) names.push_back(row.name);
  }
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string_view>& parameter) {
  std::string name(parameter.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Learn, EveryPolicy, testing::ValuesIn(names_without_oracles()), test_name);

TEST(Policies, an_unknown_name_makes_nothing) {
  EXPECT_EQ(make_policy({.policy = "oracle-of-delphi"}), nullptr);
}

class LearningPolicy : public testing::TestWithParam<std::string_view> {};

TEST_P(LearningPolicy, a_page_that_changes_often_gets_more) {
  const auto policy = make(GetParam(), 16, 16);
  std::vector<double> rates(16, 0.005);
  rates[11] = 0.3;
  Rng rng(11);
  teach(*policy, rates, 20000, rng);
  EXPECT_GT(policy->share(slot(11)), 3.0 / 16);
}

INSTANTIATE_TEST_SUITE_P(Learn, LearningPolicy,
                         testing::Values("htraa", "htraa-rp", "htraa-ri", "htraa-ip"), test_name);

TEST(Htraa, shares_approach_the_rates) {
  const auto policy = make("htraa", 8, 8);
  const std::vector<double> rates{0.4, 0.2, 0.1, 0.05, 0.4, 0.2, 0.1, 0.05};
  Rng rng(23);
  teach(*policy, rates, 40000, rng);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(policy->share(slot(i)) / (rates[i] / 1.5), 1, 0.5) << i;
    EXPECT_NEAR(*policy->change_rate(slot(i)) / rates[i], 1, 0.8) << i;
  }
}

TEST(Htraa, swapped_habits_are_relearnt) {
  const auto policy = make("htraa", 8, 8);
  std::vector<double> rates{0.4, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01};
  Rng rng(29);
  teach(*policy, rates, 5000, rng);
  EXPECT_GT(policy->share(slot(0)), 0.4);
  std::swap(rates[0], rates[7]);
  teach(*policy, rates, 5000, rng);
  EXPECT_GT(policy->share(slot(7)), 0.4);
  EXPECT_LT(policy->share(slot(0)), 0.2);
}

TEST(Htraa, a_night_without_polls_takes_no_share_from_the_pages_that_change_most) {
  // Ten pages that change at every poll among two hundred. After the night each is polled once:
  // what its row says of its share then must not fall with every page that comes before the others.
  const auto policy = make("htraa", 200, 0.25);
  double now = 0;
  for (int round = 0; round < 100; ++round) {
    now += 0.0125;
    for (std::uint32_t i = 0; i < 10; ++i)
      policy->feed(slot(i), {.changed = true, .elapsed = 0.0125, .now = now});
  }
  for (std::uint32_t i = 10; i < 200; ++i)
    policy->feed(slot(i), {.changed = false, .elapsed = now, .now = now});
  const auto hot_share = [&] {
    double sum = 0;
    for (std::uint32_t i = 0; i < 10; ++i) sum += policy->share(slot(i));
    return sum;
  };
  EXPECT_GT(hot_share(), 0.9);
  constexpr double night = 8 * 3600;
  double told = 0;
  for (std::uint32_t i = 0; i < 10; ++i) {
    policy->feed(slot(i), {.changed = true, .elapsed = night, .now = now + night});
    told += policy->share(slot(i));
  }
  EXPECT_GT(told, 0.9);
  EXPECT_GT(hot_share(), 0.9);
  // Nor does it look as if the list had changed its habits: then all that was learnt would fade.
  now += night;
  for (int round = 0; round < 20; ++round) {
    now += 0.0125;
    for (std::uint32_t i = 0; i < 10; ++i) {
      policy->feed(slot(i), {.changed = true, .elapsed = 0.0125, .now = now});
      EXPECT_EQ(policy->curiosity(), 0);
    }
  }
  EXPECT_GT(hot_share(), 0.9);
}

TEST(Htraa, importance_draws_polls) {
  const auto policy = make("htraa", 8, 8);
  policy->set_importance(slot(3), 5);
  Rng rng(31);
  teach(*policy, std::vector<double>(8, 0.2), 20000, rng);
  EXPECT_GT(policy->share(slot(3)), 1.3 * policy->share(slot(2)));
}

TEST(Htraa, a_new_budget_does_not_spoil_what_was_learnt) {
  const auto policy = make("htraa", 8, 8);
  Rng rng(37);
  teach(*policy, {0.4, 0.2, 0.1, 0.05, 0.4, 0.2, 0.1, 0.05}, 4000, rng);
  const double before = policy->share(slot(0));
  policy->set_sweep(80);
  EXPECT_GT(policy->share(slot(0)), policy->share(slot(3)));
  policy->set_sweep(8);
  EXPECT_EQ(policy->share(slot(0)), before);
}

}  // namespace
}  // namespace pollux::learn
