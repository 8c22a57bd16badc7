// Whether a page is asked in full, and why.
#pragma once

#include "pollux/store/rows.hpp"

#include <string>

namespace pollux::report {

std::string validators_text(const store::PageProgress& progress, WallTime now);

}  // namespace pollux::report
