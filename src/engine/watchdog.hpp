// The service manager hears from us only while polls are being decided and the writer is not stuck.
// Threading: the engine's thread.
#pragma once

#include "engine/poll_loop.hpp"
#include "engine/service.hpp"
#include "pollux/store/writer.hpp"

#include <memory>
#include <utility>

namespace pollux::engine {

class Watchdog {
 public:
  Watchdog(EventLoop& loop, const Clock& clock, const PollLoop& poll_loop,
           const store::Writer& writer)
      : clock_(clock), poll_loop_(poll_loop), writer_(writer), timer_(loop.make_timer()) {}

  void begin() {
    const auto interval = service::watchdog_interval();
    if (!interval) return;
    const std::uint64_t turns = poll_loop_.turns(), written = writer_.progress();
    const bool polls = std::exchange(turns_, turns) != turns;
    const bool writes = std::exchange(written_, written) != written;
    if (polls && writes) service::alive();
    timer_->arm(clock_.now() + *interval, [this] { begin(); });
  }
  void stop() { timer_->cancel(); }

 private:
  const Clock& clock_;
  const PollLoop& poll_loop_;
  const store::Writer& writer_;
  std::unique_ptr<Timer> timer_;
  std::uint64_t turns_ = 0, written_ = 0;
};

}  // namespace pollux::engine
