// The project's own files, for tests that look at the source tree instead of running it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::tree {

inline const std::filesystem::path root = POLLUX_SOURCE_DIR;

inline std::string read(const std::filesystem::path& file) {
  std::ifstream in(root / file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines(const std::filesystem::path& file) {
  std::istringstream in(read(file));
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

// Paths relative to the root, of the files below `folder` with one of these extensions. Hidden
// folders, build trees and what npm has installed are passed over.
inline std::vector<std::filesystem::path> files(const std::filesystem::path& folder,
                                                const std::vector<std::string>& extensions) {
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::exists(root / folder)) return found;
  auto walk = std::filesystem::recursive_directory_iterator(root / folder);
  for (auto it = begin(walk); it != end(walk); ++it) {
    const auto name = it->path().filename().string();
    if (it->is_directory() &&
        (name.starts_with('.') || name == "build" || name == "node_modules")) {
      it.disable_recursion_pending();
    }
    for (const std::string& extension : extensions) {
      if (it->is_regular_file() && it->path().extension() == extension) {
        found.push_back(std::filesystem::relative(it->path(), root));
      }
    }
  }
  return found;
}

struct Finished {
  int exit_code = -1;
  std::string output;  // standard output and standard error
};

inline Finished run(const std::string& command) {
  Finished finished;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return finished;
  char buffer[4096];
  while (std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) {
    finished.output.append(buffer, n);
  }
  const int status = pclose(pipe);
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

inline bool installed(const std::string& program) {
  return run("command -v " + program).exit_code == 0;
}

}  // namespace pollux::tree
