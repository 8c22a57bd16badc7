#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace pollux::learn {
namespace {

PageSlot slot(std::uint32_t i) {
  return PageSlot{i};
}

// Memoryless pages served earliest due first, one poll a second.
std::vector<double> poll_rates(Policy& policy, const std::vector<double>& rates, int polls) {
  Rng rng(9);
  std::vector<double> last(rates.size(), 0), counted(rates.size(), 0);
  for (int t = 1; t <= polls; ++t) {
    std::uint32_t chosen = 0;
    for (std::uint32_t i = 1; i < rates.size(); ++i) {
      if (last[i] + policy.interval(slot(i)) < last[chosen] + policy.interval(slot(chosen)))
        chosen = i;
    }
    const double elapsed = t - last[chosen];
    policy.feed(slot(chosen), {.changed = rng.chance(-std::expm1(-rates[chosen] * elapsed)),
                               .elapsed = elapsed,
                               .now = t * 1.0});
    last[chosen] = t;
    if (t > polls / 2) counted[chosen] += 2.0 / polls;
  }
  return counted;
}

std::unique_ptr<Policy> make(const std::string& name, Objective objective,
                             const std::vector<double>& importances) {
  auto policy = make_policy({.policy = name, .seed = 3, .objective = objective});
  for (std::uint32_t i = 0; i < importances.size(); ++i)
    policy->add(slot(i), importances[i], std::nullopt);
  policy->set_sweep(static_cast<double>(importances.size()));
  return policy;
}

// 8 slow pages, 8 of middle pace, and 4 that change all the time.
const std::vector<double> paces = [] {
  std::vector<double> rates(8, 0.01);
  rates.insert(rates.end(), 8, 0.05);
  rates.insert(rates.end(), 4, 3.0);
  return rates;
}();

double part(const std::vector<double>& counted, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += counted[i];
  return sum;
}

TEST(Objectives, freshness_does_not_chase_what_cannot_be_kept_fresh) {
  const std::vector<double> ones(paces.size(), 1);
  const auto polled = poll_rates(*make("htraa", Objective::freshness, ones), paces, 20000);
  EXPECT_LT(part(polled, 16, 20) / 4, 0.8 * part(polled, 8, 16) / 8);
  EXPECT_GT(part(polled, 8, 16), part(polled, 0, 8));
}

TEST(Objectives, age_looks_at_everything) {
  const std::vector<double> ones(paces.size(), 1);
  const auto polled = poll_rates(*make("htraa", Objective::age, ones), paces, 20000);
  EXPECT_GT(part(polled, 16, 20), 0.1);
  EXPECT_GT(part(polled, 8, 16), part(polled, 0, 8));
}

TEST(Objectives, greedy_outdated_equalises_the_chance_of_being_out_of_date) {
  const std::vector<double> ones(paces.size(), 1);
  const auto polled = poll_rates(*make("greedy-outdated", Objective::changes, ones), paces, 20000);
  EXPECT_GT(part(polled, 16, 20), 0.8);  // as often as they change, though it is in vain
}

TEST(Objectives, importance_draws_polls) {
  const std::vector<double> rates(10, 0.05);
  std::vector<double> importances(10, 1);
  importances[4] = 5;
  for (const char* name : {"htraa", "greedy-outdated", "greedy-age", "two-step"}) {
    const auto objective = std::string(name) == "htraa" ? Objective::age : Objective::changes;
    const auto polled = poll_rates(*make(name, objective, importances), rates, 8000);
    EXPECT_GT(polled[4], 0.12) << name;
  }
}

// Liveness: whatever it costs and however hopeless it is, every page is polled again and again.
// Exploring, which would reach every page too, is left to the scheduler and absent here.
TEST(Objectives, every_page_is_polled_even_if_it_is_never_worth_it) {
  const std::pair<const char*, Objective> all[] = {{"htraa", Objective::freshness},
                                                   {"htraa", Objective::age},
                                                   {"greedy-outdated", Objective::changes},
                                                   {"greedy-age", Objective::changes},
                                                   {"two-step", Objective::changes}};
  for (const double bias_removal : {0.0, 0.5, 1.0}) {
    const CostOptions cost{.by_time = true, .bias_removal = bias_removal};
    std::vector<double> importances(20, 1);
    importances[7] = importance_by_cost(1, 60, cost);          // a minute to download
    importances[8] = importance_by_cost(0.001, 86400, cost);   // a day, and nobody cares
    importances[12] = importance_by_cost(1000, 0.0001, cost);  // at once, and everybody does
    importances[19] = importance_by_cost(1, 0.001, cost);
    for (const auto& [name, objective] : all) {
      const auto polled = poll_rates(*make(name, objective, importances), paces, 6000);
      for (std::size_t i = 0; i < polled.size(); ++i) {
        // At the latest every 50 sweeps of 20 polls.
        EXPECT_GE(polled[i] * 3000, 3000 / (50 * 20) - 1)
            << name << ' ' << i << ' ' << bias_removal;
      }
    }
  }
}

TEST(Objectives, an_age_model_says_when_the_copy_will_be_out_of_date) {
  const auto policy = make("htraa", Objective::freshness, {1});
  EXPECT_TRUE(policy->outdated_after(slot(0)).empty());  // nothing seen yet
  for (int i = 1; i <= 20; ++i) {
    policy->feed(slot(0), {.changed = i % 2 == 0, .elapsed = 100, .now = i * 100.0});
  }
  const std::vector<double> waits = policy->outdated_after(slot(0));
  ASSERT_EQ(waits.size(), outdated_levels.size());
  for (std::size_t i = 1; i < waits.size(); ++i) EXPECT_GE(waits[i], waits[i - 1]);
  EXPECT_TRUE(make("htraa", Objective::changes, {1})->outdated_after(slot(0)).empty());
}

TEST(Cost, importance_falls_with_download_time_as_far_as_the_bias_is_kept) {
  EXPECT_EQ(importance_by_cost(2, 10, {}), 2);
  EXPECT_EQ(importance_by_cost(2, 0, {.by_time = true}), 2);  // not known yet
  EXPECT_DOUBLE_EQ(importance_by_cost(2, 2, {.by_time = true}), 0.2);
  EXPECT_DOUBLE_EQ(importance_by_cost(2, 2, {.by_time = true, .bias_removal = 1}), 2);
  const CostOptions half{.by_time = true, .bias_removal = 0.5};
  EXPECT_DOUBLE_EQ(importance_by_cost(1, 0.8, half), 0.5);
}

}  // namespace
}  // namespace pollux::learn
