// What is sent when, under one rule: digests, quiet hours, limits, retries, giving up. Pure, on a
// wall clock that is handed in: nothing is remembered but what the outbox holds, so a restart
// changes nothing. A clock that was set back makes nobody wait longer than the rule says.
#pragma once

#include "pollux/base/rng.hpp"
#include "pollux/base/time.hpp"
#include "pollux/notify/options.hpp"
#include "pollux/store/views.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pollux::notify {

// What to ask the outbox for.
store::OutboxQuery question(const Rule& rule, WallTime now);

struct Step {
  enum class What {
    wait,  // until `wake`, or until there is news
    send,  // `message`
    group  // what waits up to `last` goes together as `message`; then ask again
  };
  What what = What::wait;
  std::int64_t message = 0;
  std::int64_t last = 0;
  std::optional<WallTime> wake = {};
};
Step next_step(const Rule& rule, const store::OutboxHead& head, WallTime now);

// How an attempt ended.
struct Attempt {
  bool delivered = false;
  std::string error = {};
  std::optional<Duration> retry_after = {};  // asked for by the receiver
  bool hopeless = false;                     // the receiver will never take this message
};

// What becomes of a message after it. `attempts`: before this one. `newest`: when the last of its
// events happened.
struct Sending {
  std::int64_t attempts = 0;
  WallTime newest{};
  bool by_hand = false;
};
store::DeliveryChange after(const Rule& rule, std::int64_t message, const Sending& sending,
                            const Attempt& attempt, WallTime now, Rng& rng);

inline constexpr auto longest_retrying = std::chrono::hours(72);

}  // namespace pollux::notify
