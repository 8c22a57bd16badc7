// What the files of the Reader share.
#pragma once

#include "pollux/store/reader.hpp"
#include "store/sqlite.hpp"

#include <span>
#include <string>
#include <string_view>

namespace pollux::store {

// Calls `each` for every row; stops at the first error.
template <typename Each>
Status for_each_row(Statement& statement, Each each) {
  while (true) {
    const Result<bool> row = statement.step();
    if (!row) return row.error();
    if (!*row) return success();
    each(statement);
  }
}

struct Reader::State {
  Connection connection;
  std::string path;

  Status tell_overrides(std::span<PageRow> pages);
  Status read_totals(Totals& totals);
  Status read_minutes(Summary& summary, WallTime since, std::int64_t most);
  Result<std::string> near_matches(std::string_view url);
  Result<bool> has_column(std::string_view table, std::string_view column);
};

}  // namespace pollux::store
