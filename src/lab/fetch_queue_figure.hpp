// Figures 6 to 8 of document 004: the best policy for 16 fetches (there: robots).
#pragma once

#include "pollux/lab/figure.hpp"

namespace pollux::lab {

Plot switching_curves(const FigureInfo& figure, double starvation_weight);

}  // namespace pollux::lab
