// What the next poll of a list is worth to whoever divides a budget among lists: by how many more
// changes, times importance, would be found if all pages were polled a little more often. Σ over
// the pages of share·importance·g(rate/polls), g as in importance.hpp.
//
// Kept as a histogram of rate ÷ share, so that one walk over the pages tells it for any budget: a
// walk over millions takes minutes, and meanwhile the budget moves. Pure; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace pollux::learn {

class NextPoll {
 public:
  // `rate` in changes per second; where none is known the page counts as one that changes once for
  // each of its polls: otherwise who has many new pages would get nothing to learn them with.
  void add(double share, std::optional<double> rate, double importance);
  // Becomes the mean of what it was and `newer`, of which that much.
  void blend(const NextPoll& newer, double part);
  // 0 when nothing was added, or nothing is polled.
  double worth(double polls_per_second) const;

 private:
  static constexpr int bins_per_octave = 4, smallest_exponent = -40, octaves = 110;
  struct Bin {
    double weight = 0;  // Σ share·importance
    double ratio = 0;   // Σ weight·(rate ÷ share)
  };
  std::array<Bin, static_cast<std::size_t>(bins_per_octave* octaves)> bins_{};
  double unknown_ = 0;  // the weight of pages without a rate
  double shares_ = 0;
};

// The same over time, without what is chance: pages of which a burst was just found look lively,
// and while looks go after it the others wait. A budget that follows such moments comes too late
// for each of them: brains that shared it by them found .91 of what one brain finds on a list whose
// sites change at once, and .98 by the means of a sweep (`pollux lab brains`).
class PollValue {
 public:
  // All pages were walked over. `sweeps`: the time since the last walk ÷ that of polling every page
  // once.
  void walked(const NextPoll& seen, double sweeps);
  // By the budget; by the scheduler's virtual time brains found about the same (src/lab/README.md).
  double worth(double budget) const { return mean_.worth(budget); }

 private:
  NextPoll mean_;
  double walks_ = 0;
};

}  // namespace pollux::learn
