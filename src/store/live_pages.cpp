#include "store/live_pages.hpp"

#include "pollux/base/glob.hpp"
#include "store/free_slots.hpp"
#include "store/page_row.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

constexpr char override_columns[] =
    "page_override.url, page_override.name, page_override.tags, page_override.importance, "
    "page_override.min_interval_ms, page_override.max_interval_ms, page_override.content";
constexpr char put_override[] =
    "INSERT OR REPLACE INTO page_override (url, name, tags, importance, min_interval_ms, "
    "max_interval_ms, content) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr char drop_override[] = "DELETE FROM page_override WHERE url = ?1";

std::optional<std::string> text_or_null(const Statement& row, int at) {
  return row.is_null(at) ? std::nullopt : std::optional(std::string(row.text(at)));
}
std::optional<std::int64_t> whole_or_null(const Statement& row, int at) {
  return row.is_null(at) ? std::nullopt : std::optional(row.integer(at));
}

// From column `at` on, in the order of override_columns.
OverrideRow read_override(const Statement& row, int at) {
  return {.url = std::string(row.text(at)),
          .name = text_or_null(row, at + 1),
          .tags = text_or_null(row, at + 2),
          .importance = row.real_or_null(at + 3),
          .min_interval_ms = whole_or_null(row, at + 4),
          .max_interval_ms = whole_or_null(row, at + 5),
          .content = text_or_null(row, at + 6)};
}

void bind_text_or_null(Statement& statement, int at, const std::optional<std::string>& text) {
  if (text) {
    statement.bind(at, std::string_view(*text));
  } else {
    statement.bind_null(at);
  }
}
void bind_whole_or_null(Statement& statement, int at, const std::optional<std::int64_t>& number) {
  if (number) {
    statement.bind(at, *number);
  } else {
    statement.bind_null(at);
  }
}

// Writes what is set of a page, or that nothing is.
class Overrides {
 public:
  static Result<Overrides> on(const Connection& connection) {
    Result<Statement> put = connection.prepare(put_override);
    if (!put) return put.error();
    Result<Statement> drop = connection.prepare(drop_override);
    if (!drop) return drop.error();
    return Overrides(std::move(*put), std::move(*drop));
  }
  Status set(const std::string& url, const OverrideRow& row) {
    if (row.empty()) return drop(url);
    put_.bind(1, std::string_view(url));
    bind_text_or_null(put_, 2, row.name);
    bind_text_or_null(put_, 3, row.tags);
    put_.bind(4, row.importance);
    bind_whole_or_null(put_, 5, row.min_interval_ms);
    bind_whole_or_null(put_, 6, row.max_interval_ms);
    bind_text_or_null(put_, 7, row.content);
    return put_.run();
  }
  Status drop(const std::string& url) { return drop_.bind(1, std::string_view(url)).run(); }

 private:
  Overrides(Statement put, Statement drop) : put_(std::move(put)), drop_(std::move(drop)) {}
  Statement put_, drop_;
};

constexpr char chosen_columns[] =
    "page.id, page.slot, page.url, page.source, page.state, page.paused_until, ";

// Gathers rows once each.
class Choosing {
 public:
  Status take_all(Statement& rows) {
    while (true) {
      const Result<bool> row = rows.step();
      if (!row) return row.error();
      if (!*row) return success();
      take(rows);
    }
  }
  void take(const Statement& row) {
    if (!known_.insert(row.integer(0)).second) return;
    chosen_.push_back({.id = PageId(row.integer(0)),
                       .slot = PageSlot(static_cast<std::uint32_t>(row.integer(1))),
                       .url = std::string(row.text(2)),
                       .live = row.text(3) == "live",
                       .paused = row.text(4) == "paused",
                       .paused_until = row.time(5),
                       .settings = read_override(row, 6)});
  }
  std::vector<ChosenPage> by_id() {
    std::ranges::sort(chosen_, {}, [](const ChosenPage& page) { return value(page.id); });
    return std::move(chosen_);
  }

 private:
  std::unordered_set<std::int64_t> known_;
  std::vector<ChosenPage> chosen_;
};

std::string chosen_where(const std::string& condition) {
  return std::string("SELECT ") + chosen_columns + override_columns +
         " FROM page LEFT JOIN page_override ON page_override.url = page.url WHERE page.state <> "
         "'removed' AND " +
         condition;
}

