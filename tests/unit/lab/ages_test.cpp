#include "pollux/lab/ages.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::lab {
namespace {

double outdated(std::vector<Habit> habits, bool age_model, const std::string& policy = "htraa",
                double last_modified = 0) {
  AgesRun run;
  run.world.pages = 200;
  run.world.habits = std::move(habits);
  run.world.last_modified = last_modified;
  run.policy = policy;
  run.objective = learn::Objective::freshness;
  run.age_model = age_model;
  run.sweeps = 150;
  return run_ages(run).outdated;
}

const std::vector<Habit> mixed{Habit::periodic, Habit::bursty, Habit::memoryless};

// Figure 3 of the issue asks for 10 % at full size (`pollux lab ages`); a fifth of it here.
TEST(Ages, on_pages_with_habits_age_models_keep_more_copies_up_to_date) {
  EXPECT_LT(outdated(mixed, true), 0.92 * outdated(mixed, false));
}

TEST(Ages, on_memoryless_pages_age_models_lose_hardly_anything) {
  EXPECT_LT(outdated({Habit::memoryless}, true), 1.015 * outdated({Habit::memoryless}, false));
}

TEST(Ages, the_greedy_policies_and_the_two_day_plan_gain_by_ages_too) {
  for (const char* policy : {"greedy-outdated", "greedy-age", "two-step"}) {
    EXPECT_LT(outdated(mixed, true, policy), 0.97 * outdated(mixed, false, policy)) << policy;
  }
}

TEST(Ages, pages_that_tell_when_they_changed_are_understood_better) {
  EXPECT_LT(outdated(mixed, true, "htraa", 1), outdated(mixed, true, "htraa", 0));
}

TEST(Ages, one_seed_gives_one_result) {
  AgesRun run;
  run.world.pages = 50;
  run.sweeps = 20;
  run.objective = learn::Objective::age;
  EXPECT_EQ(run_ages(run).outdated, run_ages(run).outdated);
}

TEST(Ages, the_share_outdated_under_uniform_polling_is_what_arithmetic_says) {
  AgesRun run;
  run.world.pages = 400;
  run.world.habits = {Habit::memoryless};
  run.policy = "uniform";
  run.sweeps = 100;
  // Mean over lifetimes L of 1 − L(1 − e^(−1/L)), L log-uniform between a quarter and eight sweeps.
  double expected = 0;
  for (int i = 0; i < 1000; ++i) {
    const double life = std::exp2(5 * (i + 0.5) / 1000 - 2);
    expected += (1 + life * std::expm1(-1 / life)) / 1000;
  }
  EXPECT_NEAR(run_ages(run).outdated, expected, 0.02);
}

}  // namespace
}  // namespace pollux::lab
