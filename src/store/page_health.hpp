// Whether a page's row can be used: the types of its columns are SQLite's business, what they say
// is ours. A row that no Pollux would have written is damage.
#pragma once

#include "pollux/store/rows.hpp"

#include <string>

namespace pollux::store {

// What is wrong with it, with the page's id; "" when nothing is.
std::string flaw_of(const PageRow& page);
inline constexpr char no_state[] = "its state is none that there is";

}  // namespace pollux::store
