// What the controller of fetches hears of flights: who waits for a hash is detection's work, who
// waits for a program is nobody's, and a request without a page was no fetch of a body.
#pragma once

#include "engine/flight.hpp"
#include "pollux/concurrency/controller.hpp"

namespace pollux::engine {

// Before the flight, which has come back, asks once more.
inline void tell_looking_again(concurrency::Controller& controller, const Flight& flight,
                               Instant now) {
  if (flight.stage == Stage::hashing) controller.detected(now);
  if (flight.stage == Stage::hashing || flight.looks_apart()) controller.started(now);
}

inline void tell_ended(concurrency::Controller& controller, const Flight& flight, Instant now) {
  if (flight.stage == Stage::hashing) {
    controller.detected(now);
  } else if (!flight.is_page()) {
    controller.withdrawn(now);
  } else if (!flight.looks_apart()) {
    controller.returned(now, now - flight.started);
  }
}

}  // namespace pollux::engine
