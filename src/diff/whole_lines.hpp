// What was added or removed, as whole lines where that is the same: of "Item 2\nItem 1" nobody says
// that "2\nItem" is new.
#pragma once

#include "pollux/diff/diff.hpp"

#include <vector>

namespace pollux::diff {

// `pieces` as words() makes them, and says what they are.
void prefer_whole_lines(std::vector<Piece>& pieces);

}  // namespace pollux::diff
