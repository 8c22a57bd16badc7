// Foreign text made harmless for logs, terminals and messages, and cut where it is too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pollux {

// Control characters, escapes and invalid UTF-8 become \xNN; longer than `limit` ends in "…". The
// result is one line and cannot forge another one.
std::string printable(std::string_view text, std::size_t limit = 500);
// printable(), and the userinfo of a URL replaced by "***".
std::string printable_url(std::string_view url);
// At most so many bytes of it, and no character of UTF-8 in part.
std::string_view beginning_of(std::string_view text, std::size_t most);

}  // namespace pollux
