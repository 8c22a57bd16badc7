// `pollux lab zipf`: how much of the best possible does a policy reach on synthetic pages?
#pragma once

#include "pollux/lab/zipf.hpp"
#include "pollux/learn/policy.hpp"

#include <string>
#include <vector>

namespace pollux::lab {

struct ZipfRun {
  ZipfOptions world;
  std::string policy = "htraa";
  std::uint64_t polls = 10000;
  double explore = -1;  // negative: the scheduler's default
  learn::PaperOptions papers = {};
  std::size_t points = 40;  // of the curve
  learn::Parts parts = {};
};

struct CurvePoint {
  std::uint64_t polls = 0;  // at the end of the stretch
  double ratio = 0;         // found in the stretch ÷ best possible in it
};

struct ZipfResult {
  std::string policy;
  std::size_t pages = 0;
  std::uint64_t polls = 0;
  double optimal = 0;                           // best possible found per poll
  double total_ratio = 0;                       // found ÷ (optimal × polls)
  double tail_ratio = 0;                        // the same over the last tenth
  double median_delay_s = 0, mean_delay_s = 0;  // of the changes found; a step is a second
  std::vector<CurvePoint> curve;
};

ZipfResult run_zipf(const ZipfRun& run);
// The same with seeds seed, seed + 1, …: the mean of everything.
ZipfResult mean(const std::vector<ZipfResult>& results);

}  // namespace pollux::lab
