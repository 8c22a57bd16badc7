#include "store/shard_source.hpp"

#include "pollux/base/text.hpp"
#include "store/backup_files.hpp"
#include "store/content_file.hpp"
#include "store/damage.hpp"
#include "store/lock.hpp"
#include "store/migrations.hpp"
#include "store/open.hpp"
#include "store/patience.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

Error refused(const std::string& path, const std::string& why, ExitCode code) {
  return {"database " + printable(path) + ": " + why, code};
}

Status check_sound(const Connection& connection, const std::string& path, std::int64_t version,
                   const ShardWork& work) {
  const Patience patience(connection, work.cancelled);
  const Result<std::string> damage =
      find_damage(connection, version, Depth::quick, {.cancelled = work.cancelled});
  if (!damage) return damage.error();
  if (damage->empty()) return success();
  return refused(path,
                 "damaged (" + printable(*damage) +
                     "); start the daemon, which restores the newest backup, then stop it and try "
                     "again",
                 ExitCode::bad_data);
}

// The source stays as it is: a copy gets the newest schema.
Status copy_and_migrate(const Connection& old, const Identity& identity, const std::string& copy,
                        const ShardWork& work) {
  {
    const Patience patience(old, work.cancelled);
    if (Status copied = copy_into(old, copy, FileRights{}); !copied) return copied;
  }
  const Result<Connection> connection = Connection::open(copy, SQLITE_OPEN_READWRITE);
  if (!connection) return connection.error();
  const Patience patience(*connection, work.cancelled);
  if (Status fast = connection->execute("PRAGMA synchronous = OFF"); !fast) return fast;
  // As if it were new: it is a copy already, and needs none of what it was.
  return migrate(*connection, Identity{.empty = true, .version = identity.version}, migrations());
}

}  // namespace

Result<ShardSource> ShardSource::open(const std::string& path, std::uint32_t number,
                                      const ShardWork& work) {
  std::error_code problem;
  if (!std::filesystem::exists(path, problem)) {
    return refused(path, "does not exist; name it with --database or --config",
                   ExitCode::missing_input);
  }
  if (std::filesystem::is_directory(path, problem))
    return refused(path, "is a folder; name the file in it", ExitCode::missing_input);
  ShardSource source;
  source.path = path;
  source.canonical_ = source.database = canonical_path(path);
  source.rights = rights_of(source.canonical_);
  source.database_stamp_ = file_stamp(source.canonical_);
  source.log_stamp_ = file_stamp(source.canonical_ + "-wal");
  if (Status idle = source.check(); !idle) return idle.error();
  const Result<Connection> connection = Connection::open(source.canonical_, SQLITE_OPEN_READONLY);
  if (!connection) return connection.error();
  const Result<Identity> identity = identify(*connection, migrations().size());
  if (!identity) return identity.error();
  if (!identity->damage.empty())
    return refused(path, "damaged (" + printable(identity->damage) + ")", ExitCode::bad_data);
  if (identity->empty)
    return refused(path, "is empty; start the daemon first", ExitCode::missing_input);
  if (Status sound = check_sound(*connection, path, identity->version, work); !sound)
    return sound.error();
  if (identity->version < static_cast<std::int64_t>(migrations().size())) {
    source.database = fmt::format("{}/newest-schema-{}.db", work.scratch, number);
    if (Status done = copy_and_migrate(*connection, *identity, source.database, work); !done)
      return done.error();
  }
  source.content = source.canonical_ + "-content";
  if (!std::filesystem::exists(source.content, problem)) {
    source.content.clear();
  } else if (const Result<Connection> kept = open_content_to_read(source.content); !kept) {
    if (kept.error().exit_code != ExitCode::missing_input) {
      return Error{kept.error().message +
                       "; versions are history, not state: move the file away "
                       "to go on without them",
                   kept.error().exit_code};
    }
    source.content.clear();
  }
  // Reading may have made the log's file, which stays empty then.
  if (source.log_stamp_.bytes <= 0) source.log_stamp_ = file_stamp(source.canonical_ + "-wal");
  return source;
}

Status ShardSource::check() const {
  if (const std::optional<Holder> holder = lock_holder(canonical_)) {
    const std::string pid =
        holder->pid > 0 ? " (pid " + std::to_string(holder->pid) + ")" : std::string();
    return refused(path, "a daemon" + pid + " runs on it; stop it first, then try again",
                   ExitCode::temporary);
  }
  if (file_stamp(canonical_) == database_stamp_ && file_stamp(canonical_ + "-wal") == log_stamp_)
    return success();
  return refused(path, "somebody has written to it meanwhile; stop the daemon and try again",
                 ExitCode::temporary);
}

std::string read_only_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?mode=ro";
}

}  // namespace pollux::store
