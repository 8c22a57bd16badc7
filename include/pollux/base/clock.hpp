// The only source of time. Passed in, never global: the daemon gets SystemClock, the lab and the
// tests get ManualClock. Thread-safe.
#pragma once

#include "pollux/base/time.hpp"

#include <atomic>

namespace pollux {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  virtual WallTime wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override;
  WallTime wall() const override;
};

// The time since the machine started, which goes on while it sleeps. Timers do not count on it.
class BootClock final : public Clock {
 public:
  Instant now() const override;
  WallTime wall() const override;
};

// Moves only when told to. Wall time starts where it is set and advances with the instant.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallTime start = WallTime{}) : start_(start) {}
  Instant now() const override { return Instant(Duration(elapsed_.load())); }
  WallTime wall() const override {
    return start_ +
           std::chrono::duration_cast<std::chrono::milliseconds>(Duration(elapsed_.load()));
  }
  void advance(Duration by) { elapsed_ += by.count(); }
  void set(Instant at) { elapsed_ = at.time_since_epoch().count(); }

 private:
  WallTime start_;
  std::atomic<Duration::rep> elapsed_{0};
};

}  // namespace pollux
