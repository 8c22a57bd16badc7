#include "pollux/report/health.hpp"

#include "unit/report/facts.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

TEST(Health, a_daemon_that_gave_a_sign_of_life_is_healthy) {
  const Health health = health_of({.pid = 42}, busy_figures(), noon + std::chrono::seconds(59));
  EXPECT_TRUE(health.running);
  EXPECT_TRUE(health.healthy);
  EXPECT_EQ(health.pid, 42);
}

TEST(Health, silence_an_alert_or_nobody_is_not_healthy) {
  EXPECT_FALSE(health_of({.pid = 42}, busy_figures(), noon + std::chrono::minutes(1)).healthy);
  EXPECT_FALSE(health_of({.pid = 42}, DaemonFigures{}, noon).healthy);
  EXPECT_FALSE(health_of({.pid = 42, .alert = "disk full"}, busy_figures(), noon).healthy);
  const Health nobody = health_of({.pid = std::nullopt}, busy_figures(), noon);
  EXPECT_FALSE(nobody.running);
  EXPECT_FALSE(nobody.healthy);
}

TEST(BudgetUse, only_the_last_minutes_before_the_heartbeat_count) {
  const Health health = health_of({.pid = 42}, busy_figures(), noon);
  const WallTime minute = std::chrono::floor<std::chrono::minutes>(noon);
  const std::vector<store::MinuteRow> minutes{
      {.minute = minute + std::chrono::minutes(5), .budget = 2, .requests = 1'000},
      {.minute = minute, .budget = 2, .requests = 30, .changes = 2, .errors = 1, .seconds = 20},
      {.minute = minute - std::chrono::minutes(1), .budget = 2, .requests = 120, .changes = 3},
      {.minute = minute - std::chrono::hours(1), .budget = 2, .requests = 1'000}};
  const BudgetUse use = budget_use(minutes, health, std::chrono::minutes(10));
  EXPECT_EQ(use.requests, 150);
  EXPECT_EQ(use.changes, 5);
  EXPECT_EQ(use.errors, 1);
  EXPECT_EQ(use.seconds, 80);
  EXPECT_EQ(use.allowed, 160);
  EXPECT_EQ(use.part(), 150.0 / 160);
}

TEST(BudgetUse, there_is_no_part_of_a_budget_without_a_limit) {
  EXPECT_FALSE(BudgetUse{}.part());
  BudgetUse unlimited;
  unlimited.allowed = INFINITY;
  EXPECT_FALSE(unlimited.part());
}

TEST(BudgetUse, is_never_more_than_all_of_it) {
  BudgetUse use;
  use.requests = 1203;
  use.allowed = 1200;
  EXPECT_EQ(use.part(), 1);
}

}  // namespace
}  // namespace pollux::report
