// What hosts and directories have of the budget, noted now and then: rows of share_history.
#pragma once

#include "pollux/base/time.hpp"
#include "store/sqlite.hpp"

namespace pollux::store {

// Notes the largest hosts and directories, 200 at most, unless the last ones are younger than
// `every`. Reads every page. Within the caller's transaction.
Status note_shares(const Connection& connection, WallTime now, Duration every);

}  // namespace pollux::store
