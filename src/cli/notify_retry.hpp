// A delivery that is to be tried again: asked of the daemon that runs on the database, because
// nobody else may write to it.
#pragma once

#include "cli/database_option.hpp"
#include "pollux/base/result.hpp"

#include <cstdint>
#include <string>

namespace pollux::cli {

// What is tried again, for people. unavailable when no daemon runs.
Result<std::string> retry_delivery(const DatabaseOption& option, std::int64_t delivery);

}  // namespace pollux::cli
