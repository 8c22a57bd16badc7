// The default policy: a hierarchy of two-way automata informed by rate estimates.
//
// Every page has a prior weight from what its polls showed (two estimators, one that forgets slowly
// and one that forgets quickly, joined by their geometric mean), scaled by importance. A node
// splits its capacity in the ratio of its sides' weights, corrected by a factor its automaton
// learns from rewards. Without learning it is a rate estimator; with equal weights it is H-TRAA.
#pragma once

#include "learn/automata_tree.hpp"
#include "pollux/learn/importance.hpp"
#include "learn/rate_estimator.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

class Htraa final : public Policy {
 public:
  explicit Htraa(std::uint64_t seed);

  std::string_view name() const override { return "htraa"; }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override;
  std::optional<double> change_rate(PageSlot page) const override;
  void set_sweep(double seconds) override;
  PageMemory memory(PageSlot page) const override;
  std::vector<NodeMemory> take_changed_nodes(std::size_t limit) override;
  void restore_nodes(std::span<const NodeMemory> nodes) override;
  std::size_t memory_bytes() const override;

 private:
  struct Page {
    RateSums slow, fast;
    float importance = 0;  // 0: an empty slot
    float streak = 0;      // consecutive hits
  };

  double rate(const Page& page) const;
  float weight(const Page& page) const;
  // The chance that a hit is rewarded: its expectation is the marginal value of a poll.
  double reward_chance(const Page& page) const;
  void note_importance(double importance);
  void reweigh_all();
  void reweigh_next();

  std::vector<Page> pages_;
  AutomataTree tree_;
  Rng rng_;
  std::size_t count_ = 0;
  double sweep_ = 1;  // seconds

  // Importance differs between pages: the multiplier matters and is tracked page by page.
  bool mixed_ = false;
  float common_importance_ = 0;
  double multiplier_ = 0;
  double largest_importance_ = 1;
  ImportanceHistogram gathering_;
  std::size_t cursor_ = 0;
};

}  // namespace pollux::learn
