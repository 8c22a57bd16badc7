// gzip undone, within a bound: a few kilobytes can stand for gigabytes.
#pragma once

#include "pollux/base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace pollux::import {

bool is_gzip(std::string_view bytes);
// All members of it. bad_data: it is damaged, cut short, or holds more than `most` bytes.
Result<std::string> gunzip(std::string_view bytes, std::size_t most);

}  // namespace pollux::import