// The pass goes over URLs alone: few of them match, as a rule.
Status choose_by_globs(const Connection& connection, const std::vector<std::string>& globs,
                       Statement& by_id, Choosing& choosing) {
  std::vector<std::int64_t> ids;
  const Result<bool> all = connection.for_each_row("id, url, state", "page", [&](const Cells& row) {
    const bool fits = std::ranges::any_of(
        globs, [&](const std::string& glob) { return glob_matches(glob, row.text(1)); });
    if (fits && row.text(2) != "removed") ids.push_back(row.integer(0));
    return true;
  });
  if (!all) return all.error();
  for (const std::int64_t id : ids) {
    by_id.bind(1, id);
    if (Status done = choosing.take_all(by_id); !done) return done;
  }
  return success();
}

Result<FreeSlots> free_slots(const Connection& connection) {
  Result<Statement> rows =
      connection.prepare("SELECT slot FROM page WHERE slot IS NOT NULL ORDER BY slot");
  if (!rows) return rows.error();
  std::vector<bool> taken;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return FreeSlots(std::move(taken));
    const auto slot = static_cast<std::size_t>(rows->integer(0));
    taken.resize(slot + 1);
    taken[slot] = true;
  }
}

// Adds one page at a time; all statements are prepared once.
struct AddStatements {
  Statement find, insert, revive, read;
};

Result<AddStatements> prepare_adding(const Connection& connection) {
  AddStatements all;
  const std::pair<Statement*, std::string> wanted[] = {
      {&all.find, "SELECT id, state, source FROM page WHERE url = ?1"},
      {&all.insert, "INSERT INTO page (url, slot, added_at, state, " + option_list() +
                        ") VALUES (?1, ?2, ?3, 'active', " + option_parameters(4) + ")"},
      {&all.revive, "UPDATE page SET state = 'active', slot = ?2, paused_until = NULL, " +
                        option_assignments(3) + " WHERE id = ?1"},
      {&all.read, "SELECT " + page_column_list() + " FROM page WHERE id = ?1"}};
  for (const auto& [statement, sql] : wanted) {
    Result<Statement> prepared = connection.prepare(sql);
    if (!prepared) return prepared.error();
    *statement = std::move(*prepared);
  }
  return all;
}

Result<PageRow> read_row(Statement& read, std::int64_t id) {
  read.bind(1, id);
  const Result<bool> there = read.step();
  if (!there) return there.error();
  if (!*there) return Error{fmt::format("there is no page {}", id), ExitCode::usage};
  PageRow row = read_page(read);
  read.reset();
  return row;
}

// The row of a page that was never there, or has been.
Result<PageRow> add_one(const Connection& connection, AddStatements& sql, const PageSpec& spec,
                        std::optional<std::int64_t> removed, std::int64_t slot, WallTime now) {
  if (removed) {
    bind_options(sql.revive.bind(1, *removed).bind(2, slot), 3, spec);
    if (Status done = sql.revive.run(); !done) return done.error();
    return read_row(sql.read, *removed);
  }
  sql.insert.bind(1, std::string_view(spec.url)).bind(2, slot).bind(3, std::optional(now));
  bind_options(sql.insert, 4, spec);
  if (Status done = sql.insert.run(); !done) return done.error();
  PageRow row;
  row.id = PageId(sqlite3_last_insert_rowid(connection.handle()));
  row.slot = PageSlot(static_cast<std::uint32_t>(slot));
  row.spec = spec;
  row.state = "active";
  row.added_at = now;
  return row;
}

Status run_for_each(Statement& statement, std::span<const PageId> pages) {
  for (const PageId page : pages) {
    if (Status done = statement.bind(1, value(page)).run(); !done) return done;
  }
  return success();
}

}  // namespace

Result<std::vector<ChosenPage>> choose_pages(const Connection& connection,
                                             const PageChoice& choice) {
  Choosing choosing;
  Result<Statement> by_url = connection.prepare(chosen_where("page.url = ?1"));
  if (!by_url) return by_url.error();
  for (const std::string& url : choice.urls) {
    by_url->bind(1, std::string_view(url));
    if (Status done = choosing.take_all(*by_url); !done) return done.error();
  }
  Result<Statement> by_tag = connection.prepare(chosen_where(
      "page.tags <> '' AND EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(page.tags) THEN "
      "page.tags ELSE '[]' END) WHERE value = ?1)"));
  if (!by_tag) return by_tag.error();
  for (const std::string& tag : choice.tags) {
    by_tag->bind(1, std::string_view(tag));
    if (Status done = choosing.take_all(*by_tag); !done) return done.error();
  }
  Result<Statement> by_id = connection.prepare(chosen_where("page.id = ?1"));
  if (!by_id) return by_id.error();
  for (const PageId id : choice.ids) {
    by_id->bind(1, value(id));
    if (Status done = choosing.take_all(*by_id); !done) return done.error();
  }
  if (!choice.globs.empty()) {
    if (Status done = choose_by_globs(connection, choice.globs, *by_id, choosing); !done)
      return done.error();
  }
  return choosing.by_id();
}

