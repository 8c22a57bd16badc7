// The memory curl works with. A request makes curl allocate and free some sixty small blocks; lists
// of free ones by size spare a tenth of what a small request costs.
//
// Lists belong to the thread that freed the blocks; a block may be freed on another thread than it
// was allocated on. What a thread keeps is bounded, and goes when the thread ends.
#pragma once

namespace pollux::fetch {

// Once, before anything else of curl. False: curl cannot be initialised.
bool init_curl();

}  // namespace pollux::fetch
