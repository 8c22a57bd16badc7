#include "store/open.hpp"

#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "store/backup_files.hpp"
#include "store/damage.hpp"
#include "store/migrations.hpp"
#include "store/patience.hpp"

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

// By SQLite's own descriptor: when another one is closed, the locks of this process are gone, and
// whoever opens the database next takes himself for the only one and removes the log.
bool sync_open_file(const Connection& connection) {
  sqlite3_file* file = nullptr;
  return sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) ==
             SQLITE_OK &&
         file != nullptr && file->pMethods != nullptr &&
         file->pMethods->xSync(file, SQLITE_SYNC_FULL) == SQLITE_OK;
}

Status sync_new(const Connection& connection) {
  const std::string& path = connection.path();
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (!sync_open_file(connection) || !sync_to_disk(path + "-wal") ||
      !sync_to_disk(folder.empty() ? "." : folder)) {
    return cannot(path, "cannot be synced to disk", ExitCode::io);
  }
  return connection.execute("PRAGMA synchronous = FULL");
}

void empty_log_on_close(const Connection& connection, bool wanted) {
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
}

// Page size and vacuum mode can only be chosen while the file is empty. A new file has nothing to
// lose: it is synced once when it is complete, instead of ten times, of which each may take seconds
// on a busy disk.
Status set_up(const Connection& connection, bool empty) {
  if (empty) {
    Status chosen = connection.execute(
        "PRAGMA synchronous = OFF; PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL");
    if (!chosen) return chosen;
  }
  const Result<std::string> mode = connection.text("PRAGMA journal_mode = WAL");
  if (!mode) return mode.error();
  if (*mode != "wal") {
    return cannot(connection.path(),
                  "its file system cannot hold a write-ahead log; use a local disk", ExitCode::io);
  }
  if (!empty) {
    if (Status safe = connection.execute("PRAGMA synchronous = FULL"); !safe) return safe;
  }
  return connection.execute(
      "PRAGMA foreign_keys = ON;"
      "PRAGMA trusted_schema = OFF;"
      "PRAGMA journal_size_limit = 67108864;"
      "PRAGMA cache_size = -16384;"
      "PRAGMA temp_store = MEMORY");
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
  Result<OpenedForWriting> ready;
  std::string damage;  // not empty: the file is no sound database
};

Result<Connection> connect(const std::string& path) {
  Result<Connection> connection =
      Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!connection) return connection;
  keep_log(*connection);
  if (sqlite3_db_readonly(connection->handle(), "main") == 1) {
    return cannot(path, "may not be written to; check who owns it", ExitCode::cannot_create);
  }
  sqlite3_busy_timeout(connection->handle(), busy_timeout_ms);
  return connection;
}

// The questions that identify a database need nothing but its header and its schema: SQLite says
// "error" when those are of a kind that it does not know.
bool cannot_be_read(const Connection& connection) {
  return met_damage(connection) || sqlite3_errcode(connection.handle()) == SQLITE_ERROR;
}

void tell_of_unclean_stop(const Connection& connection) {
  const Result<std::string> mark =
      connection.text("SELECT value FROM meta WHERE key = 'clean_stop'");
  if (mark && *mark != "1") {
    spdlog::warn("database {}: the last stop was not a clean one", printable(connection.path()));
  }
}

// A check before anything else, where one that goes on beside will not do.
Result<std::string> check_now(const Connection& connection, std::int64_t version, Depth depth,
                              const OpenOptions& options) {
  spdlog::info("database {}: checking {}", printable(connection.path()),
               depth == Depth::full ? "all of it, because damage was met in it" : "the file");
  return find_damage(
      connection, version, depth,
      {.may_take = depth == Depth::full ? std::chrono::hours(24) : options.check_may_take,
       .cancelled = options.cancelled});
}

