// The ceiling: never more than rate + 1 starts in any second, however late the caller wakes up.
//
// Two rules together: an even spacing that may catch up a little after a late wake-up (so that 99 %
// of the budget can be used with an ordinary timer), and a record of the last second's starts that
// no catching up may exceed. Pure; one owner.
#pragma once

#include "pollux/base/time.hpp"

#include <cstddef>
#include <vector>

namespace pollux::schedule {

class Budget {
 public:
  explicit Budget(double per_second);  // > 0; infinity: no limit
  // The ceiling holds over the change of rate too.
  void set_rate(double per_second, Instant now);
  double rate() const { return rate_; }
  // The earliest moment at which a start is allowed (may be in the past: now).
  Instant next_allowed() const;
  void take(Instant now);  // records a start; call only when next_allowed() <= now

 private:
  Duration spacing() const;

  double rate_;
  Instant due_{Instant::min()};       // when the next start would be, if all were even
  std::vector<Instant> last_second_;  // a ring of as many starts as one second may hold
  std::size_t oldest_ = 0;
};

}  // namespace pollux::schedule
