// `pollux lab advise`: what another budget would bring, from the rates that were learnt.
//
// Pages are taken as memoryless. A page of rate λ polled x times a second at even intervals shows a
// change at x(1 − e^(−λ/x)) polls a second and is out of date for 1 − x(1 − e^(−λ/x))/λ of the
// time; that part over the changes found is the mean delay of a found change. The budget is divided
// as the default policy does (importance.hpp), within min_interval and max_interval; max_intervals
// that it cannot pay for are stretched by one factor, as the scheduler does, and a part `explore`
// goes round all pages. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pollux::lab {

// Seconds and per second throughout.
struct AdvicePage {
  double rate = 0;  // learnt; > 0
  double importance = 1;
  double min_interval = 0, max_interval = 0;  // 0: none
};

struct AdviceList {
  std::vector<AdvicePage> pages;
  double budget = 1;  // polls
  double explore = 0;
};

struct Outlook {
  double budget = 0;
  double polls = 0;       // fewer than the budget when every page is polled at its min_interval
  double found = 0;       // changes
  double share = 0;       // of all changes
  double mean_delay = 0;  // of a found change
  double price = 0;       // what one more poll would find, times importance
  std::vector<double> frequencies;
};
Outlook outlook(const AdviceList& list, double budget);

// Pages whose polls would find at least as much elsewhere, times importance: limits and exploring
// have them polled more than they are worth. By what that frees, most first.
struct Droppable {
  std::vector<std::uint32_t> pages;
  double polls = 0;  // that they take
  double found = 0;  // changes of theirs that would be found no more
  double gain = 0;   // changes found more on the other pages
};
Droppable droppable(const AdviceList& list, const Outlook& now);

// What a max_interval costs: pages for which it asks more polls than they are worth.
struct IntervalCost {
  double max_interval = 0;
  std::size_t pages = 0;
  double extra_polls = 0;
  double lost = 0;  // changes that would be found more without it
};
// The costliest first, at most `limit`.
std::vector<IntervalCost> interval_costs(const AdviceList& list, const Outlook& now,
                                         std::size_t limit);

}  // namespace pollux::lab
