// The daemon: configuration and database in, polling until told to stop.
//
// create() opens the database, reconciles it with the list of pages and rebuilds learner and
// scheduler; run() polls on the calling thread until request_stop() and everything is saved.
// Threading: create() and run() on one thread; request_* and steering() from any thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/config/config.hpp"
#include "pollux/engine/snapshot.hpp"
#include "pollux/engine/steering.hpp"
#include "pollux/store/rows.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pollux::engine {

struct DaemonOptions {
  // SIGTERM and SIGINT stop, SIGHUP reloads. Off when the caller has its own idea of signals.
  bool handle_signals = true;
  // Reads the configuration anew, on a thread of its own. Empty: reloading is refused.
  std::function<Result<config::Loaded>()> reload;
  // Called after a change is safely on disk, on the writer's thread.
  std::function<void(const store::ChangeRow&)> on_change;
  // For tests: called on a detection thread for every page, so that detection can be made slow.
  std::function<void()> on_detection;
  Duration grace =
      std::chrono::seconds(4);  // for fetches in flight when stopping; then they are abandoned
  std::vector<std::pair<std::string, std::string>> meta;  // extra rows for the meta table
};

class Daemon {
 public:
  static Result<std::unique_ptr<Daemon>> create(config::Config config, DaemonOptions options,
                                                const Clock& clock);
  ~Daemon();

  Status run();  // an error when something could not be saved
  void request_stop();
  void request_reload();
  // As long as the daemon lives, from any thread; also before run() and after it.
  Steering& steering();
  // Likewise: how it does.
  const SnapshotBoard& snapshots() const;

 private:
  struct State;
  explicit Daemon(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::engine
