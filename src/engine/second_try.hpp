// What is worth a second try. Pure.
#pragma once

#include "engine/access_points.hpp"
#include "engine/flight.hpp"

#include <optional>

namespace pollux::engine {

struct SecondTry {
  Attempt attempt;
  std::optional<fetch::AccessPointId> access_point;
};

// A probe of another access point that failed: that is no fault of the page.
bool is_failed_probe(const Flight& flight, const AccessPoints* access_points);

// None: the answer counts. `error_streak`: the page's failures in a row, before this one.
std::optional<SecondTry> second_try(const Flight& flight, AccessPoints* access_points,
                                    int error_streak);

}  // namespace pollux::engine
