// Files that commands write: whole or not at all.
#pragma once

#include "pollux/base/result.hpp"

#include <filesystem>
#include <string_view>

namespace pollux::cli {

// Written beside its place and renamed: an interrupted run leaves no half a file.
Status write_whole_file(const std::filesystem::path& path, std::string_view content);

}  // namespace pollux::cli
