// How late the event loop is: a timer that should fire every 50 ms notes by how much it missed.
// What it sees is what every event waits for behind long handlers. Threading: the engine's thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pollux::engine {

// Counts by the millisecond, up to a second.
class StallHistogram {
 public:
  void add(std::chrono::milliseconds late) {
    const auto slot = std::clamp<std::int64_t>(late.count(), 0, std::ssize(counts_) - 1);
    ++counts_[static_cast<std::size_t>(slot)];
    ++total_;
    longest_ = std::max(longest_, late);
  }
  // What this part of the samples stayed within.
  std::chrono::milliseconds quantile(double part) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (static_cast<double>(seen) >= part * static_cast<double>(total_)) {
        return std::chrono::milliseconds(i);
      }
    }
    return longest_;
  }
  std::chrono::milliseconds longest() const { return longest_; }

 private:
  std::array<std::uint32_t, 1001> counts_{};
  std::uint64_t total_ = 0;
  std::chrono::milliseconds longest_{0};
};

class StallProbe {
 public:
  StallProbe(EventLoop& loop, const Clock& clock) : clock_(clock), timer_(loop.make_timer()) {}
  void start() {
    const Instant expected = clock_.now() + std::chrono::milliseconds(50);
    timer_->arm(expected, [this, expected] {
      stalls_.add(std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - expected));
      start();
    });
  }
  void stop() { timer_->cancel(); }
  const StallHistogram& stalls() const { return stalls_; }

 private:
  const Clock& clock_;
  std::unique_ptr<Timer> timer_;
  StallHistogram stalls_;
};

}  // namespace pollux::engine
