#include "learn/papers/knapsack_game.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pollux::learn {

double KnapsackGame::frequency(int state) const {
  const double part = static_cast<double>(state) / rules_.states;
  return rules_.power == 1 ? part : std::pow(part, rules_.power);
}

// The state whose frequency is nearest to an even division of the capacity; in CGLA the lowest,
// from which the automata fill the knapsack (shares are relative, so that is even, too).
int KnapsackGame::equal_state() const {
  if (rules_.time_slots) return 1;
  const double even = capacity() / static_cast<double>(std::max<std::size_t>(count_, 1));
  const double state = rules_.states * std::pow(std::min(even, 1.0), 1 / rules_.power);
  return std::clamp(static_cast<int>(std::lround(state)), 1, rules_.states);
}

void KnapsackGame::ask(std::uint32_t slot) {
  const int state = pages_[slot].state;
  asked_.set(slot, frequency(state > 0 ? state : equal_state()));
}

void KnapsackGame::add(PageSlot page, double importance, const std::optional<PageMemory>& memory) {
  const std::uint32_t slot = index(page);
  if (slot >= pages_.size()) pages_.resize(slot + std::size_t{1});
  const std::size_t before = count_++;
  if (memory) pages_[slot].state = static_cast<int>(memory->position);
  set_importance(page, importance);
  // What an even division means changes with the length of the list; told again at every doubling.
  if (std::has_single_bit(count_) && before > 0) set_sweep(0);
  ask(slot);
}

void KnapsackGame::remove(PageSlot page) {
  pages_[index(page)] = Page{};
  asked_.set(index(page), 0);
  --count_;
}

void KnapsackGame::set_importance(PageSlot page, double importance) {
  pages_[index(page)].importance = static_cast<float>(importance);
  largest_importance_ = std::max(largest_importance_, static_cast<float>(importance));
}

void KnapsackGame::set_sweep(double) {
  for (std::uint32_t slot = 0; slot < pages_.size(); ++slot) {
    if (pages_[slot].importance > 0) ask(slot);
  }
}

void KnapsackGame::feed(PageSlot page, const Observation& seen) {
  Page& fed = pages_[index(page)];
  const int state = fed.state > 0 ? fed.state : equal_state();
  const bool room = asked_.total() <= capacity();
  if (seen.changed && room &&
      rng_.chance(static_cast<double>(fed.importance / largest_importance_))) {
    fed.state = std::min(state + 1, rules_.states);
  } else if (!seen.changed && !room) {
    fed.state = std::max(state - 1, 1);
  } else {
    return;
  }
  ask(index(page));
}

PageMemory KnapsackGame::memory(PageSlot page) const {
  return {.position = static_cast<double>(pages_[index(page)].state)};
}

std::size_t KnapsackGame::memory_bytes() const {
  return sizeof(*this) + pages_.capacity() * sizeof(Page) + asked_.memory_bytes();
}

}  // namespace pollux::learn
