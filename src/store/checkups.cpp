#include "pollux/store/checkups.hpp"

#include "store/damage.hpp"
#include "store/lock.hpp"
#include "store/migrations.hpp"
#include "store/open.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
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
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::thread thread;

  bool over() {
    std::lock_guard lock(mutex);
    return stopping;
  }
  void work() {
    // Polls come first where the kernel lets us say so.
    static_cast<void>(setpriority(PRIO_PROCESS, 0, 10));
    do {
      const auto begun = std::chrono::steady_clock::now();
      const Result<std::string> damage = check_database(database, [this] { return over(); });
      if (over()) return;
      told(damage, std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun));
    } while (!wait());
  }
  bool wait() {
    std::unique_lock lock(mutex);
    return wake.wait_for(lock, every, [this] { return stopping; });
  }
};

Checkups::Checkups(std::string database, Told told, Duration every)
    : state_(std::make_unique<State>()) {
  state_->database = std::move(database);
  state_->told = std::move(told);
  state_->every = every;
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Checkups::~Checkups() {
  request_stop();
  state_->thread.join();
}

void Checkups::request_stop() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_one();
}

}  // namespace pollux::store
