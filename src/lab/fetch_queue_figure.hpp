// Figures 6 to 8 of document 004: the best policy for 16 fetches (there: robots).
#pragma once

#include "pollux/lab/figure.hpp"

namespace pollux::lab {

Plot switching_curves(const FigureInfo& figure, double starvation_weight);
// Document 004, Figures 2 to 5: the best fixed number.
Plot fetches_by_weight(const FigureInfo& figure, unsigned threads);
Plot loads_by_queue(const FigureInfo& figure, unsigned threads);
Plot fetches_by_queue(const FigureInfo& figure, unsigned threads);
Plot fetches_for_long_queues(const FigureInfo& figure, unsigned threads);

}  // namespace pollux::lab
