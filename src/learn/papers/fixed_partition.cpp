#include "learn/papers/fixed_partition.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::learn {

namespace {
constexpr double pages_per_poll_of_slot = 10;

// M + f(R − M) = C: what goes round the waiting class is f(R − M), at most all there is.
double part_of_capacity(const FixedPartition::Rules& rules) {
  if (rules.of == WaitingPartOf::capacity) return rules.waiting_part;
  const double f = rules.waiting_part;
  const double polled = (1 / pages_per_poll_of_slot - f) / (1 - f);  // M/R
  return std::min(1 - polled * pages_per_poll_of_slot, 1.0);
}
}  // namespace

FixedPartition::FixedPartition(const Rules& rules, std::uint64_t seed)
    : states_(rules.states), waiting_part_(part_of_capacity(rules)), rng_(seed) {}

std::size_t FixedPartition::wanted_polled() const {
  const double slot = static_cast<double>(count_) / pages_per_poll_of_slot;
  return static_cast<std::size_t>(std::lround((1 - waiting_part_) * slot));
}

void FixedPartition::put(std::uint32_t slot, int position) {
  Page& page = pages_[slot];
  page.position = static_cast<std::int16_t>(position);
  page.at = static_cast<std::uint32_t>(members(position).size());
  members(position).push_back(slot);
  if (position > 0) ++polled_;
}

void FixedPartition::take_out(std::uint32_t slot) {
  const Page& page = pages_[slot];
  auto& list = members(page.position);
  list[page.at] = list.back();
  pages_[list[page.at]].at = page.at;
  list.pop_back();
  if (page.position > 0) --polled_;
}

// The class has a fixed part of the list; when the list grows or shrinks somebody crosses alone.
void FixedPartition::fill_polled_class() {
  const auto nearest = [&](int side) -> std::optional<std::uint32_t> {
    for (int state = 1; state <= states_; ++state) {
      if (!members(side * state).empty()) return members(side * state).back();
    }
    return std::nullopt;
  };
  while (polled_ != wanted_polled()) {
    const int from = polled_ < wanted_polled() ? -1 : 1;
    const auto slot = nearest(from);
    if (!slot) return;
    take_out(*slot);
    put(*slot, -from);
  }
}

void FixedPartition::add(PageSlot page, double importance,
                         const std::optional<PageMemory>& memory) {
  if (index(page) >= pages_.size()) pages_.resize(index(page) + std::size_t{1});
  pages_[index(page)] = Page{};
  set_importance(page, importance);
  ++count_;
  const int remembered = memory ? static_cast<int>(memory->position) : 0;
  if (remembered != 0 && std::abs(remembered) <= states_) {
    put(index(page), remembered);  // the classes had their sizes when this was remembered
    return;
  }
  put(index(page), -1);
  fill_polled_class();
}

void FixedPartition::remove(PageSlot page) {
  take_out(index(page));
  pages_[index(page)] = Page{};
  --count_;
  fill_polled_class();
}

void FixedPartition::set_importance(PageSlot page, double importance) {
  pages_[index(page)].importance = static_cast<float>(importance);
  largest_importance_ = std::max(largest_importance_, static_cast<float>(importance));
}

std::optional<std::uint32_t> FixedPartition::leaver() {
  constexpr int tries = 8;
  for (int state = 1; state <= states_; ++state) {
    const auto& list = members(state);
    if (list.empty()) continue;
    for (int i = 0; i < tries; ++i) {
      const std::uint32_t slot = list[rng_.below(list.size())];
      if (!pages_[slot].hit) return slot;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

void FixedPartition::feed(PageSlot page, const Observation& seen) {
  const std::uint32_t slot = index(page);
  Page& fed = pages_[slot];
  fed.hit = seen.changed;
  if (seen.changed && !rng_.chance(static_cast<double>(fed.importance / largest_importance_))) {
    return;
  }
  const int position = fed.position;
  if (!seen.changed && position == 1) return;  // waits to be exchanged
  if (seen.changed && position == -1) {
    const auto other = leaver();
    if (!other) return;
    take_out(slot);
    take_out(*other);
    put(slot, 1);
    put(*other, -1);
    return;
  }
  const int next = std::clamp(position + (seen.changed ? 1 : -1), -states_, states_);
  if (next == position) return;
  take_out(slot);
  put(slot, next);
}

double FixedPartition::share(PageSlot page) const {
  const std::size_t waiting = count_ - polled_;
  const bool one_class = polled_ == 0 || waiting == 0;
  if (one_class) return 1 / static_cast<double>(std::max<std::size_t>(count_, 1));
  return pages_[index(page)].position > 0 ? (1 - waiting_part_) / static_cast<double>(polled_)
                                          : waiting_part_ / static_cast<double>(waiting);
}

PageMemory FixedPartition::memory(PageSlot page) const {
  return {.position = static_cast<double>(pages_[index(page)].position)};
}

std::size_t FixedPartition::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + pages_.capacity() * sizeof(Page);
  for (const auto& list : members_) bytes += list.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace pollux::learn
