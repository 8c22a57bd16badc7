#include "pollux/store/checkups.hpp"

#include "store/damage.hpp"
#include "store/lock.hpp"
#include "store/migrations.hpp"
#include "store/open.hpp"
#include "store/pausing_thread.hpp"

#include <chrono>
#include <utility>

#include <sys/resource.h>

namespace pollux::store {

Result<std::string> check_database(const std::string& database,
                                   const std::function<bool()>& cancelled) {
  const Result<Connection> connection = open_to_copy(canonical_path(database));
  if (!connection) {
    if (connection.error().exit_code == ExitCode::bad_data) return connection.error().message;
    return connection.error();
  }
  return find_damage(*connection, static_cast<std::int64_t>(migrations().size()), Depth::full,
                     {.cancelled = cancelled});
}

struct Checkups::State {
  std::string database;
  Told told;
  Duration every{};
  PausingThread thread;

  void work() {
    // Polls come first where the kernel lets us say so.
    static_cast<void>(setpriority(PRIO_PROCESS, 0, 10));
    do {
      const auto begun = std::chrono::steady_clock::now();
      const Result<std::string> damage = check_database(database, [this] { return thread.over(); });
      if (thread.over()) return;
      told(damage, std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun));
    } while (thread.pause(every));
  }
};

Checkups::Checkups(std::string database, Told told, Duration every)
    : state_(std::make_unique<State>()) {
  state_->database = std::move(database);
  state_->told = std::move(told);
  state_->every = every;
  state_->thread.start([state = state_.get()] { state->work(); });
}

Checkups::~Checkups() = default;

void Checkups::request_stop() {
  state_->thread.request_stop();
}

}  // namespace pollux::store
