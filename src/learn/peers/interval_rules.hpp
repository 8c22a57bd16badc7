// How two crawlers set a page's interval: multiplied after each poll by what it showed. Their rules
// know no budget; here intervals are stretched or shrunk by one common factor to fit it, which is
// the best that can be made of them.
//   Nutch AdaptiveFetchSchedule: starts at a sweep, ×0.8 after a change, ×1.4 otherwise, at most
//         200 sweeps, at least one poll of the budget.
//   StormCrawler AdaptiveScheduler: starts at a sweep, halfway to 0.02 sweeps after a change, ×1.5
//         otherwise, at most 50 sweeps.
#pragma once

#include "learn/page_values.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

enum class IntervalRule { nutch, stormcrawler };

class IntervalPolicy final : public Policy {
 public:
  explicit IntervalPolicy(IntervalRule rule) : rule_(rule) {}

  std::string_view name() const override;
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot, double) override {}
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override { return frequencies_.share(index(page)); }
  double interval(PageSlot page) const override { return intervals_[index(page)] * sweep_; }
  void set_sweep(double seconds) override { sweep_ = seconds; }
  PageMemory memory(PageSlot page) const override;
  std::size_t memory_bytes() const override;

 private:
  void set_interval(std::uint32_t slot, double sweeps);

  IntervalRule rule_;
  double sweep_ = 1;
  std::size_t count_ = 0;
  std::vector<double> intervals_;  // in sweeps; 0: an empty slot
  PageValues frequencies_;
};

}  // namespace pollux::learn
