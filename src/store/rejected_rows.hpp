// Rows that SQLite will never take: a constraint, a type or a size is against them. Trying them
// again would fail for ever and keep everything behind them from the disk, so they are dropped, and
// named in the log once the rest of their batch is safe. Not thread-safe.
#pragma once

#include "pollux/base/result.hpp"
#include "store/sqlite.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pollux::store {

class RejectedRows {
 public:
  // True: the row is written. False: it was refused and is to be dropped. An error: nothing is
  // wrong with the row, the batch has to be tried again. `name` makes the row's name for people.
  template <typename Name>
  Result<bool> judge(const Connection& connection, const Status& done, Name name) {
    if (done) return true;
    if (!is_for_ever(connection)) return done.error();
    drop(name(), done.error());
    return false;
  }
  void forget() { *this = {}; }  // the batch begins (again)
  void tell() const;             // the batch is on disk

 private:
  static bool is_for_ever(const Connection& connection);
  void drop(std::string name, const Error& why);

  std::size_t count_ = 0;
  std::vector<std::pair<std::string, std::string>> named_;  // the first few, and why
};

}  // namespace pollux::store
