// Every fetch needs a file descriptor, and most systems give a process 1024 to begin with.
#pragma once

#include <cstddef>

namespace pollux::engine {

// Raises the limit of this process as far as it may, so that `fetches` connections and all else
// fit; false when the system does not allow that many.
bool allow_descriptors(std::size_t fetches);

}  // namespace pollux::engine
