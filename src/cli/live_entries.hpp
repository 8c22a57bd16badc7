// What was added and set while the daemon ran, as the configuration lays it over its files.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/config/live.hpp"

#include <vector>

namespace pollux::store {
class Reader;
}

namespace pollux::cli {

Result<std::vector<config::LiveEntry>> live_entries(store::Reader& reader);

}  // namespace pollux::cli
