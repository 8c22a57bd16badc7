// Everything between a path and a database that is ready to be written to.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/store.hpp"
#include "store/running_check.hpp"
#include "store/sqlite.hpp"

#include <memory>
#include <string>

namespace pollux::store {

// Refuses (cannot_create) a folder, and a file in a folder that does not exist.
Status check_database_path(const std::string& path);

// What the lock file knows of the database: a damaged file cannot be asked.
struct LastSeen {
  std::string database_id;  // "" when nobody knows
  bool damaged = false;     // a daemon has met damage in it
};

struct OpenedForWriting {
  Connection connection;
  // Nothing may be written before it has said that the file is sound. None: it is new, or was
  // checked already.
  std::unique_ptr<RunningCheck> check;
  std::string repaired = {};  // what a backup took the place of, in words
};

// For the daemon, which has checked the path and holds the lock. Creates or migrates; sets the
// connection up; begins a quick check of the file, or makes a full one when damage was met in it;
// restores the newest good backup when the file is damaged. `path` is canonical.
Result<OpenedForWriting> open_for_writing(const std::string& path, const OpenOptions& options,
                                          const LastSeen& last);
// The same file anew, for the daemon that had it open: it has moved to another place on the disk.
Result<Connection> reopen_for_writing(const std::string& path);
// The connection ends without a change to the log's file.
void leave_log(const Connection& connection);
// The file is sound and a daemon begins to write to it; part of the transaction under way.
Status mark_running(const Connection& connection);
// Everything is saved and the daemon ends.
Status mark_clean_stop(const Connection& connection);

// For everybody else. Changes nothing and needs no right to write.
Result<Connection> open_for_reading(const std::string& path);
// Likewise, and a copy of all of it may be written (VACUUM INTO).
Result<Connection> open_to_copy(const std::string& path);

}  // namespace pollux::store
