// Figures 6 to 8 of "Controlling Robots of Web Search Engines": the best policy for 16 robots.
#pragma once

#include "pollux/lab/figure.hpp"

namespace pollux::lab {

Plot switching_curves(const FigureInfo& figure, double starvation_weight);

}  // namespace pollux::lab
