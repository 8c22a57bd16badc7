// What `pollux status` shows of a running daemon comes from here, by way of the meta table.
#pragma once

#include "pollux/engine/snapshot.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pollux::engine {

// The rows of the meta table.
using MetaRows = std::vector<std::pair<std::string, std::string>>;
MetaRows meta_rows(const Metrics& metrics);
MetaRows budget_rows(double budget, std::optional<double> file_budget);  // those of the budget

}  // namespace pollux::engine
