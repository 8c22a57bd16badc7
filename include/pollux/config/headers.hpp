// What a header that a page sends may be, for whoever writes a configuration. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pollux::config {

// Why `headers:` refuses this name and what to use instead; empty: it may be set.
std::string header_complaint(std::string_view name);
// 1 to 2 000 printable ASCII characters.
bool is_header_value(std::string_view value);
// Whether a header by this name usually carries a secret, which belongs into a file of its own.
bool is_secret_header(std::string_view name);

}  // namespace pollux::config
