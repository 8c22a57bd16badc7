// For how long this process was held up while it fetched: frozen, or without its part of a busy
// machine. What ran out of time meanwhile is not its server's fault. A timer that fires late tells.
// Threading: the loop's thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace pollux::agent {

class OwnStalls {
 public:
  OwnStalls(EventLoop& loop, const Clock& clock) : clock_(clock), timer_(loop.make_timer()) {}

  // When something begins; what total() says then is taken from what it says at the end.
  Duration begin() {
    if (under_way_++ == 0) wait();
    return total();
  }
  // Whether it was held up for long enough to be blamed for this end.
  bool are_to_blame(Duration at_begin, const fetch::Response& response) {
    const Duration held_up = total() - at_begin;
    if (--under_way_ == 0) timer_->cancel();
    using fetch::Failure;
    const bool time_ran_out =
        response.failure == Failure::timeout || response.failure == Failure::connect ||
        response.failure == Failure::connection_lost || response.failure == Failure::tls;
    return time_ran_out && held_up >= shortest && held_up * 10 >= response.elapsed;
  }

 private:
  static constexpr Duration every = std::chrono::milliseconds(100);
  static constexpr Duration usual = std::chrono::milliseconds(20);  // of timers
  static constexpr Duration shortest = std::chrono::milliseconds(200);

  // With what its timer has not seen yet: other handlers may come first when it goes on.
  Duration total() const { return known_ + late(); }
  Duration late() const {
    const Duration by = clock_.now() - expected_;
    return under_way_ > 0 && by > usual ? by : Duration::zero();
  }
  void wait() {
    expected_ = clock_.now() + every;
    timer_->arm(expected_, [this] {
      known_ += late();
      wait();
    });
  }

  const Clock& clock_;
  std::unique_ptr<Timer> timer_;
  Instant expected_{};
  Duration known_{};
  std::size_t under_way_ = 0;
};

}  // namespace pollux::agent
