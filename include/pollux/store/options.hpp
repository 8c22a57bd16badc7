// What a user may say about the database besides its path: `storage:` in the configuration.
#pragma once

#include "pollux/base/time.hpp"

#include <string>

namespace pollux::store {

struct BackupOptions {
  Duration every = std::chrono::hours(24);  // 0: no backups
  int keep = 3;                             // the newest ones; older ones are deleted
  std::string directory;                    // empty: beside the database
  bool operator==(const BackupOptions&) const = default;
};

// What is older is deleted, a little at a time.
struct Retention {
  Duration changes = std::chrono::hours(24) * 365;  // also pages removed from the list, afterwards
  Duration minutes = std::chrono::hours(24) * 30;   // how the budget was used
  bool operator==(const Retention&) const = default;
};

struct StorageOptions {
  BackupOptions backup;
  Retention keep;
};

}  // namespace pollux::store
