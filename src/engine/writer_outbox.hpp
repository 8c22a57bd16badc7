// The outbox as the daemon has it: the one writer of the database. What is to be known on disk is
// written at once, in a batch with whatever waits. Threading: any thread; nothing waits.
#pragma once

#include "pollux/notify/notifier.hpp"
#include "pollux/store/writer.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

namespace pollux::engine {

class WriterOutbox final : public notify::Outbox {
 public:
  explicit WriterOutbox(store::Writer& writer) : writer_(writer) {}

  void save(store::DeliveryChange change, std::function<void()> saved) override {
    store::Batch batch;
    batch.deliveries.push_back(std::move(change));
    writer_.submit(std::move(batch));
    writer_.run([done = std::move(saved)](store::Store&) { done(); });
  }
  void tell(store::NoticeRow notice) override {
    if (notice.wishes.empty()) return;
    store::Batch batch;
    batch.notices.push_back(std::move(notice));
    writer_.submit(std::move(batch));
  }
  void give_up_others(std::vector<std::string> rules) override {
    writer_.run([known = std::move(rules)](store::Store& store) {
      const Result<std::int64_t> given_up = store.give_up_deliveries(known);
      if (!given_up) {
        spdlog::warn("{}", given_up.error().message);
      } else if (*given_up > 0) {
        spdlog::warn(
            "{} deliveries are given up: their rules of notify are gone; `pollux notify "
            "--failed` lists them",
            *given_up);
      }
    });
  }

 private:
  store::Writer& writer_;
};

}  // namespace pollux::engine
