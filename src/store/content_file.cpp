#include "store/content_file.hpp"

#include "pollux/base/clock.hpp"
#include "pollux/base/text.hpp"
#include "store/backup_files.hpp"
#include "store/content_codec.hpp"
#include "store/damage.hpp"
#include "store/patience.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace pollux::store {
namespace {

constexpr std::int64_t content_application = 0x506f6c63;  // "Polc"
constexpr std::int64_t content_schema_version = 1;
constexpr int content_busy_ms = 5000;
// The whole check of a large file would hold up the start; what it leaves is found when it is met.
constexpr Duration content_check_may_take = std::chrono::milliseconds(250);
// A full version is made long before; more of them is damage.
constexpr std::size_t longest_chain = 1000;

constexpr char content_schema[] =
    "CREATE TABLE url (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE version ("
    "  url_id INTEGER NOT NULL REFERENCES url (id),"
    "  number INTEGER NOT NULL,"
    "  seen_at INTEGER NOT NULL,"
    "  replaced_at INTEGER,"
    "  hash TEXT NOT NULL,"
    "  kind TEXT NOT NULL,"
    "  bytes INTEGER NOT NULL,"
    "  full INTEGER NOT NULL CHECK (full IN (0, 1)),"
    "  data BLOB NOT NULL,"
    "  UNIQUE (url_id, number)"
    ") STRICT;"
    "CREATE INDEX version_by_replaced_at ON version (replaced_at) WHERE replaced_at IS NOT NULL;";

Error content_error(const std::string& path, const std::string& why, ExitCode code) {
  return {"kept versions " + printable(path) + ": " + why, code};
}

// An empty file with its rights; one that lies there already stays as it is.
Status make_content_file(const std::string& path, const FileRights& rights) {
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0) return success();
  // The log of a file that has gone would be applied to this one.
  std::error_code ignored;
  for (const char* part : {"-wal", "-shm"}) std::filesystem::remove(path + part, ignored);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return content_error(path,
                         "cannot be created: " + std::generic_category().message(errno) +
                             "; check the folder and who owns it",
                         ExitCode::cannot_create);
  }
  [[maybe_unused]] const int given = fchown(descriptor, rights.owner, rights.group);
  [[maybe_unused]] const int allowed = fchmod(descriptor, rights.mode);
  ::close(descriptor);
  return success();
}

struct Judged {
  bool empty = false;
  std::string flaw;  // not empty: no file of ours, or a damaged one
};

// An error: the question could not be put.
Result<Judged> judge_content(const Connection& connection) {
  const auto flawed = [&](const Error& error) -> Result<Judged> {
    if (met_damage(connection)) return Judged{.flaw = error.message};
    return error;
  };
  const Result<std::int64_t> tables = connection.integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return flawed(tables.error());
  const Result<std::int64_t> owner = connection.integer("PRAGMA application_id");
  if (!owner) return flawed(owner.error());
  const Result<std::int64_t> version = connection.integer("PRAGMA user_version");
  if (!version) return flawed(version.error());
  if (*tables == 0 && *owner == 0 && *version == 0) return Judged{.empty = true, .flaw = {}};
  if (*owner != content_application) return Judged{.flaw = "it is of another program"};
  if (*version != content_schema_version) {
    return Judged{.flaw = "it is of another version of Pollux (schema " + std::to_string(*version) +
                          ")"};
  }
  for (const char* used :
       {"SELECT id, url FROM url LIMIT 1",
        "SELECT url_id, number, seen_at, replaced_at, hash, kind, bytes, full, data FROM version "
        "INDEXED BY version_by_replaced_at WHERE replaced_at IS NOT NULL LIMIT 1"}) {
    const Result<std::int64_t> there = connection.integer(used);
    if (!there && sqlite3_errcode(connection.handle()) == SQLITE_ERROR) {
      return Judged{.flaw = there.error().message};
    }
    if (!there) return flawed(there.error());
  }
  return Judged{};
}

Status set_up_content(const Connection& connection, bool empty) {
  if (empty) {
    Status chosen = connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL");
    if (!chosen) return chosen;
  }
  const Result<std::string> mode = connection.text("PRAGMA journal_mode = WAL");
  if (!mode) return mode.error();
  if (*mode != "wal") {
    return content_error(connection.path(),
                         "its file system cannot hold a write-ahead log; use a local disk",
                         ExitCode::io);
  }
  if (Status done = connection.execute("PRAGMA synchronous = FULL;"
                                       "PRAGMA trusted_schema = OFF;"
                                       "PRAGMA journal_size_limit = 16777216;"
                                       "PRAGMA cache_size = -4096;"
                                       "PRAGMA temp_store = MEMORY");
      !done || !empty) {
    return done;
  }
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  if (Status made =
          connection.execute(std::string(content_schema) +
                             "PRAGMA application_id = " + std::to_string(content_application) +
                             "; PRAGMA user_version = " + std::to_string(content_schema_version));
      !made) {
    return made;
  }
  if (Status done = transaction.commit(); !done) return done;
  // The names of the file and of its log have to survive as well.
  const std::string folder = std::filesystem::path(connection.path()).parent_path().string();
  if (!sync_to_disk(folder.empty() ? "." : folder)) {
    return content_error(connection.path(), "its folder cannot be synced to disk", ExitCode::io);
  }
  return success();
}

struct OpenedContent {
  Result<Connection> connection;
  std::string flaw;
};

