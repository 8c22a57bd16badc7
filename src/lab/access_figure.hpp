// Figures 10 to 13 of "Distributed Resource Allocation Algorithm" and its further work: total
// download time as sites find their access points.
#pragma once

#include "pollux/lab/figure.hpp"

namespace pollux::lab {

Plot access_learning(const FigureInfo& figure, unsigned threads);  // 10
Plot access_jumps(const FigureInfo& figure, unsigned threads);     // 11
Plot access_sites(const FigureInfo& figure, unsigned threads);     // 12
Plot access_arms(const FigureInfo& figure, unsigned threads);      // 13
Plot access_changes(const FigureInfo& figure, unsigned threads);   // further work

}  // namespace pollux::lab
