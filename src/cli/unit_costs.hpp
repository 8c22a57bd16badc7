// Measures what one page, one decision, one row and one message cost, for `pollux lab cost
// --brains`.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/lab/cost_model.hpp"

namespace pollux::cli {

// Builds a list of so many pages in a child process (so that memory is that of nothing else), with
// its database in a temporary folder that is removed. Needs about a kilobyte of memory and one of
// disk for each. `rate`: polls per second, by which rows and polls travel together.
Result<lab::UnitCosts> measure_units(std::size_t pages, double rate, std::uint64_t seed);

}  // namespace pollux::cli
