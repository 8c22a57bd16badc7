// Everything between a path and a database that is ready to be written to.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/store.hpp"
#include "store/sqlite.hpp"

#include <string>

namespace pollux::store {

// Refuses (cannot_create) a folder, and a file in a folder that does not exist.
Status check_database_path(const std::string& path);

// For the daemon, which has checked the path and holds the lock. Creates or migrates; sets the
// connection up; checks the file after an unclean stop and marks the new start; restores the newest
// good backup when the file is damaged. `path` is canonical; `known_id` is the database's as it was
// last seen, "" when nobody knows: a damaged file cannot be asked.
Result<Connection> open_for_writing(const std::string& path, const OpenOptions& options,
                                    const std::string& known_id);
// Says that all ended well, so that the next start need not check.
Status mark_clean_stop(const Connection& connection);

// For everybody else. Changes nothing and needs no right to write.
Result<Connection> open_for_reading(const std::string& path);
// Likewise, and a copy of all of it may be written (VACUUM INTO).
Result<Connection> open_to_copy(const std::string& path);

}  // namespace pollux::store
