// A queue between threads that never grows past its capacity: push blocks or refuses when it is
// full, so a slow consumer slows its producers instead of eating memory. Any number of producers
// and consumers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace pollux {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // False when the queue is full or closed; the item is then left untouched.
  bool try_push(T& item) {
    {
      std::lock_guard lock(mutex_);
      if (closed_ || items_.size() >= capacity_) return false;
      items_.push_back(std::move(item));
    }
    ready_.notify_one();
    return true;
  }
  // Waits for room. False when the queue was closed meanwhile.
  bool push(T item) {
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
      if (closed_) return false;
      items_.push_back(std::move(item));
    }
    ready_.notify_one();
    return true;
  }
  // Waits until there is something, then takes at most `limit` items. Empty only when the queue is
  // closed and drained.
  std::vector<T> pop_some(std::size_t limit) {
    std::vector<T> taken;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [&] { return closed_ || !items_.empty(); });
      while (!items_.empty() && taken.size() < limit) {
        taken.push_back(std::move(items_.front()));
        items_.pop_front();
      }
    }
    room_.notify_all();
    return taken;
  }
  // No more pushes; consumers drain what is left.
  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
    room_.notify_all();
  }
  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return items_.size();
  }
  std::size_t capacity() const { return capacity_; }

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace pollux
