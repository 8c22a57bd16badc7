// The database of a simulation: page rows in memory, and the changes that were submitted.
// Threading: one thread.
#pragma once

#include "engine/reload.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/store/sink.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pollux::simulation {

class MemoryStore final : public store::Sink, public engine::ReloadWork {
 public:
  explicit MemoryStore(EventLoop& loop) : loop_(loop) {}

  // Told of every poll that ended.
  std::function<void(const std::string& url, const store::PollRecord&)> on_poll;

  // As store::Store::reconcile and load_pages do it.
  void list(const std::vector<store::PageSpec>& specs);
  template <typename Visit>
  void for_each_listed(Visit visit) const {
    for (const store::PageRow& row : rows_) {
      if (row.state == "active") visit(row);
    }
  }
  bool is_listed(const std::string& url) const;

  // As commands do it while the engine runs; null: nobody ever listed it.
  const store::PageRow* row(const std::string& url) const;
  void pause(const std::string& url);
  store::PageRow resume(const std::string& url);

  void submit(store::PollRecord&& record) override;
  void submit(store::Batch) override {}
  bool full() const override { return false; }

  void aside(std::function<void()> job) override { loop_.post(std::move(job)); }
  void reconcile(std::weak_ptr<engine::ReadConfig> read, Done done) override;
  void tell(std::vector<store::ShareRow> shares) override;

 private:
  PageSlot free_slot();

  EventLoop& loop_;
  std::vector<store::PageRow> rows_;  // by id, from 1
  std::unordered_map<std::string, std::size_t> by_url_;
  std::vector<bool> slots_;  // in use
};

}  // namespace pollux::simulation