OpenedContent try_to_open_content(const std::string& path, const FileRights& rights) {
  if (Status made = make_content_file(path, rights); !made) return {made.error(), ""};
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) {
    return {content_error(path, "is no file", ExitCode::bad_data), "it is no file"};
  }
  Result<Connection> connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) return {connection.error(), ""};
  if (sqlite3_db_readonly(connection->handle(), "main") == 1) {
    return {
        content_error(path, "may not be written to; check who owns it", ExitCode::cannot_create),
        ""};
  }
  sqlite3_busy_timeout(connection->handle(), content_busy_ms);
  // The log stays after a clean stop, for users who may only read.
  int persist = 1;
  sqlite3_file_control(connection->handle(), nullptr, SQLITE_FCNTL_PERSIST_WAL, &persist);
  const auto failed = [&](const Error& error) {
    return OpenedContent{error, met_damage(*connection) ? error.message : std::string()};
  };
  const Result<Judged> judged = judge_content(*connection);
  if (!judged) return failed(judged.error());
  if (!judged->flaw.empty()) {
    return {content_error(path, judged->flaw, ExitCode::bad_data), judged->flaw};
  }
  if (Status done = set_up_content(*connection, judged->empty); !done) return failed(done.error());
  if (!judged->empty) {
    const std::function<bool()> nobody_cancels;
    const Patience patience(*connection, nobody_cancels, content_check_may_take);
    const Result<std::string> verdict = connection->text("PRAGMA quick_check(1)");
    if (!verdict && !patience.ended_it()) return failed(verdict.error());
    if (verdict && *verdict != "ok") {
      return {content_error(path, *verdict, ExitCode::bad_data), *verdict};
    }
  }
  return {std::move(connection), ""};
}

}  // namespace

Result<std::string> move_content_aside(const std::string& path) {
  const std::string wanted = path + ".damaged-" + time_stamp(SystemClock().wall());
  std::string aside = wanted;
  struct stat about {};
  for (int i = 2; ::lstat(aside.c_str(), &about) == 0; ++i)
    aside = wanted + "-" + std::to_string(i);
  std::error_code problem;
  std::filesystem::rename(path, aside, problem);
  if (problem) {
    return content_error(path, "cannot be moved aside: " + problem.message(),
                         ExitCode::cannot_create);
  }
  std::error_code ignored;
  for (const char* part : {"-wal", "-shm"}) {
    std::filesystem::rename(path + part, aside + part, ignored);
  }
  return aside;
}

Result<Connection> open_content(const std::string& path, const FileRights& rights,
                                std::string& note) {
  OpenedContent opened = try_to_open_content(path, rights);
  if (opened.flaw.empty()) return std::move(opened.connection);
  const std::string flaw = opened.flaw;
  opened = {Error{}, ""};  // nobody has it open any more
  const Result<std::string> aside = move_content_aside(path);
  if (!aside) return aside.error();
  note = "kept versions " + printable(path) + " were not usable (" + printable(flaw) +
         "); the file is now " + printable(*aside) +
         ", and a new one was begun: what changed before is only in the old one";
  return std::move(try_to_open_content(path, rights).connection);
}

Result<Connection> open_content_to_read(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::exists(path, problem)) {
    return content_error(path, "no versions have been kept yet", ExitCode::missing_input);
  }
  Result<Connection> connection = Connection::open(path, SQLITE_OPEN_READONLY);
  if (!connection) return connection;
  sqlite3_busy_timeout(connection->handle(), content_busy_ms);
  const Result<Judged> judged = judge_content(*connection);
  if (!judged) return judged.error();
  if (judged->empty) {
    return content_error(path, "no versions have been kept yet", ExitCode::missing_input);
  }
  if (!judged->flaw.empty()) return content_error(path, judged->flaw, ExitCode::bad_data);
  if (Status done = connection->execute("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON");
      !done) {
    return done.error();
  }
  return connection;
}

Result<KeptText> content_text(const Connection& connection, std::int64_t url_id,
                              std::int64_t number) {
  const auto damaged = [](std::int64_t at, const std::string& why) {
    return KeptText{.text = {}, .damage = "version " + std::to_string(at) + " " + why};
  };
  Result<Statement> rows = connection.prepare(
      "SELECT number, full, bytes, hash, data FROM version WHERE url_id = ?1 AND number <= ?2 "
      "ORDER BY number DESC");
  if (!rows) return rows.error();
  rows->bind(1, url_id).bind(2, number);
  struct Link {
    std::int64_t number, bytes;
    std::string data;
  };
  std::vector<Link> chain;  // the newest first, a full one last
  std::string hash;
  for (bool full = false; !full;) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row || rows->integer(0) != number - static_cast<std::int64_t>(chain.size())) {
      if (chain.empty()) return KeptText{};
      return damaged(chain.back().number, "lacks the one before, which it needs");
    }
    if (chain.empty()) hash = rows->text(3);
    chain.push_back({rows->integer(0), rows->integer(2), std::string(rows->blob(4))});
    full = rows->integer(1) == 1;
    if (chain.size() > longest_chain) return damaged(number, "needs too many others");
  }
  std::string text;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    std::optional<std::string> next = unsqueeze(link->data, text, link->bytes);
    if (!next) return damaged(link->number, "is damaged");
    text = std::move(*next);
  }
  if (sha256_of(text) != hash) return damaged(number, "is not what its hash says");
  return KeptText{.text = std::move(text), .damage = {}};
}

}  // namespace pollux::store
