// What the tests of this module ask of a loaded file, and where they write it.
#pragma once

#include "pollux/config/config.hpp"
#include "support/temp_folder.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::config {

using test::TempFolder;

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A budget must be written; what is not about it need not say so.
inline std::string with_budget(const std::string& text) {
  return contains(text, "budget") ? text : text + "\nbudget: 1\n";
}

inline Loaded loaded(const std::string& text, const LoadOptions& options = {}) {
  Result<Loaded> result = load_text(with_budget(text), "test.yaml", options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message) << "\n" << text;
  return result.ok() ? std::move(*result) : Loaded{};
}

// Every line of what is wrong with it.
inline std::vector<std::string> all_errors(const std::string& text) {
  std::vector<std::string> errors;
  EXPECT_FALSE(load_text(text, "test.yaml", {.errors = &errors}).ok()) << text;
  return errors;
}

inline Error refused(const std::string& text, const LoadOptions& options = {}) {
  const std::string whole = contains(text, "pages:") ? with_budget(text) : text;
  const Result<Loaded> result = load_text(whole, "test.yaml", options);
  EXPECT_FALSE(result.ok()) << text.substr(0, 200);
  return result.ok() ? Error{} : result.error();
}

}  // namespace pollux::config
