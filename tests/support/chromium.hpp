// The browser that pages are rendered by, where this machine has one.
#pragma once

#include <filesystem>
#include <string>

namespace pollux::test {

inline const std::string chromium = "/usr/bin/chromium-headless-shell";
inline bool has_chromium() {
  return std::filesystem::exists(chromium);
}

}  // namespace pollux::test

#define POLLUX_NEEDS_CHROMIUM() \
  if (!pollux::test::has_chromium()) GTEST_SKIP() << "no " << pollux::test::chromium
