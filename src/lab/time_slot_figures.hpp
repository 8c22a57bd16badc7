// The figures of the thesis on importance (001): automata in time slots.
#pragma once

#include "pollux/lab/figure.hpp"
#include "pollux/lab/time_slots.hpp"

#include <vector>

namespace pollux::lab {

// Over time, one line per N (and f).
Plot cgla_states(const FigureInfo& figure, unsigned threads);
Plot partitions(const FigureInfo& figure, const std::vector<int>& states, unsigned threads);
// Over the number of changes per poll, one line per policy.
Plot by_ratio(const FigureInfo& figure, Updates updates, unsigned threads);
// Over time, with pages reversed every 2 500 slots, one line per policy and kind of updates.
Plot polls_asked(const FigureInfo& figure, unsigned threads);
Plot reversed(const FigureInfo& figure, unsigned threads);

}  // namespace pollux::lab
