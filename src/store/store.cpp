#include "pollux/store/store.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/thread_owner.hpp"
#include "pollux/store/checkups.hpp"
#include "store/backup_files.hpp"
#include "store/checkpoints.hpp"
#include "store/findings.hpp"
#include "store/host_row.hpp"
#include "store/lock.hpp"
#include "store/log_readers.hpp"
#include "store/mend_files.hpp"
#include "store/node_rows.hpp"
#include "store/open.hpp"
#include "store/open_files.hpp"
#include "store/outbox.hpp"
#include "store/page_health.hpp"
#include "store/page_row.hpp"
#include "store/placement_row.hpp"
#include "store/reconcile.hpp"
#include "store/rejected_rows.hpp"
#include "store/robots_row.hpp"
#include "store/sqlite.hpp"
#include "store/store_state.hpp"
#include "store/tidy.hpp"

#include <filesystem>
#include <system_error>

#include <spdlog/spdlog.h>

namespace pollux::store {
namespace {

constexpr char insert_change[] =
    "INSERT INTO change (page_id, found_at, previous_poll_at, old_hash, new_hash, body_bytes, "
    "status, words_added, words_removed, summary) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
    "?10)";
constexpr char put_look[] =
    "INSERT OR REPLACE INTO look (page_id, looked_at, because) VALUES (?1, ?2, ?3)";
constexpr char put_note[] =
    "UPDATE page SET errors = ?2, error_streak = ?3, last_error = ?4, retry_at = ?5, "
    "next_due_at = ?6 WHERE id = ?1";
constexpr char add_minute[] =
    "INSERT INTO budget_minute (minute, budget, requests, polls, changes, same, errors, "
    "explored, seconds, looks, looks_found) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "
    "ON CONFLICT (minute) DO UPDATE SET "
    "budget = excluded.budget, requests = requests + excluded.requests, "
    "polls = polls + excluded.polls, changes = changes + excluded.changes, "
    "same = same + excluded.same, errors = errors + excluded.errors, "
    "explored = explored + excluded.explored, looks = looks + excluded.looks, "
    "looks_found = looks_found + excluded.looks_found, seconds = min(60, seconds + "
    "excluded.seconds)";
constexpr char put_share[] =
    "UPDATE page SET share = ?2, next_due_at = ?3 WHERE id = ?1 AND state = 'active'";
constexpr char put_meta[] =
    "INSERT INTO meta (key, value) VALUES (?1, ?2) "
    "ON CONFLICT (key) DO UPDATE SET value = excluded.value";

Result<StoreStatements> prepare_all(const Connection& connection) {
  StoreStatements all;
  const std::pair<Statement*, const char*> wanted[] = {
      {&all.share, put_share},      {&all.poll, update_progress().c_str()},
      {&all.change, insert_change}, {&all.note, put_note},
      {&all.robots, put_robots},    {&all.node, put_node},
      {&all.host, put_host},        {&all.minute, add_minute},
      {&all.meta, put_meta},        {&all.placement, put_placement},
      {&all.value, put_value},      {&all.gone_node, drop_node},
      {&all.look, put_look},
  };
  for (const auto& [statement, sql] : wanted) {
    Result<Statement> prepared = connection.prepare(sql);
    if (!prepared) return prepared.error();
    *statement = std::move(*prepared);
  }
  return all;
}

// Of the database's file alone; "" when it has none. The log may hold every page that counts, and
// would make a sound database of any file.
std::string id_without_log(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  const Result<Connection> alone =
      Connection::open(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (!alone) return "";
  const Result<std::string> id = database_id(*alone);
  return id ? *id : "";
}

}  // namespace

// The next start hears of it even if this process is killed now.
void Store::State::note_damage(const std::string& found) {
  if (!damage.empty()) return;
  damage = found.empty() ? "damaged" : found;
  lock.remember_damage(true);
}

Error Store::State::damaged_row(const std::string& flaw) {
  note_damage(flaw);
  return {"database " + printable(connection.path()) + ": damaged: " + printable(flaw),
          ExitCode::bad_data};
}

Status Store::State::wait_for_check() {
  if (!check) return success();
  const Result<std::string> verdict = std::exchange(check, nullptr)->verdict();
  if (!verdict) return verdict.error();
  return verdict->empty() ? success() : Status(damaged_row(*verdict));
}

// A checkpoint by somebody's sqlite3 leaves a sound database, a copy over it hardly ever. Asked
// through another connection: ours remembers what the files held before.
Status Store::State::examine_files() {
  if (files->as_we_left_them()) return success();  // two files; which others are there is not asked
  if (files->look() != FileState::overwritten) return success();
  constexpr char written[] = "somebody else has written to its files";
  if (id_without_log(connection.path()) != lock.database_id()) return damaged_row(written);
  const Result<std::string> flaw = check_database(connection.path());
  if (!flaw || !flaw->empty())
    return damaged_row(fmt::format("{}: {}", written, flaw ? *flaw : flaw.error().message));
  spdlog::warn("somebody else has written to the files of the database {}; it is sound",
               printable(connection.path()));
  files->accept();
  return success();
}

Status Store::State::ready_to_write() {
  if (Status sound = examine_files(); !sound) return sound;
  return wait_for_check();
}

// Part of every transaction that writes: the first one waits for the check of the file.
Status Store::State::may_write() {
  // Looked at here, too: what we write next would fill the hole that a log cut short has.
  if (Status sound = examine_files(); !sound) return sound;
  if (running) return success();
  if (Status sound = wait_for_check(); !sound) return sound;
  return mark_running(connection);
}

Status Store::State::write_note(PageId page, const PageNote& note) {
  sql.note.bind(1, value(page))
      .bind(2, note.errors)
      .bind(3, std::int64_t{note.error_streak})
      .bind_or_null(4, note.last_error)
      .bind(5, note.retry_at)
      .bind(6, note.next_due_at);
  return put(sql.note, [&] { return fmt::format("a note on page {}", value(page)); });
}

Status Store::State::write_change(PageId page, const ChangeRow& change) {
  sql.change.bind(1, value(page))
      .bind(2, std::optional<WallTime>(change.found_at))
      .bind(3, std::optional<WallTime>(change.previous_poll_at))
      .bind(4, std::string_view(change.old_hash))
      .bind(5, std::string_view(change.new_hash))
      .bind(6, change.body_bytes)
      .bind(7, std::int64_t{change.status});
  bind_number_or_null(sql.change, 8, change.words_added);
  bind_number_or_null(sql.change, 9, change.words_removed);
  sql.change.bind_or_null(10, change.summary);
  const Result<bool> written = rejected.judge(connection, sql.change.run(), [&] {
    return fmt::format("a change of page {} {}", value(page), printable_url(change.url));
  });
  if (!written) return written.error();
  if (!*written) {
    dropped_changes.push_back(&change);
    return success();
  }
  const std::int64_t id = sqlite3_last_insert_rowid(connection.handle());
  change_ids.emplace_back(&change, id);
  if (!change.notice) return success();
  return write_notice(connection, *change.notice, &change, id, rejected);
}

Status Store::State::write_poll(const PollRecord& record) {
  if (record.note) return write_note(record.page, *record.note);
  bind_progress(sql.poll, record.page, record.progress);
  const Result<bool> written = rejected.judge(connection, sql.poll.run(), [&] {
    return fmt::format("a poll of page {}", value(record.page));
  });
  if (!written) return written.error();
  if (*written && sqlite3_changes(connection.handle()) == 0) {
    // Refusing it would make the whole batch fail, and fail again at every attempt.
    spdlog::warn("a poll of page {}, which is not in the database, was not recorded",
                 value(record.page));
    for (const ChangeRow& change : record.earlier) dropped_changes.push_back(&change);
    if (record.change) dropped_changes.push_back(&*record.change);
    return success();
  }
  for (const ChangeRow& change : record.earlier) {
    if (Status done = write_change(record.page, change); !done) return done;
  }
  if (record.look) {
    sql.look.bind(1, value(record.page))
        .bind(2, std::optional(record.look->at))
        .bind(3, std::string_view(record.look->because));
    const auto name = [&] { return fmt::format("a look at page {}", value(record.page)); };
    if (Status done = put(sql.look, name); !done) return done;
  }
  return record.change ? write_change(record.page, *record.change) : success();
}

Status Store::State::write_shares(const Batch& batch) {
  for (const ShareRow& row : batch.shares) {
    sql.share.bind(1, value(row.page)).bind(2, row.share).bind(3, row.next_due_at);
    const auto name = [&] { return fmt::format("the share of page {}", value(row.page)); };
    if (Status done = put(sql.share, name); !done) return done;
  }
  return success();
}

Status Store::State::write_polls(const Batch& batch) {
  for (const PollRecord& record : batch.polls) {
    if (Status done = write_poll(record); !done) return done;
  }
  return success();
}

Status Store::State::write_nodes(const Batch& batch, const std::string& policy) {
  for (const NodeRow& node : batch.nodes) {
    Statement& statement = node.first_url.empty() ? sql.value
                           : node.gone            ? sql.gone_node
                                                  : sql.node;
    bind_node(statement, policy, node);
    const auto name = [&] { return "a node of " + policy + ' ' + printable_url(node.first_url); };
    if (Status done = put(statement, name); !done) return done;
  }
  return success();
}

Status Store::State::write_hosts(const Batch& batch) {
  for (const HostRow& host : batch.hosts) {
    bind_host(sql.host, host);
    if (Status done = put(sql.host, [&] { return "host " + host.host; }); !done) return done;
  }
  return success();
}

Status Store::State::write_robots(const Batch& batch) {
  for (const RobotsRow& row : batch.robots) {
    bind_robots(sql.robots, row);
    const auto name = [&] { return "robots.txt of " + row.host; };
    if (Status done = put(sql.robots, name); !done) return done;
  }
  return success();
}

Status Store::State::write_minutes(const Batch& batch) {
  for (const MinuteRow& row : batch.minutes) {
    sql.minute.bind(1, std::optional<WallTime>(row.minute))
        .bind(2, row.budget)
        .bind(3, row.requests)
        .bind(4, row.polls)
        .bind(5, row.changes)
        .bind(6, row.same)
        .bind(7, row.errors)
        .bind(8, row.explored)
        .bind(9, row.seconds)
        .bind(10, row.looks)
        .bind(11, row.looks_found);
    const auto name = [&] {
      return fmt::format("the budget's minute {}", row.minute.time_since_epoch().count());
    };
    if (Status done = put(sql.minute, name); !done) return done;
  }
  return success();
}

Status Store::State::write_meta(const Batch& batch) {
  for (const auto& [key, text] : batch.meta) {
    sql.meta.bind(1, std::string_view(key)).bind(2, std::string_view(text));
    if (Status done = put(sql.meta, [&key = key] { return "meta " + key; }); !done) return done;
  }
  return success();
}

Status Store::State::write_placements(const Batch& batch) {
  if (batch.access_points) {
    Status done = replace_access_points(connection, *batch.access_points, rejected);
    if (!done) return done;
  }
  for (const PlacementRow& row : batch.placements) {
    bind_placement(sql.placement, row);
    const auto name = [&] { return "placement of " + row.host + " at " + row.access_point; };
    if (Status done = put(sql.placement, name); !done) return done;
  }
  return success();
}

Result<std::unique_ptr<Store>> Store::open(const std::string& path, const OpenOptions& options) {
  if (path.empty()) {
    return Error{"no database named; set `database:` in the configuration",
                 ExitCode::cannot_create};
  }
  const std::string canonical = canonical_path(path);
  if (Status fit = check_database_path(canonical); !fit) return fit.error();
  Result<DatabaseLock> lock = DatabaseLock::take(canonical);
  if (!lock) return lock.error();
  Result<OpenedForWriting> opened =
      open_for_writing(canonical, options, {lock->database_id(), lock->damaged()});
  if (!opened) return opened.error();
  const Result<std::string> id = database_id(opened->connection);
  if (!id) return id.error();
  lock->remember_id(*id);
  lock->remember_damage(false);
  Result<StoreStatements> statements = prepare_all(opened->connection);
  if (!statements) return statements.error();
  return std::unique_ptr<Store>(new Store(
      std::make_unique<State>(std::move(*lock), std::move(*opened), std::move(*statements))));
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}

// What somebody else has put there is left as it is.
Store::~Store() {
  if (!state_->files->as_we_left_them()) leave_log(state_->connection);
}

Status Store::finish() {
  state_->owner.check();
  if (!state_->running || damaged()) return success();
  if (Result<std::string> mended = mend_files(); !mended) return mended.error();
  if (const Status marked = mark_clean_stop(state_->connection); !marked) {
    spdlog::warn("{}; the next start will take the stop for an unclean one",
                 marked.error().message);
  }
  state_->empty_log();
  return success();
}

// The end of the last connection would do it, but others that only read may still be open. So that
// a copy of the file alone is the whole database.
void Store::State::empty_log() {
  constexpr int patience_ms = 500;  // for readers
  sqlite3* const database = connection.handle();
  static_cast<void>(sqlite3_busy_timeout(database, patience_ms));
  static_cast<void>(files->write_database([database] {
    sqlite3_wal_checkpoint_v2(database, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }));
  files->accept();
}

Result<Reconciled> Store::State::reconcile(const std::vector<PageSpec>& pages, WallTime now,
                                           const EachPage* each, const Shrinking& allowed) {
  const ReconcileHooks hooks{
      .each = each, .before_commit = [this] { return may_write(); }, .allowed = allowed};
  Result<Reconciled> done = seen(reconcile_pages(connection, pages, now, hooks));
  if (done) running = true;
  return done;
}

Result<Reconciled> Store::reconcile(const std::vector<PageSpec>& pages, WallTime now,
                                    const Shrinking& allowed) {
  state_->owner.check();
  return state_->reconcile(pages, now, nullptr, allowed);
}

Result<Reconciled> Store::reconcile(const std::vector<PageSpec>& pages, WallTime now,
                                    const EachPage& each) {
  state_->owner.check();
  return state_->reconcile(pages, now, &each, {});
}

Status Store::load_pages(const std::function<void(PageRow&&)>& each) {
  state_->owner.check();
  return state_->seen(state_->load_pages(each));
}

Status Store::State::load_pages(const std::function<void(PageRow&&)>& each) {
  Result<Statement> rows = connection.prepare("SELECT " + page_column_list() +
                                              " FROM page WHERE state = 'active' ORDER BY id");
  if (!rows) return rows.error();
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return success();
    PageRow page = read_page(*rows);
    if (const std::string flaw = flaw_of(page); !flaw.empty()) return damaged_row(flaw);
    each(std::move(page));
  }
}

Status Store::load_masks(const std::function<void(MaskRow&&)>& each) {
  state_->owner.check();
  return state_->seen(store::load_masks(state_->connection, each));
}

Result<std::vector<HostRow>> Store::load_hosts() {
  state_->owner.check();
  return state_->seen(read_hosts(state_->connection));
}

Status Store::load_robots(const std::function<void(RobotsRow&&)>& each) {
  state_->owner.check();
  return state_->seen(state_->load_robots(each));
}

Status Store::State::load_robots(const std::function<void(RobotsRow&&)>& each) {
  Result<Statement> rows = connection.prepare(std::string("SELECT ") + robots_columns +
                                              " FROM robots ORDER BY fetched_at DESC");
  if (!rows) return rows.error();
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return success();
    each(read_robots(*rows));
  }
}

Result<std::vector<PlacementRow>> Store::load_placements() {
  state_->owner.check();
  return state_->seen(read_placements(state_->connection, Placements::all));
}

Result<std::vector<NodeRow>> Store::load_nodes(const std::string& policy) {
  state_->owner.check();
  return state_->seen(store::load_nodes(state_->connection, policy));
}

Status Store::State::write_all(const Batch& batch, const std::string& policy) {
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  if (Status allowed = may_write(); !allowed) return allowed;
  if (Status done = write_shares(batch); !done) return done;
  if (Status done = write_polls(batch); !done) return done;
  if (Status done = write_nodes(batch, policy); !done) return done;
  if (Status done = write_hosts(batch); !done) return done;
  if (Status done = write_robots(batch); !done) return done;
  if (Status done = write_minutes(batch); !done) return done;
  if (Status done = write_meta(batch); !done) return done;
  if (Status done = write_placements(batch); !done) return done;
  if (Status done = write_suspicions(connection, batch.suspicions, rejected); !done) return done;
  if (Status done = write_masks(connection, batch.masks, rejected); !done) return done;
  for (const NoticeRow& notice : batch.notices) {
    if (Status done = write_notice(connection, notice, nullptr, 0, rejected); !done) return done;
  }
  if (Status done = write_deliveries(connection, batch.deliveries, rejected); !done) return done;
  return transaction.commit();
}

Result<Written> Store::State::write(const Batch& batch, const std::string& policy) {
  rejected.forget();
  dropped_changes.clear();
  change_ids.clear();
  if (Status done = write_all(batch, policy); !done) return done.error();
  running = true;
  rejected.tell();
  return Written{.dropped_changes = std::move(dropped_changes),
                 .change_ids = std::move(change_ids)};
}

Result<Written> Store::write(const Batch& batch, const std::string& policy) {
  state_->owner.check();
  return state_->seen(state_->write(batch, policy));
}

Result<bool> Store::tidy(const Retention& keep, WallTime now) {
  state_->owner.check();
  if (Status sound = state_->wait_for_check(); !sound) return sound.error();
  return state_->seen(state_->tidying.step(state_->connection, keep, now));
}

Result<std::string> Store::retry_delivery(std::int64_t delivery, WallTime now) {
  state_->owner.check();
  if (Status sound = state_->ready_to_write(); !sound) return sound.error();
  return state_->seen(store::retry_delivery(state_->connection, delivery, now));
}

Result<std::int64_t> Store::give_up_deliveries(const std::vector<std::string>& rules) {
  state_->owner.check();
  if (Status sound = state_->ready_to_write(); !sound) return sound.error();
  return state_->seen(store::give_up_deliveries(state_->connection, rules));
}

const std::string& Store::repaired() const {
  return state_->repaired;
}

Result<std::string> Store::meta(const std::string& key) {
  state_->owner.check();
  return state_->seen(state_->meta(key));
}

Result<std::string> Store::State::meta(const std::string& key) {
  Result<Statement> row = connection.prepare("SELECT value FROM meta WHERE key = ?1");
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

std::string Store::log_readers() {
  state_->owner.check();
  return state_->log_readers.names(state_->connection.path());
}

void Store::announce(const std::string& alert) const {
  state_->lock.note(alert);
}

const std::string& Store::damage() const {
  return state_->damage;
}

void Store::note_damage(const std::string& damage) {
  state_->note_damage(damage);
}

std::shared_ptr<const OpenFiles> Store::files() const {
  return state_->files;
}

Result<std::string> Store::mend_files() {
  state_->owner.check();
  return store::mend_files({state_->lock, state_->connection, *state_->files, state_->rights,
                            [this] { return state_->reopen(); }});
}

Status Store::examine_files() {
  state_->owner.check();
  return state_->examine_files();
}

Result<std::string> Store::rescue(WallTime now) {
  state_->owner.check();
  if (state_->files->database_in_place()) return std::string();
  std::string saved = state_->connection.path() + ".replaced-" + time_stamp(now);
  const CopyOptions how{.rights = state_->rights};
  if (Status done = write_copy(state_->connection, saved, how); !done) return done.error();
  return saved;
}

// The old connection ends with the new one in place: it must not empty, or delete, what lies under
// the names now.
Status Store::State::reopen() {
  Result<Connection> fresh = reopen_for_writing(connection.path());
  if (!fresh) return fresh.error();
  Result<StoreStatements> statements = prepare_all(*fresh);
  if (!statements) return statements.error();
  leave_log(connection);
  sql = std::move(*statements);
  connection = std::move(*fresh);
  checkpoints.attach(connection, files.get());
  return success();
}

void Store::release_owner() {
  state_->owner.release();
}

}  // namespace pollux::store
