// The control socket of a running daemon: HTTP on a Unix socket with the routes of routes.hpp.
// Whoever may connect, by the file's mode, may steer.
//
// A thread of its own with a connection of its own that only reads; what changes something goes to
// engine::Steering. Threading: any; it must end before the Steering does.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/engine/steering.hpp"
#include "pollux/web/workshop.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace pollux::web {

struct ControlOptions {
  std::string socket = {};                          // its path
  std::string database = {};                        // open, and of this version
  Duration idle_limit = std::chrono::seconds(30);   // for a request to arrive
  Duration answer_limit = std::chrono::minutes(5);  // a reload of a long list takes its time
  std::size_t max_body_bytes = 16u << 20;           // a list of 100 000 URLs
  std::size_t max_connections = 64;
  Workshop* workshop = nullptr;  // it outlives this; null: nothing is tried or replayed
};

class Control {
 public:
  // Listening when it returns.
  static Result<std::unique_ptr<Control>> start(const ControlOptions& options,
                                                engine::Steering& steering, const Clock& clock);
  ~Control();

 private:
  struct State;
  explicit Control(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pollux::web
