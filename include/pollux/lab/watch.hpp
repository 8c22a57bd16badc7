// The daemon's decision path without the network: the production policy and scheduler on a manual
// clock, one poll at a time, one host without politeness, no limits.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/lab/world.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pollux::lab {

struct WatchOptions {
  std::string policy = "htraa";
  std::uint64_t seed = 1;
  double seconds_per_poll = 1;
  double explore = schedule::Options{}.explore;
  // So many polls happen at one moment (a time slot), each of another page.
  std::uint64_t polls_at_once = 1;
  learn::Objective objective = learn::Objective::changes;
  bool age_model = true;
  learn::PaperOptions papers = {};
  double follow = schedule::Options{}.follow;
  learn::Parts parts = {};  // see learn::Options
};

class Watch {
 public:
  // The policy's name must be known (learn::policies()).
  Watch(World& world, const WatchOptions& options);

  struct Poll {
    std::uint32_t page = 0;
    bool changed = false;
    bool look = false;   // because a sibling had changed
    double now = 0;      // seconds from the start
    double elapsed = 0;  // since the page's previous poll
  };
  Poll step();
  // A poll at this moment, not before the last one: others were made elsewhere meanwhile.
  Poll step_at(double now);

  // The caller makes so many polls per second from now on: the policy weighs every page anew.
  void set_rate(double polls_per_second);

  learn::Policy& policy() { return *policy_; }
  const schedule::Scheduler& scheduler() const { return *scheduler_; }
  std::size_t memory_bytes() const { return policy_->memory_bytes() + scheduler_->memory_bytes(); }

 private:
  void tell_importance();
  void tell_truth();

  World& world_;
  WatchOptions options_;
  ManualClock clock_;
  std::unique_ptr<learn::Policy> policy_;
  std::unique_ptr<schedule::Scheduler> scheduler_;
  std::vector<double> last_;        // seconds
  std::vector<double> importance_;  // as the policy was told
  std::uint64_t polls_ = 0;
};

}  // namespace pollux::lab
