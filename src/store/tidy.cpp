#include "store/tidy.hpp"

#include "store/outbox.hpp"

#include <algorithm>
#include <string>

namespace pollux::store {
namespace {

constexpr std::int64_t rows_a_step = 500;
constexpr std::int64_t ids_a_step = 2000;
constexpr std::int64_t pages_a_step = 256;

constexpr char old_changes[] =
    "DELETE FROM change WHERE id IN "
    "(SELECT id FROM change WHERE found_at < ?1 ORDER BY found_at LIMIT ?2)";
constexpr char old_minutes[] =
    "DELETE FROM budget_minute WHERE minute IN "
    "(SELECT minute FROM budget_minute WHERE minute < ?1 ORDER BY minute LIMIT ?2)";
constexpr char old_share_notes[] =
    "DELETE FROM share_history WHERE (at, prefix) IN "
    "(SELECT at, prefix FROM share_history WHERE at < ?1 ORDER BY at LIMIT ?2)";
// What else is known of pages that go.
constexpr char gone_findings[] =
    " WHERE page_id > ?1 AND page_id <= ?2 AND page_id IN (SELECT id FROM page WHERE "
    "state = 'removed' AND coalesce(last_polled_at, added_at) < ?3 "
    "AND NOT EXISTS (SELECT 1 FROM change WHERE page_id = page.id))";
constexpr char gone_settings[] =
    "DELETE FROM page_override WHERE url IN (SELECT url FROM page WHERE id > ?1 AND id <= ?2 AND "
    "state = 'removed' AND coalesce(last_polled_at, added_at) < ?3 "
    "AND NOT EXISTS (SELECT 1 FROM change WHERE page_id = page.id))";
constexpr char gone_pages[] =
    "DELETE FROM page WHERE id > ?1 AND id <= ?2 AND state = 'removed' "
    "AND coalesce(last_polled_at, added_at) < ?3 "
    "AND NOT EXISTS (SELECT 1 FROM change WHERE page_id = page.id)";

std::int64_t time_before(WallTime now, Duration age) {
  return (now - std::chrono::duration_cast<std::chrono::milliseconds>(age))
      .time_since_epoch()
      .count();
}

// True when there may be more.
Result<bool> drop(const Connection& connection, const char* sql, std::int64_t before) {
  Result<Statement> statement = connection.prepare(sql);
  if (!statement) return statement.error();
  if (Status done = statement->bind(1, before).bind(2, rows_a_step).run(); !done) {
    return done.error();
  }
  return sqlite3_changes(connection.handle()) >= rows_a_step;
}

}  // namespace

Result<bool> shrink(const Connection& connection, std::int64_t spare) {
  const Result<std::int64_t> free = connection.integer("PRAGMA freelist_count");
  if (!free) return free.error();
  if (*free <= spare) return false;
  const std::string some = std::to_string(std::min(*free - spare, pages_a_step));
  if (Status done = connection.execute("PRAGMA incremental_vacuum(" + some + ")"); !done) {
    return done.error();
  }
  return *free > spare + pages_a_step;
}

Result<bool> Tidying::drop_removed(const Connection& connection, std::int64_t before) {
  const Result<std::int64_t> last = connection.integer("SELECT max(id) FROM page");
  if (!last) return last.error();
  const std::int64_t until = tidied_until_ + ids_a_step;
  for (const std::string table : {"suspicion", "mask", "look"}) {
    Result<Statement> findings = connection.prepare("DELETE FROM " + table + gone_findings);
    if (!findings) return findings.error();
    findings->bind(1, tidied_until_).bind(2, until).bind(3, before);
    if (Status done = findings->run(); !done) return done.error();
  }
  Result<Statement> settings = connection.prepare(gone_settings);
  if (!settings) return settings.error();
  settings->bind(1, tidied_until_).bind(2, until).bind(3, before);
  if (Status done = settings->run(); !done) return done.error();
  Result<Statement> statement = connection.prepare(gone_pages);
  if (!statement) return statement.error();
  statement->bind(1, tidied_until_).bind(2, until).bind(3, before);
  if (Status done = statement->run(); !done) return done.error();
  tidied_until_ = until < *last ? until : 0;
  return sqlite3_changes(connection.handle()) > 0;
}

// Removed pages count: a list may bring them back for as long as their history is kept.
Result<bool> Tidying::drop_hosts(const Connection& connection) {
  bool dropped = false;
  for (HostRows& rows : hosts_) {
    const std::string table = rows.table;
    Result<Statement> find = connection.prepare("SELECT max(host) FROM (SELECT host FROM " + table +
                                                " WHERE host > ?1 ORDER BY host LIMIT ?2)");
    if (!find) return find.error();
    find->bind(1, std::string_view(rows.tidied_until)).bind(2, rows_a_step);
    const Result<bool> found = find->step();
    if (!found) return found.error();
    const std::string until(find->text(0));  // empty: the round is over
    find->reset();
    Result<Statement> drop = connection.prepare("DELETE FROM " + table +
                                                " WHERE host > ?1 AND host <= ?2 AND NOT EXISTS "
                                                "(SELECT 1 FROM page WHERE page.host = " +
                                                table + ".host)");
    if (!drop) return drop.error();
    drop->bind(1, std::string_view(rows.tidied_until)).bind(2, std::string_view(until));
    if (Status done = drop->run(); !done) return done.error();
    dropped = dropped || sqlite3_changes(connection.handle()) > 0;
    rows.tidied_until = until;
  }
  return dropped;
}

Result<bool> Tidying::step(const Connection& connection, const Retention& keep, WallTime now) {
  const std::int64_t before = time_before(now, keep.changes);
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return begun.error();
  const Result<bool> changes = drop(connection, old_changes, before);
  if (!changes) return changes.error();
  const Result<bool> minutes = drop(connection, old_minutes, time_before(now, keep.minutes));
  if (!minutes) return minutes.error();
  const Result<bool> notes = drop(connection, old_share_notes, time_before(now, keep.shares));
  if (!notes) return notes.error();
  const Result<bool> shares = share_notes_.step(connection, now, keep.shares_every);
  if (!shares) return shares.error();
  const Result<bool> notices =
      drop_old_notices(connection, time_before(now, std::min(keep.notifications, keep.changes)),
                       before, rows_a_step);
  if (!notices) return notices.error();
  const Result<bool> pages = drop_removed(connection, before);
  if (!pages) return pages.error();
  const Result<bool> hosts = drop_hosts(connection);
  if (!hosts) return hosts.error();
  if (Status done = transaction.commit(); !done) return done.error();
  const Result<bool> free = shrink(connection);
  if (!free) return free.error();
  return *changes || *minutes || *notes || *shares || *notices || *pages || *hosts || *free;
}

}  // namespace pollux::store
