// Handlers one after another on one thread, and timers: what the engine runs on. Passed in like the
// clock: the daemon gets one on Boost.Asio (engine/asio_loop.hpp), tests and simulations get
// VirtualLoop (virtual_loop.hpp), on which a week passes in seconds.
#pragma once

#include "pollux/base/time.hpp"

#include <functional>
#include <memory>

namespace pollux {

// One wait at a time. Threading: the loop's thread. Destroying it cancels.
class Timer {
 public:
  virtual ~Timer() = default;
  // Calls `handler` at that moment or soon after, from the loop; replaces an earlier wait.
  virtual void arm(Instant at, std::function<void()> handler) = 0;
  virtual void cancel() = 0;  // after that the handler is not called
};

class EventLoop {
 public:
  virtual ~EventLoop() = default;
  // Calls `handler` from the loop, after those posted before it. From any thread.
  virtual void post(std::function<void()> handler) = 0;
  virtual std::unique_ptr<Timer> make_timer() = 0;
};

}  // namespace pollux
