// One daemon per database: a lock on the file `<database>-lock`.
//
// An open-file-description lock rather than flock, because it can be asked about without being
// taken: `pollux status` can never make a daemon's start fail. The kernel drops it when the process
// ends, however it ends. The file stays; what it says (a line with the pid, the database's id and
// perhaps "damaged", a line with what the daemon cannot do, blanks) means something only while the
// lock is held, but for the id, which says whose backups to search for when the database cannot be
// read, and "damaged", which has the next start check all of it. Its length never changes, so that
// the second line can be written when the disk is full. A link, or a file that holds anything else,
// is refused and left alone.
#pragma once

#include "pollux/base/result.hpp"
#include "store/file_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace pollux::store {

// The path with symbolic links resolved, so that two names of one database share one lock.
std::string canonical_path(const std::string& path);
std::string lock_path(const std::string& path);

struct Holder {
  std::int64_t pid = 0;  // 0 when it cannot be read
  std::string database_id;
  std::string alert;
  bool damaged = false;
};

class DatabaseLock {
 public:
  // `path` is the database's. ExitCode::temporary and the holder's pid when another one has it.
  static Result<DatabaseLock> take(const std::string& path);
  DatabaseLock(DatabaseLock&& other) noexcept;
  DatabaseLock& operator=(DatabaseLock&& other) noexcept;
  ~DatabaseLock();

  // What people should know of the daemon and the database cannot be told; "" for nothing.
  void note(const std::string& alert) const;

  // As the last daemon left it; "" when none did.
  const std::string& database_id() const { return id_; }
  void remember_id(const std::string& id);
  // Whether a daemon has met damage that no start has dealt with yet.
  bool damaged() const { return damaged_; }
  void remember_damage(bool damaged);
  // For whoever watches that it stays where it is.
  FileId file() const;

 private:
  DatabaseLock(int descriptor, const Holder& last)
      : descriptor_(descriptor), id_(last.database_id), damaged_(last.damaged) {}
  void write(const std::string& alert) const;

  int descriptor_ = -1;
  std::string id_;
  bool damaged_ = false;
};
// The daemon that holds the database; nullopt when none does.
std::optional<Holder> lock_holder(const std::string& path);
// Whether somebody holds the lock file of this name.
bool held(const std::string& lock_file);

}  // namespace pollux::store
