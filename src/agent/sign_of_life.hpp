// What an agent owes its brain once polls have come: to be heard of soon, or it is sent no more of
// them. Threading: the loop's thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace pollux::agent {

class SignOfLife {
 public:
  // `give` says something to the brain, and tells us by gave().
  SignOfLife(EventLoop& loop, const Clock& clock, std::function<void()> give)
      : clock_(clock), give_(std::move(give)), timer_(loop.make_timer()) {}

  void owe() {
    if (std::exchange(owed_, true)) return;
    timer_->arm(clock_.now() + within, [this] {
      if (owed_) give_();
    });
  }
  // Whatever was sent: a result is as good.
  void gave() { owed_ = false; }

 private:
  static constexpr Duration within = std::chrono::milliseconds(100);
  const Clock& clock_;
  const std::function<void()> give_;
  std::unique_ptr<Timer> timer_;
  bool owed_ = false;
};

}  // namespace pollux::agent
