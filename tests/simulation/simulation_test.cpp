// A virtual week of the engine itself. Any seed replays:
//   POLLUX_SEED=17 build/release/tests/simulation
#include "simulation/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace pollux::simulation {
namespace {

using namespace std::chrono_literals;

void print(const char* what, const SimulationResult& result, double seconds) {
  std::printf(
      "%s: %llu requests, %llu polls, %llu changes, %llu errors, %llu reloads; budget used %.1f "
      "%%, "
      "fullest second %.0f, shares within %.0f %%; %llu steps in %.1f s\n",
      what, static_cast<unsigned long long>(result.requests),
      static_cast<unsigned long long>(result.polls),
      static_cast<unsigned long long>(result.changes),
      static_cast<unsigned long long>(result.errors),
      static_cast<unsigned long long>(result.reloads), 100 * result.budget_used,
      result.fullest_second, 100 * result.share_error,
      static_cast<unsigned long long>(result.steps), seconds);
  for (std::size_t i = 0; i < std::min<std::size_t>(result.violations.size(), 10); ++i)
    std::printf("  %s\n", result.violations[i].c_str());
}

SimulationResult run(const char* what, const SimulationOptions& options) {
  spdlog::set_level(spdlog::level::err);
  const auto begin = std::chrono::steady_clock::now();
  const SimulationResult result = simulate(options);
  print(what, result,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return result;
}

std::uint64_t chosen_seed() {
  const char* text = std::getenv("POLLUX_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

TEST(Simulation, a_week_keeps_every_promise) {
  const SimulationResult result = run("a week", {.seed = chosen_seed()});
  EXPECT_EQ(result.violation_count, 0u);
  EXPECT_GE(result.budget_used, 0.97);
  EXPECT_LE(result.share_error, 0.1);
  EXPECT_GT(result.changes, 1000u);
  EXPECT_GT(result.errors, 1000u) << "nothing was put to the test";
  EXPECT_GE(result.reloads, 33u);
}

TEST(Simulation, two_days_with_somebody_at_the_controls_keep_every_promise) {
  const SimulationResult result =
      run("two steered days",
          {.seed = chosen_seed(), .hosts = 300, .length = 24h * 2, .command_every = 5min});
  EXPECT_EQ(result.violation_count, 0u);
  EXPECT_GE(result.budget_used, 0.97);
  EXPECT_GE(result.commands, 500u);
  EXPECT_GE(result.polls_by_hand, 500u);
  // The others' hosts were down, or had asked to be left alone.
  EXPECT_GE(static_cast<double>(result.of_these_soon),
            0.9 * static_cast<double>(result.polls_by_hand));
}

// Killed, frozen, cut off, put to sleep, on lines that lose and repeat: every two minutes one.
TEST(Simulation, four_hours_with_agents_that_get_lost_keeps_every_promise) {
  const SimulationResult result = run("agents", {.seed = chosen_seed(),
                                                 .hosts = 300,
                                                 .budget = 4,
                                                 .length = 4h,
                                                 .agents = 3,
                                                 .loss_every = 2min});
  EXPECT_EQ(result.violation_count, 0u);
  EXPECT_GT(result.losses, 100u);
  EXPECT_GT(result.polls_lost + result.polls_unused, 50u) << "nothing was put to the test";
  // No poll was made twice: servers saw no request that was not decided.
  EXPECT_LE(result.requests, result.requests_decided);
  EXPECT_GE(result.budget_used, 0.85);
  EXPECT_GT(result.changes, 200u);
  for (const std::uint64_t polls : result.polls_of_agents)
    EXPECT_GT(polls, result.requests / 10) << "hosts stand where they once fled to";
}

TEST(Simulation, a_seed_replays_to_the_last_step) {
  const SimulationOptions options{.seed = 5, .hosts = 100, .length = 12h};
  const SimulationResult first = run("once", options), second = run("again", options);
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_EQ(first.requests, second.requests);
  EXPECT_EQ(first.changes, second.changes);
  EXPECT_EQ(first.errors, second.errors);
}

}  // namespace
}  // namespace pollux::simulation
