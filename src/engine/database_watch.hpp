// Watches over the database while the daemon runs: full checks in the background, and whether its
// files are still where they were. What can be put back is put back, on the writer's thread.
// Threading: the engine's thread; the callbacks come there.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/store/checkups.hpp"
#include "pollux/store/file_watch.hpp"
#include "pollux/store/writer.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace pollux::engine {

class DatabaseWatch {
 public:
  struct Callbacks {
    // Only a new start with a backup can help.
    std::function<void(const std::string& damage)> damaged;
    // Its files are not where they were and could not be put back yet; "": they are there again.
    std::function<void(const std::string& problem)> missing;
    // Another file or another daemon has taken its place: nothing may be polled any more.
    std::function<void(const std::string& why)> lost;
  };
  DatabaseWatch(EventLoop& loop, const Clock& clock, store::Writer& writer,
                const std::string& database, std::shared_ptr<const store::OpenFiles> files,
                Callbacks callbacks);
  void stop();  // a check under way is given up
  // The last results are with the writer: when another file has the database's name, the open one
  // is saved under a name of its own.
  void finish();

 private:
  void checked(const Result<std::string>& damage, Duration took);
  void alarm(store::FileAlarm alarm);
  void mend(store::Store& store);
  void lose(const std::string& why);

  EventLoop& loop_;
  const Clock& clock_;
  store::Writer& writer_;
  Callbacks callbacks_;
  std::string last_problem_;          // the writer's thread
  std::atomic<bool> mending_{false};  // a job waits for the writer
  std::atomic<bool> lost_{false};
  store::Checkups checkups_;
  store::FileWatch files_;
};

}  // namespace pollux::engine
