// What a file says of each key, or what holds when it says nothing.
#pragma once

#include "pollux/config/config.hpp"
#include "pollux/config/document.hpp"

namespace pollux::config {

// One row for each key that stands by itself; of lists of mappings and of mappings with free keys
// the number of entries, as they may hold secrets.
Settings settings_of(const Node& root);

}  // namespace pollux::config
