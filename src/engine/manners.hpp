// How a request behaves as a guest of its host: when the host may be asked again, and whom its
// answer binds. A pause counts from the end of the last request; a Retry-After blocks the host.
//
// Where a redirect led, other people's pages may live. So what happens there binds the page that
// was redirected, and the host only for a moment: nobody silences a host by pointing at it.
// Threading: the engine's thread.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "pollux/config/config.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/schedule/scheduler.hpp"

#include <string_view>

namespace pollux::engine {

// What a redirected page can make a host wait, and how long nobody can do it again: otherwise many
// pages could take turns.
inline constexpr Duration longest_wait_by_redirect = std::chrono::seconds(60);
inline constexpr Duration between_waits_by_redirect = std::chrono::minutes(9);

struct Manners {
  const config::Config& config;
  HostTable& hosts;
  schedule::Scheduler& scheduler;

  // True: others wait for a connection of its host and can have it after the delay.
  bool sent(const Flight& flight, Instant now) const;
  void ended(const Flight& flight, const fetch::Response& response, Instant now) const;
  // Retry-After. `whose`: the page that is polled, for people.
  void asked_to_wait(const Flight& flight, Duration wait, std::string_view whose,
                     Instant now) const;
};

}  // namespace pollux::engine
