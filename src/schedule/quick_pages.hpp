// The pages with the largest shares, which feel every delay: a page due every third poll that waits
// for five others which happen to be due together has lost two polls' worth, while those others,
// due every thousand, would not notice. So who is late is judged against the page's own period.
// Doing that for all pages would need an order that changes with time; it matters only for the few
// whose period is short, and at most `longest_period` of them fit into one budget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pollux::schedule {

class QuickPages {
 public:
  static constexpr double longest_period = 64;  // in polls
  // What lateness of the other pages is measured against: they are slower than that.
  static constexpr double period_of_others = 4 * longest_period;

  struct Entry {
    std::uint32_t page;
    float period;
    std::uint32_t polls;  // that had been made, of all pages, when it was polled
  };

  // The page was polled and is due again after so many polls.
  void note(std::uint32_t page, double period, std::uint32_t polls) {
    const auto found = find(page);
    if (period >= longest_period) {
      if (found != entries_.end()) erase(found);
    } else if (found != entries_.end()) {
      found->period = static_cast<float>(period);
      found->polls = polls;
    } else {
      entries_.push_back({page, static_cast<float>(period), polls});
    }
  }
  void forget(std::uint32_t page) {
    if (const auto found = find(page); found != entries_.end()) erase(found);
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  using Entries = std::vector<Entry>;
  Entries::iterator find(std::uint32_t page) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.page == page; });
  }
  void erase(Entries::iterator at) {
    *at = entries_.back();
    entries_.pop_back();
  }

  Entries entries_;
};

}  // namespace pollux::schedule
