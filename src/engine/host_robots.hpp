// What is remembered of one host's robots.txt, and the politeness that follows from it.
#pragma once

#include "engine/packed_string.hpp"
#include "pollux/base/time.hpp"
#include "pollux/config/config.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace pollux::engine {

struct HostRobots {
  enum class Verdict : std::uint8_t {
    unknown,  // it must be asked for before a page of the host is polled
    rules,    // `rules` say what may be polled
    allow,    // there is none
    disallow  // it cannot be read, and no earlier copy is known
  };

  PackedString rules;             // robots_txt::Excerpt::rules
  PackedString error;             // of the last attempt; empty when it succeeded
  Instant fetched{};              // when the verdict was learnt
  Instant check_at{};             // when it is asked for again
  Instant asked_to_wait_until{};  // by the server, the last time
  std::optional<Instant> unreachable_since;
  std::optional<Duration> crawl_delay;  // as written
  std::uint32_t copy = 0;               // the number of these rules; 0: not numbered yet
  std::uint16_t status = 0;             // of the last answer
  std::uint16_t failures = 0;           // in a row
  Verdict verdict = Verdict::unknown;
  std::uint8_t product = 0;  // whom `rules` are for: see RobotsBook
  bool asking = false;       // a request for it is under way
  bool used = false;         // since memory was last short
};

// What the configuration says, and the Crawl-delay on top.
inline schedule::Politeness polite_towards(const config::HostSettings& wanted,
                                           const HostRobots& robots) {
  schedule::Politeness politeness = wanted;
  if (wanted.obey_robots && robots.crawl_delay) {
    politeness.delay =
        std::max(politeness.delay, std::min(*robots.crawl_delay, wanted.max_crawl_delay));
  }
  return politeness;
}

}  // namespace pollux::engine
