// What `pollux status` shows of a running daemon comes from here, by way of the meta table.
#pragma once

#include "pollux/engine/snapshot.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pollux::engine {

// The rows of the meta table.
std::vector<std::pair<std::string, std::string>> meta_rows(const Metrics& metrics);

}  // namespace pollux::engine
