// Brains that share a budget, as one of them last wrote it down for `pollux status --all`. Pure.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/report/table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::report {

struct BrainUse {
  std::string name;
  std::int64_t pages = 0, hosts = 0;
  double budget = 0;                                   // of its lease, requests per second
  double poll_rate = 0;                                // polls per second, lately
  std::int64_t requests = 0, changes = 0, errors = 0;  // since its start
  double seconds_ago = 0;                              // when it was last heard of
};

struct BrainsOverview {
  std::string self, allocator, trouble;  // the last one empty: all is well
  std::vector<BrainUse> brains;
  BrainUse all() const;  // added up; heard of as long ago as the one longest silent
};
// `text` is the row "brains" of the table meta; nothing: it is none.
std::optional<BrainsOverview> brains_of(std::string_view text, WallTime now);

inline constexpr char no_brains[] =
    "This daemon shares its budget with no other; see 'brains' in the configuration.";
// Who divides the budget, and what is wrong.
std::string brains_text(const BrainsOverview& overview);
// With a last row of them all.
Table brains_table(const BrainsOverview& overview);
boost::json::object brains_json(const BrainsOverview& overview);

}  // namespace pollux::report