Opened try_to_open(const std::string& path, const OpenOptions& options, const LastSeen& last) {
  Result<Connection> connection = connect(path);
  if (!connection) return {connection.error(), ""};
  empty_log_on_close(*connection, false);  // evidence, as long as the file may be damaged
  const auto failed = [&](const Error& error) {
    return Opened{error, met_damage(*connection) ? error.message : std::string()};
  };
  const auto damaged = [&](const std::string& damage) {
    return Opened{cannot(path, "damaged (" + printable(damage) + ")", ExitCode::bad_data), damage};
  };
  const Result<Identity> identity = identify(*connection, migrations().size());
  if (!identity && cannot_be_read(*connection)) return damaged(identity.error().message);
  if (!identity) return failed(identity.error());
  if (!identity->damage.empty()) return damaged(identity->damage);
  if (sqlite3_db_readonly(connection->handle(), "main") == 1) {
    return damaged("its header says that it may not be written to");
  }
  if (Status done = set_up(*connection, identity->empty); !done) return failed(done.error());
  const bool current = identity->version == static_cast<std::int64_t>(migrations().size());
  std::unique_ptr<RunningCheck> check;
  if (!identity->empty) {
    const Result<std::string> missing = missing_in_schema(*connection, identity->version);
    if (!missing && cannot_be_read(*connection)) return damaged(missing.error().message);
    if (!missing) return failed(missing.error());
    if (!missing->empty()) return damaged(*missing);
    tell_of_unclean_stop(*connection);
    if (last.damaged || !current) {
      const Result<std::string> damage = check_now(
          *connection, identity->version, last.damaged ? Depth::full : Depth::quick, options);
      if (!damage) return failed(damage.error());
      if (!damage->empty()) return damaged(*damage);
      if (last.damaged) {
        // What was met and no check finds lies in what nothing refers to, the list of free pages
        // for example: the file is written anew. A disk without room for that is no reason to stop.
        const Status rebuilt = connection->execute("VACUUM");
        if (!rebuilt && met_damage(*connection)) return damaged(rebuilt.error().message);
      }
    } else {
      check = std::make_unique<RunningCheck>(
          path, Depth::quick,
          CheckLimits{.may_take = options.check_may_take, .cancelled = options.cancelled});
    }
  }
  if (!current) {
    const Patience patience(*connection, options.cancelled);
    if (Status done = migrate(*connection, *identity, migrations()); !done) {
      // Rolled back, so SQLite itself cannot be asked any more.
      if (done.error().exit_code == ExitCode::bad_data) return damaged(done.error().message);
      return {done.error(), ""};
    }
  }
  if (identity->empty) {
    if (Status safe = sync_new(*connection); !safe) return failed(safe.error());
  }
  return {OpenedForWriting{std::move(*connection), std::move(check)}, ""};
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

namespace {

bool is_empty_file(const std::string& path) {
  std::error_code problem;
  return std::filesystem::file_size(path, problem) == 0 && !problem;
}

}  // namespace

Result<OpenedForWriting> open_for_writing(const std::string& path, const OpenOptions& options,
                                          const LastSeen& last) {
  std::string damage = options.known_damage;
  // A file that was ours and is empty now has been cut off; one that is gone may have been moved.
  const bool emptied = !last.database_id.empty() && is_empty_file(path) &&
                       (is_empty_file(path + "-wal") || !std::filesystem::exists(path + "-wal"));
  if (emptied) damage = "it is empty";
  if (damage.empty()) {
    Opened opened = try_to_open(path, options, last);
    if (opened.damage.empty()) return std::move(opened.ready);
    damage = opened.damage;
  }
  const Result<Restored> restored =
      restore_newest(path, options.backup_directory, last.database_id, SystemClock().wall());
  if (!restored && emptied) {
    spdlog::warn("database {} is empty, and {}; beginning with nothing", printable(path),
                 restored.error().message);
  } else if (!restored) {
    return refused_as_damaged(path, damage, restored.error().message);
  }
  std::string repaired;
  if (restored) {
    repaired = fmt::format(
        "database {} was damaged ({}). It is now {}; the backup {} took its place: what was "
        "recorded after that is only in the damaged file",
        printable(path), printable(damage), printable(restored->aside), printable(restored->from));
    spdlog::error("{}", repaired);
  }
  Opened again = try_to_open(path, options, {.database_id = last.database_id});
  if (again.ready) again.ready->repaired = std::move(repaired);
  return std::move(again.ready);
}

Result<Connection> reopen_for_writing(const std::string& path) {
  Result<Connection> connection = connect(path);
  if (!connection) return connection;
  if (Status done = set_up(*connection, false); !done) return done.error();
  // The first question makes the log and its index.
  if (Result<std::string> id = database_id(*connection); !id) return id.error();
  return connection;
}

void leave_log(const Connection& connection) {
  empty_log_on_close(connection, false);
}

Status mark_running(const Connection& connection) {
  empty_log_on_close(connection, true);
  // Whoever reads the rows has to know whether all of them were written.
  if (Status kept = connection.execute(
          "INSERT INTO meta (key, value) SELECT 'last_stop_was_clean', value FROM meta "
          "WHERE key = 'clean_stop' ON CONFLICT (key) DO UPDATE SET value = excluded.value");
      !kept) {
    return kept;
  }
  if (Status noted = note_version(connection, migrations().size()); !noted) return noted;
  return put_clean_stop(connection, "0");
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
  if (!identity->damage.empty()) {
    return cannot(path, "damaged (" + printable(identity->damage) + ")", ExitCode::bad_data);
  }
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
