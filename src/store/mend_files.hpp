// Puts back what somebody has taken away from under an open database. SQLite goes on with the files
// it has open, so nothing is lost yet: what it sees is copied to a new file that gets the name. The
// writer's thread.
#pragma once

#include "pollux/base/result.hpp"
#include "store/lock.hpp"
#include "store/open_files.hpp"
#include "store/sqlite.hpp"

#include <functional>
#include <string>

namespace pollux::store {

struct OpenDatabase {
  DatabaseLock& lock;
  const Connection& connection;
  OpenFiles& files;
  const FileRights& rights;        // of the database
  std::function<Status()> reopen;  // by its name
};

// See Store::mend_files.
Result<std::string> mend_files(const OpenDatabase& open);

}  // namespace pollux::store
