#include "store/shard_target.hpp"

#include "pollux/base/text.hpp"
#include "store/backup_files.hpp"
#include "store/content_file.hpp"
#include "store/damage.hpp"
#include "store/migrations.hpp"
#include "store/node_rows.hpp"
#include "store/patience.hpp"
#include "store/shard_rows.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace pollux::store {
namespace {

// What is a daemon's, or one file's, and not its pages'.
constexpr char carry_meta[] =
    "INSERT INTO main.meta (key, value) SELECT key, value FROM source.meta WHERE key NOT IN "
    "('database_id', 'schema_version', 'pid', 'control_socket', 'last_backup', 'last_backup_at', "
    "'reload_refused', 'brains') ON CONFLICT (key) DO NOTHING";
// One of them was not stopped cleanly: its hosts may have been asked later than they say.
constexpr char carry_unclean_stop[] =
    "UPDATE main.meta SET value = '0' WHERE key IN ('clean_stop', 'last_stop_was_clean') AND "
    "EXISTS (SELECT 1 FROM source.meta AS theirs WHERE theirs.key = main.meta.key AND "
    "theirs.value <> '1')";

Error damaged_copy(const std::string& path, const std::string& why) {
  return {"database " + printable(path) + ": what was written is damaged (" + printable(why) +
              "); the source has that already, then start its daemon, which repairs it from a "
              "backup, or "
              "the disk is bad",
          ExitCode::bad_data};
}

}  // namespace

Result<ShardTarget> ShardTarget::create(const std::string& path, const FileRights& rights) {
  if (Status made = make_empty_file(path, rights); !made) return made.error();
  Result<Connection> connection =
      Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI);
  if (!connection) return connection.error();
  // Until it is finished it is nobody's: no log, and on disk once, at the end.
  if (Status fast = connection->execute(
          "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF;"
          "PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; PRAGMA temp_store = FILE");
      !fast) {
    return fast.error();
  }
  if (Status made = migrate(*connection, Identity{.empty = true, .version = 0}, migrations());
      !made)
    return made.error();
  return ShardTarget(std::move(*connection), path, rights);
}

Status ShardTarget::attach(const ShardSource& source, const std::string& plan) {
  if (Status done = attach_as(connection_, read_only_uri(source.database), "source"); !done)
    return done;
  if (Status done = attach_as(connection_, read_only_uri(plan), "plan"); !done) return done;
  content_attached_ = !source.content.empty();
  if (!content_attached_) return success();
  bool made_content = false;
  if (!has_content_) {
    // Whoever makes such files makes this one, too.
    std::string note;
    const Result<Connection> made = open_content(path_ + "-content", rights_, note);
    if (!made) return made.error();
    const Result<std::string> mode = made->text("PRAGMA journal_mode = DELETE");
    if (!mode) return mode.error();
    has_content_ = true;
    made_content = true;
  }
  // An empty log was left behind.
  std::error_code ignored;
  for (const char* log : {"-content-wal", "-content-shm"})
    if (made_content) std::filesystem::remove(path_ + log, ignored);
  if (Status done = attach_as(connection_, read_only_uri(source.content), "content"); !done)
    return done;
  if (Status done = attach_as(connection_, path_ + "-content", "kept"); !done) return done;
  return connection_.execute(
      "PRAGMA kept.journal_mode = OFF; PRAGMA kept.synchronous = OFF;"
      "PRAGMA kept.cache_size = -4096");
}

Status ShardTarget::detach() {
  if (content_attached_) {
    if (Status done = connection_.execute("DETACH content; DETACH kept"); !done) return done;
    content_attached_ = false;
  }
  return connection_.execute("DETACH plan; DETACH source");
}

Status ShardTarget::copy(std::uint32_t part, bool whole, const std::function<bool()>& cancelled,
                         const std::function<void(std::string_view table, double done)>& told) {
  const Patience patience(connection_, cancelled);
  Transaction transaction(connection_);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  const double steps = static_cast<double>(copied_tables().size() + 1);
  double step = 0;
  if (Status copied = copy_rows(connection_, part, whole,
                                [&](std::string_view table) { told(table, step++ / steps); });
      !copied) {
    return copied;
  }
  told("versions", step / steps);
  if (content_attached_) {
    if (Status copied = copy_versions(connection_, part); !copied) return copied;
  }
  for (const char* sql : {carry_meta, carry_unclean_stop})
    if (Status done = connection_.execute(sql); !done) return done;
  return transaction.commit();
}

