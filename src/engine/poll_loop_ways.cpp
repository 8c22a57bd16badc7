// The part of the poll loop that deals with access points.
#include "engine/poll_loop.hpp"

namespace pollux::engine {

bool PollLoop::name_is_known(std::uint32_t index) {
  const Flight& flight = flights_[index];
  const std::string& name =
      flight.way ? parts_.ways->name_for(*flight.way, flight.url) : flight.url;
  return fetcher_->resolved(name, token_of(index));
}

// A way that fails must not cost the page its poll: one more try by another one, paid for like any
// request. Where the host's own way fails, a page that was failing before gets none.
std::optional<std::uint32_t> PollLoop::other_way(const Flight& flight) {
  if (!flight.way || flight.rerouted || flight.orphan || stopping_) return {};
  if (!parts_.ways->blames_way(*flight.way, flight.answer)) return {};
  if (parts_.ways->is_look(flight.host, *flight.way)) return parts_.ways->own(flight.host);
  if (!flight.errand && parts_.pages[flight.page].error_streak > 0) return {};
  const std::uint32_t other = parts_.ways->choose(flight.host, flight.way);
  return other == *flight.way ? std::nullopt : std::optional(other);
}

}  // namespace pollux::engine
