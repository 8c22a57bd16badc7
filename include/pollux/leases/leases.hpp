// One ceiling of requests per second, divided among holders that may be lost, slow or frozen: all
// leases that may still be obeyed anywhere never add up to more than the ceiling.
//
// A holder asks at least once a second; each answer is a grant. Messages may be lost, late or
// repeated, and nobody trusts another's clock: a grant lasts a duration, which its holder counts
// from before it sent the ask and the granter from after, so that the holder stops first. What is
// taken from one holder is given to another only when the first has said that it obeys the smaller
// grant, or when the larger one has ended.
//
// A granter has an epoch, and a holder that knows of it refuses grants of lower ones. A new granter
// does not know what its predecessor granted: for one length of a grant it only renews what holders
// say they have, which together is not above the ceiling. It believes that only from a holder that
// knows its epoch: an older ask may have been long on its way. And it must begin only when its
// predecessor has stopped granting.
//
// A holder may pass its lease on: it is the granter of others, under a ceiling that is its lease.
// Two rules keep the sum: what it passes on ends no later than its own lease does, and it confirms
// a smaller grant only when what it has passed on is down to that (InUse).
//
// Pure; one owner each.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/schedule/budget.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pollux::leases {

struct Ask {
  std::uint64_t id = 0;     // of one holder rising
  std::uint64_t knows = 0;  // the highest epoch that it has heard of: it refuses lower ones
  std::uint64_t epoch = 0;  // of a grant that was taken; 0: none was
  std::uint64_t held = 0;   // the ask that it answered: nothing older is obeyed by anybody
  double rate = 0;          // what is allowed by the newest grant, while that has not ended
  double weight = 1;        // against the other holders
  double most = std::numeric_limits<double>::infinity();  // what the holder could use
  bool leaving = false;  // it sends nothing any more and obeys no grant; nor does, ...
  Duration ends_in{};    // ... so long after this, anybody to whom it passed something on
};

struct Grant {
  std::uint64_t epoch = 0;
  std::uint64_t ask = 0;  // that it answers
  double rate = 0;        // requests per second; 0: none
  Duration lasts{};       // from before the ask was sent
  bool hello = false;     // no grant, and ends none: the holder did not know of this epoch
};

// By weight, but nobody gets more than he could use; what that leaves goes to the others.
struct Claim {
  double weight = 1;
  double most = std::numeric_limits<double>::infinity();
};
std::vector<double> divide(double ceiling, const std::vector<Claim>& claims);

// What may be granted together: in requests per second, and nothing for longer than that.
struct Ceiling {
  Ceiling(double per_second, Instant end = Instant::max()) : rate(per_second), ends(end) {}
  double rate;
  Instant ends;
};

// What those may still send to whom a holder passes its lease on: so much, for so long at most.
struct InUse {
  double rate = 0;
  Duration lasts{};
};

struct GranterOptions {
  Ceiling ceiling = 1;
  Duration lasts = std::chrono::seconds(20);
  // After a lease's end until its part is given away: requests that caught up, or are on their way.
  Duration guard = std::chrono::milliseconds(100);
  std::size_t most_holders = 1024;
};

class Granter {
 public:
  // `first`: nobody granted before, so there is nothing to wait for.
  enum class First : bool { no, yes };
  Granter(const GranterOptions& options, std::uint64_t epoch, Instant now, First first = First::no);

  // `holder` is a name with the incarnation of the process behind it: one that was restarted is
  // another holder. Nothing where the ask is of another epoch's granter (see superseded()), comes
  // late, or there are too many holders.
  std::optional<Grant> answer(const std::string& holder, const Ask& ask, Instant now);
  // Lower: in force as grants are renewed, after one length of a grant at most. Over: it grants
  // zero.
  void set_ceiling(const Ceiling& ceiling) { options_.ceiling = ceiling; }

  std::uint64_t epoch() const { return epoch_; }
  // An ask named a higher epoch: another one grants, and this one must not any more.
  std::optional<std::uint64_t> superseded() const { return superseded_; }
  // What may be obeyed at this moment, all together.
  double promised(Instant now) const;
  InUse in_use(Instant now) const;
  std::size_t holders() const { return holders_.size(); }

 private:
  struct Promise {
    std::uint64_t ask = 0;
    double rate = 0;
    Instant ends;
  };
  struct Known {
    std::uint64_t last_ask = 0;
    Claim claim;
    // What it may obey: falling rates, later ends.
    std::deque<Promise> promises;
    Instant forgotten_at;
  };
  void forget_old(Instant now);
  double promised(const Known& known, Instant now) const;
  double target(const std::string& holder) const;
  void promise(Known& known, const Grant& grant, Instant now) const;

  GranterOptions options_;
  std::uint64_t epoch_;
  Instant divides_from_;  // before that it only renews
  std::optional<std::uint64_t> superseded_;
  std::map<std::string, Known> holders_;
};

class Holder {
 public:
  // ask_again: at once, because it now knows the granter, or because it gave something up.
  enum class Took : std::uint8_t { no, yes, ask_again };

  explicit Holder(Instant now) : pace_(1, now) {}

  // Send it now: what answers it counts from this moment. `passed_on`: of this lease, by a granter
  // whose ceiling it is.
  Ask ask(const Claim& claim, Instant now, const InUse& passed_on = {});
  // And obeys nothing from now on; nor is anything passed on any more.
  Ask leave(Instant now, const InUse& passed_on = {});
  Took take(const Grant& grant, Instant now);

  double rate(Instant now) const { return now < ends_ ? rate_ : 0; }  // what is allowed now
  Instant ends() const { return ends_; }
  std::uint64_t knows() const { return knows_; }  // the highest epoch it has heard of

  // The pace of this lease: the moment of the next request, `never` without a lease, and take_one()
  // when it is sent.
  static constexpr Instant never = Instant::max();
  Instant next_allowed(Instant now) const;
  void take_one(Instant now, int price = 1) { pace_.take(now, price); }

 private:
  struct Sent {
    std::uint64_t id;
    Instant at;
  };
  struct Taken {
    std::uint64_t epoch, ask;
    double rate;
  };
  void confirm(double in_use);

  std::deque<Sent> sent_;    // asks that may still be answered
  std::deque<Taken> taken_;  // since the one that is confirmed
  std::uint64_t last_ask_ = 0, knows_ = 0;
  Taken confirmed_{};
  double rate_ = 0;
  Instant ends_ = Instant::min();
  schedule::Budget pace_;
};

}  // namespace pollux::leases
