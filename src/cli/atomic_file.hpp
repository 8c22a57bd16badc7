// Files that commands write: complete or not at all.
#pragma once

#include "pollux/base/result.hpp"

#include <filesystem>
#include <string_view>

namespace pollux::cli {

// Written under another name and renamed: an interrupted run leaves no half-written file.
Status write_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace pollux::cli
