#include "learn/peers/interval_rules.hpp"

#include <algorithm>

namespace pollux::learn {

std::string_view IntervalPolicy::name() const {
  return rule_ == IntervalRule::nutch ? "nutch" : "stormcrawler";
}

void IntervalPolicy::set_interval(std::uint32_t slot, double sweeps) {
  intervals_[slot] = sweeps;
  frequencies_.set(slot, 1 / sweeps);
}

void IntervalPolicy::add(PageSlot page, double, const std::optional<PageMemory>& memory) {
  if (index(page) >= intervals_.size()) intervals_.resize(index(page) + std::size_t{1}, 0);
  ++count_;
  set_interval(index(page), memory && memory->position > 0 ? memory->position : 1);
}

void IntervalPolicy::remove(PageSlot page) {
  intervals_[index(page)] = 0;
  frequencies_.set(index(page), 0);
  --count_;
}

void IntervalPolicy::feed(PageSlot page, const Observation& seen) {
  const double now = intervals_[index(page)];
  double next = 0;
  if (rule_ == IntervalRule::nutch) {
    const double shortest = 1 / static_cast<double>(count_);
    next = std::clamp(now * (seen.changed ? 0.8 : 1.4), shortest, 200.0);
  } else {
    next = seen.changed ? 0.5 * now + 0.5 * 0.02 : std::min(1.5 * now, 50.0);
  }
  set_interval(index(page), next);
}

PageMemory IntervalPolicy::memory(PageSlot page) const {
  return {.position = intervals_[index(page)]};
}

std::size_t IntervalPolicy::memory_bytes() const {
  return sizeof(*this) + intervals_.capacity() * sizeof(double) + frequencies_.memory_bytes();
}

}  // namespace pollux::learn
