// A reload: the files are read on a thread of their own, brought into the database by the writer,
// and brought into force here in slices, so that polls wait for none of it. One at a time; one that
// comes meanwhile follows. While the database cannot be written a reload waits, and then reads
// anew. Threading: the engine's thread.
#pragma once

#include "engine/lists.hpp"
#include "engine/page_list_update.hpp"
#include "engine/poll_loop.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::engine {

// A configuration that was read, on its way into the database.
struct ReadConfig {
  ReadConfig(config::Config read, std::vector<PageId> ids)
      : config(std::move(read)), wanted(config), known(std::move(ids)) {}
  config::Config config;
  WantedPages wanted;
  std::vector<PageId> known;  // by slot, when reading began
};

// Where the long work is done. Answers come back through the event loop.
class ReloadWork {
 public:
  using Done = std::function<void(Result<PageListChange>)>;
  virtual ~ReloadWork() = default;
  virtual void aside(std::function<void()> job) = 0;  // not on the engine's thread
  // Brings the list into the database, which gives pages their ids and slots. When nobody holds
  // `read` any more by then, nothing happens and nothing is answered.
  virtual void reconcile(std::weak_ptr<ReadConfig> read, Done done) = 0;
  // What pages that came into the list were given, for whoever looks before their next poll.
  virtual void tell(std::vector<store::ShareRow> shares) = 0;
};

class Reload {
 public:
  struct Callbacks {
    std::function<Result<config::Loaded>()> read;  // empty: reloading is refused
    std::function<void()> begun = [] {};
    // The configuration is another one now, that of the pages apart.
    std::function<void()> in_force = [] {};
    std::function<void(const std::string& refusal)> ended = [](const std::string&) {};
    std::function<void()> put_off = [] {};
  };
  Reload(EventLoop& loop, const Clock& clock, Lists& lists, PollLoop& poll_loop, ReloadWork& work,
         Callbacks callbacks)
      : loop_(loop),
        clock_(clock),
        lists_(lists),
        poll_loop_(poll_loop),
        work_(work),
        callbacks_(std::move(callbacks)),
        retry_timer_(loop.make_timer()) {}

  // Whoever asked hears what it did, or the refusal.
  using Heard = std::function<void(Result<std::string>)>;
  void begin(Heard heard = {});
  // Whether the database can be written; begins what was put off once it can.
  void set_writable(bool writable);
  void stop();

 private:
  struct State {
    bool running = false, again = false, when_writable = false, writable = true, stopped = false;
    std::string for_next_start;  // what of the new configuration waits for it, in words
  };
  void note_known(std::vector<PageId> ids);
  void read(std::vector<PageId> known);
  void reconcile(const std::shared_ptr<ReadConfig>& read);
  void reconciled(const std::shared_ptr<ReadConfig>& read, Result<PageListChange> found);
  void bring_into_force(config::Config fresh, PageListChange change);
  void continue_update();
  void put_off();
  void answer(const Result<std::string>& what);
  void end(const std::string& refusal, const std::string& what_it_did = "");
  template <typename Garbage>
  void discard(Garbage garbage);

  EventLoop& loop_;
  const Clock& clock_;
  Lists& lists_;
  PollLoop& poll_loop_;
  ReloadWork& work_;
  Callbacks callbacks_;
  std::unique_ptr<Timer> retry_timer_;
  State state_;
  std::vector<Heard> listeners_, next_listeners_;  // of this one, and of the one that follows
  std::shared_ptr<ReadConfig> in_hand_;            // waits for the database
  std::unique_ptr<PageListUpdate> update_;
};

}  // namespace pollux::engine
