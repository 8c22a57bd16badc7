#include "store/share_notes.hpp"

namespace pollux::store {
namespace {

// "https://example.org/" and "https://example.org/news/" of "https://example.org/news/today".
constexpr char note_largest[] =
    "INSERT OR REPLACE INTO share_history (at, prefix, share) "
    "WITH part AS MATERIALIZED (SELECT substr(url, 1, 8 + instr(substr(url, 9), '/')) AS origin, "
    "url, share FROM page WHERE state = 'active' AND share > 0), "
    "deeper AS MATERIALIZED (SELECT origin, share, "
    "instr(substr(url, length(origin) + 1), '/') AS slash, url FROM part) "
    "SELECT ?1, prefix, share FROM (SELECT origin AS prefix, sum(share) AS share FROM part "
    "GROUP BY origin ORDER BY 2 DESC LIMIT 100) UNION ALL "
    "SELECT ?1, prefix, share FROM (SELECT substr(url, 1, length(origin) + slash) AS prefix, "
    "sum(share) AS share FROM deeper WHERE slash > 0 GROUP BY 1 ORDER BY 2 DESC LIMIT 100)";

}  // namespace

Status note_shares(const Connection& connection, WallTime now, Duration every) {
  const Result<std::int64_t> last =
      connection.integer("SELECT coalesce(max(at), 0) FROM share_history");
  if (!last) return last.error();
  const std::int64_t at = now.time_since_epoch().count();
  const std::int64_t pause = std::chrono::duration_cast<std::chrono::milliseconds>(every).count();
  // A clock that was set back does not stop it.
  if (at >= *last && at - *last < pause) return success();
  Result<Statement> note = connection.prepare(note_largest);
  if (!note) return note.error();
  return note->bind(1, at).run();
}

}  // namespace pollux::store
