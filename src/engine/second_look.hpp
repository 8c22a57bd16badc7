// What must be looked at once more before it is believed: a body that may have been cut short and
// is not the one known, and a 304 that is a lie. The second look is a request like any other, paid
// for and polite; each flight has one at most.
#pragma once

#include "engine/flight.hpp"
#include "engine/host_table.hpp"
#include "engine/page_table.hpp"

#include <optional>

namespace pollux::engine {

// Makes the flight one for the second look. `hash`: of the body, if one came.
bool wants_second_look(Flight& flight, PageTable& pages, HostTable& hosts,
                       const std::optional<detect::Hash>& hash);

}  // namespace pollux::engine
