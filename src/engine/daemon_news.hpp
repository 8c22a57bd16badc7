// What the daemon tells people of itself, by the rules of `notify:`, besides what it logs: that its
// database was repaired or cannot be written, that the budget does not do, that a reload was
// refused. Threading: the engine's thread.
#pragma once

#include "engine/lists.hpp"
#include "engine/writer_outbox.hpp"
#include "pollux/notify/notifier.hpp"

#include <string>

namespace pollux::engine {

class DaemonNews {
 public:
  // All of it outlives this.
  DaemonNews(const Lists& lists, WriterOutbox& outbox, notify::Notifier& notifier,
             const Clock& clock)
      : lists_(lists), outbox_(outbox), notifier_(notifier), clock_(clock) {}

  // `repaired`: from which backup; empty: it was not.
  void started(const std::string& repaired);
  // Where it cannot pay for every max_interval. Once a day at most, however often it is asked.
  void budget();
  void reload_refused(const std::string& why);
  // Why the database cannot be written; empty: it can. Told when that begins, and when it ends.
  void database(const std::string& problem);

 private:
  // `key`: told once at most.
  void tell(const std::string& what, const std::string& key);

  const Lists& lists_;
  WriterOutbox& outbox_;
  notify::Notifier& notifier_;
  const Clock& clock_;
  bool database_is_well_ = true;
  WallTime problem_since_{};
};

}  // namespace pollux::engine
