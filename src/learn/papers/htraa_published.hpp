// H-TRAA as published (Granmo and Oommen): every node holds an automaton of N states; state s keeps
// s/(N+1) of the node's capacity for its left side. Feedback on a page goes to every node on its
// path; a node moves one state with the chance 1 − (part of the side the page is on), which offsets
// that pages with a large part are polled more often.
//
// A node that has heard nothing splits by the number of pages on each side, so that a list whose
// length is no power of two starts even. Importance scales the chance of a reward.
#pragma once

#include "learn/automata_tree.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

enum class Feedback { reward_penalty, reward_inaction, inaction_penalty };

class HtraaPublished final : public Policy {
 public:
  HtraaPublished(Feedback feedback, std::uint64_t seed, int states = 500);

  std::string_view name() const override;
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override;
  void set_sweep(double) override {}
  PageMemory memory(PageSlot) const override { return {}; }
  std::vector<NodeMemory> take_changed_nodes(std::size_t limit) override;
  void restore_nodes(std::span<const NodeMemory> nodes) override;
  std::size_t memory_bytes() const override;

 private:
  float left_part(float state, float left, float right) const;

  Feedback feedback_;
  float states_;
  AutomataTree tree_;
  std::vector<float> importance_;  // 0: an empty slot
  float largest_importance_ = 0;
  Rng rng_;
};

}  // namespace pollux::learn
