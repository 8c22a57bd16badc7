// Every page the same part of the budget: what everything else is measured against.
#pragma once

#include "pollux/learn/policy.hpp"

#include <algorithm>

namespace pollux::learn {

class Uniform final : public Policy {
 public:
  std::string_view name() const override { return "uniform"; }
  void add(PageSlot, double, const std::optional<PageMemory>&) override { ++count_; }
  void remove(PageSlot) override { --count_; }
  void set_importance(PageSlot, double) override {}
  void feed(PageSlot, const Observation&) override {}
  double share(PageSlot) const override {
    return 1 / static_cast<double>(std::max<std::size_t>(count_, 1));
  }
  void set_sweep(double) override {}
  PageMemory memory(PageSlot) const override { return {}; }
  std::size_t memory_bytes() const override { return sizeof(*this); }

 private:
  std::size_t count_ = 0;
};

}  // namespace pollux::learn
