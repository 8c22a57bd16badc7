// The long work of a reload in the daemon: a thread that reads and frees, and the writer's thread,
// which has the database.
#pragma once

#include "engine/live_rows.hpp"
#include "engine/reload.hpp"
#include "pollux/store/writer.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace pollux::engine {

class ReloadThread final : public ReloadWork {
 public:
  ReloadThread(EventLoop& loop, const Clock& clock, store::Writer& writer)
      : loop_(loop), clock_(clock), writer_(writer) {}
  // What has not begun by then is dropped.
  ~ReloadThread() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  // One after the other. A reload has no more than a few of them under way.
  void aside(std::function<void()> job) override {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    wake_.notify_one();
  }
  void reconcile(std::weak_ptr<ReadConfig> read, Done done) override {
    writer_.run([this, read = std::move(read), done = std::move(done)](store::Store& store) {
      const std::shared_ptr<ReadConfig> mine = read.lock();
      if (!mine) return;  // put off meanwhile
      const Result<std::vector<store::LiveRow>> live = store.load_live();
      if (!live.ok()) {
        loop_.post([done, problem = live.error()] { done(problem); });
        return;
      }
      apply_live(*live, mine->config, mine->wanted);
      const auto reconciled =
          store.reconcile(mine->wanted.specs, clock_.wall(),
                          store::Shrinking{.most = mine->config.reload_max_removed});
      auto found = std::make_shared<Result<PageListChange>>(
          reconciled.ok() ? read_change(store, mine->wanted, mine->known)
                          : Result<PageListChange>(reconciled.error()));
      mine->wanted.specs = {};  // freed here rather than on the engine's thread
      loop_.post([done, found] { done(std::move(*found)); });
    });
  }

  void tell(std::vector<store::ShareRow> shares) override {
    if (shares.empty()) return;
    store::Batch batch;
    batch.shares = std::move(shares);
    writer_.submit(std::move(batch));
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (stopping_) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  EventLoop& loop_;
  const Clock& clock_;
  store::Writer& writer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::thread thread_;  // since the first job
};

}  // namespace pollux::engine
