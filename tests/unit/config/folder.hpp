// A folder that lives as long as the test, and what the tests of this module ask of a loaded file.
#pragma once

#include "pollux/config/config.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace pollux::config {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pollux_config_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline Loaded loaded(const std::string& text, const LoadOptions& options = {}) {
  Result<Loaded> result = load_text(text, "test.yaml", options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message) << "\n" << text;
  return result.ok() ? std::move(*result) : Loaded{};
}

inline Error refused(const std::string& text, const LoadOptions& options = {}) {
  const Result<Loaded> result = load_text(text, "test.yaml", options);
  EXPECT_FALSE(result.ok()) << text.substr(0, 200);
  return result.ok() ? Error{} : result.error();
}

}  // namespace pollux::config
