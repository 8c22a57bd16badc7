// A thread that works now and then, and ends when it is told to, also in the middle of a pause.
#pragma once

#include "pollux/base/time.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace pollux::store {

// The last member of whoever owns it: what it works on must live as long.
class PausingThread {
 public:
  PausingThread() = default;
  PausingThread(const PausingThread&) = delete;
  PausingThread& operator=(const PausingThread&) = delete;
  ~PausingThread() {
    request_stop();
    if (thread_.joinable()) thread_.join();
  }
  void start(std::function<void()> work) { thread_ = std::thread(std::move(work)); }
  void request_stop() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
  }

  // On the thread itself.
  bool over() {
    std::lock_guard lock(mutex_);
    return stopping_;
  }
  // False: it is over.
  bool pause(Duration length) {
    std::unique_lock lock(mutex_);
    return !wake_.wait_for(lock, length, [this] { return stopping_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pollux::store
