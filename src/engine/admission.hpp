// The budget at the door. What a server counts is when a request reaches it, so the budget is taken
// when the request is sent; but many may be on their way to that moment, in preparation. Each of
// them has a promise of the budget, so that no more are prepared than can be sent by the time they
// are ready. That time is measured. A promise lasts twice as long, and no longer: a host that does
// not get ready keeps nobody else from being polled. Threading: the engine's thread.
#pragma once

#include "engine/flight.hpp"
#include "pollux/schedule/budget.hpp"

#include <deque>

namespace pollux::engine {

class Admission {
 public:
  Admission(schedule::Budget& budget, FlightTable& flights) : budget_(budget), flights_(flights) {}

  // A new flight may be prepared.
  bool may_prepare(Instant now) { return next_prepare(now) <= now; }
  Instant next_prepare(Instant now);
  // Until when the preparation of the next one can wait and cost no other its start.
  Instant may_wait_until() const;
  void promise(Flight& flight, Instant now);

  bool may_send(Instant now) const { return next_send(now) <= now; }
  Instant next_send(Instant now) const {
    return budget_.over(now) ? Instant::max() : budget_.next_allowed();
  }
  void send(Flight& flight, Instant now);
  void withdraw(Flight& flight);  // it will not be sent, or not now
  // Its connection is there; it counts by itself now. It was prepared since `waiting_since`.
  void ready(Flight& flight, Instant now);

 private:
  struct Promise {
    Instant ends;
    fetch::Token flight;
  };
  // As long as this whatever is measured: a timer's lateness is no sign, and a moment is a moment.
  static constexpr Duration least_lasts = std::chrono::milliseconds(10);
  static constexpr Duration most_lasts = std::chrono::milliseconds(250);

  schedule::Budget& budget_;
  FlightTable& flights_;
  std::deque<Promise> promises_;  // oldest first; may name flights that have none any more
  std::size_t promised_ = 0;
  Duration lasts_ = most_lasts;           // a promise; and so far ahead of its time one is prepared
  Duration preparation_{most_lasts / 2};  // what it takes to get ready, lately
};

}  // namespace pollux::engine
