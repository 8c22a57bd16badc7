// Delivers what the outbox holds, on threads of its own: one for each rule, so that a slow receiver
// delays no other, and one that looks after them. Polling never waits for any of it.
//
// At least once: a message is noted as sent, on disk, before the next one of its rule goes out; so
// a kill repeats one message a rule at most, with the same key. A stop lets what is under way
// finish for a moment. Threading: every call from any thread but destruction; none waits, but for
// finish() and the destructor.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/notify/channel.hpp"
#include "pollux/notify/options.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::notify {

// The way into the database, by whoever writes it. Calls come from any thread and do not wait.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual void save(store::DeliveryChange change, std::function<void()> saved) = 0;
  virtual void tell(store::NoticeRow notice) = 0;
  virtual void give_up_others(std::vector<std::string> rules) = 0;
};

struct NotifierOptions {
  std::string database;
  ChannelOptions channels = {};
  Duration grace = std::chrono::seconds(3);  // that a stop leaves to what is under way
  // When pages that have failed for long are looked for: first, and then every so often.
  Duration first_look = std::chrono::minutes(10), look_every = std::chrono::hours(1);
};

class Notifier {
 public:
  // The outbox and the clock outlive it.
  Notifier(Rules rules, Outbox& outbox, NotifierOptions options, const Clock& clock);
  ~Notifier();

  void wake();  // there is more in the outbox
  // A new configuration: rules are known by their names, and those that are gone leave what waits
  // for them given up.
  void set_rules(Rules rules);
  // To those who want to hear of the daemon itself, at once and once, whatever becomes of it: of
  // troubles that may keep the outbox from being written.
  void tell_at_once(std::string summary);
  void stop();    // nothing new is sent
  void finish();  // after stop(): all threads have ended

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::notify
