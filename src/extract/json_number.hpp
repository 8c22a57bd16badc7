// A number of JSON in one form: 1, 1.0 and 1e0 are the same. Exact, whatever its length. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pollux::extract {

// `text`: a number as JSON has it. Without zeros that say nothing, and without an exponent where
// there is room to write it out.
std::string canonical_number(std::string_view text);

}  // namespace pollux::extract
