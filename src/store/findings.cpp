#include "store/findings.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::store {
namespace {

constexpr char end_suspicion[] =
    "UPDATE suspicion SET ended_at = ?2 WHERE page_id = ?1 AND ended_at IS NULL";
// One that is still the same is not told again.
constexpr char add_suspicion[] =
    "INSERT INTO suspicion (page_id, seen_at, reason, hash) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS "
    "(SELECT 1 FROM suspicion WHERE page_id = ?1 AND ended_at IS NULL AND reason = ?3)";
constexpr char add_mask[] =
    "INSERT INTO mask (page_id, mask, made_at, last_matched_at) VALUES (?1, ?2, ?3, ?3) "
    "ON CONFLICT (page_id, mask) DO UPDATE SET last_matched_at = excluded.last_matched_at, "
    "made_at = iif(state = 'expired', excluded.made_at, made_at), "
    "state = iif(state = 'expired', 'learnt', state)";
constexpr char touch_mask[] =
    "UPDATE mask SET last_matched_at = ?3 WHERE page_id = ?1 AND mask = ?2";
constexpr char drop_mask[] =
    "DELETE FROM mask WHERE page_id = ?1 AND mask = ?2 AND state = 'learnt'";
constexpr char expire_mask[] =
    "UPDATE mask SET state = 'expired', last_matched_at = ?3 WHERE page_id = ?1 AND mask = ?2 AND "
    "state = 'learnt'";
// People may want to know of the last ones.
constexpr char forget_expired[] =
    "DELETE FROM mask WHERE page_id = ?1 AND state = 'expired' AND id NOT IN (SELECT id FROM mask "
    "WHERE page_id = ?1 AND state = 'expired' ORDER BY last_matched_at DESC, id DESC LIMIT 16)";

const char* sql_of(MaskRow::What what) {
  switch (what) {
    case MaskRow::What::made:
      return add_mask;
    case MaskRow::What::matched:
      return touch_mask;
    case MaskRow::What::expired:
      return expire_mask;
    case MaskRow::What::dropped:
      break;
  }
  return drop_mask;
}

template <typename Name>
Status put(const Connection& connection, Statement& statement, RejectedRows& rejected, Name name) {
  const Result<bool> written = rejected.judge(connection, statement.run(), name);
  return written ? success() : written.error();
}

}  // namespace

Status write_suspicions(const Connection& connection, const std::vector<SuspicionRow>& rows,
                        RejectedRows& rejected) {
  for (const SuspicionRow& row : rows) {
    const bool ends = row.reason.empty();
    Result<Statement> statement = connection.prepare(ends ? end_suspicion : add_suspicion);
    if (!statement) return statement.error();
    statement->bind(1, value(row.page)).bind(2, std::optional<WallTime>(row.at));
    if (!ends) {
      statement->bind(3, std::string_view(row.reason));
      statement->bind_or_null(4, row.hash);
    }
    const auto name = [&] { return fmt::format("a suspicion of page {}", value(row.page)); };
    if (Status done = put(connection, *statement, rejected, name); !done) return done;
  }
  return success();
}

Status write_masks(const Connection& connection, const std::vector<MaskRow>& rows,
                   RejectedRows& rejected) {
  for (const MaskRow& row : rows) {
    Result<Statement> statement = connection.prepare(sql_of(row.what));
    if (!statement) return statement.error();
    statement->bind(1, value(row.page)).bind(2, std::string_view(row.mask));
    if (row.what != MaskRow::What::dropped) statement->bind(3, std::optional<WallTime>(row.at));
    const auto name = [&] { return fmt::format("a mask of page {}", value(row.page)); };
    if (Status done = put(connection, *statement, rejected, name); !done) return done;
    if (row.what != MaskRow::What::expired) continue;
    Result<Statement> older = connection.prepare(forget_expired);
    if (!older) return older.error();
    older->bind(1, value(row.page));
    if (Status done = older->run(); !done) return done;
  }
  return success();
}

Status load_masks(const Connection& connection, const std::function<void(MaskRow&&)>& each) {
  Result<Statement> rows = connection.prepare(
      "SELECT page_id, mask, made_at, state FROM mask WHERE state <> 'expired' ORDER BY id");
  if (!rows) return rows.error();
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return success();
    each({.page = PageId(rows->integer(0)),
          .mask = std::string(rows->text(1)),
          .at = rows->time(2).value_or(WallTime{}),
          .state = rows->text(3) == "accepted"  ? MaskRow::State::accepted
                   : rows->text(3) == "refused" ? MaskRow::State::refused
                                                : MaskRow::State::learnt});
  }
}

}  // namespace pollux::store
