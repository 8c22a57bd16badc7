// How one version is stored: compressed, with the version before it as prefix or by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::store {

// 64 hexadecimal digits.
std::string sha256_of(std::string_view text);

// An empty prefix: by itself.
std::string squeeze(std::string_view text, std::string_view prefix);
// Nothing: the bytes are damaged, or it is another prefix.
std::optional<std::string> unsqueeze(std::string_view bytes, std::string_view prefix,
                                     std::int64_t size);

}  // namespace pollux::store
