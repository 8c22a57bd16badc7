#include "store/shard_rows.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

// {page}, {change}, …: the shift of the numbers of that table. ?1: the part.
struct TableRows {
  std::string_view table;
  std::string_view from;  // what joins `row`, the source's, to the plan
  std::vector<std::pair<std::string_view, std::string_view>> changed = {};  // columns that differ
  std::string_view order = {};
  std::string_view taken = {};  // what is done with a row whose key the target has already
};

constexpr std::string_view of_page =
    "plan.page AS chosen JOIN source.{table} AS row ON row.page_id = chosen.id "
    "WHERE chosen.part = ?1";
constexpr std::string_view of_host =
    "plan.host AS chosen JOIN source.{table} AS row ON row.host = chosen.host "
    "WHERE chosen.part = ?1";

const std::vector<TableRows>& table_rows() {
  static const std::vector<TableRows> rows = {
      {"page",
       "plan.page AS chosen JOIN source.page AS row ON row.id = chosen.id WHERE chosen.part = ?1",
       {{"id", "row.id + {page}"}, {"slot", "chosen.slot + {slot}"}},
       "row.id"},
      {"page_override",
       "plan.page AS chosen JOIN source.page AS listed ON listed.id = chosen.id "
       "JOIN source.page_override AS row ON row.url = listed.url WHERE chosen.part = ?1"},
      {"change",
       of_page,
       {{"id", "row.id + {change}"}, {"page_id", "row.page_id + {page}"}},
       "row.id"},
      {"suspicion",
       of_page,
       {{"id", "row.id + {suspicion}"}, {"page_id", "row.page_id + {page}"}},
       "row.id"},
      {"mask", of_page, {{"id", "row.id + {mask}"}, {"page_id", "row.page_id + {page}"}}, "row.id"},
      {"look", of_page, {{"page_id", "row.page_id + {page}"}}, "row.page_id"},
      // Of a host that several have asked, the longest wait and the latest request count.
      {"host",
       of_host,
       {},
       "row.host",
       "ON CONFLICT (host) DO UPDATE SET requests = max(requests, excluded.requests), "
       "errors = max(errors, excluded.errors), "
       "last_request_at = nullif(max(coalesce(last_request_at, 0), "
       "coalesce(excluded.last_request_at, 0)), 0), "
       "blocked_by = CASE WHEN coalesce(excluded.blocked_until, 0) > coalesce(blocked_until, 0) "
       "THEN excluded.blocked_by ELSE blocked_by END, "
       "blocked_until = nullif(max(coalesce(blocked_until, 0), "
       "coalesce(excluded.blocked_until, 0)), 0), "
       "delay_ms = nullif(max(coalesce(delay_ms, 0), coalesce(excluded.delay_ms, 0)), 0)"},
      {"robots",
       of_host,
       {},
       "row.rowid",
       "ON CONFLICT (host) DO UPDATE SET verdict = excluded.verdict, "
       "fetched_at = excluded.fetched_at, check_at = excluded.check_at, "
       "unreachable_since = excluded.unreachable_since, status = excluded.status, "
       "error = excluded.error, crawl_delay_ms = excluded.crawl_delay_ms, "
       "product = excluded.product, rules = excluded.rules "
       "WHERE excluded.fetched_at > robots.fetched_at"},
      // One place for each host.
      {"placement",
       "plan.host AS chosen JOIN source.placement AS row ON row.host = chosen.host "
       "WHERE chosen.part = ?1 AND row.host NOT IN (SELECT host FROM main.placement)"},
      {"access_point",
       "source.access_point AS row WHERE ?1 = ?1",
       {},
       {},
       "ON CONFLICT (name) DO NOTHING"},
      {"notification",
       "plan.notification AS chosen JOIN source.notification AS row ON row.id = chosen.id "
       "WHERE chosen.part = ?1",
       {{"id", "row.id + {notification}"},
        {"page_id",
         "CASE WHEN row.page_id IN (SELECT id FROM plan.page) THEN row.page_id + {page} END"},
        {"change_id",
         "CASE WHEN row.change_id IN (SELECT id FROM source.change) THEN row.change_id + {change} "
         "END"}},
       "row.id"},
      // What went out together, or will, goes in one message for each part.
      {"delivery",
       "plan.notification AS chosen JOIN source.delivery AS row ON row.notification_id = chosen.id "
       "WHERE chosen.part = ?1",
       {{"id", "row.id + {delivery}"},
        {"notification_id", "row.notification_id + {notification}"},
        {"message",
         "(SELECT min(other.id) FROM source.delivery AS other JOIN plan.notification AS theirs "
         "ON theirs.id = other.notification_id AND theirs.part = ?1 "
         "WHERE other.message = row.message) + {delivery}"}},
       "row.id"},
      {"share_history",
       "plan.share AS chosen JOIN source.share_history AS row "
       "ON row.at = chosen.at AND row.prefix = chosen.prefix WHERE chosen.part = ?1",
       {},
       "row.at, row.prefix",
       "ON CONFLICT (at, prefix) DO NOTHING"},
      // Together they had the sum.
      {"budget_minute",
       "source.budget_minute AS row WHERE ?2",
       {},
       "row.minute",
       "ON CONFLICT (minute) DO UPDATE SET budget = budget + excluded.budget, "
       "seconds = max(seconds, excluded.seconds), requests = requests + excluded.requests, "
       "polls = polls + excluded.polls, changes = changes + excluded.changes, "
       "same = same + excluded.same, errors = errors + excluded.errors, "
       "explored = explored + excluded.explored, looks = looks + excluded.looks, "
       "looks_found = looks_found + excluded.looks_found"},
      // Level 0 is of the list as a whole; others are places in a tree that is no more.
      {"learner_value",
       "source.learner_value AS row WHERE row.level = 0 AND ?1 = ?1",
       {},
       {},
       "ON CONFLICT (policy, level, position) DO NOTHING"},
  };
  return rows;
}

