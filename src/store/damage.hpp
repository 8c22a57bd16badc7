// What is wrong with a database, as far as it can be found out by reading it.
//
// quick: the tables and indexes are there; the structure of the file; the types and constraints of
// every row (SQLite's quick_check).
// full:  likewise, and that indexes and tables say the same, that no change is of a page that does
// not exist, and that every page's row can be used.
#pragma once

#include "pollux/base/result.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace pollux::store {

enum class Depth { quick, full };

struct CheckLimits {
  Duration may_take = std::chrono::hours(24);
  std::function<bool()> cancelled = {};
};

// "" when nothing is wrong, or nothing was found in the time there was. `version` is that of the
// schema. An error: the question could not be put, or somebody cancelled it.
Result<std::string> find_damage(const Connection& connection, std::int64_t version, Depth depth,
                                const CheckLimits& limits = {});

// The first part of it, which takes milliseconds: a table, column or index that is not there.
Result<std::string> missing_in_schema(const Connection& connection, std::int64_t version);

// Whether the connection's last call failed because of what is in the file.
bool met_damage(const Connection& connection);

}  // namespace pollux::store
