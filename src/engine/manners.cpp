#include "engine/manners.hpp"

#include "engine/adaptive_pause.hpp"

#include <algorithm>

namespace pollux::engine {

bool Manners::sent(const Flight& flight, Instant now) const {
  hosts.note_request(flight.host, now);
  return scheduler.note_sent(flight.host, now);
}

void Manners::ended(const Flight& flight, const fetch::Response& response, Instant now) const {
  using schedule::Sent;
  scheduler.release_host(flight.host, now, flight.stage == Stage::sent ? Sent::yes : Sent::no);
  if (!was_asked(response)) return;
  HostRecord& host = hosts[flight.host];
  const config::HostSettings& wanted = config.politeness(host.name);
  if (flight.is_guest() && !host.passing) {
    // Who is redirected chooses what is slow there: the pause that follows is the host's own, and
    // of its time guests have a tenth.
    const Duration pause =
        std::min(adaptive_pause(wanted, response.elapsed), longest_wait_by_redirect);
    scheduler.delay_host(flight.host, now + pause);
    scheduler.delay_guests(flight.host, now + pause + 9 * (response.elapsed + pause));
  } else {
    scheduler.set_pause(flight.host, note_pace(host, wanted, response.elapsed));
  }
  hosts.note_end(flight.host, now);
}

void Manners::asked_to_wait(const Flight& flight, Duration wait, std::string_view whose,
                            Instant now) const {
  HostRecord& host = hosts[flight.host];
  if (flight.is_guest()) {
    if (host.redirects_may_block_at > now) return;
    wait = std::min(wait, longest_wait_by_redirect);
    host.redirects_may_block_at = now + wait + between_waits_by_redirect;
  }
  const Instant until = now + wait;
  if (host.blocked_until && *host.blocked_until >= until) return;
  hosts.note_block(flight.host, until, flight.is_guest() ? whose : std::string_view());
  scheduler.block_host(flight.host, until);
}

}  // namespace pollux::engine
