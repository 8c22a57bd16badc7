// Asserts that an object is used by one thread only: the first that calls check().
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

namespace pollux {

class ThreadOwner {
 public:
  void check() const {
    std::thread::id none{};
    const std::thread::id self = std::this_thread::get_id();
    [[maybe_unused]] const bool mine = owner_.compare_exchange_strong(none, self) || none == self;
    assert(mine && "used by a thread that does not own it");
  }
  // Lets another thread become the owner, at a moment when no thread uses the object.
  void release() { owner_ = std::thread::id{}; }

 private:
  mutable std::atomic<std::thread::id> owner_{};
};

}  // namespace pollux
