// A check that cannot fail proves nothing: with a rule broken in the scheduler itself, the observer
// of the simulation must see it.
#include "broken_rules/broken.hpp"
#include "simulation/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace pollux::simulation {
namespace {

using namespace std::chrono_literals;

SimulationResult run_with(Broken rule, const SimulationOptions& options) {
  spdlog::set_level(spdlog::level::err);
  broken = rule;
  SimulationResult result = simulate(options);
  broken = Broken::nothing;
  return result;
}

bool speaks_of(const SimulationResult& result, const std::string& what) {
  return std::ranges::any_of(result.violations, [&](const std::string& violation) {
    return violation.find(what) != std::string::npos;
  });
}

const SimulationOptions few_hosts{.hosts = 20, .budget = 5, .length = 12h};

TEST(BrokenRules, without_one_nothing_is_noticed) {
  EXPECT_EQ(run_with(Broken::nothing, few_hosts).violation_count, 0u);
}

TEST(BrokenRules, a_budget_that_does_not_count_is_noticed) {
  EXPECT_TRUE(speaks_of(run_with(Broken::budget, {.hosts = 200, .length = 2h}), "budget: "));
}

TEST(BrokenRules, a_pause_that_is_forgotten_is_noticed) {
  EXPECT_TRUE(speaks_of(run_with(Broken::pause, few_hosts), "was asked again after"));
}

TEST(BrokenRules, a_retry_after_that_is_forgotten_is_noticed) {
  EXPECT_TRUE(speaks_of(run_with(Broken::retry_after, few_hosts), "asked to be left alone"));
}

}  // namespace
}  // namespace pollux::simulation
