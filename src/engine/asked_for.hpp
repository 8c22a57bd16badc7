// Pages that somebody wants polled now: each goes when its host lets it. Bounded: what was asked
// for first is forgotten first. Threading: the engine's thread.
#pragma once

#include "engine/page_table.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <algorithm>
#include <deque>
#include <optional>

namespace pollux::engine {

class AskedFor {
 public:
  void add(PageSlot page) {
    if (pages_.size() >= most) pages_.pop_front();
    pages_.push_back(page);
  }
  // What was chosen cannot go now. It is as if it had not been, and what was asked for still is.
  void put_off(const schedule::Choice& choice, schedule::Scheduler& scheduler, Instant now) {
    scheduler.decline(choice, now);
    if (choice.reason == schedule::Reason::asked_for) add(choice.page);
  }
  std::optional<schedule::Choice> next(const PageTable& pages, schedule::Scheduler& scheduler,
                                       Instant now) {
    for (std::size_t left = std::min(pages_.size(), tries); left > 0; --left) {
      const PageSlot page = pages_.front();
      pages_.pop_front();
      if (!pages[page].used() || pages[page].in_flight) continue;  // gone, or under way already
      if (auto choice = scheduler.take(page, now)) return choice;
      pages_.push_back(page);  // its host must wait
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most = 100'000;
  static constexpr std::size_t tries = 64;  // per call
  std::deque<PageSlot> pages_;
};

}  // namespace pollux::engine
