// What of the configuration a running daemon cannot change.
#pragma once

#include "pollux/config/config.hpp"

#include <string>
#include <vector>

namespace pollux::engine {

// Gives `fresh` the values that `running` has where only a new start can change them, also in what
// is shown as in force, and leaves the rest alone. The keys that would have differed, as they stand
// in the file.
std::vector<std::string> keep_fixed(config::Config& fresh, const config::Config& running);

}  // namespace pollux::engine
