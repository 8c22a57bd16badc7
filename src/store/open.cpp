#include "store/open.hpp"

#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/store/reader.hpp"
#include "store/backup_files.hpp"
#include "store/migrations.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pollux::store {
namespace {

constexpr int busy_timeout_ms = 5000;

Error cannot(const std::string& path, const std::string& why, ExitCode code) {
  return {"database " + printable(path) + ": " + why, code};
}

// Keeps the log files after a clean stop: without them a user who may only read could not open the
// database.
void keep_log(const Connection& connection) {
  int persist = 1;
  sqlite3_file_control(connection.handle(), nullptr, SQLITE_FCNTL_PERSIST_WAL, &persist);
}

void empty_log_on_close(const Connection& connection, bool wanted) {
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
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
  return connection.execute(
      "PRAGMA synchronous = FULL;"
      "PRAGMA foreign_keys = ON;"
      "PRAGMA trusted_schema = OFF;"
      "PRAGMA journal_size_limit = 67108864;"
      "PRAGMA cache_size = -16384;"
      "PRAGMA temp_store = MEMORY");
}

// Ends a statement that takes long when the daemon is told to stop, or at a deadline.
class Patience {
 public:
  Patience(const Connection& connection, const OpenOptions& options, Duration most)
      : connection_(connection), options_(options), end_(std::chrono::steady_clock::now() + most) {
    sqlite3_progress_handler(connection.handle(), steps_between_checks, &Patience::is_over, this);
  }
  ~Patience() { sqlite3_progress_handler(connection_.handle(), 0, nullptr, nullptr); }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  bool cancelled() const { return options_.cancelled && options_.cancelled(); }

