// One daemon per database: a lock on the file `<database>-lock`.
//
// An open-file-description lock rather than flock, because it can be asked about without being
// taken: `pollux status` can never make a daemon's start fail. The kernel drops it when the process
// ends, however it ends. The file stays; what it says (a line with the pid and the database's id, a
// line with what the daemon cannot do, blanks) means something only while the lock is held, but for
// the id: it says whose backups to search for when the database cannot be read. Its length never
// changes, so that the second line can be written when the disk is full.
#pragma once

#include "pollux/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace pollux::store {

// The path with symbolic links resolved, so that two names of one database share one lock.
std::string canonical_path(const std::string& path);

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

 private:
  DatabaseLock(int descriptor, std::string id) : descriptor_(descriptor), id_(std::move(id)) {}
  int descriptor_ = -1;
  std::string id_;
};

struct Holder {
  std::int64_t pid = 0;  // 0 when it cannot be read
  std::string database_id;
  std::string alert;
};
// The daemon that holds the database; nullopt when none does.
std::optional<Holder> lock_holder(const std::string& path);

}  // namespace pollux::store
