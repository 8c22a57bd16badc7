// Backups on a schedule: complete copies of the database, made while the daemon goes on.
//
// A copy is made on a thread and a read-only connection of its own, so no save waits for it and the
// one connection that writes and checkpoints stays the only one; the log cannot shrink meanwhile.
// Nothing is begun when the disk has not enough room: a backup must not be what fills it. The time
// of the last one is that of its file, so a restart neither repeats nor forgets one.
// Threading: any; `told` is called on the backup's thread.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/store/options.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pollux::store {

// Makes one copy and rotates; the copy's path. `cancelled` is asked now and then; it may be empty.
Result<std::string> back_up(const std::string& database, const BackupOptions& options, WallTime now,
                            const std::function<bool()>& cancelled = {});

// How long to wait for the next one, `every` after the last. A clock that was set back or far
// ahead changes that by no more than one period.
Duration until_next_backup(const std::string& database, const BackupOptions& options, WallTime now);

class Backups {
 public:
  using Told = std::function<void(const Result<std::string>& made)>;
  Backups(std::string database, const BackupOptions& options, const Clock& clock, Told told);
  ~Backups();           // waits for request_stop() to have its effect
  void request_stop();  // ends a copy that is being made
  void set_options(const BackupOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pollux::store
