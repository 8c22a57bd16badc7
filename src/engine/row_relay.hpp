// Rows of pages on their way from the thread that reads them to the one that installs them, in
// batches: a start with a million pages uses two cores.
#pragma once

#include "pollux/store/rows.hpp"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace pollux::engine {

class RowRelay {
 public:
  // On the reading thread. The row is taken, and another one left in its place.
  void put(std::unique_ptr<store::PageRow>& row, std::uint32_t position) {
    Batch& batch = batches_[filling_];
    Entry& entry = batch.rows[batch.size++];
    std::swap(entry.row, row);
    entry.position = position;
    if (batch.size == batch_size) hand_over();
  }
  void end() {
    hand_over();
    std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

  // On the other one, until end().
  template <typename Each>
  void take_all(const Each& each) {
    for (std::size_t at = 0;; at = 1 - at) {
      Batch& batch = batches_[at];
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return batch.full || over_; });
      if (!batch.full) return;
      lock.unlock();
      for (std::size_t i = 0; i < batch.size; ++i) each(*batch.rows[i].row, batch.rows[i].position);
      batch.size = 0;
      lock.lock();
      batch.full = false;
      changed_.notify_all();
    }
  }

 private:
  static constexpr std::size_t batch_size = 256;  // they fit into a core's cache
  struct Entry {
    std::unique_ptr<store::PageRow> row = std::make_unique<store::PageRow>();
    std::uint32_t position = 0;
  };
  struct Batch {
    // Used again and again, so that their strings keep their memory.
    std::array<Entry, batch_size> rows;
    std::size_t size = 0;
    bool full = false;  // handed over
  };

  void hand_over() {
    std::unique_lock lock(mutex_);
    batches_[filling_].full = true;
    changed_.notify_all();
    filling_ = 1 - filling_;
    changed_.wait(lock, [&] { return !batches_[filling_].full; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Batch, 2> batches_;
  std::size_t filling_ = 0;
  bool over_ = false;
};

}  // namespace pollux::engine
