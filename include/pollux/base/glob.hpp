// Patterns of URLs as users write them.
#pragma once

#include <string_view>

namespace pollux {

// Whether `pattern` covers the whole of `text`: `*` stands for any characters, `/` among them, `?`
// for one (a byte: normalised URLs are ASCII), all others for themselves. Takes time linear in the
// text, at most its length times the pattern's, whatever the pattern.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace pollux
