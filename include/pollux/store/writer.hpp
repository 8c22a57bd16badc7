// The thread that owns the Store. Records wait in a bounded queue and are written in batches, every
// `batch_age` or when `batch_polls` wait, one row a page. A writer that is merely slow makes full()
// true, and the engine waits. When writing fails (disk full, I/O error) polling goes on: the batch
// is kept and tried again every few seconds, what waits becomes one entry a page (the newest state,
// every change), and only when `memory` is used up is full() true. What a bounded memory cannot
// hold is counted and told (Squeezed). Nodes, hosts and meta that wait are merged (the last value
// of a key counts, minutes add up), so they are bounded too. While writing fails the reason stands
// in the lock file, where `pollux status` finds it: the database cannot be asked to hold it.
//
// Threading: submit, run, full, queued, progress from any thread; callbacks and jobs on the
// writer's thread; stop and the destructor on the thread that made the writer.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/store/sink.hpp"
#include "pollux/store/store.hpp"
#include "pollux/store/version_keeper.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::store {

struct WriterOptions {
  std::size_t queue_capacity = 32768;  // poll records waiting at which a working disk is too slow
  std::size_t memory = 128u << 20;     // what waits while the disk does not work may take this much
  std::size_t queued_versions = 16u << 20;  // bytes of versions waiting, likewise
  std::size_t batch_polls = 16384;
  Duration batch_age = std::chrono::milliseconds(500);
  Duration retry_after_error = std::chrono::seconds(2);
};

// What a bounded memory could not hold while nothing could be written.
struct Squeezed {
  std::uint64_t polls = 0;    // results without a change, let go: the page's next poll says as much
  std::uint64_t changes = 0;  // changes joined to another one of their page; its window holds them
  bool any() const { return polls > 0 || changes > 0; }
};

struct Trouble {
  std::string problem;     // empty: writing works again
  bool damaged = false;    // the file is: no attempt will help, only a new start with a backup
  Squeezed squeezed = {};  // so far, in this trouble
};

class Writer final : public Sink {
 public:
  struct Callbacks {
    // Changes that are now on disk: only these may be reported to anyone.
    std::function<void(const std::vector<ChangeRow>&)> committed;
    // Writing began to fail, begins to squeeze, or works again; or a job has met damage.
    std::function<void(const Trouble&)> trouble;
    // There is more to be delivered, on disk.
    std::function<void()> noticed = {};
  };
  // `content`: where versions are kept; null: nowhere.
  Writer(std::unique_ptr<Store> store, std::string policy, WriterOptions options,
         Callbacks callbacks, std::unique_ptr<VersionKeeper> content = nullptr);
  ~Writer() override;

  void submit(PollRecord&& record) override;
  void submit(Batch other) override;
  // Runs a job with the store on the writer's thread, after what was queued before it is on disk.
  // A job is dropped unrun when the writer stops before it could.
  void run(std::function<void(Store&)> job);
  bool full() const override;
  std::size_t queued() const;
  // Grows as long as the thread is alive and not stuck; the watchdog compares two readings.
  std::uint64_t progress() const;
  std::uint64_t batches() const;  // written since the start
  // Writes everything that is queued, or gives up at the deadline; then the thread is gone and the
  // store closed, and the next start knows that all is saved. The error says what could not be
  // written. The destructor stops with 5 s, and the next start knows nothing.
  Status stop(Duration give_up_after);

 private:
  void end_thread(Duration give_up_after, bool orderly);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::store
