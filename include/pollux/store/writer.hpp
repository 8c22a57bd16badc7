// The thread that owns the Store. Records wait in a bounded queue and are written in batches of at
// most 500 polls or one second, whichever comes first. When writing fails (disk full, I/O error)
// the batch is kept and tried again every few seconds; the queue fills; the engine sees full() and
// slows down: memory stays bounded and nothing that was queued is dropped. Nodes, hosts and meta
// that wait are merged (the last value of a key counts, minutes add up), so they are bounded too.
//
// Threading: submit, run, full, queued, progress from any thread; callbacks and jobs on the
// writer's thread; stop and the destructor on the thread that made the writer.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/store/store.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::store {

struct WriterOptions {
  std::size_t queue_capacity = 32768;  // poll records waiting at which full() says so
  std::size_t batch_polls = 500;
  Duration batch_age = std::chrono::milliseconds(500);
  Duration retry_after_error = std::chrono::seconds(2);
};

class Writer {
 public:
  struct Callbacks {
    // Changes that are now on disk: only these may be reported to anyone.
    std::function<void(const std::vector<ChangeRow>&)> committed;
    // Writing began to fail (message) or works again ("").
    std::function<void(const std::string& problem)> trouble;
  };
  Writer(std::unique_ptr<Store> store, std::string policy, WriterOptions options,
         Callbacks callbacks);
  ~Writer();

  void submit(PollRecord record);  // never blocks; check full() before starting new work
  void submit(Batch other);        // nodes, hosts, minutes, meta
  // Runs a job with the store on the writer's thread, after what was queued before it is on disk.
  // A job is dropped unrun when the writer stops before it could.
  void run(std::function<void(Store&)> job);
  bool full() const;
  std::size_t queued() const;
  // Grows as long as the thread is alive and not stuck; the watchdog compares two readings.
  std::uint64_t progress() const;
  // Writes everything that is queued, or gives up at the deadline; then the thread is gone and the
  // store closed. The error says what could not be written. The destructor stops with 5 s.
  Status stop(Duration give_up_after);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::store
