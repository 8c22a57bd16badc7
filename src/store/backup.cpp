#include "pollux/store/backup.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "store/backup_files.hpp"
#include "store/lock.hpp"
#include "store/open.hpp"
#include "store/patience.hpp"
#include "store/pausing_thread.hpp"

#include <algorithm>
#include <mutex>
#include <system_error>

#include <sys/resource.h>

namespace pollux::store {
namespace {

namespace fs = std::filesystem;

constexpr Duration retry_after_failure = std::chrono::hours(1);
// After a start the daemon has better things to do.
constexpr Duration earliest_after_start = std::chrono::minutes(1);
constexpr Duration without_backups = std::chrono::hours(24 * 365);  // until that is changed
constexpr std::uintmax_t room_to_leave = 64u << 20;

Status check_room(const std::string& database, const fs::path& folder) {
  std::error_code problem;
  const fs::space_info space = fs::space(folder, problem);
  if (problem) {
    return Error{"backup folder " + printable(folder.string()) + ": " + problem.message() +
                     "; create it, or correct storage.backup_directory",
                 ExitCode::cannot_create};
  }
  const std::uintmax_t size = fs::file_size(database, problem);
  const std::uintmax_t needed = (problem ? 0 : size + size / 10) + room_to_leave;
  if (space.available >= needed) return success();
  return Error{"backup folder " + printable(folder.string()) + ": " +
                   format_bytes(space.available) + " free, " + format_bytes(needed) +
                   " needed; make room, or name another storage.backup_directory",
               ExitCode::io};
}

}  // namespace

Result<std::string> back_up(const std::string& database, const BackupOptions& options, WallTime now,
                            const std::function<bool()>& cancelled) {
  const std::string path = canonical_path(database);
  const Result<Connection> connection = open_to_copy(path);
  if (!connection) return connection.error();
  const Result<std::string> id = database_id(*connection);
  if (!id) return id.error();
  const BackupFolder backups = backup_folder(path, options.directory, *id);
  if (Status enough = check_room(path, backups.folder); !enough) return enough.error();
  const Patience patience(*connection, cancelled);
  const std::string target = backups.target(now);
  const CopyOptions how{.check = Depth::full, .cancelled = cancelled};
  if (Status copied = write_copy(*connection, target, how); !copied) return copied.error();
  rotate_backups(backups, options.keep);
  return target;
}

Duration until_next_backup(const std::string& database, const BackupOptions& options,
                           WallTime now) {
  const std::string path = canonical_path(database);
  const Result<Connection> connection = open_to_copy(path);
  if (!connection) return Duration::zero();
  const Result<std::string> id = database_id(*connection);
  if (!id) return Duration::zero();
  for (const fs::path& file : backups_at(backup_folder(path, options.directory, *id))) {
    std::error_code problem;
    const auto written = fs::last_write_time(file, problem);
    if (problem) continue;
    const auto at =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::file_clock::to_sys(written));
    return std::clamp<Duration>(at + options.every - now, Duration::zero(), options.every);
  }
  return Duration::zero();
}

struct Backups::State {
  const std::string database;
  const Clock& clock;
  const Told told;
  std::mutex mutex;  // of the options
  BackupOptions options;
  PausingThread thread;

  State(std::string path, const BackupOptions& wanted, const Clock& used, Told callback)
      : database(std::move(path)), clock(used), told(std::move(callback)), options(wanted) {}
  void work();
  BackupOptions wanted() {
    const std::lock_guard lock(mutex);
    return options;
  }
  Duration first_pause(const BackupOptions& how) const {
    return std::max(until_next_backup(database, how, clock.wall()),
                    std::min(how.every, earliest_after_start));
  }
};

void Backups::State::work() {
  // Polls come first where the kernel lets us say so.
  static_cast<void>(setpriority(PRIO_PROCESS, 0, 10));
  Duration pause = first_pause(wanted());
  while (true) {
    const bool none = wanted().every == Duration::zero();
    const PausingThread::Pause ended = thread.rest(none ? without_backups : pause);
    if (ended == PausingThread::Pause::over) return;
    const BackupOptions how = wanted();
    if (ended == PausingThread::Pause::cut_short) {
      pause = first_pause(how);
      continue;
    }
    if (how.every == Duration::zero()) continue;
    const Result<std::string> made =
        back_up(database, how, clock.wall(), [this] { return thread.over(); });
    if (thread.over()) return;
    told(made);
    const Duration every = wanted().every;
    pause = made ? every : std::min(every, retry_after_failure);
  }
}

Backups::Backups(std::string database, const BackupOptions& options, const Clock& clock, Told told)
    : state_(std::make_unique<State>(std::move(database), options, clock, std::move(told))) {
  state_->thread.start([state = state_.get()] { state->work(); });
}

Backups::~Backups() = default;

void Backups::request_stop() {
  state_->thread.request_stop();
}

void Backups::set_options(const BackupOptions& options) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->options == options) return;
    state_->options = options;
  }
  state_->thread.cut_short();
}

}  // namespace pollux::store
