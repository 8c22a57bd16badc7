// A check of the database on a thread and a connection of its own, beside a start that only reads:
// with a million pages either takes seconds. Threading: one owner; the check's thread is inside.
#pragma once

#include "pollux/base/result.hpp"
#include "store/damage.hpp"

#include <atomic>
#include <string>
#include <thread>

namespace pollux::store {

class RunningCheck {
 public:
  RunningCheck(std::string path, Depth depth, const CheckLimits& limits);
  ~RunningCheck();  // gives it up
  RunningCheck(const RunningCheck&) = delete;
  RunningCheck& operator=(const RunningCheck&) = delete;

  // Waits for it. As find_damage.
  Result<std::string> verdict();

 private:
  std::atomic<bool> given_up_{false};
  Result<std::string> verdict_{std::string()};  // the thread's until it is joined
  std::thread thread_;
};

}  // namespace pollux::store
