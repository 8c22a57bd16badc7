#include "pollux/report/daemon_figures.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pollux::report {
namespace {

TEST(DaemonFigures, everything_a_daemon_leaves_in_the_meta_table_is_read) {
  const DaemonFigures figures = figures_of({{"started_at", "1790000000000"},
                                            {"heartbeat_at", "1790000000001"},
                                            {"last_backup_at", "1790000000002"},
                                            {"version", "0.1.0"},
                                            {"config_file", "/etc/pollux.yaml"},
                                            {"last_backup", "copy"},
                                            {"policy", "htraa"},
                                            {"objective", "age"},
                                            {"cost_by", "time"},
                                            {"budget", "2.5"},
                                            {"explore", "0.03"},
                                            {"cost_bias_removal", "0.5"},
                                            {"max_interval_stretch", "1.250"},
                                            {"loop_stall_p999_ms", "3"},
                                            {"loop_stall_longest_ms", "40"},
                                            {"fetches_out", "31"},
                                            {"fetches_allowed", "32"},
                                            {"detect_waiting", "4"},
                                            {"fetch_rate", "5.5"},
                                            {"detect_rate", "6000"},
                                            {"detect_starved_seconds", "0.125"},
                                            {"detect_overflows", "9"}});
  EXPECT_EQ(figures.started_at, WallTime(std::chrono::milliseconds(1'790'000'000'000)));
  EXPECT_EQ(figures.heartbeat_at, WallTime(std::chrono::milliseconds(1'790'000'000'001)));
  EXPECT_EQ(figures.last_backup_at, WallTime(std::chrono::milliseconds(1'790'000'000'002)));
  EXPECT_EQ(figures.version, "0.1.0");
  EXPECT_EQ(figures.config_file, "/etc/pollux.yaml");
  EXPECT_EQ(figures.last_backup, "copy");
  EXPECT_EQ(figures.policy, "htraa");
  EXPECT_EQ(figures.objective, "age");
  EXPECT_EQ(figures.cost_by, "time");
  EXPECT_EQ(figures.budget, 2.5);
  EXPECT_EQ(figures.explore, 0.03);
  EXPECT_EQ(figures.cost_bias_removal, 0.5);
  EXPECT_EQ(figures.max_interval_stretch, 1.25);
  EXPECT_EQ(figures.loop_stall_p999_ms, 3);
  EXPECT_EQ(figures.loop_stall_longest_ms, 40);
  EXPECT_EQ(figures.fetches_out, 31);
  EXPECT_EQ(figures.fetches_allowed, 32);
  EXPECT_EQ(figures.detect_waiting, 4);
  EXPECT_EQ(figures.fetch_rate, 5.5);
  EXPECT_EQ(figures.detect_rate, 6000);
  EXPECT_EQ(figures.detect_starved_seconds, 0.125);
  EXPECT_EQ(figures.detect_overflows, 9);
}

TEST(DaemonFigures, what_is_absent_or_no_number_is_not_known) {
  const DaemonFigures figures = figures_of({{"budget", "2 a second"},
                                            {"explore", ""},
                                            {"started_at", "1e300"},
                                            {"heartbeat_at", "yesterday"}});
  EXPECT_FALSE(figures.budget);
  EXPECT_FALSE(figures.explore);
  EXPECT_FALSE(figures.started_at);
  EXPECT_FALSE(figures.heartbeat_at);
  EXPECT_EQ(figures.policy, "");
  EXPECT_FALSE(figures.fetches_out);
}

TEST(DaemonFigures, a_budget_without_a_limit_is_infinite) {
  EXPECT_TRUE(std::isinf(figures_of({{"budget", "inf"}}).budget.value()));
}

}  // namespace
}  // namespace pollux::report
