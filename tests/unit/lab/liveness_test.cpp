// Every page is polled, whatever polling it costs and however little it is worth: the daemon's own
// policies and scheduler, with benefit per second of download (document 002, eq. 38).
#include "pollux/lab/watch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::lab {
namespace {

// Downloads take from a ten-thousandth of a second to a day; a quick page may never change and a
// slow one always.
class DearWorld final : public World {
 public:
  explicit DearWorld(double bias_removal) : cost_{.by_time = true, .bias_removal = bias_removal} {}
  std::size_t pages() const override { return 60; }
  double importance(std::uint32_t page) const override {
    const double seconds = 1e-4 * std::pow(86400 / 1e-4, page / 59.0);
    return learn::importance_by_cost(page % 7 == 0 ? 0.001 : 1, seconds, cost_);
  }
  double rate(std::uint32_t page) const override { return page % 3 == 0 ? 1e-9 : 0.02; }
  bool poll(std::uint32_t page, double) override { return page % 3 != 0 && rng_.chance(0.5); }

 private:
  learn::CostOptions cost_;
  Rng rng_{5};
};

double longest_gap(const WatchOptions& options, double bias_removal, int polls) {
  DearWorld world(bias_removal);
  Watch watch(world, options);
  std::vector<double> last(world.pages(), 0);
  double longest = 0;
  for (int i = 0; i < polls; ++i) {
    const Watch::Poll poll = watch.step();
    longest = std::max(longest, poll.now - last[poll.page]);
    last[poll.page] = poll.now;
  }
  for (const double seen : last) longest = std::max(longest, polls - seen);
  return longest;
}

// The page polled longest ago gets a part `explore` of the polls: after pages / explore polls all
// have had their turn.
TEST(Liveness, every_page_is_polled_under_every_policy_whatever_it_costs) {
  const double bound = 60 / schedule::Options{}.explore + 60;
  for (const learn::PolicyInfo& policy : learn::policies()) {
    for (const double bias_removal : {0.0, 1.0}) {
      EXPECT_LE(longest_gap({.policy = std::string(policy.name)}, bias_removal, 6000), bound)
          << policy.name << ' ' << bias_removal;
    }
  }
  for (const auto objective : {learn::Objective::freshness, learn::Objective::age}) {
    EXPECT_LE(longest_gap({.objective = objective}, 0, 6000), bound);
  }
}

// Without exploring, policies that plan moments keep their own promise: 50 sweeps, and what it
// takes until everybody who waits as long has been served.
TEST(Liveness, policies_that_plan_moments_need_no_exploring) {
  for (const char* policy : {"htraa", "greedy-outdated", "greedy-age", "two-step"}) {
    const double gap =
        longest_gap({.policy = policy, .explore = 0, .objective = learn::Objective::age}, 0, 9000);
    EXPECT_LE(gap, 52 * 60) << policy;
  }
}

}  // namespace
}  // namespace pollux::lab
