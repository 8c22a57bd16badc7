#include "learn/papers/exact_edf.hpp"

#include <algorithm>

namespace pollux::learn {

void ExactEdf::add(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
  policy_->add(page, importance, memory);
  if (index(page) >= polled_.size()) polled_.resize(index(page) + std::size_t{1}, -1);
  polled_[index(page)] = polls_;
  ++count_;
}

void ExactEdf::remove(PageSlot page) {
  policy_->remove(page);
  turns_.forget(index(page));
  polled_[index(page)] = -1;
  --count_;
}

void ExactEdf::feed(PageSlot page, const Observation& seen) {
  policy_->feed(page, seen);
  turns_.end(index(page));
  polled_[index(page)] = ++polls_;
}

void ExactEdf::set_sweep(double seconds) {
  sweep_ = seconds;
  policy_->set_sweep(seconds);
}

double ExactEdf::interval(PageSlot page) const {
  if (turns_.has(index(page))) return Turns::at_once;
  constexpr double longest = 1e8;  // seconds
  return std::min(sweep_ / (share(page) * static_cast<double>(count_)), longest);
}

std::optional<std::uint32_t> ExactEdf::earliest() const {
  std::optional<std::uint32_t> first;
  double due = 0;
  for (std::uint32_t slot = 0; slot < polled_.size(); ++slot) {
    if (polled_[slot] < 0 || turns_.has(slot)) continue;
    const double deadline = polled_[slot] + 1 / policy_->share(PageSlot{slot});
    if (first && deadline >= due) continue;
    first = slot;
    due = deadline;
  }
  return first;
}

std::vector<PageSlot> ExactEdf::take_moved() {
  return turns_.next([this] { return earliest(); });
}

std::size_t ExactEdf::memory_bytes() const {
  return sizeof(*this) + policy_->memory_bytes() + turns_.memory_bytes() +
         polled_.capacity() * sizeof(double);
}

}  // namespace pollux::learn
