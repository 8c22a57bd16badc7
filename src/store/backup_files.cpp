#include "store/backup_files.hpp"

#include "pollux/base/text.hpp"
#include "store/migrations.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <spdlog/fmt/chrono.h>
#include <spdlog/spdlog.h>
#include <sys/sendfile.h>
#include <unistd.h>

namespace pollux::store {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& file, int problem) {
  return {"cannot write " + printable(file) + ": " + std::generic_category().message(problem) +
              "; make room on the disk and check who owns the folder",
          ExitCode::io};
}

constexpr std::size_t id_length = 8;

std::string plain_prefix(const std::string& path) {
  return fs::path(path).filename().string() + ".backup-";
}

// "20260921T141320Z"
bool is_stamp(std::string_view text) {
  return text.size() == 16 && text.back() == 'Z' && text[8] == 'T';
}

bool is_scheduled(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) && is_stamp(std::string_view(name).substr(prefix.size()));
}

bool is_of_a_migration(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix + "v") && !name.ends_with(".unfinished");
}

fs::path own_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Of the databases of this name whose copies lie in the folder.
std::set<std::string> ids_in(const fs::path& folder, const std::string& path) {
  std::set<std::string> ids;
  const std::string start = plain_prefix(path);
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    const std::size_t stamp_at = start.size() + id_length + 1;
    if (name.starts_with(start) && name.size() > stamp_at && name[stamp_at - 1] == '-' &&
        is_stamp(std::string_view(name).substr(stamp_at))) {
      ids.insert(name.substr(start.size(), id_length));
    }
  }
  return ids;
}

// Empty when the copy is a sound database of a version we know.
Result<std::string> defect_of(const fs::path& copy, const CopyOptions& how) {
  const Result<Connection> connection = Connection::open(copy.string(), SQLITE_OPEN_READONLY);
  if (!connection) return connection.error().message;
  const Result<Identity> identity = identify(*connection, migrations().size());
  if (!identity) return identity.error().message;
  if (!identity->damage.empty()) return identity->damage;
  if (identity->empty) return std::string("it is empty");
  return find_damage(*connection, identity->version, how.check, {.cancelled = how.cancelled});
}

// A new file of that name, never one that lies there, with its rights before anything is in it.
Result<int> create(const std::string& file, const FileRights& rights) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return cannot_write(file, errno);
  // Only root may give files away; whoever runs the daemon owns the database, as a rule.
  [[maybe_unused]] const int given = fchown(descriptor, rights.owner, rights.group);
  [[maybe_unused]] const int allowed = fchmod(descriptor, rights.mode);
  return descriptor;
}

Status copy_file(const fs::path& from, const std::string& to, const FileRights& rights) {
  std::error_code ignored;
  fs::remove(to, ignored);
  const Result<int> target = create(to, rights);
  if (!target) return target.error();
  const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t copied = source < 0 ? -1 : 1;
  while (copied > 0) copied = sendfile(*target, source, nullptr, 1u << 30);
  const int problem = errno;
  if (source >= 0) ::close(source);
  ::close(*target);
  if (copied == 0) return success();
  fs::remove(to, ignored);
  return Error{cannot_write(to, problem).message + " (copying " + printable(from.string()) + ")",
               ExitCode::io};
}

// The name never points to nothing: a start after a kill in between must find the damaged file, not
// make a new one. The log goes first, or it would be applied to the copy.
void move_aside(const std::string& path, const std::string& aside) {
  std::error_code problem;
  fs::create_hard_link(path, aside, problem);
  if (problem) fs::rename(path, aside, problem);
  for (const char* part : {"-wal", "-shm"}) fs::rename(path + part, aside + part, problem);
}

}  // namespace

Status make_empty_file(const std::string& file, const FileRights& rights) {
  const Result<int> made = create(file, rights);
  if (!made) return made.error();
  ::close(*made);
  return success();
}

bool sync_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}

std::string time_stamp(WallTime now) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

Status give_name(const std::string& unfinished, const std::string& name) {
  const std::string folder = fs::path(name).parent_path().string();
  if (sync_to_disk(unfinished) && std::rename(unfinished.c_str(), name.c_str()) == 0 &&
      sync_to_disk(folder.empty() ? "." : folder)) {
    return success();
  }
  return cannot_write(name, errno);
}

Status give_new_name(const std::string& file, const std::string& name) {
  const std::string folder = fs::path(name).parent_path().string();
  if (::link(file.c_str(), name.c_str()) != 0 || ::unlink(file.c_str()) != 0 ||
      !sync_to_disk(folder.empty() ? "." : folder)) {
    return cannot_write(name, errno);
  }
  return success();
}

Status copy_into(const Connection& connection, const std::string& file, const FileRights& rights) {
  // VACUUM INTO takes an empty file.
  if (Status made = make_empty_file(file, rights); !made) return made;
  Result<Statement> copy = connection.prepare("VACUUM INTO ?1");
  if (!copy) return copy.error();
  copy->bind(1, std::string_view(file));
  const Status done = copy->run();
  if (done) return sync_to_disk(file) ? done : cannot_write(file, errno);
  // Rows that may not be: two with one key, say.
  const int code = sqlite3_errcode(connection.handle()) & 0xff;
  const bool odd_rows = code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH;
  return Error{done.error().message, odd_rows ? ExitCode::bad_data : done.error().exit_code};
}

