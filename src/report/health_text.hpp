// How far a page is to be trusted, and why, in plain words. Pure.
#pragma once

#include "pollux/report/text.hpp"
#include "pollux/store/views.hpp"

#include <vector>

namespace pollux::report {

// Nothing for a page that is ok and whose news is believed.
std::vector<Line> health_of_page(const store::PageProgress& progress);

}  // namespace pollux::report
