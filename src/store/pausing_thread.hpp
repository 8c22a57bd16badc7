// A thread that works now and then, and ends when it is told to, also in the middle of a pause;
// a pause can be cut short besides.
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

  // The pause under way ends, or the next one does at once.
  void cut_short() {
    {
      std::lock_guard lock(mutex_);
      cut_short_ = true;
    }
    wake_.notify_one();
  }

  // On the thread itself.
  bool over() {
    std::lock_guard lock(mutex_);
    return stopping_;
  }
  enum class Pause { passed, cut_short, over };
  Pause rest(Duration length) {
    std::unique_lock lock(mutex_);
    const bool passed = !wake_.wait_for(lock, length, [this] { return stopping_ || cut_short_; });
    cut_short_ = false;
    if (stopping_) return Pause::over;
    return passed ? Pause::passed : Pause::cut_short;
  }
  // False: it is over.
  bool pause(Duration length) { return rest(length) != Pause::over; }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false, cut_short_ = false;
  std::thread thread_;
};

}  // namespace pollux::store
