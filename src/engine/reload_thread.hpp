// The long work of a reload in the daemon: a thread that reads and frees, and the writer's thread,
// which has the database.
#pragma once

#include "engine/reload.hpp"
#include "pollux/store/writer.hpp"

#include <thread>

namespace pollux::engine {

class ReloadThread final : public ReloadWork {
 public:
  ReloadThread(EventLoop& loop, const Clock& clock, store::Writer& writer)
      : loop_(loop), clock_(clock), writer_(writer) {}
  ~ReloadThread() override { join(); }

  void aside(std::function<void()> job) override {
    join();
    thread_ = std::thread(std::move(job));
  }
  void reconcile(std::weak_ptr<ReadConfig> read, Done done) override {
    writer_.run([this, read = std::move(read), done = std::move(done)](store::Store& store) {
      const std::shared_ptr<ReadConfig> mine = read.lock();
      if (!mine) return;  // put off meanwhile
      const auto reconciled = store.reconcile(mine->wanted.specs, clock_.wall(),
                                              {.most = mine->config.reload_max_removed});
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
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  EventLoop& loop_;
  const Clock& clock_;
  store::Writer& writer_;
  std::thread thread_;
};

}  // namespace pollux::engine
