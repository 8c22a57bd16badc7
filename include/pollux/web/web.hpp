// The daemon's web server: the page, the table of routes and the metrics on TCP, for those who may
// look and steer by its Options.
//
// A thread of its own with a connection of its own that only reads; what changes something goes to
// engine::Steering. Threading: any; it must end before Steering and board do.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/engine/snapshot.hpp"
#include "pollux/engine/steering.hpp"
#include "pollux/web/options.hpp"
#include "pollux/web/workshop.hpp"

#include <memory>
#include <string>

namespace pollux::web {

class Web {
 public:
  // Listening when it returns. `database` is open, and of this version. The workshop, if there is
  // one, outlives this.
  static Result<std::unique_ptr<Web>> start(const Options& options, const std::string& database,
                                            engine::Steering& steering,
                                            const engine::SnapshotBoard& snapshots,
                                            const Clock& clock, Workshop* workshop = nullptr);
  ~Web();
  std::string url() const;  // "http://127.0.0.1:8600/"
  std::size_t connections() const;

 private:
  struct State;
  explicit Web(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::web
