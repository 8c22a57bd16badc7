// What questions about many pages cost while the daemon polls.
#pragma once

namespace pollux::bench {

// Prints what it measured with a list of so many pages. True: all bars are met.
bool large_list(int pages);

}  // namespace pollux::bench
