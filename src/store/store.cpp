#include "pollux/store/store.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/thread_owner.hpp"
#include "store/lock.hpp"
#include "store/open.hpp"
#include "store/page_row.hpp"
#include "store/placement_row.hpp"
#include "store/reconcile.hpp"
#include "store/sqlite.hpp"

#include <filesystem>
#include <system_error>

#include <spdlog/spdlog.h>

namespace pollux::store {
namespace {

constexpr std::int64_t keep_minutes_ms = 30ll * 24 * 60 * 60 * 1000;

constexpr char insert_change[] =
    "INSERT INTO change (page_id, found_at, previous_poll_at, old_hash, new_hash, body_bytes, "
    "status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr char put_node[] =
    "INSERT INTO learner_node (policy, level, position, value) VALUES (?1, ?2, ?3, ?4) "
    "ON CONFLICT (policy, level, position) DO UPDATE SET value = excluded.value";
constexpr char put_host[] =
    "INSERT INTO host (host, last_request_at, blocked_until, requests, errors) "
    "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (host) DO UPDATE SET "
    "last_request_at = excluded.last_request_at, blocked_until = excluded.blocked_until, "
    "requests = excluded.requests, errors = excluded.errors";
constexpr char add_minute[] =
    "INSERT INTO budget_minute (minute, budget, requests, polls, changes, same, errors, "
    "explored, seconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (minute) DO UPDATE "
    "SET "
    "budget = excluded.budget, requests = requests + excluded.requests, "
    "polls = polls + excluded.polls, changes = changes + excluded.changes, "
    "same = same + excluded.same, errors = errors + excluded.errors, "
    "explored = explored + excluded.explored, seconds = min(60, seconds + excluded.seconds)";
constexpr char drop_old_minutes[] = "DELETE FROM budget_minute WHERE minute < ?1";
constexpr char put_meta[] =
    "INSERT INTO meta (key, value) VALUES (?1, ?2) "
    "ON CONFLICT (key) DO UPDATE SET value = excluded.value";

struct Statements {
  Statement poll, change, node, host, minute, old_minutes, meta, placement;
};

Result<Statements> prepare_all(const Connection& connection) {
  Statements all;
  const std::pair<Statement*, const char*> wanted[] = {
      {&all.poll, update_progress}, {&all.change, insert_change},
      {&all.node, put_node},        {&all.host, put_host},
      {&all.minute, add_minute},    {&all.old_minutes, drop_old_minutes},
      {&all.meta, put_meta},        {&all.placement, put_placement},
  };
  for (const auto& [statement, sql] : wanted) {
    Result<Statement> prepared = connection.prepare(sql);
    if (!prepared) return prepared.error();
    *statement = std::move(*prepared);
  }
  return all;
}

}  // namespace

struct Store::State {
  DatabaseLock lock;  // outlives the connection
  Connection connection;
  Statements sql;
  ThreadOwner owner;

  State(DatabaseLock l, Connection c, Statements s)
      : lock(std::move(l)), connection(std::move(c)), sql(std::move(s)) {}

