// What the tests of this module ask of a loaded file, and where they write it.
#pragma once

#include "pollux/config/config.hpp"
#include "support/temp_folder.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace pollux::config {

using test::TempFolder;

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
