// What the next poll of a list is worth to whoever divides a budget among lists: by how many more
// changes, times importance, would be found if all pages were polled a little more often. Σ over
// the pages of share·importance·g(rate/polls), g as in importance.hpp.
//
// Kept as a histogram of rate ÷ share, so that one walk over the pages tells it for any budget: a
// walk over millions takes minutes, and meanwhile the budget moves. Pure; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
  // `truth`: how often changes are found, against what the rates foretell.
  double worth(double polls_per_second, double truth = 1) const;
  // Changes that a poll finds, by these rates.
  double finds(double polls_per_second) const;

 private:
  static constexpr int bins_per_octave = 4, smallest_exponent = -40, octaves = 110;
  struct Bin {
    double weight = 0;  // Σ share·importance
    double ratio = 0;   // Σ weight·(rate ÷ share)
    double share = 0;   // Σ share
  };
  std::array<Bin, static_cast<std::size_t>(bins_per_octave* octaves)> bins_{};
  double unknown_ = 0;  // the weight of pages without a rate
  double shares_ = 0;
};

// What a list's polls have found since it was last asked.
struct Polled {
  std::uint64_t polls = 0, changes = 0;
};

// The same over time, set right by what polls find.
//
// The rates of pages are not enough. A page that was polled forty times for nothing may still
// change at every fifteenth poll, as far as forty polls can tell and estimates that forget can
// remember: so a list of ten thousand such pages looks as lively as one where a few change at once
// now and then. All its polls together know better. And of pages of which a burst was just found
// the rates are high for a moment: a budget that follows moments comes too late for each of them,
// so all is taken over a while. `pollux lab brains` measures it.
class PollValue {
 public:
  // All pages were walked over. `sweeps`: the time since the last walk ÷ that of polling every page
  // once; `polled`: in that time, at that budget.
  void walked(const NextPoll& seen, double sweeps, const Polled& polled, double polls_per_second);
  // By the budget; by the scheduler's virtual time brains found about the same (src/lab/README.md).
  double worth(double polls_per_second) const { return mean_.worth(polls_per_second, truth()); }

 private:
  static constexpr double remembered = 2;  // sweeps, of what polls found
  double truth() const { return (found_ + 1) / (foretold_ + 1); }

  NextPoll mean_;
  double walks_ = 0;
  double found_ = 0, foretold_ = 0;  // changes
};

}  // namespace pollux::learn
