// Ends a statement that takes long: at a deadline, or when the daemon is told to stop. As long as
// it lives, for the connection's statements.
#pragma once

#include "pollux/base/time.hpp"
#include "store/sqlite.hpp"

#include <chrono>
#include <functional>

namespace pollux::store {

class Patience {
 public:
  // `cancelled` may be empty. The deadline is far away where only that counts.
  Patience(const Connection& connection, const std::function<bool()>& cancelled,
           Duration most = std::chrono::hours(24))
      : connection_(connection),
        cancelled_(cancelled),
        end_(std::chrono::steady_clock::now() + most) {
    sqlite3_progress_handler(connection.handle(), steps_between_looks, &Patience::is_over, this);
  }
  ~Patience() { sqlite3_progress_handler(connection_.handle(), 0, nullptr, nullptr); }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  bool cancelled() const { return cancelled_ && cancelled_(); }
  // The last error is ours: the time was over, or somebody cancelled.
  bool ended_it() const { return sqlite3_errcode(connection_.handle()) == SQLITE_INTERRUPT; }

 private:
  static constexpr int steps_between_looks = 10'000;
  static int is_over(void* self) {
    const auto& patience = *static_cast<const Patience*>(self);
    return patience.cancelled() || std::chrono::steady_clock::now() >= patience.end_ ? 1 : 0;
  }
  const Connection& connection_;
  const std::function<bool()>& cancelled_;
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace pollux::store
