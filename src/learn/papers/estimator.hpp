// The Estimator policy of the literature: every page the same for a while, then in proportion to
// the estimated chance of a change in one step (one poll of the budget). It estimates once.
#pragma once

#include "learn/page_values.hpp"
#include "learn/rate_estimator.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

class Estimator final : public Policy {
 public:
  explicit Estimator(double polls_per_page = 10) : polls_per_page_(polls_per_page) {}

  std::string_view name() const override { return "estimator"; }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot, double) override {}
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override;
  std::optional<double> change_rate(PageSlot page) const override;
  void set_sweep(double seconds) override;
  PageMemory memory(PageSlot page) const override;
  std::size_t memory_bytes() const override;

 private:
  struct Page {
    RateSums seen;
    float polls = -1;  // negative: an empty slot
  };
  double rate(const Page& page) const;
  bool estimating() const { return polls_ < polls_per_page_ * static_cast<double>(count_); }
  void apply() const;  // the estimates, once they are wanted

  double polls_per_page_;
  double sweep_ = 1;
  double polls_ = 0;  // of all pages, in the phase of estimation
  std::size_t count_ = 0;
  std::vector<Page> pages_;
  mutable PageValues values_;
  mutable bool stale_ = true;
};

}  // namespace pollux::learn
