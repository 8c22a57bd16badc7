#include "store/content_tidy.hpp"

#include "store/content_codec.hpp"
#include "store/content_file.hpp"
#include "store/tidy.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace pollux::store {
namespace {

constexpr std::int64_t urls_a_step = 2000;  // looked at
constexpr std::int64_t cuts_a_step = 50;    // each may have to make a version a full one
constexpr std::int64_t cuts_a_put = 500;    // a large version may need the room of many small ones
// For a row, its place in two indexes and its URL: pages that are begun for them.
constexpr std::int64_t least_left = std::int64_t{5} * 4096;

struct Cut {
  std::int64_t url_id = 0, up_to = 0;  // the last that goes
};

// Makes a version stand alone. One that cannot be read any more stays as it is: it is lost already.
Status stand_alone(const Connection& connection, std::int64_t url_id, std::int64_t number) {
  Result<Statement> look =
      connection.prepare("SELECT full FROM version WHERE url_id = ?1 AND number = ?2");
  if (!look) return look.error();
  const Result<bool> there = look->bind(1, url_id).bind(2, number).step();
  if (!there) return there.error();
  if (!*there || look->integer(0) == 1) return success();
  look->reset();
  const Result<KeptText> kept = content_text(connection, url_id, number);
  if (!kept) return kept.error();
  if (!kept->text) return success();
  const std::string data = squeeze(*kept->text, {});
  Result<Statement> put = connection.prepare(
      "UPDATE version SET full = 1, data = ?3 WHERE url_id = ?1 AND number = ?2");
  if (!put) return put.error();
  return put->bind(1, url_id).bind(2, number).bind_blob(3, data).run();
}

// The newest never goes.
Status cut_front(const Connection& connection, const Cut& cut) {
  if (Status whole = stand_alone(connection, cut.url_id, cut.up_to + 1); !whole) return whole;
  Result<Statement> drop = connection.prepare(
      "DELETE FROM version WHERE url_id = ?1 AND number <= ?2 AND replaced_at IS NOT NULL");
  if (!drop) return drop.error();
  return drop->bind(1, cut.url_id).bind(2, cut.up_to).run();
}

Result<std::vector<Cut>> cuts_by(Result<Statement>& rows) {
  std::vector<Cut> cuts;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return cuts;
    cuts.push_back({rows->integer(0), rows->integer(1)});
  }
}

// True when there may be more.
Result<bool> cut_all(const Connection& connection, const Result<std::vector<Cut>>& cuts) {
  if (!cuts) return cuts.error();
  for (const Cut& cut : *cuts) {
    if (Status done = cut_front(connection, cut); !done) return done.error();
  }
  return static_cast<std::int64_t>(cuts->size()) >= cuts_a_step;
}

Result<bool> cut_old(const Connection& connection, Duration keep, WallTime now) {
  Result<Statement> rows = connection.prepare(
      "SELECT url_id, max(number) FROM (SELECT url_id, number FROM version "
      "WHERE replaced_at < ?1 ORDER BY replaced_at LIMIT ?2) GROUP BY url_id");
  if (!rows) return rows.error();
  const WallTime before = now - std::chrono::duration_cast<std::chrono::milliseconds>(keep);
  rows->bind(1, std::optional<WallTime>(before)).bind(2, cuts_a_step);
  const Result<std::vector<Cut>> cuts = cuts_by(rows);
  if (Result<bool> done = cut_all(connection, cuts); !done) return done;
  return !cuts->empty();
}

Result<std::int64_t> bytes_in_use(const Connection& connection) {
  return connection.integer(
      "SELECT (pages.page_count - free.freelist_count) * size.page_size FROM pragma_page_count AS "
      "pages, pragma_freelist_count AS free, pragma_page_size AS size");
}

// Where every page has its newest version only, the one that came first goes, and its page with it.
// False: there is none.
Result<bool> drop_first_page(const Connection& connection) {
  Result<Statement> first = connection.prepare("SELECT url_id FROM version ORDER BY rowid LIMIT 1");
  if (!first) return first.error();
  Result<bool> there = first->step();
  if (!there || !*there) return there;
  const std::int64_t url_id = first->integer(0);
  first->reset();
  for (const char* sql :
       {"DELETE FROM version WHERE url_id = ?1", "DELETE FROM url WHERE id = ?1"}) {
    Result<Statement> drop = connection.prepare(sql);
    if (!drop) return drop.error();
    if (Status done = drop->bind(1, url_id).run(); !done) return done.error();
  }
  return true;
}

// The older half of what the page with the oldest version has: one version alone would free little,
// because the next has to become a full one. The newest of the pages go last. False: nothing is
// left.
Result<bool> cut_oldest(const Connection& connection) {
  Result<Statement> rows = connection.prepare(
      "SELECT url_id, min(number) + (max(number) - min(number)) / 2 FROM version WHERE "
      "replaced_at IS NOT NULL AND url_id = (SELECT url_id FROM version WHERE replaced_at IS NOT "
      "NULL ORDER BY replaced_at LIMIT 1) GROUP BY url_id");
  if (!rows) return rows.error();
  const Result<std::vector<Cut>> cuts = cuts_by(rows);
  if (Result<bool> done = cut_all(connection, cuts); !done) return done;
  if (cuts->empty()) return drop_first_page(connection);
  return true;
}

