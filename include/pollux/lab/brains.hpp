// `pollux lab brains`: several brains under one budget against one brain with all of it. Each has
// its own learner and scheduler, and the budget is divided as the daemon's allocator does it
// (brains/division.hpp), on a virtual clock. Leases are left out: what they delay, a second or two,
// is nothing beside a sweep; that their sum holds is tested where they are.
#pragma once

#include "pollux/lab/brain_lists.hpp"

#include <cstdint>
#include <vector>

namespace pollux::lab {

enum class Divided {
  learnt,    // as the daemon does it
  by_pages,  // each as much as it has of the pages, for ever
  evenly     // each the same, for ever
};

struct BrainsRun {
  double rate = 0.2;  // polls per page and day, over all pages
  std::uint64_t seed = 1;
  Divided divided = Divided::learnt;
  // How often the budget is divided anew in the time of polling every page once, and how often all
  // pages are walked over for what the next poll is worth. A daemon with 100 000 pages and 100
  // polls per second has a thousand seconds and a hundred and more walks.
  double steps_per_sweep = 1000, walks_per_sweep = 5;
};

struct BrainsResult {
  std::uint64_t polls = 0, allowed = 0;  // made; budget times time
  std::size_t found = 0;                 // changes
  std::vector<double> parts;             // of each brain at the end
  // Of the second half: each one's mean, and how far it went up and down (standard deviation).
  std::vector<double> mean_parts, restless;
  // When all parts had come, for the first time, within a tenth of those means (of what an even
  // part is, at least), in sweeps.
  double settled_after = 0;
  double largest_sum = 0;  // of the parts, at any time
};

// `pages` of each brain; none of them may be empty.
BrainsResult run_brains(const BrainList& list, const std::vector<std::vector<std::uint32_t>>& pages,
                        double days, const BrainsRun& run);

}  // namespace pollux::lab
