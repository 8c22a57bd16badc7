// What polling everything in turn would have found, given when the pages really changed.
#pragma once

#include "pollux/demo/world.hpp"

#include <cstdint>
#include <span>

namespace pollux::demo {

// Round-robin over pages 1..pages with `polls` polls evenly spaced over [start, end). The first
// poll of a page is its baseline and finds nothing; a later one finds one change if the page
// changed, however often, since its previous poll. `history` is ordered by time and may reach
// beyond `end`. Every poll counts as answered at once: no slow, failing or redirecting page costs
// uniform polling anything, and no noise deceives it, so the comparison errs in its favour.
std::uint64_t uniform_would_find(std::span<const Change> history, std::size_t pages,
                                 std::uint64_t polls, Instant start, Instant end);

// Whether the page changed after `from` and up to `to`. `history` is ordered by time.
bool changed_between(std::span<const Change> history, PageNumber page, Instant from, Instant to);

}  // namespace pollux::demo
