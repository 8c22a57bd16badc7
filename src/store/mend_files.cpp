#include "store/mend_files.hpp"

#include "pollux/base/text.hpp"
#include "store/backup_files.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace pollux::store {
namespace {

Result<FileId> take_lock_again(const OpenDatabase& open) {
  Result<DatabaseLock> fresh = DatabaseLock::take(open.connection.path());
  if (!fresh) return Error{fresh.error().message, ExitCode::io};
  fresh->remember_id(open.lock.database_id());
  fresh->remember_damage(open.lock.damaged());
  open.lock = std::move(*fresh);
  return open.lock.file();
}

// Where only the log is gone, the copy takes the place of the file as well: within one process
// SQLite knows a log by its database's file, and would mix the old one with a new one.
Status put_back(const OpenDatabase& open) {
  const std::string path = open.connection.path(), fresh = path + ".restored";
  const bool replaces = open.files.database_in_place();
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  if (Status copied = copy_into(open.connection, fresh, open.rights); !copied) return copied;
  return open.files.change([&]() -> Result<FileId> {
    // A log without its database would be applied to the copy.
    for (const char* part : {"-wal", "-shm"}) std::filesystem::remove(path + part, ignored);
    const Status named = replaces ? give_name(fresh, path) : give_new_name(fresh, path);
    if (!named) return named.error();
    if (Status done = open.reopen(); !done) return done.error();
    return open.lock.file();
  });
}

// What was done; "" when nothing had to be.
Result<std::string> mend_one(const OpenDatabase& open) {
  const std::string name = printable(open.connection.path());
  switch (open.files.look()) {
    case FileState::in_place:
      return std::string();
    case FileState::unreachable:
      return Error{"the files of the database " + name + " cannot be reached", ExitCode::temporary};
    case FileState::lock_taken:
      return Error{"another daemon has taken the lock of the database " + name, ExitCode::io};
    case FileState::replaced:
      return Error{"another file lies where the database " + name + " or its log was",
                   ExitCode::io};
    case FileState::overwritten:
      return Error{"somebody else has written to the files of the database " + name, ExitCode::io};
    case FileState::lock_gone:
      if (Status taken = open.files.change([&] { return take_lock_again(open); }); !taken)
        return taken.error();
      return std::string("the lock file was made anew");
    case FileState::gone:
      break;
  }
  if (Status back = put_back(open); !back) {
    return Error{back.error().message + "; the database " + name +
                     " is only in memory and open "
                     "files now",
                 ExitCode::temporary};
  }
  return std::string("the open database was copied back to its place, nothing was lost");
}

}  // namespace

Result<std::string> mend_files(const OpenDatabase& open) {
  constexpr int most_defects = 4;
  std::string done;
  for (int i = 0; i < most_defects; ++i) {
    const Result<std::string> one = mend_one(open);
    if (!one) return one.error();
    if (one->empty()) break;
    done += (done.empty() ? "" : "; ") + *one;
  }
  return done;
}

}  // namespace pollux::store
