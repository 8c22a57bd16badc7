#include "store/damage.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "store/migrations.hpp"
#include "store/page_health.hpp"
#include "store/page_row.hpp"
#include "store/patience.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <spdlog/spdlog.h>

namespace pollux::store {
namespace {

// Columns and indexes, a line each.
constexpr char schema_lines[] =
    "SELECT 'column ' || t.name || '.' || c.name || ' ' || c.type FROM sqlite_schema AS t, "
    "pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' "
    "UNION ALL SELECT 'index ' || i.name || ' ' || x.seqno || ' ' || x.name FROM sqlite_schema "
    "AS i, pragma_index_info(i.name) AS x WHERE i.type = 'index' AND i.sql IS NOT NULL";

Result<std::set<std::string>> read_schema(const Connection& connection) {
  Result<Statement> rows = connection.prepare(schema_lines);
  if (!rows) return rows.error();
  std::set<std::string> lines;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return lines;
    lines.emplace(rows->text(0));
  }
}

// As the migrations make it; by the same SQLite, so that its way of saying things does not matter.
Result<std::set<std::string>> expected_schema(std::int64_t version) {
  const Result<Connection> model =
      Connection::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!model) return model.error();
  const auto steps = migrations().first(static_cast<std::size_t>(version));
  for (const Migration& step : steps) {
    if (Status done = model->execute(step.sql); !done) return done.error();
  }
  return read_schema(*model);
}

Result<std::string> orphaned_row(const Connection& connection) {
  Result<Statement> rows = connection.prepare("PRAGMA foreign_key_check");
  if (!rows) return rows.error();
  const Result<bool> row = rows->step();
  if (!row) return row.error();
  if (!*row) return std::string();
  return "a row of " + std::string(rows->text(0)) + " refers to one that does not exist";
}

Result<std::string> unusable_page(const Connection& connection, std::int64_t version) {
  // Those of an older schema are read when they have been migrated.
  if (version < static_cast<std::int64_t>(migrations().size())) return std::string();
  PageRow page;
  std::string flaw;
  const Result<bool> all =
      connection.for_each_row(page_column_list(), "page", [&](const Cells& row) {
        read_page(row, page);
        flaw = flaw_of(page);
        return flaw.empty();
      });
  return all ? Result<std::string>(flaw) : all.error();
}

Result<std::string> first_flaw(const Connection& connection, std::int64_t version, Depth depth) {
  Result<std::string> flaw = missing_in_schema(connection, version);
  if (!flaw || !flaw->empty()) return flaw;
  flaw = connection.text(depth == Depth::quick ? "PRAGMA quick_check(1)"
                                               : "PRAGMA integrity_check(1)");
  if (!flaw) return flaw;
  if (*flaw != "ok") return flaw;
  if (depth == Depth::quick) return std::string();
  flaw = orphaned_row(connection);
  if (!flaw || !flaw->empty()) return flaw;
  return unusable_page(connection, version);
}

}  // namespace

// What people have added is theirs; what is missing is damage.
Result<std::string> missing_in_schema(const Connection& connection, std::int64_t version) {
  const Result<std::set<std::string>> expected = expected_schema(version);
  if (!expected) return expected.error();
  const Result<std::set<std::string>> found = read_schema(connection);
  if (!found) return found.error();
  for (const std::string& line : *expected) {
    if (!found->contains(line)) return "it has no " + line;
  }
  return std::string();
}

bool met_damage(const Connection& connection) {
  const int code = sqlite3_errcode(connection.handle()) & 0xff;
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

Result<std::string> find_damage(const Connection& connection, std::int64_t version, Depth depth,
                                const CheckLimits& limits) {
  const Patience patience(connection, limits.cancelled, limits.may_take);
  Result<std::string> flaw = first_flaw(connection, version, depth);
  if (flaw) return flaw;
  if (met_damage(connection)) return flaw.error().message;
  if (!patience.ended_it() || patience.cancelled()) return flaw;
  spdlog::warn("database {}: a check was ended after {}, it found no damage so far",
               printable(connection.path()), format_duration(limits.may_take));
  return std::string();
}

}  // namespace pollux::store
