// Document 002, §2.1: a page changes after a motivation has come (rate λ₁) and its maintainer has
// responded (rate λ₂).
#pragma once

#include "pollux/lab/figure.hpp"

namespace pollux::lab {

// D₃ of eq. (3): the density of a lifetime at t.
double two_stage_density(double t, double motivation, double response);
// Where it is largest. Eq. (4) multiplies by λ₁ − λ₂ where it must divide.
double two_stage_mode(double motivation, double response);

// Figure 1: the two memoryless times and their sum.
Plot lifetimes(const FigureInfo& figure, unsigned threads);

}  // namespace pollux::lab
