// The part of the poll loop that deals with ways out and with what is worth a second try.
#include "engine/poll_loop.hpp"

namespace pollux::engine {
namespace {

WaysOut::Try nth_try(bool retried) {
  return retried ? WaysOut::Try::second : WaysOut::Try::first;
}

}  // namespace

void PollLoop::learn_way(const Flight& flight, const fetch::Response& response) {
  parts_.ways->note(flight.host, *flight.way, response, nth_try(flight.retried));
}

bool PollLoop::name_is_known(std::uint32_t index) {
  const Flight& flight = flights_[index];
  return fetcher_->resolved(flight.url, token_of(index), flight.way);
}

// A kept connection that the server closed meanwhile says nothing about the page: one more try on a
// new one, paid for and polite like any request.
bool PollLoop::is_stale_connection(const Flight& flight) const {
  const fetch::Response& answer = flight.answer;
  return answer.failure == fetch::Failure::connection_lost && answer.status == 0 &&
         answer.reused_connection && !flight.retried && !flight.orphan && !stopping_;
}

bool PollLoop::is_failed_look(const Flight& flight) const {
  return flight.way && parts_.ways->is_look(flight.host, *flight.way) &&
         parts_.ways->blames_way(*flight.way, flight.answer, nth_try(flight.retried));
}

// A way that fails must not cost the page its poll: one more try by another one, paid for like any
// request. Where the host's own way fails, a page that was failing before gets none.
std::optional<std::uint32_t> PollLoop::other_way(const Flight& flight) {
  if (!flight.way || flight.rerouted || flight.orphan || stopping_) return {};
  if (is_failed_look(flight)) return parts_.ways->own(flight.host);
  if (!parts_.ways->blames_way(*flight.way, flight.answer, nth_try(flight.retried))) return {};
  // Only a look leaves time for another try.
  if (flight.answer.failure == fetch::Failure::timeout) return {};
  if (!flight.errand && parts_.pages[flight.page].error_streak > 0) return {};
  const std::optional<std::uint32_t> other = parts_.ways->choose(flight.host, flight.way);
  return other == flight.way ? std::nullopt : other;
}

// Takes note of it: each kind of second try is given once.
bool PollLoop::may_try_again(Flight& flight) {
  if (is_stale_connection(flight)) {
    flight.retried = true;
    return true;
  }
  const std::optional<std::uint32_t> other = other_way(flight);
  if (!other) return false;
  flight.retried = flight.rerouted = true;
  flight.way = *other;
  return true;
}

}  // namespace pollux::engine
