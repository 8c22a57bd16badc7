// Full checks of the database while the daemon goes on: after the start, and once a day.
//
// On a thread and a read-only connection of their own, so no save waits for them; the log cannot
// shrink meanwhile. With a million pages one takes 4 s of processor time. Threading: `told` is
// called on the check's thread.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pollux::store {

// One full check. "" when the database is sound. An error: it could not be checked.
Result<std::string> check_database(const std::string& database,
                                   const std::function<bool()>& cancelled = {});

class Checkups {
 public:
  // `damage` as check_database says.
  using Told = std::function<void(const Result<std::string>& damage, Duration took)>;
  Checkups(std::string database, Told told, Duration every = std::chrono::hours(24));
  ~Checkups();          // waits for request_stop() to have its effect
  void request_stop();  // ends one that goes on

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::store