 private:
  static constexpr int steps_between_checks = 10'000;
  static int is_over(void* self) {
    const auto& patience = *static_cast<const Patience*>(self);
    return patience.cancelled() || std::chrono::steady_clock::now() >= patience.end_ ? 1 : 0;
  }
  const Connection& connection_;
  const OpenOptions& options_;
  const std::chrono::steady_clock::time_point end_;
};

bool is_damage(const Connection& connection) {
  const int code = sqlite3_errcode(connection.handle()) & 0xff;
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

// Empty when the file is sound, or when that could not be found out in time.
Result<std::string> damage_after_unclean_stop(const Connection& connection,
                                              const OpenOptions& options) {
  const Result<std::string> mark =
      connection.text("SELECT value FROM meta WHERE key = 'clean_stop'");
  if (!mark) return mark.error();
  if (*mark == "1") return std::string();
  spdlog::warn("database {}: the last stop was not a clean one; checking the file",
               printable(connection.path()));
  const Patience patience(connection, options, options.check_may_take);
  const Result<std::string> verdict = connection.text("PRAGMA quick_check(1)");
  if (verdict) return *verdict == "ok" ? std::string() : *verdict;
  if (is_damage(connection)) return verdict.error().message;
  if (sqlite3_errcode(connection.handle()) != SQLITE_INTERRUPT || patience.cancelled()) {
    return verdict.error();
  }
  spdlog::warn(
      "database {}: the check was ended after {}, it found no damage so far; to check all of it, "
      "stop the daemon and run: sqlite3 FILE 'PRAGMA integrity_check'",
      printable(connection.path()), format_duration(options.check_may_take));
  return std::string();
}

// Whoever reads the rows has to know whether all of them were written.
Status remember_last_stop(const Connection& connection) {
  return connection.execute(
      "INSERT INTO meta (key, value) SELECT 'last_stop_was_clean', value FROM meta "
      "WHERE key = 'clean_stop' ON CONFLICT (key) DO UPDATE SET value = excluded.value");
}

Status put_clean_stop(const Connection& connection, const char* value) {
  return connection.execute(std::string("INSERT INTO meta (key, value) VALUES ('clean_stop', '") +
                            value + "') ON CONFLICT (key) DO UPDATE SET value = excluded.value");
}

}  // namespace

Status check_database_path(const std::string& path) {
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

Status check_writable(const std::string& path) {
  const auto may = [](const std::string& file, int mode) {
    return ::faccessat(AT_FDCWD, file.c_str(), mode, AT_EACCESS) == 0;
  };
  if (Status usable = check_database_path(path); !usable) return usable;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string where = folder.empty() ? "." : folder.string();
  if (!may(where, W_OK | X_OK)) {
    return cannot(path,
                  "its folder " + printable(where) + " may not be written to; check who owns it",
                  ExitCode::cannot_create);
  }
  if (may(path, F_OK) && !may(path, R_OK | W_OK)) {
    return cannot(path, "may not be written to; check who owns it", ExitCode::cannot_create);
  }
  return success();
}

namespace {

struct Opened {
  Result<Connection> connection;
  std::string damage;  // not empty: the file is no sound database
};

Opened try_to_open(const std::string& path, const OpenOptions& options) {
  Result<Connection> connection =
      Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!connection) return {std::move(connection), ""};
  keep_log(*connection);
  empty_log_on_close(*connection, false);  // evidence, as long as the file may be damaged
  const auto failed = [&](const Error& error) {
    return Opened{error, is_damage(*connection) ? error.message : std::string()};
  };
  if (sqlite3_db_readonly(connection->handle(), "main") == 1) {
    return failed(
        cannot(path, "may not be written to; check who owns it", ExitCode::cannot_create));
  }
  sqlite3_busy_timeout(connection->handle(), busy_timeout_ms);
  const Result<Identity> identity = identify(*connection, migrations().size());
  if (!identity) return failed(identity.error());
  if (Status done = set_up(*connection, identity->empty); !done) return failed(done.error());
  if (!identity->empty) {
    const Result<std::string> damage = damage_after_unclean_stop(*connection, options);
    if (!damage) return failed(damage.error());
    if (!damage->empty()) {
      return {cannot(path, "damaged (" + printable(*damage) + ")", ExitCode::bad_data), *damage};
    }
  }
  {
    const Patience patience(*connection, options, std::chrono::hours(24));
    if (Status done = migrate(*connection, *identity, migrations()); !done) {
      return failed(done.error());
    }
  }
  if (Status kept = remember_last_stop(*connection); !kept) return failed(kept.error());
  if (Status marked = put_clean_stop(*connection, "0"); !marked) return failed(marked.error());
  empty_log_on_close(*connection, true);
  return {std::move(connection), ""};
}

Error refused_as_damaged(const std::string& path, const std::string& damage,
                         const std::string& why_not_restored) {
  return cannot(path,
                "damaged or no database at all (" + printable(damage) + "), and " +
                    why_not_restored +
                    ". Put a copy you have in its place, "
                    "move it away to start from nothing, or save what can be read: sqlite3 " +
                    printable(path) + " .recover | sqlite3 recovered.db",
                ExitCode::bad_data);
}

}  // namespace

Result<Connection> open_for_writing(const std::string& path, const OpenOptions& options,
                                    const std::string& known_id) {
  Opened opened = try_to_open(path, options);
  if (opened.damage.empty()) return std::move(opened.connection);
  const Result<Restored> restored =
      restore_newest(path, options.backup_directory, known_id, SystemClock().wall());
  if (!restored) return refused_as_damaged(path, opened.damage, restored.error().message);
  spdlog::error(
      "database {} was damaged ({}). It is now {}; the backup {} took its place: what was recorded "
      "after that is only in the damaged file",
      printable(path), printable(opened.damage), printable(restored->aside),
      printable(restored->from));
  return std::move(try_to_open(path, options).connection);
}

Status mark_clean_stop(const Connection& connection) {
  return put_clean_stop(connection, "1");
}

Result<Connection> open_to_copy(const std::string& path) {
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
  if (Status done = connection->execute("PRAGMA trusted_schema = OFF"); !done) return done.error();
  return connection;
}

Result<Connection> open_for_reading(const std::string& path) {
  Result<Connection> connection = open_to_copy(path);
  if (!connection) return connection;
  if (Status done = connection->execute("PRAGMA query_only = ON"); !done) return done.error();
  return connection;
}

}  // namespace pollux::store