constexpr std::array<std::string_view, 6> numbered = {"page", "change",       "suspicion",
                                                      "mask", "notification", "delivery"};
using Shifts = std::vector<std::pair<std::string, std::string>>;

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
}

std::string filled_in(std::string_view text, std::string_view table, const Shifts& shifts) {
  std::string filled(text);
  replace_all(filled, "{table}", std::string(table));
  for (const auto& [name, shift] : shifts) replace_all(filled, "{" + name + "}", shift);
  return filled;
}

// Where nothing has the source's numbers they stay as they are.
Result<Shifts> find_shifts(const Connection& connection) {
  Shifts shifts;
  for (const std::string_view table : numbered) {
    const Result<std::int64_t> shift = connection.integer(
        fmt::format("SELECT CASE WHEN EXISTS (SELECT 1 FROM main.\"{0}\" JOIN source.\"{0}\" "
                    "USING (id)) THEN (SELECT max(id) FROM main.\"{0}\") ELSE 0 END",
                    table));
    if (!shift) return shift.error();
    shifts.emplace_back(table, std::to_string(*shift));
  }
  const Result<std::int64_t> slots =
      connection.integer("SELECT coalesce(max(slot) + 1, 0) FROM main.page");
  if (!slots) return slots.error();
  shifts.emplace_back("slot", std::to_string(*slots));
  return shifts;
}

Result<std::vector<std::string>> columns_of(const Connection& connection, std::string_view table) {
  Result<Statement> rows = connection.prepare(
      fmt::format("SELECT name FROM pragma_table_info('{}', 'main') ORDER BY cid", table));
  if (!rows) return rows.error();
  std::vector<std::string> names;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return names;
    names.emplace_back(rows->text(0));
  }
}