Status write_copy(const Connection& connection, const std::string& target,
                  const CopyOptions& options) {
  const std::string unfinished = target + ".unfinished";
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  Status done =
      copy_into(connection, unfinished, options.rights.value_or(rights_of(connection.path())));
  if (done) {
    const Result<std::string> defect = defect_of(unfinished, options);
    if (!defect) {
      done = defect.error();
    } else if (!defect->empty()) {
      done = Error{"its copy is damaged: " + printable(*defect), ExitCode::bad_data};
    }
  }
  if (done) done = give_name(unfinished, target);
  if (done) return done;
  fs::remove(unfinished, ignored);
  return Error{done.error().message + " (while copying it to " + printable(target) + ")",
               done.error().exit_code};
}

Result<std::string> database_id(const Connection& connection) {
  return connection.text("SELECT value FROM meta WHERE key = 'database_id'");
}

std::string BackupFolder::target(WallTime now) const {
  return (folder / (prefix + time_stamp(now))).string();
}

BackupFolder backup_folder(const std::string& path, const std::string& directory,
                           const std::string& id) {
  const fs::path own = own_folder(path);
  std::error_code problem;
  const bool beside = directory.empty() || fs::equivalent(directory, own, problem);
  const std::string plain = plain_prefix(path);
  return {beside ? own : fs::path(directory), beside || id.empty() ? plain : plain + id + "-"};
}

namespace {

using Dated = std::vector<std::pair<fs::file_time_type, fs::path>>;

void add_backups_at(const BackupFolder& backups, Dated& found) {
  std::error_code problem;
  for (fs::directory_iterator at(backups.folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (!is_scheduled(name, backups.prefix) && !is_of_a_migration(name, backups.prefix)) continue;
    std::error_code unreadable;
    const fs::file_time_type written = fs::last_write_time(at->path(), unreadable);
    if (!unreadable) found.emplace_back(written, at->path());
  }
}

std::vector<fs::path> newest_first(Dated found) {
  std::sort(found.rbegin(), found.rend());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<fs::path> paths;
  for (auto& [written, file] : found) paths.push_back(std::move(file));
  return paths;
}

}  // namespace

std::vector<fs::path> backups_at(const BackupFolder& backups) {
  Dated found;
  add_backups_at(backups, found);
  return newest_first(std::move(found));
}

void rotate_backups(const BackupFolder& backups, int keep) {
  int kept = 0;
  for (const fs::path& file : backups_at(backups)) {
    if (!is_scheduled(file.filename().string(), backups.prefix) || ++kept <= keep) continue;
    std::error_code problem;
    if (!fs::remove(file, problem) || problem) {
      spdlog::warn("cannot delete the old backup {}: {}", printable(file.string()),
                   problem.message());
    }
  }
}

Result<Restored> restore_newest(const std::string& path, const std::string& directory,
                                const std::string& id, WallTime now) {
  const BackupFolder beside = backup_folder(path, "", "");
  const std::set<std::string> ids = ids_in(backup_folder(path, directory, "").folder, path);
  const std::string own_id = id.empty() && ids.size() == 1 ? *ids.begin() : id;
  std::vector<BackupFolder> folders{backup_folder(path, directory, own_id), beside};
  // Where a database of this name lives, copies without an id are its own.
  const BackupFolder plain = backup_folder(path, directory, "");
  std::error_code problem;
  if (!fs::exists(plain.folder / fs::path(path).filename(), problem)) folders.push_back(plain);
  Dated found;
  for (const BackupFolder& backups : folders) add_backups_at(backups, found);
  for (const fs::path& copy : newest_first(std::move(found))) {
    const Result<std::string> defect = defect_of(copy, {.check = Depth::full});
    if (!defect || !defect->empty()) {
      spdlog::warn("the backup {} is unusable: {}", printable(copy.string()),
                   printable(defect ? *defect : defect.error().message));
      continue;
    }
    const std::string fresh = path + ".restored";
    if (Status copied = copy_file(copy, fresh, rights_of(path)); !copied) return copied.error();
    const std::string aside = path + ".damaged-" + time_stamp(now);
    move_aside(path, aside);
    if (Status named = give_name(fresh, path); !named) {
      return Error{named.error().message + "; the damaged file is " + printable(aside) + " now",
                   named.error().exit_code};
    }
    return Restored{copy.string(), aside};
  }
  if (ids.empty() || ids.contains(own_id)) {
    return Error{"there is no good backup of it, so nothing was touched", ExitCode::bad_data};
  }
  return Error{"the backups in " + printable(plain.folder.string()) +
                   " are, by their names, of other databases; copy the right one to its place; "
                   "nothing was touched",
               ExitCode::bad_data};
}

}  // namespace pollux::store
