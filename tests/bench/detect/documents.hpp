// 10 MiB of every kind that could cost more than it should, and rules that could.
#pragma once

#include "pollux/extract/rules.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pollux::test {

struct Hostile {
  std::string name;
  const char* type;
  std::function<std::string()> make;
};
// Some are refused, some are read to the end.
std::vector<Hostile> hostile_documents();

// Rules as a user might write them by mistake, on documents that are large but within the limits.
struct HostileRules {
  std::string name;
  extract::Rules rules;
  Hostile document;
};
std::vector<HostileRules> hostile_rules();

}  // namespace pollux::test
