// How a robots.txt travels between SQL and RobotsRow, and numbers that may be unknown.
#pragma once

#include "pollux/store/rows.hpp"
#include "store/sqlite.hpp"

namespace pollux::store {

// "host, verdict, …": in the order that read_robots expects.
extern const char* const robots_columns;
RobotsRow read_robots(const Statement& row);

extern const char* const put_robots;
// The row must live until the statement is reset.
void bind_robots(Statement& put, const RobotsRow& row);

inline void bind_number_or_null(Statement& statement, int at, std::optional<std::int64_t> number) {
  if (number) {
    statement.bind(at, *number);
  } else {
    statement.bind_null(at);
  }
}
inline std::optional<std::int64_t> number_or_null(const Statement& row, int at) {
  return row.is_null(at) ? std::nullopt : std::optional(row.integer(at));
}

}  // namespace pollux::store
