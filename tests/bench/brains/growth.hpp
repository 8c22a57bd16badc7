// What several brains say to one another, and what that costs, as they become more.
#pragma once

namespace pollux::bench {

// Prints messages and bytes per second and CPU for 2, 4, 8 and 20 brains in this process.
void brains_growth();

}  // namespace pollux::bench
