// Policies that know the true rates: what learning is measured against. Lab only.
#pragma once

#include "learn/page_values.hpp"
#include "pollux/learn/importance.hpp"
#include "pollux/learn/oracle.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

enum class Knowledge {
  proportional,           // x ∝ the chance of a change in one step (one poll of the budget)
  weighted_proportional,  // the same times importance
  // x = λ / y(μ/w): the best division of a fluid budget for memoryless pages. Polls are no fluid,
  // and real pages not memoryless: a scheduler, or more knowledge than the mean rates, can find
  // more.
  optimal
};

class OraclePolicy final : public Policy, public Oracle {
 public:
  explicit OraclePolicy(Knowledge knowledge) : knowledge_(knowledge) {}

  std::string_view name() const override;
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void set_true_rate(PageSlot page, double per_second) override;
  void feed(PageSlot, const Observation&) override {}
  double share(PageSlot page) const override;
  std::optional<double> change_rate(PageSlot page) const override;
  void set_sweep(double seconds) override;
  PageMemory memory(PageSlot) const override { return {}; }
  std::size_t memory_bytes() const override;

 private:
  struct Truth {
    double rate = 0;
    double importance = 0;  // 0: an empty slot
  };
  void solve() const;  // when something changed since the last time

  Knowledge knowledge_;
  double sweep_ = 1;
  std::size_t count_ = 0;
  std::vector<Truth> truths_;
  mutable PageValues shares_;
  mutable bool stale_ = true;
};

}  // namespace pollux::learn
