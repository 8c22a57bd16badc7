// A figure beside its bar.
#pragma once

#include <cstdio>
#include <string>

namespace pollux::bench {

enum class Bar : bool { at_most, at_least };

inline bool judge(const std::string& what, double figure, Bar bar, double wanted) {
  const bool met = bar == Bar::at_most ? figure <= wanted : figure >= wanted;
  std::printf("   %s: %.2f (wanted: %.2f or %s) %s\n", what.c_str(), figure, wanted,
              bar == Bar::at_most ? "less" : "more", met ? "met" : "missed");
  return met;
}

}  // namespace pollux::bench