// True when there may be more to cut.
Result<bool> cut_for_size(const Connection& connection, std::int64_t max_size, std::int64_t cuts) {
  for (std::int64_t i = 0; i < cuts; ++i) {
    const Result<std::int64_t> used = bytes_in_use(connection);
    if (!used) return used.error();
    if (*used <= max_size) return false;
    Result<bool> cut = cut_oldest(connection);
    if (!cut || !*cut) return cut;
  }
  return true;
}

// `per_page: 0`: what there was goes, the newest as well.
Result<bool> drop_everything(const Connection& connection) {
  const std::string some = std::to_string(urls_a_step / 4);
  if (Status done = connection.execute("DELETE FROM version WHERE rowid IN (SELECT rowid FROM "
                                       "version ORDER BY url_id, number LIMIT " +
                                       some + ")");
      !done) {
    return done.error();
  }
  if (sqlite3_changes(connection.handle()) > 0) return true;
  if (Status done =
          connection.execute("DELETE FROM url WHERE id IN (SELECT id FROM url LIMIT " + some + ")");
      !done) {
    return done.error();
  }
  return sqlite3_changes(connection.handle()) > 0;
}

}  // namespace

Result<bool> make_room(const Connection& connection, std::int64_t bytes, std::int64_t max_size) {
  const std::int64_t most = max_size - bytes - least_left;
  if (most < 0) return false;
  if (Result<bool> more = cut_for_size(connection, most, cuts_a_put); !more) return more;
  const Result<std::int64_t> used = bytes_in_use(connection);
  if (!used) return used.error();
  return *used <= most;
}

// A round over all URLs after the start and after the limit was changed; put() tells of later ones.
Result<bool> ContentTidying::find_crowded(const Connection& connection,
                                          const ContentOptions& options) {
  if (looked_for_ != options.per_page) {
    looked_for_ = options.per_page;
    looked_until_ = 0;
    crowded_.clear();
  }
  if (looked_until_ < 0) return false;
  const std::int64_t until = looked_until_ + urls_a_step;
  Result<Statement> rows = connection.prepare(
      "SELECT url_id, count(*) FROM version WHERE url_id > ?1 AND url_id <= ?2 GROUP BY url_id");
  if (!rows) return rows.error();
  rows->bind(1, looked_until_).bind(2, until);
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) break;
    note(rows->integer(0), rows->integer(1), options);
  }
  const Result<std::int64_t> last = connection.integer("SELECT max(id) FROM url");
  if (!last) return last.error();
  looked_until_ = until < *last ? until : -1;
  return looked_until_ >= 0;
}

Result<bool> ContentTidying::trim_crowded(const Connection& connection,
                                          const ContentOptions& options) {
  Result<Statement> newest =
      connection.prepare("SELECT ?1, max(number) - ?2 FROM version WHERE url_id = ?1");
  if (!newest) return newest.error();
  for (std::int64_t i = 0; i < cuts_a_step && !crowded_.empty(); ++i) {
    newest->bind(1, *crowded_.begin()).bind(2, std::int64_t{options.per_page});
    Result<bool> done = cut_all(connection, cuts_by(newest));
    if (!done) return done;
    crowded_.erase(crowded_.begin());
  }
  return !crowded_.empty();
}

Result<bool> ContentTidying::step(const Connection& connection, const ContentOptions& options,
                                  WallTime now) {
  // What was found is found again if this step is not committed.
  const ContentTidying as_it_was = *this;
  const auto failed = [&](const Error& error) -> Result<bool> {
    *this = as_it_was;
    return error;
  };
  bool more = false;
  Transaction transaction(connection);
  if (Status begun = transaction.begin_writing(); !begun) return failed(begun.error());
  const auto did = [&](const Result<bool>& part) {
    more = more || (part && *part);
    return part.ok();
  };
  if (options.per_page <= 0) {
    const Result<bool> dropped = drop_everything(connection);
    if (!did(dropped)) return failed(dropped.error());
  } else {
    const Result<bool> found = find_crowded(connection, options);
    if (!did(found)) return failed(found.error());
    const Result<bool> trimmed = trim_crowded(connection, options);
    if (!did(trimmed)) return failed(trimmed.error());
    const Result<bool> old = cut_old(connection, options.keep, now);
    if (!did(old)) return failed(old.error());
    const Result<bool> large = cut_for_size(connection, options.max_size, cuts_a_step);
    if (!did(large)) return failed(large.error());
  }
  if (Status done = transaction.commit(); !done) return failed(done.error());
  // A file at its limit keeps no spare pages.
  const Result<std::int64_t> used = bytes_in_use(connection);
  if (!used) return used.error();
  const bool near_limit = *used + spare_pages * 4096 > options.max_size;
  const Result<bool> free = shrink(connection, near_limit ? 0 : spare_pages);
  if (!free) return free.error();
  return more || *free;
}

}  // namespace pollux::store
