// H-TRAA as published (document 000, Granmo and Oommen): feedback on a page goes to every node on
// its path (twofold_tree.hpp); a node moves one state with the chance 1 − (part of the side the
// page is on), which offsets that pages with a large part are polled more often.
//
// The document hands the shares to EDF after every feedback. Here the choice is made inside the
// tree, with the parts of the moment; Edf::own_poll leaves it to the scheduler's queue, in which a
// deadline is renewed at a page's own poll only.
//
// Exploring and limits, which the document does not know, poll pages out of turn: a hit is a hit,
// but a miss is no penalty. Importance, which the document does not know either, is the chance that
// a hit counts; one that does not count is no penalty.
#pragma once

#include "learn/papers/turns.hpp"
#include "learn/papers/twofold_tree.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/learn/policy.hpp"

#include <vector>

namespace pollux::learn {

enum class Feedback { reward_penalty, reward_inaction, inaction_penalty };

class HtraaPublished final : public Policy {
 public:
  struct Rules {
    Feedback feedback = Feedback::reward_penalty;
    int states = 500;
    Doubling doubling = Doubling::no;
    bool choose_in_tree = true;
  };
  HtraaPublished(const Rules& rules, std::uint64_t seed);

  std::string_view name() const override;
  Timeline timeline() const override {
    return rules_.choose_in_tree ? Timeline::absolute : Timeline::shared;
  }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override;
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override;
  double interval(PageSlot page) const override;
  std::vector<PageSlot> take_moved() override;
  void set_sweep(double seconds) override { sweep_ = seconds; }
  PageMemory memory(PageSlot) const override { return {}; }
  std::vector<NodeMemory> take_changed_nodes(std::size_t limit) override;
  void restore_nodes(std::span<const NodeMemory> nodes) override;
  std::size_t memory_bytes() const override;

 private:
  Rules rules_;
  TwofoldTree tree_;
  Turns turns_;
  std::vector<float> importance_;  // 0: an empty slot
  float largest_importance_ = 0;
  double sweep_ = 1;
  Rng rng_;
};

}  // namespace pollux::learn
