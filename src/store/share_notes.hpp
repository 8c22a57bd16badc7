// What hosts and directories have of the budget, noted now and then: rows of share_history. The
// pages are gone through in parts, between which polls are written: a list of a million takes some
// seconds. What a page gets meanwhile counts as it is when its part comes.
#pragma once

#include "pollux/base/time.hpp"
#include "store/sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pollux::store {

class ShareNotes {
 public:
  static constexpr std::int64_t ids_a_step = 20'000;
  static constexpr std::size_t most_noted = 100;  // hosts, and as many directories
  // Counted at a time; of more, those with the least are forgotten now and then. So one that has
  // much is noted, and may be said to have a little less.
  static constexpr std::size_t most_counted = 20'000;

  // The next part of a pass, which begins `every` after the one before; true when there is more of
  // it. Within the caller's transaction.
  Result<bool> step(const Connection& connection, WallTime now, Duration every);

 private:
  using Shares = std::unordered_map<std::string, double>;  // by prefix
  Result<bool> is_due(const Connection& connection, WallTime now, Duration every) const;
  Status read(const Connection& connection);
  void count(std::string_view url, double share);
  static void add(Shares& shares, std::string_view prefix, double share);
  static void forget_least(Shares& shares, std::size_t most);
  Status write(const Connection& connection);

  std::optional<WallTime> pass_;  // under way, since
  std::optional<WallTime> last_;  // the one before
  std::int64_t read_until_ = 0;   // page ids up to here
  Shares hosts_, folders_;
};

}  // namespace pollux::store
