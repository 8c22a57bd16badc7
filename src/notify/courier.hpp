// Delivers under one rule, on a thread of its own: asks the outbox, does what the plan says, notes
// what came of it, and waits. See notifier.hpp.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/notify/channel.hpp"
#include "pollux/notify/notifier.hpp"
#include "pollux/store/fresh_reader.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace pollux::store {
class Reader;
}

namespace pollux::notify {

class Courier {
 public:
  Courier(Rule rule, Outbox& outbox, const NotifierOptions& options, const Clock& clock);
  ~Courier();  // ends what is under way
  const Rule& rule() const { return rule_; }

  void wake();
  void tell_at_once(Message message);
  void stop();    // nothing new is sent
  void cancel();  // and what is under way is given up
  // Whether it has ended by then.
  bool ended_by(std::chrono::steady_clock::time_point deadline);

 private:
  // What the writer's answer is left in; it may come when nobody waits any more.
  struct Saving {
    std::mutex mutex;
    std::condition_variable done;
    bool saved = false;
  };
  void work();
  void open();
  // Until when to wait: nothing, when there is more to do at once.
  std::optional<WallTime> deliver();
  std::optional<WallTime> send(std::int64_t id,
                               const std::optional<store::OutboxHead::Message>& current);
  bool save(store::DeliveryChange change);
  void send_urgent();
  void wait(WallTime until);
  bool stopping();

  const Rule rule_;
  Outbox& outbox_;
  const NotifierOptions options_;
  const Clock& clock_;
  const std::unique_ptr<Channel> channel_;
  Rng rng_{0};
  // The thread's own.
  std::optional<store::FreshReader> reader_;
  std::string database_id_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> urgent_;
  bool woken_ = true, stopping_ = false, cancelled_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace pollux::notify
