// Commands on their way: from whoever gives one to the engine's thread, to the threads of the
// database and of long work, and back. Each is answered once, whatever happens: also when the
// database cannot be written, and when the daemon stops. What has begun to be written is waited
// for; all else is refused at once then.
// Threading: begin() from any thread; close() when the loop runs no more; the rest on the engine's.
#pragma once

#include "engine/list_turn.hpp"
#include "engine/reload.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/base/result.hpp"
#include "pollux/store/writer.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

namespace pollux::engine {

class Errands {
 public:
  static constexpr std::size_t most = 1000;  // under way and waiting
  using Refuse = std::function<void(const Error&)>;
  enum class Needs { engine, database, turn };  // turn: to change the list, and the database
  class Errand {
    friend class Errands;
    enum class Stage { open, written, given_up };  // written: the database has it, or will
    Refuse refuse;
    std::atomic<Stage> stage{Stage::open};
    Needs needs = Needs::engine;
    bool has_turn = false;
  };
  using Ptr = std::shared_ptr<Errand>;

  Errands(EventLoop& loop, ReloadWork& work, store::Writer& writer, ListTurn& turn)
      : loop_(loop), work_(work), writer_(writer), turn_(turn) {}

  // Calls `go` on the engine's thread when it can be carried out, or refuses it.
  void begin(Refuse refuse, Needs needs, std::function<void(const Ptr&)> go);

  // Not on the engine's thread; `then` is back there, if the errand still is.
  template <typename Value>
  void aside(const Ptr& errand, std::function<Value()> work, std::function<void(Value&)> then) {
    work_.aside([this, errand, work = std::move(work), then = std::move(then)] {
      auto value = std::make_shared<Value>(work());
      back(errand, [value, then] { then(*value); });
    });
  }
  // With the database: only to read, or to write in one transaction. An error is a refusal.
  template <typename Value>
  void read(const Ptr& errand, std::function<Result<Value>(store::Store&)> work,
            std::function<void(Value&)> then) {
    run(errand, false, std::move(work), std::move(then));
  }
  template <typename Value>
  void write(const Ptr& errand, std::function<Result<Value>(store::Store&)> work,
             std::function<void(Value&)> then) {
    run(errand, true, std::move(work), std::move(then));
  }
  bool can_write() const { return problem_.empty(); }
  // One that needed the engine alone waits for the database from now on.
  static void follow_database(const Ptr& errand) { errand->needs = Needs::database; }
  // The last thing: `answer` is called, unless it has been answered.
  void end(const Ptr& errand, const std::function<void()>& answer);
  void refuse(const Ptr& errand, const Error& why);

  // Why the database cannot be written; empty: it can.
  void set_problem(const std::string& problem);
  void stop();   // nothing new is begun
  void close();  // all that is left is refused

 private:
  using Stage = Errand::Stage;
  void start(const Ptr& errand, const std::function<void(const Ptr&)>& go);
  std::string obstacle(Needs needs) const;
  bool is_open(const Ptr& errand);
  void give_up_open(const std::function<bool(const Errand&)>& which, const Error& why);
  void back(const Ptr& errand, std::function<void()> then);
  bool claim(const Ptr& errand) {
    Stage open = Stage::open;
    return errand->stage.compare_exchange_strong(open, Stage::written);
  }

  template <typename Value>
  void run(const Ptr& errand, bool writes, std::function<Result<Value>(store::Store&)> work,
           std::function<void(Value&)> then) {
    writer_.run([this, errand, writes, work = std::move(work),
                 then = std::move(then)](store::Store& store) {
      if (writes ? !claim(errand) : errand->stage == Stage::given_up) return;
      auto value = std::make_shared<Result<Value>>(work(store));
      back(errand, [this, errand, value, then] {
        if (!value->ok()) return refuse(errand, value->error());
        then(**value);
      });
    });
  }

  EventLoop& loop_;
  ReloadWork& work_;
  store::Writer& writer_;
  ListTurn& turn_;
  std::string problem_;
  bool stopped_ = false;
  std::mutex mutex_;                 // of what follows
  std::unordered_set<Ptr> errands_;  // not answered yet
  bool closed_ = false;
};

}  // namespace pollux::engine
