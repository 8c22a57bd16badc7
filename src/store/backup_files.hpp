// Copies of the database as files: how they are written, named, found, restored and rotated.
//
// A copy that bears its name is complete and on disk: it is written under another name first.
//   pollux.db.backup-vN                           before the schema left version N; never deleted
//   pollux.db.backup-20260921T141320Z             made on a schedule, beside the database; rotated
//   pollux.db.backup-0a1b2c3d-20260921T141320Z    likewise, in another folder
// Databases of one file name (of several machines, say) may share a folder for backups: there the
// database's own id tells their copies apart.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"
#include "store/damage.hpp"
#include "store/file_id.hpp"
#include "store/sqlite.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pollux::store {

// Copies what the connection sees, by VACUUM INTO. The copy is checked before it gets its name; a
// database that cannot be copied because it is damaged is bad_data.
struct CopyOptions {
  Depth check = Depth::quick;
  std::function<bool()> cancelled = {};
  std::optional<FileRights> rights = {};  // none: those of the file at the connection's path
};
Status write_copy(const Connection& connection, const std::string& target,
                  const CopyOptions& options = {});
// The plain copy, synced, under no other name than that. Nothing may lie there.
Status copy_into(const Connection& connection, const std::string& file, const FileRights& rights);
// A new file of that name, with its rights before anything is in it. Nothing may lie there.
Status make_empty_file(const std::string& file, const FileRights& rights);
bool sync_to_disk(const std::string& file_or_folder);
// Gives a finished file its name, for good: instead of what has it, or only if nothing has (io).
Status give_name(const std::string& file, const std::string& name);
Status give_new_name(const std::string& file, const std::string& name);
// "20260921T141320Z"
std::string time_stamp(WallTime now);

// The id that a database was given with its schema; "" when it has none yet.
Result<std::string> database_id(const Connection& connection);

// Where copies of one database lie and how their names begin.
struct BackupFolder {
  std::filesystem::path folder;
  std::string prefix;  // "pollux.db.backup-" or "pollux.db.backup-0a1b2c3d-"
  std::string target(WallTime now) const;
};
// `path` is canonical; `directory` as in BackupOptions.
BackupFolder backup_folder(const std::string& path, const std::string& directory,
                           const std::string& id);
// Complete copies in it, the newest first.
std::vector<std::filesystem::path> backups_at(const BackupFolder& backups);
// Deletes all but the newest `keep` of those made on a schedule.
void rotate_backups(const BackupFolder& backups, int keep);

// Moves the damaged database aside, log and all, and puts the newest good copy in its place.
// Without an id (it is not known) a folder with the copies of one database only will do. Copies in
// `directory` without an id, as they were made once, come last. The error says why nothing could
// be restored; then nothing has been touched.
struct Restored {
  std::string from;   // the copy
  std::string aside;  // where the damaged file is now
};
Result<Restored> restore_newest(const std::string& path, const std::string& directory,
                                const std::string& id, WallTime now);

}  // namespace pollux::store
