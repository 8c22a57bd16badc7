// What the policy at work makes of a page's change rate and importance, in words. Pure.
#pragma once

#include "cli/page_view.hpp"

#include <string>

namespace pollux::cli {

// "about 1/h, one change every 1 h (7 changes found in 100 polls). The more …"
std::string rate_text(const store::PageRow& page, const Meta& meta);
std::string importance_text(const store::PageRow& page, const Meta& meta);

}  // namespace pollux::cli
