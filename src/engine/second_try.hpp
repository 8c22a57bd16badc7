// What is worth a second try. Pure but for the flight.
#pragma once

#include "engine/access_points.hpp"
#include "engine/flight.hpp"
#include "engine/renderers.hpp"

namespace pollux::engine {

// A probe of another access point that failed: that is no fault of the page.
bool is_failed_probe(const Flight& flight, const AccessPoints* access_points);

// Makes the flight a second try, if that is worth it; otherwise its answer counts. `error_streak`:
// the page's failures in a row, before this one.
bool try_again(Flight& flight, AccessPoints* access_points, Renderers& renderers, int error_streak);

}  // namespace pollux::engine
