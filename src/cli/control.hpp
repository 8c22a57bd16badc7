// The control socket and the web server of `pollux run`.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/engine/daemon.hpp"
#include "pollux/engine/steering.hpp"
#include "pollux/web/control.hpp"
#include "pollux/web/web.hpp"

#include <memory>
#include <optional>
#include <string>

namespace pollux::cli {

struct ControlWish {
  std::string socket;  // empty: none
  std::string database;
  bool asked_for = false;             // by the configuration; else it is there by default
  web::Workshop* workshop = nullptr;  // of both; it outlives them
};
// Listening, or null where there is none. A socket that was asked for and cannot be made is an
// error; one by default is not worth a daemon that does not start: the log says so.
Result<std::unique_ptr<web::Control>> start_control(const ControlWish& wish,
                                                    engine::Steering& steering, const Clock& clock);

// Listening, or null where none is wanted.
Result<std::unique_ptr<web::Web>> start_web(const std::optional<web::Options>& wish,
                                            const std::string& database, engine::Daemon& daemon,
                                            const Clock& clock, web::Workshop* workshop);

}  // namespace pollux::cli
