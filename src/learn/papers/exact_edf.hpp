// Document 000's scheduler to the letter: after every feedback all shares are issued anew, and the
// page with the earliest deadline (its last poll + 1/share) is next. Wraps any policy that deals in
// shares. It asks for every share at every poll, O(n), so only the lab offers it (`--edf exact`);
// it is what the choices in O(log n) are measured against.
#pragma once

#include "learn/papers/turns.hpp"
#include "pollux/learn/policy.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace pollux::learn {

class ExactEdf final : public Policy {
 public:
  explicit ExactEdf(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  std::string_view name() const override { return policy_->name(); }
  Timeline timeline() const override { return Timeline::absolute; }
  void add(PageSlot page, double importance, const std::optional<PageMemory>& memory) override;
  void remove(PageSlot page) override;
  void set_importance(PageSlot page, double importance) override {
    policy_->set_importance(page, importance);
  }
  void feed(PageSlot page, const Observation& seen) override;
  double share(PageSlot page) const override { return policy_->share(page); }
  double interval(PageSlot page) const override;
  std::optional<double> change_rate(PageSlot page) const override {
    return policy_->change_rate(page);
  }
  std::vector<PageSlot> take_moved() override;
  double curiosity() const override { return policy_->curiosity(); }
  void set_sweep(double seconds) override;
  PageMemory memory(PageSlot page) const override { return policy_->memory(page); }
  std::vector<NodeMemory> take_changed_nodes(std::size_t limit) override {
    return policy_->take_changed_nodes(limit);
  }
  void restore_nodes(std::span<const NodeMemory> nodes) override { policy_->restore_nodes(nodes); }
  std::size_t memory_bytes() const override;

 private:
  std::optional<std::uint32_t> earliest() const;

  std::unique_ptr<Policy> policy_;
  Turns turns_;
  std::vector<double> polled_;  // in polls of the whole list; negative: an empty slot
  double polls_ = 0;
  std::size_t count_ = 0;
  double sweep_ = 1;
};

}  // namespace pollux::learn
