#include "cli/control.hpp"

#include "pollux/base/text.hpp"

#include <spdlog/spdlog.h>

namespace pollux::cli {

Result<std::unique_ptr<web::Control>> start_control(const ControlWish& wish,
                                                    engine::Steering& steering,
                                                    const Clock& clock) {
  if (wish.socket.empty()) return std::unique_ptr<web::Control>();
  Result<std::unique_ptr<web::Control>> control = web::Control::start(
      {.socket = wish.socket, .database = wish.database, .workshop = wish.workshop}, steering,
      clock);
  if (control) {
    spdlog::info("steered on the socket {}", printable(wish.socket));
    return control;
  }
  const Error problem{control.error().message + "; see control.socket", control.error().exit_code};
  if (wish.asked_for) return problem;
  spdlog::warn("{}; the daemon runs, and cannot be steered", problem.message);
  return std::unique_ptr<web::Control>();
}

Result<std::unique_ptr<web::Web>> start_web(const std::optional<web::Options>& wish,
                                            const std::string& database, engine::Daemon& daemon,
                                            const Clock& clock, web::Workshop* workshop) {
  if (!wish) return std::unique_ptr<web::Web>();
  Result<std::unique_ptr<web::Web>> web =
      web::Web::start(*wish, database, daemon.steering(), daemon.snapshots(), clock, workshop);
  if (web) spdlog::info("to be seen at {}", (*web)->url());
  return web;
}

}  // namespace pollux::cli
