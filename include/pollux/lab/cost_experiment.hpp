// `pollux lab cost`: what one decision (choose a page, feed its outcome) costs as lists grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pollux::lab {

struct CostResult {
  std::string policy;
  std::size_t pages = 0;
  std::uint64_t decisions = 0;
  double ns_per_decision = 0;  // processor time of this thread, the synthetic pages' own included
  double decisions_per_second = 0;
  double longest_ms = 0;      // the decision that took longest, of half as many as there are pages
  double bytes_per_page = 0;  // learner and scheduler
};

CostResult measure_cost(const std::string& policy, std::size_t pages, std::uint64_t seed);

}  // namespace pollux::lab
