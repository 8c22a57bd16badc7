// `pollux lab replay`: what a policy would have found on real change times under a given budget.
#pragma once

#include "pollux/lab/trace.hpp"
#include "pollux/learn/policy.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace pollux::lab {

struct ReplayRun {
  double days = 365;
  double rate = 0.2;  // polls per page and day
  std::string policy = "htraa";
  std::uint64_t seed = 1;
  double explore = -1;  // negative: the scheduler's default
  learn::PaperOptions papers = {};
  double follow = -1;  // likewise
  learn::Parts parts = {};
  learn::Objective objective = learn::Objective::changes;  // of htraa; others have their own
  // Hears which part is done, a hundred times at most. On the thread of the run.
  std::function<void(double)> progress = {};
};

struct ReplayResult {
  std::string policy;
  std::size_t pages = 0;
  std::uint64_t polls = 0;
  std::size_t changes = 0;                      // in the window
  std::size_t found = 0;                        // polls that found at least one
  double share = 0;                             // found ÷ changes
  double median_delay_s = 0, mean_delay_s = 0;  // see Delays
  double looks = 0, looks_found = 0;  // polls because a sibling had changed; those that found one
  double gini = 0;                    // of polls over pages: 0 all alike, 1 all on one
};

// An error when no page exists at the start of the window.
Result<ReplayResult> run_replay(const Trace& trace, const ReplayRun& run);

}  // namespace pollux::lab
