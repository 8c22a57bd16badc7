// A new folder of ours alone, where the system has its temporary files; whoever made it removes it.
#pragma once

#include "pollux/base/result.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace pollux::cli {

inline Result<std::string> make_temporary_folder(std::string_view name) {
  std::error_code problem;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(problem);
  std::string folder = (parent / (std::string(name) + "-XXXXXX")).string();
  if (!problem && ::mkdtemp(folder.data()) != nullptr) return folder;
  return Error{"no folder for temporary files; create the one that TMPDIR names",
               ExitCode::cannot_create};
}

}  // namespace pollux::cli
