// Which other processes have a read transaction open. SQLite marks each with a lock on a byte of
// the -shm file; the kernel says whose it is.
#pragma once

#include "store/file_id.hpp"

#include <string>

namespace pollux::store {

class LogReaders {
 public:
  // "process 17 (sqlite3), process 30 (python3)"; "" when there is none. `database` is canonical.
  std::string names(const std::string& database);

 private:
  // Never closed: that would drop the locks that SQLite itself has there, on whatever connection.
  int descriptor_ = -1;
};

}  // namespace pollux::store
