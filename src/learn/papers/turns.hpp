// For policies that choose the next page themselves: how the scheduler is told whose turn it is.
// Such a policy lives on Timeline::absolute. At each decision one page is given the turn; it is
// due before everybody else until it is fed. Pages that limits keep from taking their turn do
// not hold up the others: those are due by the deadline of their own last poll, and a turn that
// nobody took for long lapses, so that nothing is saved up.
#pragma once

#include "pollux/base/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace pollux::learn {

class Turns {
 public:
  // Seconds from a page's last poll to the next when it has the turn: sooner than anybody's
  // deadline within sixteen years, and within what a Duration holds twelve times.
  static constexpr double at_once = -5e8;

  bool has(std::uint32_t slot) const { return slot < has_.size() && has_[slot] != 0; }

  // One decision: `choose()` names a page (std::optional<std::uint32_t>). Returns the pages whose
  // interval() changed.
  template <typename Choose>
  std::vector<PageSlot> next(const Choose& choose) {
    std::vector<PageSlot> moved;
    ++decision_;
    while (!given_.empty() &&
           (!has(given_.front().second) || decision_ - given_.front().first > lapses_after)) {
      if (has(given_.front().second)) moved.push_back(PageSlot{given_.front().second});
      take_back(given_.front().second);
      given_.pop_front();
    }
    if (std::exchange(wait_, false)) return moved;
    if (given_.size() >= most) return moved;
    const auto slot = choose();
    if (!slot || has(*slot)) return moved;
    if (*slot >= has_.size()) has_.resize(*slot + std::size_t{1}, 0);
    has_[*slot] = 1;
    given_.emplace_back(decision_, *slot);
    waited_ = false;
    moved.push_back(PageSlot{*slot});
    return moved;
  }

  // The page was polled. False: somebody else had the turn, and still has it.
  bool end(std::uint32_t slot) {
    if (!has(slot)) {
      // Explored, say. The newest turn is waited for, but once: its page may be held back.
      wait_ = !waited_ && !given_.empty() && has(given_.back().second);
      waited_ = waited_ || wait_;
      return false;
    }
    take_back(slot);
    return true;
  }
  void forget(std::uint32_t slot) { take_back(slot); }

  std::size_t memory_bytes() const { return has_.capacity() + given_.size() * sizeof(given_[0]); }

 private:
  static constexpr std::size_t most = 256;             // turns given and not taken
  static constexpr std::uint64_t lapses_after = 1024;  // decisions

  void take_back(std::uint32_t slot) {
    if (slot < has_.size()) has_[slot] = 0;
  }

  std::vector<std::uint8_t> has_;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> given_;  // (decision, page), oldest first
  std::uint64_t decision_ = 0;
  bool wait_ = false;    // the next decision gives no turn
  bool waited_ = false;  // since the newest turn was given
};

}  // namespace pollux::learn
