// An EventLoop whose time passes only in run_until(): the clock jumps from one timer to the next.
// Handlers posted at one moment run in the order of posting, timers by time and then by the order
// in which they were armed, so that a run is repeatable to the last step. Threading: one thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace pollux {

class VirtualLoop final : public EventLoop {
 public:
  explicit VirtualLoop(ManualClock& clock) : clock_(clock) {}

  void post(std::function<void()> handler) override { posted_.push_back(std::move(handler)); }
  std::unique_ptr<Timer> make_timer() override;

  // Runs everything that is due up to then; the clock stands at `end` afterwards.
  void run_until(Instant end);
  // Runs what has been posted and what is due now, until nothing is left.
  void settle() { run_until(clock_.now()); }
  std::uint64_t steps() const { return steps_; }  // handlers run so far

 private:
  class WaitingTimer;
  using Key = std::pair<Instant, std::uint64_t>;

  ManualClock& clock_;
  std::deque<std::function<void()>> posted_;
  std::map<Key, std::function<void()>> waits_;
  std::uint64_t armed_ = 0, steps_ = 0;
};

}  // namespace pollux
