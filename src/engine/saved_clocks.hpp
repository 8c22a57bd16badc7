// Both clocks as they were when the state was last saved. What is stored goes by the wall clock,
// which people and time servers set; the steady clock is the same for all processes until the
// machine starts anew, so it tells by how much it was set. Any thread.
#pragma once

#include "engine/page_table.hpp"
#include "pollux/store/rows.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pollux::engine {

// Of the machine's present run; empty where nobody can tell.
std::string boot_id();

// As it is stored in `meta`.
std::string saved_clocks(const Moment& moment, std::string_view boot);

// This moment by the wall clock as it was then. nullopt: it has not been set since, or nobody can
// tell.
std::optional<Moment> by_saved_clocks(std::string_view saved, const Moment& moment,
                                      std::string_view boot);

// The moment by the clock that the row goes by: of those by which its last request lies in the past
// the one by which that is not so long ago.
const Moment& clock_of(const store::HostRow& row, const Moment& moment,
                       const std::optional<Moment>& before);

}  // namespace pollux::engine
