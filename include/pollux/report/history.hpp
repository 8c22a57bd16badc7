// The versions of a page that are kept. Pure.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/report/table.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

namespace pollux::report {

struct Version {
  std::int64_t number = 0;
  WallTime seen_at{};
  std::string hash;
  std::string as;  // what it was kept as: text, json, …
  std::int64_t bytes = 0;
  std::string summary;  // of the change that led to it; empty: not known, or the first one
};

// Both in the order given.
Table history_table(const std::vector<Version>& versions, WallTime now);
boost::json::array history_json(const std::vector<Version>& versions);

}  // namespace pollux::report