  Status write_poll(const PollRecord& record);
  Status write_polls(const Batch& batch);
  Status write_nodes(const Batch& batch, const std::string& policy);
  Status write_hosts(const Batch& batch);
  Status write_minutes(const Batch& batch);
  Status write_meta(const Batch& batch);
  Status write_placements(const Batch& batch);
};

Status Store::State::write_poll(const PollRecord& record) {
  bind_progress(sql.poll, record.page, record.progress);
  if (Status done = sql.poll.run(); !done) return done;
  if (sqlite3_changes(connection.handle()) == 0) {
    // Refusing it would make the whole batch fail, and fail again at every attempt.
    spdlog::warn("a poll of page {}, which is not in the database, was not recorded",
                 value(record.page));
    return success();
  }
  if (!record.change) return success();
  const ChangeRow& change = *record.change;
  return sql.change.bind(1, value(record.page))
      .bind(2, std::optional<WallTime>(change.found_at))
      .bind(3, std::optional<WallTime>(change.previous_poll_at))
      .bind(4, std::string_view(change.old_hash))
      .bind(5, std::string_view(change.new_hash))
      .bind(6, change.body_bytes)
      .bind(7, std::int64_t{change.status})
      .run();
}

Status Store::State::write_polls(const Batch& batch) {
  for (const PollRecord& record : batch.polls) {
    if (Status done = write_poll(record); !done) return done;
  }
  return success();
}

Status Store::State::write_nodes(const Batch& batch, const std::string& policy) {
  for (const NodeRow& node : batch.nodes) {
    sql.node.bind(1, std::string_view(policy))
        .bind(2, std::int64_t{node.level})
        .bind(3, std::int64_t{node.position})
        .bind(4, node.value);
    if (Status done = sql.node.run(); !done) return done;
  }
  return success();
}

Status Store::State::write_hosts(const Batch& batch) {
  for (const HostRow& host : batch.hosts) {
    sql.host.bind(1, std::string_view(host.host))
        .bind(2, host.last_request_at)
        .bind(3, host.blocked_until)
        .bind(4, host.requests)
        .bind(5, host.errors);
    if (Status done = sql.host.run(); !done) return done;
  }
  return success();
}

Status Store::State::write_minutes(const Batch& batch) {
  std::int64_t newest = 0;
  for (const MinuteRow& row : batch.minutes) {
    const std::int64_t minute = row.minute.time_since_epoch().count();
    newest = std::max(newest, minute);
    sql.minute.bind(1, minute)
        .bind(2, row.budget)
        .bind(3, row.requests)
        .bind(4, row.polls)
        .bind(5, row.changes)
        .bind(6, row.same)
        .bind(7, row.errors)
        .bind(8, row.explored)
        .bind(9, row.seconds);
    if (Status done = sql.minute.run(); !done) return done;
  }
  if (batch.minutes.empty()) return success();
  return sql.old_minutes.bind(1, newest - keep_minutes_ms).run();
}

Status Store::State::write_meta(const Batch& batch) {
  for (const auto& [key, text] : batch.meta) {
    sql.meta.bind(1, std::string_view(key)).bind(2, std::string_view(text));
    if (Status done = sql.meta.run(); !done) return done;
  }
  return success();
}

Status Store::State::write_placements(const Batch& batch) {
  if (batch.access_points) {
    if (Status done = replace_access_points(connection, *batch.access_points); !done) return done;
  }
  for (const PlacementRow& row : batch.placements) {
    bind_placement(sql.placement, row);
    if (Status done = sql.placement.run(); !done) return done;
  }
  return success();
}

Result<std::unique_ptr<Store>> Store::open(const std::string& path) {
  if (path.empty()) {
    return Error{"no database named; set `database:` in the configuration",
                 ExitCode::cannot_create};
  }
  const std::string canonical = canonical_path(path);
  if (Status fit = check_place(canonical); !fit) return fit.error();
  Result<DatabaseLock> lock = DatabaseLock::take(canonical);
  if (!lock) return lock.error();
  Result<Connection> connection = open_for_writing(canonical);
  if (!connection) return connection.error();
  Result<Statements> statements = prepare_all(*connection);
  if (!statements) return statements.error();
  return std::unique_ptr<Store>(new Store(
      std::make_unique<State>(std::move(*lock), std::move(*connection), std::move(*statements))));
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}

Store::~Store() {
  if (const Status marked = mark_clean_stop(state_->connection); !marked) {
    spdlog::warn("{}; the next start will check the file", marked.error().message);
  }
}

Result<Reconciled> Store::reconcile(const std::vector<PageSpec>& pages, WallTime now) {
  state_->owner.check();
  return reconcile_pages(state_->connection, pages, now);
}

Status Store::load_pages(const std::function<void(PageRow&&)>& each) {
  state_->owner.check();
  Result<Statement> rows = state_->connection.prepare(std::string("SELECT ") + page_columns +
                                                      " FROM page WHERE state = 'active' "
                                                      "ORDER BY id");
  if (!rows) return rows.error();
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return success();
    each(read_page(*rows));
  }
}

Result<std::vector<HostRow>> Store::load_hosts() {
  state_->owner.check();
  Result<Statement> rows = state_->connection.prepare(
      "SELECT host, last_request_at, blocked_until, requests, errors FROM host");
  if (!rows) return rows.error();
  std::vector<HostRow> hosts;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return hosts;
    hosts.push_back({.host = std::string(rows->text(0)),
                     .last_request_at = rows->time(1),
                     .blocked_until = rows->time(2),
                     .requests = rows->integer(3),
                     .errors = rows->integer(4)});
  }
}

Result<std::vector<PlacementRow>> Store::load_placements() {
  state_->owner.check();
  return read_placements(state_->connection, Placements::all);
}

Result<std::vector<NodeRow>> Store::load_nodes(const std::string& policy) {
  state_->owner.check();
  Result<Statement> rows = state_->connection.prepare(
      "SELECT level, position, value FROM learner_node WHERE policy = ?1 "
      "ORDER BY level, position");
  if (!rows) return rows.error();
  rows->bind(1, std::string_view(policy));
  std::vector<NodeRow> nodes;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return nodes;
    nodes.push_back({.level = static_cast<std::uint32_t>(rows->integer(0)),
                     .position = static_cast<std::uint32_t>(rows->integer(1)),
                     .value = rows->real(2)});
  }
}

Status Store::write(const Batch& batch, const std::string& policy) {
  state_->owner.check();
  Transaction transaction(state_->connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  if (Status done = state_->write_polls(batch); !done) return done;
  if (Status done = state_->write_nodes(batch, policy); !done) return done;
  if (Status done = state_->write_hosts(batch); !done) return done;
  if (Status done = state_->write_minutes(batch); !done) return done;
  if (Status done = state_->write_meta(batch); !done) return done;
  if (Status done = state_->write_placements(batch); !done) return done;
  return transaction.commit();
}

Result<std::string> Store::meta(const std::string& key) {
  state_->owner.check();
  Result<Statement> row = state_->connection.prepare("SELECT value FROM meta WHERE key = ?1");
  if (!row) return row.error();
  row->bind(1, std::string_view(key));
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return std::string(*there ? row->text(0) : std::string_view{});
}

std::int64_t Store::wal_bytes() const {
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(state_->connection.path() + "-wal", problem);
  return problem ? 0 : static_cast<std::int64_t>(bytes);
}

void Store::release_owner() {
  state_->owner.release();
}

}  // namespace pollux::store
