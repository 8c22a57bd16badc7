// Copies of the database as files: how they are written, named, found, restored and rotated.
//
// A copy that bears its name is complete and on disk: it is written under another name first.
//   pollux.db.backup-vN                  before the schema left version N; never deleted by us
//   pollux.db.backup-20260921T141320Z    made on a schedule; rotated
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"
#include "store/sqlite.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pollux::store {

// Copies what the connection sees, by VACUUM INTO.
Status write_copy(const Connection& connection, const std::string& target);

// Where copies of this database lie; `directory` as in BackupOptions.
std::filesystem::path backup_folder(const std::string& path, const std::string& directory);
std::string backup_name(const std::string& path, WallTime now);  // "pollux.db.backup-2026…Z"
// Complete copies of this database in the folder, the newest first.
std::vector<std::filesystem::path> backups_of(const std::string& path,
                                              const std::filesystem::path& folder);
// Deletes all but the newest `keep` of those made on a schedule.
void rotate_backups(const std::string& path, const std::filesystem::path& folder, int keep);

// Moves the damaged database aside, log and all, and puts the newest good copy in its place. The
// error says why nothing could be restored; then nothing has been touched.
struct Restored {
  std::string from;   // the copy
  std::string aside;  // where the damaged file is now
};
Result<Restored> restore_newest(const std::string& path,
                                const std::vector<std::filesystem::path>& folders, WallTime now);

}  // namespace pollux::store
