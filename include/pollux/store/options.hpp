// What a user may say about the database besides its path: `storage:` in the configuration.
#pragma once

#include "pollux/base/time.hpp"

#include <cstdint>
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
  // What was told; what could not be is kept as long as changes are.
  Duration notifications = std::chrono::hours(24) * 30;
  Duration shares = std::chrono::hours(24) * 30;     // what hosts and directories had of the budget
  Duration shares_every = std::chrono::minutes(10);  // noted then
  bool operator==(const Retention&) const = default;
};

// Versions of what was kept of pages, in a file of their own. What is beyond is deleted, the oldest
// first; a page's newest stays, unless max_size has no room for it.
struct ContentOptions {
  Duration keep = std::chrono::hours(24) * 30;     // after the next version took its place
  int per_page = 50;                               // 0: no versions are kept
  std::int64_t max_size = std::int64_t{1} << 30U;  // bytes of the file
  bool operator==(const ContentOptions&) const = default;
};

struct StorageOptions {
  BackupOptions backup;
  Retention keep;
  ContentOptions content;
};

}  // namespace pollux::store
