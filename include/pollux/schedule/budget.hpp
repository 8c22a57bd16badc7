// The ceiling: never more than rate + 1 starts in any second, however late the caller wakes up.
//
// Two rules together: an even spacing that may catch up a little after a late wake-up (so that 99 %
// of the budget can be used with an ordinary timer), and a record of the last second's starts that
// no catching up may exceed. Pure; one owner.
#pragma once

#include "pollux/base/time.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace pollux::schedule {

class Budget {
 public:
  // per_second > 0; infinity: no limit. The first start is one spacing away, so that a process that
  // is restarted quickly does not add to what its predecessor just spent.
  Budget(double per_second, Instant now);
  // The ceiling of the new rate holds at once, counting the starts already made.
  void set_rate(double per_second, Instant now);
  double rate() const { return rate_; }
  bool unlimited() const { return std::isinf(rate_); }
  // The earliest moment at which a start is allowed; in the past: now.
  Instant next_allowed() const;
  // The same for one that comes after `promised` others which have not been taken yet.
  Instant next_allowed(Instant now, std::size_t promised) const;
  // Until when the start that comes after `promised` others can wait on purpose and cost none of
  // those after it. In the past where that is not much more than an ordinary timer's lateness.
  Instant can_wait_until(std::size_t promised) const;
  // Records a start; call only when next_allowed() <= now. One that costs more is paid for
  // afterwards: the next start waits for it.
  void take(Instant now, int price = 1);

  // A budget that is only lent ends: from then on nothing may start, whatever next_allowed() says,
  // until it is given another end.
  void end_at(Instant end) { ends_ = end; }
  Instant ends() const { return ends_; }
  bool over(Instant now) const { return now >= ends_; }

 private:
  Instant allowed_at(double due_us, std::size_t earlier) const;

  double rate_;
  Instant ends_ = Instant::max();
  double spacing_us_ = 0;   // between two starts, if all were even
  double catch_up_us_ = 0;  // how far the even line may lag behind
  double due_us_ = 0;  // when the next start is due on the even line; fractions count at high rates
  std::vector<Instant> last_second_;  // a ring of as many starts as one second may hold
  std::size_t oldest_ = 0;
};

}  // namespace pollux::schedule
