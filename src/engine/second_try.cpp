#include "engine/second_try.hpp"

#include <optional>

namespace pollux::engine {
namespace {

// Of servers, as we see it.
constexpr Duration patience = std::chrono::seconds(1);

// A kept connection that the server closed meanwhile says nothing about the page.
bool is_stale_connection(const Flight& flight) {
  const fetch::Response& answer = flight.answer;
  return answer.failure == fetch::Failure::connection_lost && answer.status == 0 &&
         answer.reused_connection && flight.attempt == Attempt::first;
}

// Its body waited for room here for so long that the server gave up: that was not the page.
bool was_kept_waiting(const Flight& flight) {
  const fetch::Response& answer = flight.answer;
  return (answer.failure == fetch::Failure::connection_lost ||
          answer.failure == fetch::Failure::timeout) &&
         answer.rested > patience && flight.attempt == Attempt::first;
}

// An access point that fails must not cost the page its poll. Where the host's own one fails, a
// page that was failing before gets no second try.
std::optional<fetch::AccessPointId> another(const Flight& flight, AccessPoints& access_points,
                                            int error_streak) {
  if (!flight.access_point || flight.attempt == Attempt::elsewhere) return {};
  // Nobody has been asked, so there is time for another try.
  if (flight.answer.failure == fetch::Failure::agent) {
    if (flight.answer.sent || !access_points.any_open()) return {};
    const auto other = access_points.choose(flight.host, flight.access_point, flight.secrets);
    return other == flight.access_point ? std::nullopt : other;
  }
  if (is_failed_probe(flight, &access_points)) return access_points.own(flight.host);
  if (!access_points.blames(*flight.access_point, flight.answer, flight.attempt)) return {};
  // Only a probe leaves time for another try.
  if (flight.answer.failure == fetch::Failure::timeout) return {};
  if (flight.is_page() && error_streak > 0) return {};
  const auto other = access_points.choose(flight.host, flight.access_point, flight.secrets);
  return other == flight.access_point ? std::nullopt : other;
}

// Likewise of a page that somebody else may render.
bool try_other_renderer(Flight& flight, Renderers& renderers) {
  const bool unasked = flight.answer.failure == fetch::Failure::agent && !flight.answer.sent;
  if (!unasked || flight.attempt == Attempt::elsewhere) return false;
  const Renderers::Choice other =
      renderers.choose(flight.host, flight.secrets, flight.access_point);
  if (other.room == agent::RenderRoom::none || other.access_point == flight.access_point) return false;
  flight.attempt = Attempt::elsewhere;
  renderers.place(flight, other);
  return true;
}

}  // namespace

bool is_failed_probe(const Flight& flight, const AccessPoints* access_points) {
  return access_points && flight.access_point && !flight.rendered &&
         access_points->is_probe(flight.host, *flight.access_point) &&
         access_points->blames(*flight.access_point, flight.answer, flight.attempt);
}

bool try_again(Flight& flight, AccessPoints* access_points, Renderers& renderers,
               int error_streak) {
  if (is_stale_connection(flight) || was_kept_waiting(flight)) {
    flight.attempt = Attempt::again;
    ++flight.requests;  // a server could do it at every poll
    return true;
  }
  if (flight.rendered) return try_other_renderer(flight, renderers);
  if (!access_points) return false;
  const auto other = another(flight, *access_points, error_streak);
  if (!other) return false;
  flight.attempt = Attempt::elsewhere;
  flight.access_point = other;
  return true;
}

}  // namespace pollux::engine
