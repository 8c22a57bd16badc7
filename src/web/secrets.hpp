// Random words, and comparisons that take as long for a near miss as for any other.
#pragma once

#include <string>
#include <string_view>

namespace pollux::web {

// 256 bits from the system, in hexadecimal.
std::string random_word();
// 256 bits of the text under the key, in hexadecimal.
std::string keyed_word(std::string_view key, std::string_view text);
bool same_secret(std::string_view a, std::string_view b);

}  // namespace pollux::web
