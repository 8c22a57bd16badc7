// Patterns of URLs as users write them.
#pragma once

#include <string_view>

namespace pollux {

// Whether `pattern` covers the whole of `text`: `*` stands for any characters, `/` among them, `?`
// for one (a byte: normalised URLs are ASCII), all others for themselves. Takes time linear in
// both, whatever they are; of long pieces with `?`, a 64th of the product of their lengths.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace pollux
