#include "cli/atomic_file.hpp"

#include "pollux/base/text.hpp"

#include <fstream>

namespace pollux::cli {

Status write_atomically(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary);
  file << content;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (!file || error) {
    std::filesystem::remove(part, error);
    return Error{"cannot write " + printable(path.string()) + "; is the folder there and writable?",
                 ExitCode::cannot_create};
  }
  return success();
}

}  // namespace pollux::cli
