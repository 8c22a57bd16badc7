// How often a page was really polled: its polls of the last half hour to hour, or since the start.
// Counted from one poll to another, so that a regular page shows its interval exactly. Two windows
// that take turns, 16 bytes a page, and no work but at a poll. Threading: the engine's thread.
#pragma once

#include "pollux/base/time.hpp"

#include <cstdint>
#include <optional>

namespace pollux::engine {

class RecentPolls {
 public:
  static constexpr Duration window = std::chrono::minutes(30);

  void note(Instant at) {
    const std::uint32_t tick = tick_of(at);
    if (begin_ == 0) {
      begin_ = older_begin_ = tick;
      return;
    }
    ++polls_;
    if (tick - begin_ < window / tick_length) return;
    older_begin_ = begin_;
    older_polls_ = polls_;
    begin_ = tick;
    polls_ = 0;
  }
  // The poll that counting begins after; nullopt when there was none.
  std::optional<Instant> since(Instant now) const {
    if (begin_ == 0) return std::nullopt;
    return now - (tick_of(now) - older_begin_) * tick_length;
  }
  std::int64_t polls() const { return std::int64_t{older_polls_} + polls_; }  // after that one

 private:
  static constexpr Duration tick_length = std::chrono::microseconds(62'500);
  // 0 is kept for "never". Differences are right over the wrap after eight years.
  static std::uint32_t tick_of(Instant at) {
    const auto tick = static_cast<std::uint32_t>(at.time_since_epoch() / tick_length);
    return tick == 0 ? 1 : tick;
  }

  std::uint32_t begin_ = 0, polls_ = 0;              // the present window
  std::uint32_t older_begin_ = 0, older_polls_ = 0;  // the one before, if there was one
};

}  // namespace pollux::engine
