// `pollux lab bursts`: sites whose pages change together, beside changes of their own. How much is
// found of what somebody finds who is told of every burst as it happens?
#pragma once

#include "pollux/lab/world.hpp"
#include "pollux/learn/policy.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace pollux::lab {

struct BurstOptions {
  std::size_t sites = 48;
  std::size_t pages_per_site = 64;
  std::size_t directories = 4;  // of a site
  // A third of the sites is deployed whole, a third directory by directory, a third never.
  double sweeps_between = 4;                 // bursts of a site, on the average; 0: there are none
  double own_low = 0.0005, own_high = 0.05;  // changes per sweep of a page by itself, log-uniform
  bool shuffled = false;  // pages stand in no order, so siblings are not neighbours
  std::uint64_t seed = 1;
};

// Time in seconds, one poll a second: a sweep is as many seconds as there are pages.
class BurstWorld final : public World {
 public:
  explicit BurstWorld(const BurstOptions& options);
  std::size_t pages() const override { return own_rate_.size(); }
  double rate(std::uint32_t page) const override { return own_rate_[page]; }
  bool advance(double now) override;
  bool poll(std::uint32_t page, double now) override;
  // From the first change that the last poll() had not seen before to that poll, if it found one.
  double delay() const { return delay_; }
  // Pages of bursts since the last call.
  std::vector<std::uint32_t> take_burst() { return std::exchange(burst_, {}); }

 private:
  struct Site {
    double next = 0;  // burst
    bool whole = false;
  };
  BurstOptions options_;
  Rng rng_;
  std::vector<double> own_rate_;
  Rng moments_;                         // of changes: delays do not touch what is found
  std::vector<double> last_;            // poll, by page
  std::vector<double> burst_at_;        // the first since then, by page; never: none
  std::vector<std::uint32_t> page_at_;  // by site, directory and number
  std::vector<Site> sites_;
  std::vector<std::uint32_t> burst_;
  double delay_ = 0;
};

struct BurstRun {
  BurstOptions world;
  double sweeps = 200;  // polls per page; the second half is counted
  learn::Parts parts = {};
  double explore = -1;  // negative: the scheduler's default
};

struct BurstResult {
  double found = 0;         // changes per poll, by the learner
  double oracle = 0;        // by who is told of bursts and knows the pages' own rates
  double looks = 0;         // part of the learner's polls
  double median_delay = 0;  // of what the learner found, in sweeps
};

BurstResult run_bursts(const BurstRun& run);

}  // namespace pollux::lab