Result<std::vector<LiveRow>> load_live(const Connection& connection) {
  std::vector<LiveRow> all;
  Result<Statement> live =
      connection.prepare(std::string("SELECT page.url, ") + override_columns +
                         " FROM page LEFT JOIN page_override ON page_override.url = page.url "
                         "WHERE page.source = 'live' AND page.state <> 'removed' ORDER BY page.id");
  if (!live) return live.error();
  std::unordered_set<std::string> known;
  while (true) {
    const Result<bool> row = live->step();
    if (!row) return row.error();
    if (!*row) break;
    all.push_back({std::string(live->text(0)), true, read_override(*live, 1)});
    if (!all.back().settings.url.empty()) known.insert(all.back().url);
  }
  Result<Statement> set =
      connection.prepare(std::string("SELECT ") + override_columns + " FROM page_override");
  if (!set) return set.error();
  while (true) {
    const Result<bool> row = set->step();
    if (!row) return row.error();
    if (!*row) return all;
    OverrideRow settings = read_override(*set, 0);
    if (!known.contains(settings.url)) all.push_back({settings.url, false, std::move(settings)});
  }
}

Result<AddedLive> add_live_pages(const Connection& connection,
                                 const std::vector<LivePageSpec>& pages, WallTime now,
                                 std::size_t most) {
  Result<FreeSlots> slots = free_slots(connection);
  if (!slots) return slots.error();
  const Result<std::int64_t> live =
      connection.integer("SELECT count(*) FROM page WHERE source = 'live' AND state <> 'removed'");
  if (!live) return live.error();
  Result<AddStatements> sql = prepare_adding(connection);
  if (!sql) return sql.error();
  Result<Overrides> overrides = Overrides::on(connection);
  if (!overrides) return overrides.error();
  AddedLive added;
  for (const LivePageSpec& page : pages) {
    sql->find.bind(1, std::string_view(page.spec.url));
    const Result<bool> known = sql->find.step();
    if (!known) return known.error();
    std::optional<std::int64_t> removed;
    if (*known) {
      const bool is_removed = sql->find.text(1) == "removed", is_live = sql->find.text(2) == "live";
      if (is_removed) removed = sql->find.integer(0);
      sql->find.reset();
      if (!is_removed) {
        added.what.push_back(is_live ? AddedLive::What::live_already : AddedLive::What::listed);
        continue;
      }
    }
    if (static_cast<std::size_t>(*live) + added.rows.size() >= most) {
      added.what.push_back(AddedLive::What::too_many);
      continue;
    }
    Result<PageRow> row = add_one(connection, *sql, page.spec, removed, slots->next(), now);
    if (!row) return row.error();
    if (Status done = overrides->set(page.spec.url, page.settings); !done) return done.error();
    added.what.push_back(AddedLive::What::added);
    added.rows.push_back(std::move(*row));
  }
  return added;
}

Status remove_live_pages(const Connection& connection, std::span<const PageId> pages) {
  Result<Statement> forget = connection.prepare(
      "DELETE FROM page_override WHERE url = (SELECT url FROM page WHERE id = ?1)");
  if (!forget) return forget.error();
  if (Status done = run_for_each(*forget, pages); !done) return done;
  Result<Statement> remove = connection.prepare(
      "UPDATE page SET state = 'removed', slot = NULL, share = 0, next_due_at = NULL, "
      "retry_at = NULL, fresh_until = NULL, paused_until = NULL WHERE id = ?1 AND source = 'live'");
  if (!remove) return remove.error();
  return run_for_each(*remove, pages);
}

Status pause_pages(const Connection& connection, std::span<const PageId> pages,
                   std::optional<WallTime> until) {
  Result<Statement> pause = connection.prepare(
      "UPDATE page SET state = 'paused', paused_until = ?2, share = 0, next_due_at = NULL "
      "WHERE id = ?1 AND state <> 'removed'");
  if (!pause) return pause.error();
  for (const PageId page : pages) {
    if (Status done = pause->bind(1, value(page)).bind(2, until).run(); !done) return done;
  }
  return success();
}

Result<std::vector<PageRow>> resume_pages(const Connection& connection,
                                          std::span<const PageId> pages) {
  Result<Statement> resume = connection.prepare(
      "UPDATE page SET state = 'active', paused_until = NULL WHERE id = ?1 AND state = 'paused'");
  if (!resume) return resume.error();
  if (Status done = run_for_each(*resume, pages); !done) return done.error();
  Result<Statement> read =
      connection.prepare("SELECT " + page_column_list() + " FROM page WHERE id = ?1");
  if (!read) return read.error();
  std::vector<PageRow> rows;
  for (const PageId page : pages) {
    Result<PageRow> row = read_row(*read, value(page));
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  return rows;
}

Result<std::vector<PageId>> due_pauses(const Connection& connection, WallTime now) {
  Result<Statement> rows = connection.prepare(
      "SELECT id FROM page WHERE state = 'paused' AND paused_until <= ?1 ORDER BY id");
  if (!rows) return rows.error();
  rows->bind(1, std::optional(now));
  std::vector<PageId> due;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return due;
    due.push_back(PageId(rows->integer(0)));
  }
}

