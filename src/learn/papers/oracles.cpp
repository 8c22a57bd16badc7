#include "learn/papers/oracles.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {

std::string_view OraclePolicy::name() const {
  switch (knowledge_) {
    case Knowledge::proportional:
      return "proportional";
    case Knowledge::weighted_proportional:
      return "weighted-proportional";
    case Knowledge::optimal:
      break;
  }
  return "optimal";
}

void OraclePolicy::add(PageSlot page, double importance, const std::optional<PageMemory>&) {
  if (index(page) >= truths_.size()) truths_.resize(index(page) + std::size_t{1});
  ++count_;
  truths_[index(page)] = {.rate = 1 / sweep_, .importance = importance};
  stale_ = true;
}

void OraclePolicy::remove(PageSlot page) {
  truths_[index(page)] = {};
  --count_;
  stale_ = true;
}

void OraclePolicy::set_importance(PageSlot page, double importance) {
  truths_[index(page)].importance = importance;
  stale_ = true;
}

void OraclePolicy::set_true_rate(PageSlot page, double per_second) {
  truths_[index(page)].rate = per_second;
  stale_ = true;
}

void OraclePolicy::set_sweep(double seconds) {
  sweep_ = seconds;
  stale_ = true;
}

void OraclePolicy::solve() const {
  stale_ = false;
  const double polls_per_second = static_cast<double>(count_) / sweep_;
  double multiplier = 0;
  if (knowledge_ == Knowledge::optimal) {
    ImportanceHistogram list;
    for (const Truth& truth : truths_) {
      if (truth.importance > 0) list.add(truth.importance, truth.rate);
    }
    multiplier = list.solve(polls_per_second);
  }
  for (std::uint32_t slot = 0; slot < truths_.size(); ++slot) {
    const Truth& truth = truths_[slot];
    double value = 0;
    if (truth.importance > 0 && knowledge_ == Knowledge::optimal) {
      value = truth.rate / inverse_marginal_value(multiplier / truth.importance);
    } else if (truth.importance > 0) {
      value = -std::expm1(-truth.rate / polls_per_second);
      if (knowledge_ == Knowledge::weighted_proportional) value *= truth.importance;
    }
    shares_.set(slot, value);
  }
}

double OraclePolicy::share(PageSlot page) const {
  if (stale_) solve();
  return shares_.share(index(page));
}

std::optional<double> OraclePolicy::change_rate(PageSlot page) const {
  return truths_[index(page)].rate;
}

std::size_t OraclePolicy::memory_bytes() const {
  return sizeof(*this) + truths_.capacity() * sizeof(Truth) + shares_.memory_bytes();
}

}  // namespace pollux::learn