Status ShardTarget::put(const std::string& policy, const ShardExtras& extras) {
  Transaction transaction(connection_);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  Result<Statement> node = connection_.prepare(put_node);
  if (!node) return node.error();
  for (const NodeRow& row : extras.nodes) {
    if (row.first_url.empty()) continue;  // by position: copied, as far as it still means something
    bind_node(*node, policy, row);
    if (Status done = node->run(); !done) return done;
  }
  for (const auto& [key, value] : extras.meta) {
    Result<Statement> put =
        connection_.prepare(value.empty() ? "DELETE FROM meta WHERE key = ?1"
                                          : "INSERT OR REPLACE INTO meta (key, value) "
                                            "VALUES (?1, ?2)");
    if (!put) return put.error();
    put->bind(1, std::string_view(key));
    if (!value.empty()) put->bind(2, std::string_view(value));
    if (Status done = put->run(); !done) return done;
  }
  return transaction.commit();
}

Result<ShardCounts> ShardTarget::finish(const std::string& policy, const ShardExtras& extras,
                                        const ShardWork& work) {
  if (Status done = put(policy, extras); !done) return done.error();
  ShardCounts counts;
  const auto count = [&](const Connection& of, const char* sql, std::uint64_t& into) -> Status {
    const Result<std::int64_t> number = of.integer(sql);
    if (!number) return number.error();
    into = static_cast<std::uint64_t>(*number);
    return success();
  };
  const Patience patience(connection_, work.cancelled);
  for (const auto& [sql, into] :
       {std::pair{"SELECT count(*) FROM page", &counts.pages},
        {"SELECT count(*) FROM page WHERE state <> 'removed'", &counts.listed},
        {"SELECT count(DISTINCT host) FROM page", &counts.hosts},
        {"SELECT count(*) FROM change", &counts.changes},
        {"SELECT count(*) FROM delivery WHERE state = 'waiting'", &counts.waiting}}) {
    if (Status done = count(connection_, sql, *into); !done) return done.error();
  }
  const Result<std::string> damage =
      find_damage(connection_, static_cast<std::int64_t>(migrations().size()), Depth::full,
                  {.cancelled = work.cancelled});
  if (!damage) return damage.error();
  if (!damage->empty()) return damaged_copy(path_, *damage);
  for (const std::string& file : {path_, path_ + "-content"}) {
    if (file != path_ && !has_content_) continue;
    if (file != path_) {
      const Result<Connection> kept = open_content_to_read(file);
      if (!kept) return kept.error();
      const Patience patience_too(*kept, work.cancelled);
      const Result<std::string> verdict = kept->text("PRAGMA quick_check(1)");
      if (!verdict) return verdict.error();
      if (*verdict != "ok") return damaged_copy(file, *verdict);
      if (Status done = count(*kept, "SELECT count(*) FROM version", counts.versions); !done)
        return done.error();
    }
    if (!sync_to_disk(file)) {
      return Error{"cannot sync " + printable(file) + " to disk; check the disk", ExitCode::io};
    }
    std::error_code problem;
    counts.bytes += std::filesystem::file_size(file, problem);
  }
  return counts;
}

Status attach_as(const Connection& connection, const std::string& uri, const char* name) {
  Result<Statement> attach = connection.prepare(std::string("ATTACH DATABASE ?1 AS ") + name);
  if (!attach) return attach.error();
  attach->bind(1, std::string_view(uri));
  return attach->run();
}

Status each_learnt_of(const Connection& connection, const EachLearnt& each) {
  Result<Statement> rows = connection.prepare(
      "SELECT row.url, chosen.part, row.importance, row.slow_hits, row.slow_hit_time, "
      "row.slow_miss_time, row.fast_hits, row.fast_hit_time, row.fast_miss_time, row.streak, "
      "row.position FROM source.page AS row JOIN plan.page AS chosen ON chosen.id = row.id "
      "WHERE row.state = 'active' ORDER BY row.id");
  if (!rows) return rows.error();
  LearntRow row;
  while (true) {
    const Result<bool> there = rows->step();
    if (!there) return there.error();
    if (!*there) return success();
    row.url = rows->text(0);
    row.part = static_cast<std::uint32_t>(rows->integer(1));
    int at = 2;
    for (double* const value :
         {&row.importance, &row.slow_hits, &row.slow_hit_time, &row.slow_miss_time, &row.fast_hits,
          &row.fast_hit_time, &row.fast_miss_time, &row.streak, &row.position}) {
      *value = rows->real(at++);
    }
    each(row);
  }
}

Status name_database(const std::string& unfinished, const std::string& path) {
  std::error_code problem;
  const std::string content = unfinished + "-content";
  if (std::filesystem::exists(content, problem)) {
    if (Status named = give_new_name(content, path + "-content"); !named) return named;
  }
  return give_new_name(unfinished, path);
}

}  // namespace pollux::store