Result<std::string> copying(const Connection& connection, const TableRows& how,
                            const Shifts& shifts) {
  const Result<std::vector<std::string>> columns = columns_of(connection, how.table);
  if (!columns) return columns.error();
  std::string names, values;
  for (const std::string& column : *columns) {
    std::string value = "row.\"" + column + "\"";
    for (const auto& [name, other] : how.changed)
      if (name == column) value = other;
    names += (names.empty() ? "\"" : ", \"") + column + "\"";
    values += (values.empty() ? "" : ", ") + value;
  }
  std::string sql = fmt::format("INSERT INTO main.\"{}\" ({}) SELECT {} FROM {}", how.table, names,
                                values, how.from);
  if (!how.order.empty()) sql += fmt::format(" ORDER BY {}", how.order);
  if (!how.taken.empty()) sql += fmt::format(" {}", how.taken);
  return filled_in(sql, how.table, shifts);
}

}  // namespace

std::span<const std::string_view> copied_tables() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const TableRows& rows : table_rows()) all.push_back(rows.table);
    return all;
  }();
  return names;
}

Status make_plan_tables(const Connection& connection) {
  return connection.execute(
      "CREATE TABLE plan.page (id INTEGER PRIMARY KEY, part INTEGER NOT NULL, slot INTEGER) STRICT;"
      "CREATE TABLE plan.host (part INTEGER NOT NULL, host TEXT NOT NULL, "
      "PRIMARY KEY (part, host)) STRICT, WITHOUT ROWID;"
      "CREATE TABLE plan.notification (id INTEGER PRIMARY KEY, part INTEGER NOT NULL) STRICT;"
      "CREATE TABLE plan.share (part INTEGER NOT NULL, at INTEGER NOT NULL, prefix TEXT NOT NULL, "
      "PRIMARY KEY (part, at, prefix)) STRICT, WITHOUT ROWID;"
      "CREATE TABLE plan.url (part INTEGER NOT NULL, id INTEGER NOT NULL, "
      "PRIMARY KEY (part, id)) STRICT, WITHOUT ROWID;"
      "CREATE INDEX plan.page_by_part ON page (part, id, slot);"
      "CREATE INDEX plan.notification_by_part ON notification (part, id);");
}

Status copy_rows(const Connection& connection, std::uint32_t part, bool whole,
                 const std::function<void(std::string_view table)>& each) {
  const Result<Shifts> shifts = find_shifts(connection);
  if (!shifts) return shifts.error();
  for (const TableRows& how : table_rows()) {
    each(how.table);
    const Result<std::string> sql = copying(connection, how, *shifts);
    if (!sql) return sql.error();
    Result<Statement> copy = connection.prepare(*sql);
    if (!copy) return copy.error();
    if (how.table == "budget_minute") {
      copy->bind(2, std::int64_t{whole ? 1 : 0});
    } else {
      copy->bind(1, std::int64_t{part});
    }
    if (Status done = copy->run(); !done) return done;
  }
  return success();
}

Status copy_versions(const Connection& connection, std::uint32_t part) {
  const Result<std::int64_t> shift = connection.integer(
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM kept.url JOIN content.url USING (id)) "
      "THEN (SELECT max(id) FROM kept.url) ELSE 0 END");
  if (!shift) return shift.error();
  for (const char* sql :
       {"INSERT INTO kept.url (id, url) SELECT row.id + ?2, row.url FROM plan.url AS chosen "
        "JOIN content.url AS row ON row.id = chosen.id WHERE chosen.part = ?1",
        "INSERT INTO kept.version (url_id, number, seen_at, replaced_at, hash, kind, bytes, full, "
        "data) SELECT row.url_id + ?2, row.number, row.seen_at, row.replaced_at, row.hash, "
        "row.kind, row.bytes, row.full, row.data FROM plan.url AS chosen "
        "JOIN content.version AS row ON row.url_id = chosen.id WHERE chosen.part = ?1"}) {
    Result<Statement> copy = connection.prepare(sql);
    if (!copy) return copy.error();
    copy->bind(1, std::int64_t{part}).bind(2, *shift);
    if (Status done = copy->run(); !done) return done;
  }
  return success();
}

}  // namespace pollux::store
