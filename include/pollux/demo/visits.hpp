// How far a visitor has come through the pages of the site.
#pragma once

#include <cstddef>

namespace pollux::demo {

struct Visits {
  std::size_t once = 0;   // pages asked for at least once: their first content is known
  std::size_t twice = 0;  // at least twice: a change could show
};

}  // namespace pollux::demo
