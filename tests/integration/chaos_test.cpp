// A short run of the chaos that `./dev bench chaos` makes for ten minutes.
#include "chaos/groups.hpp"
#include "chaos/run.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace pollux::chaos {
namespace {

TEST(Chaos, a_short_run_breaks_no_promise) {
  RunOptions options;
  options.plan = {.seed = 5,
                  .length = std::chrono::seconds(20),
                  .moments = 70,
                  // Left to the long run: what follows them takes longer than this one.
                  .without = {Kind::kill, Kind::delete_file, Kind::bomb, Kind::cut_bare,
                              Kind::silence_another}};
  options.window_slack = 5;
  options.healthy_part = 0.7;
  options.binary = POLLUX_BINARY;
  options.clock_library = SHIFTED_CLOCK;
  const Report report = run(options);
  for (const Invariant& one : report.invariants) {
    EXPECT_EQ(one.violated, 0u) << one.name << ": " << one.first;
    EXPECT_GT(one.checked, 0u) << one.name;
  }
  EXPECT_GT(report.requests, 200u);
}

// An observer that sees nothing would be content with everything.
TEST(Chaos, broken_promises_are_noticed) {
  RunOptions options;
  options.plan = {.seed = 6,
                  .length = std::chrono::seconds(12),
                  .moments = 150,  // redirects in a circle among them
                  .small_disk = false,
                  .without = {Kind::reload, Kind::bad_reload, Kind::restart, Kind::kill,
                              Kind::freeze, Kind::full_disk, Kind::delete_file, Kind::clock_jump}};
  options.told = {.budget = 2 * budget, .delay = delay / 4, .user_agent = "other/1"};
  options.binary = POLLUX_BINARY;
  options.clock_library = SHIFTED_CLOCK;
  std::set<std::string> broken;
  for (const Invariant& one : run(options).invariants) {
    if (one.violated > 0) broken.insert(one.name);
  }
  for (const char* name : {"fullest second", "pause of every host", "robots.txt is asked first",
                           "what it forbids is not asked"}) {
    EXPECT_TRUE(broken.contains(name)) << name;
  }
}

TEST(Chaos, a_seed_replays_its_plan) {
  const PlanOptions options{.seed = 17};
  const std::vector<Injection> plan = make_plan(options);
  EXPECT_EQ(fingerprint(plan), fingerprint(make_plan(options)));
  EXPECT_NE(fingerprint(plan), fingerprint(make_plan({.seed = 18})));
  EXPECT_EQ(plan.size(), 2000u);
}

}  // namespace
}  // namespace pollux::chaos