Result<std::optional<WallTime>> next_pause_end(const Connection& connection) {
  Result<Statement> rows = connection.prepare(
      "SELECT min(paused_until) FROM page WHERE state = 'paused' AND paused_until IS NOT NULL");
  if (!rows) return rows.error();
  const Result<bool> row = rows->step();
  if (!row) return row.error();
  return *row ? rows->time(0) : std::nullopt;
}

Status set_pages(const Connection& connection,
                 const std::vector<std::pair<PageId, LivePageSpec>>& pages, std::size_t most) {
  Result<Overrides> overrides = Overrides::on(connection);
  if (!overrides) return overrides.error();
  Result<Statement> update =
      connection.prepare("UPDATE page SET " + option_assignments(2) + " WHERE id = ?1");
  if (!update) return update.error();
  for (const auto& [id, page] : pages) {
    bind_options(update->bind(1, value(id)), 2, page.spec);
    if (Status done = update->run(); !done) return done;
    if (Status done = overrides->set(page.spec.url, page.settings); !done) return done;
  }
  const Result<std::int64_t> set = connection.integer("SELECT count(*) FROM page_override");
  if (!set) return set.error();
  if (static_cast<std::size_t>(*set) <= most) return success();
  return Error{
      fmt::format("settings of {} pages would be kept besides the files, {} at most; write "
                  "them into a file",
                  *set, most),
      ExitCode::usage};
}

Result<DecidedMask> decide_mask(const Connection& connection, std::int64_t mask,
                                MaskRow::State state) {
  Result<Statement> find = connection.prepare(
      "SELECT page_id, mask, made_at, page.slot FROM mask LEFT JOIN page ON page.id = page_id AND "
      "page.state = 'active' WHERE mask.id = ?1");
  if (!find) return find.error();
  const Result<bool> there = find->bind(1, mask).step();
  if (!there) return there.error();
  if (!*there)
    return Error{fmt::format("there is no mask {}; `pollux mask list` shows them", mask),
                 ExitCode::missing_input};
  DecidedMask decided{.row = {.page = PageId(find->integer(0)),
                              .mask = std::string(find->text(1)),
                              .at = find->time(2).value_or(WallTime{}),
                              .state = state}};
  if (!find->is_null(3)) decided.slot = PageSlot(static_cast<std::uint32_t>(find->integer(3)));
  find->reset();
  Result<Statement> set = connection.prepare("UPDATE mask SET state = ?2 WHERE id = ?1");
  if (!set) return set.error();
  const std::string_view word = state == MaskRow::State::accepted ? "accepted" : "refused";
  if (Status done = set->bind(1, mask).bind(2, word).run(); !done) return done.error();
  return decided;
}

Result<std::size_t> mark_read(const Connection& connection, std::span<const std::int64_t> changes,
                              WallTime now) {
  Result<Statement> find = connection.prepare("SELECT 1 FROM change WHERE id = ?1");
  if (!find) return find.error();
  Result<Statement> mark =
      connection.prepare("UPDATE change SET read_at = ?2 WHERE id = ?1 AND read_at IS NULL");
  if (!mark) return mark.error();
  std::size_t marked = 0;
  for (const std::int64_t change : changes) {
    const Result<bool> there = find->bind(1, change).step();
    if (!there) return there.error();
    if (!*there)
      return Error{fmt::format("there is no change {}; `pollux changes` lists them", change),
                   ExitCode::missing_input};
    find->reset();
    if (Status done = mark->bind(1, change).bind(2, std::optional(now)).run(); !done)
      return done.error();
    marked += static_cast<std::size_t>(sqlite3_changes(connection.handle()));
  }
  return marked;
}

Result<std::optional<OverrideRow>> override_of(const Connection& connection,
                                               const std::string& url) {
  Result<Statement> row = connection.prepare(std::string("SELECT ") + override_columns +
                                             " FROM page_override WHERE url = ?1");
  if (!row) return row.error();
  const Result<bool> there = row->bind(1, std::string_view(url)).step();
  if (!there) return there.error();
  return *there ? std::optional(read_override(*row, 0)) : std::nullopt;
}

}  // namespace pollux::store
