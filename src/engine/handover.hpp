// Items that go from one thread to another, in batches: what the sender puts within one turn of its
// event loop crosses together, with one lock, and the receiver is woken only when nothing is on its
// way to it yet. Waking a thread for every item costs more than most items do.
//
// Order is kept. Not bounded by itself: items belong to requests in flight, and those are bounded.
// Threading: put() on the thread of `from`, `take` is called on that of `to`. Destroyed by one of
// the two, while the other is not running or ended; what has not arrived by then is dropped.
#pragma once

#include "pollux/base/event_loop.hpp"

#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pollux::engine {

template <typename Item>
class Handover : public std::enable_shared_from_this<Handover<Item>> {
 public:
  using Take = std::function<void(Item)>;
  Handover(EventLoop& from, EventLoop& to, Take take)
      : from_(from), to_(to), take_(std::move(take)) {}

  void put(Item item) {
    outbox_.push_back(std::move(item));
    if (std::exchange(flush_posted_, true)) return;
    from_.post([weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->flush();
    });
  }

 private:
  static constexpr std::size_t most_at_once = 256;  // the other handlers want their turn, too

  void flush() {
    flush_posted_ = false;
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (crossing_.empty()) {
        crossing_.swap(outbox_);
      } else {
        std::move(outbox_.begin(), outbox_.end(), std::back_inserter(crossing_));
      }
      wake = !std::exchange(delivery_posted_, true);
    }
    outbox_.clear();
    if (wake) post_delivery();
  }

  void post_delivery() {
    to_.post([weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->deliver();
    });
  }

  void deliver() {
    if (next_ == inbox_.size()) {
      inbox_.clear();
      next_ = 0;
      const std::lock_guard lock(mutex_);
      inbox_.swap(crossing_);
    }
    for (std::size_t i = 0; i < most_at_once && next_ < inbox_.size(); ++i)
      take_(std::move(inbox_[next_++]));
    if (next_ == inbox_.size()) {
      const std::lock_guard lock(mutex_);
      delivery_posted_ = !crossing_.empty();
      if (!delivery_posted_) return;
    }
    post_delivery();
  }

  EventLoop& from_;
  EventLoop& to_;
  const Take take_;
  std::vector<Item> outbox_;   // sender's thread
  bool flush_posted_ = false;  // sender's thread
  std::mutex mutex_;
  std::vector<Item> crossing_;    // under the mutex
  bool delivery_posted_ = false;  // under the mutex
  std::vector<Item> inbox_;       // receiver's thread
  std::size_t next_ = 0;          // of the inbox; receiver's thread
};

}  // namespace pollux::engine
