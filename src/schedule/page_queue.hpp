// The pages of one host that have the same limits, in the order of their last poll. The front was
// polled longest ago: it is the one for `max_interval` and for exploring. Pages at rest
// (min_interval not over) are behind `resting`; they wake in the same order. A page in flight or
// backing off is not in the list. Links live in the pages, so every step is O(1).
#pragma once

#include "pollux/base/huge_pages.hpp"
#include "pollux/base/time.hpp"

#include <cstdint>

namespace pollux::schedule {

inline constexpr std::uint32_t none = 0xffffffffu;

enum class PageStatus : std::uint32_t { absent, queued, resting, backing_off, in_flight };

struct PageState {
  double tag = 0;  // on the host's virtual time line
  Instant last_start{};
  std::uint32_t host = 0;
  std::uint32_t previous = none, next = none;
  std::uint32_t group : 29 = 0;
  PageStatus status : 3 = PageStatus::absent;

  void set_group(std::uint32_t g) { group = g & 0x1fffffffu; }
};
static_assert(sizeof(PageState) <= 32, "every page of a list of millions pays for this");

using PageStates = HugeVector<PageState>;

class PageQueue {
 public:
  std::uint32_t front() const { return front_; }
  std::uint32_t first_resting() const { return resting_; }
  bool empty() const { return front_ == none; }

  void push_back(PageStates& pages, std::uint32_t page) {
    PageState& state = pages[page];
    state.previous = back_;
    state.next = none;
    if (back_ != none) pages[back_].next = page;
    back_ = page;
    if (front_ == none) front_ = page;
    if (resting_ == none && state.status == PageStatus::resting) resting_ = page;
  }
  void erase(PageStates& pages, std::uint32_t page) {
    PageState& state = pages[page];
    if (resting_ == page) advance_resting(pages);
    (state.previous == none ? front_ : pages[state.previous].next) = state.next;
    (state.next == none ? back_ : pages[state.next].previous) = state.previous;
  }
  // Where it was before erase(), if nothing has changed around that since.
  bool put_back(PageStates& pages, std::uint32_t page) {
    const PageState& state = pages[page];
    const auto in_list = [&](std::uint32_t p) {
      return p == none || pages[p].status == PageStatus::queued ||
             pages[p].status == PageStatus::resting;
    };
    if (!in_list(state.previous) || !in_list(state.next)) return false;
    std::uint32_t& before = state.previous == none ? front_ : pages[state.previous].next;
    std::uint32_t& after = state.next == none ? back_ : pages[state.next].previous;
    if (before != state.next || after != state.previous) return false;
    before = after = page;
    return true;
  }
  // Moves on to the next page at rest.
  void advance_resting(const PageStates& pages) {
    do {
      resting_ = pages[resting_].next;
    } while (resting_ != none && pages[resting_].status != PageStatus::resting);
  }

 private:
  std::uint32_t front_ = none, back_ = none, resting_ = none;
};

}  // namespace pollux::schedule
