// Policies that say when to poll a page next, not how often on the average.
//
// A page is due when polling it is worth a common price. With P(t) the chance that the copy is
// out of date t after the last poll, w the importance and y = −ln(1 − P) the hazard gathered:
//   greedy_outdated  w·P(t)                       document 002, eq. (14): the largest term goes
//   first greedy_age       w·∫P                          eq. (24) freshness        w·g(y)/λ,   g =
//   1 − (1+y)e^−y  the marginal value of a poll for the number of age              w·(y²/2 −
//   g(y))/λ²             pages out of date and for the time out of date,
//                                                  exact for memoryless pages (Lagrange)
// The last two are `htraa` under those objectives: rates are those of its estimates, and ages bend
// the time axis: y is the hazard of the page's own age curve instead of λt.
// The price is what makes the pages due fit the budget: it rises while pages are served late and
// falls while they are served early. Every page is due within MomentPolicy::longest_wait.
#pragma once

#include "learn/moment_policy.hpp"

#include <vector>

namespace pollux::learn {

enum class TimedRule { greedy_outdated, greedy_age, freshness, age };

class TimedPolicy final : public MomentPolicy {
 public:
  TimedPolicy(TimedRule rule, const Options& options);

  std::string_view name() const override;
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void feed(PageSlot page, const Observation& seen) override;
  void set_sweep(double seconds) override;
  PageMemory memory(PageSlot page) const override {
    return known_.memory(page, planned_[index(page)] ? pages_[index(page)].interval : 0);
  }
  std::vector<NodeMemory> take_changed_nodes(std::size_t limit) override {
    return known_.nodes(static_cast<std::uint32_t>(rule_), price_, limit);
  }
  void restore_nodes(std::span<const NodeMemory> nodes) override {
    known_.restore(nodes, static_cast<std::uint32_t>(rule_), price_);
  }
  std::size_t memory_bytes() const override;

 private:
  // Seconds after the last poll at which a poll is worth the price.
  double due_after(const AgeForecast& forecast, double rate, double importance) const;
  void plan(PageSlot page);
  // What a poll is worth after `waited` seconds.
  double worth(const AgeForecast& forecast, double waited, double rate, double importance) const;
  double relative(double importance) const;  // to the mean of all pages

  TimedRule rule_;
  std::vector<bool> planned_;  // by what a poll showed; otherwise the interval is a guess
  double importance_sum_ = 0;
  double price_ = 0;  // per poll, in units of the rule
};

}  // namespace pollux::learn
