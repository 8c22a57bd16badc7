// What the policy at work makes of a page's change rate and importance, in words. Pure.
#pragma once

#include "pollux/report/explanation.hpp"

#include <string>

namespace pollux::report {

// "about 1/h, one change every 1 h (7 changes found in 100 polls). The more …"
std::string rate_text(const PageFacts& facts);
std::string importance_text(const store::PageRow& page, const DaemonFigures& figures);

}  // namespace pollux::report
