#include "store/open.hpp"

#include "pollux/base/text.hpp"
#include "store/migrations.hpp"

#include <filesystem>
#include <system_error>

#include <spdlog/spdlog.h>

namespace pollux::store {
namespace {

constexpr int busy_timeout_ms = 5000;

Error cannot(const std::string& path, const std::string& why, ExitCode code) {
  return {"database " + printable(path) + ": " + why, code};
}

// Page size and vacuum mode can only be chosen while the file is empty.
Status set_up(const Connection& connection, bool empty) {
  if (empty) {
    const Status chosen =
        connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL");
    if (!chosen) return chosen;
  }
  const Result<std::string> mode = connection.text("PRAGMA journal_mode = WAL");
  if (!mode) return mode.error();
  if (*mode != "wal") {
    return cannot(connection.path(),
                  "its file system cannot hold a write-ahead log; use a local disk", ExitCode::io);
  }
  // Keeps the log files after a clean stop: without them a user who may only read could not open
  // the database.
  int persist = 1;
  sqlite3_file_control(connection.handle(), nullptr, SQLITE_FCNTL_PERSIST_WAL, &persist);
  return connection.execute(
      "PRAGMA synchronous = FULL;"
      "PRAGMA foreign_keys = ON;"
      "PRAGMA trusted_schema = OFF;"
      "PRAGMA journal_size_limit = 67108864;"
      "PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA cache_size = -16384;"
      "PRAGMA temp_store = MEMORY");
}

Status check_after_unclean_stop(const Connection& connection) {
  const Result<std::string> mark =
      connection.text("SELECT value FROM meta WHERE key = 'clean_stop'");
  if (!mark) return mark.error();
  if (*mark == "1") return success();
  spdlog::warn("database {}: the last stop was not a clean one; checking the file",
               printable(connection.path()));
  const Result<std::string> verdict = connection.text("PRAGMA quick_check(1)");
  if (!verdict) return verdict.error();
  if (*verdict == "ok") return success();
  return cannot(
      connection.path(),
      "damaged (" + printable(*verdict) + "); restore the newest backup beside it, or move it away",
      ExitCode::bad_data);
}

Status put_clean_stop(const Connection& connection, const char* value) {
  return connection.execute(std::string("INSERT INTO meta (key, value) VALUES ('clean_stop', '") +
                            value + "') ON CONFLICT (key) DO UPDATE SET value = excluded.value");
}

}  // namespace

Status check_place(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) {
    return cannot(path, "is a folder; name a file in it", ExitCode::cannot_create);
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, problem)) {
    return cannot(path, "its folder does not exist; create " + printable(folder.string()),
                  ExitCode::cannot_create);
  }
  return success();
}

Result<Connection> open_for_writing(const std::string& path) {
  Result<Connection> connection =
      Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!connection) return connection;
  if (sqlite3_db_readonly(connection->handle(), "main") == 1) {
    return cannot(path, "may not be written to; check who owns it", ExitCode::cannot_create);
  }
  sqlite3_busy_timeout(connection->handle(), busy_timeout_ms);
  const Result<Identity> identity = identify(*connection, migrations().size());
  if (!identity) return identity.error();
  if (Status done = set_up(*connection, identity->empty); !done) return done.error();
  if (Status done = migrate(*connection, *identity, migrations()); !done) return done.error();
  if (!identity->empty) {
    if (Status sound = check_after_unclean_stop(*connection); !sound) return sound.error();
  }
  if (Status marked = put_clean_stop(*connection, "0"); !marked) return marked.error();
  return connection;
}

Status mark_clean_stop(const Connection& connection) {
  return put_clean_stop(connection, "1");
}

Result<Connection> open_for_reading(const std::string& path) {
  std::error_code problem;
  if (path.empty() || !std::filesystem::exists(path, problem)) {
    return cannot(path, "does not exist; name it with --database, or start the daemon first",
                  ExitCode::missing_input);
  }
  if (std::filesystem::is_directory(path, problem)) {
    return cannot(path, "is a folder; name the file in it", ExitCode::missing_input);
  }
  Result<Connection> connection = Connection::open(path, SQLITE_OPEN_READONLY);
  if (!connection) return connection;
  sqlite3_busy_timeout(connection->handle(), busy_timeout_ms);
  const Result<Identity> identity = identify(*connection, migrations().size());
  if (!identity) return identity.error();
  if (identity->empty) {
    return cannot(path, "is empty; start the daemon first", ExitCode::missing_input);
  }
  if (identity->version < static_cast<std::int64_t>(migrations().size())) {
    return cannot(path, "written by an older Pollux; start the daemon once to bring it up to date",
                  ExitCode::bad_data);
  }
  if (Status done = connection->execute("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF");
      !done) {
    return done.error();
  }
  return connection;
}

}  // namespace pollux::store
