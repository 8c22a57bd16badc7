// The migration by which what nodes of the learner's tree have learnt is named by what they stand
// for, and by which looks at siblings are counted. What was stored by level and position goes on as
// learner_value; of the default policy's tree it has no meaning any more, because pages stand in
// another order. Never edited once released. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char named_nodes[] = R"sql(
ALTER TABLE learner_node RENAME TO learner_value;
DELETE FROM learner_value WHERE policy = 'htraa' AND level > 0;

CREATE TABLE learner_node (
  policy TEXT NOT NULL,
  first_url TEXT NOT NULL,
  prefix TEXT NOT NULL,
  pages INTEGER NOT NULL,
  share REAL NOT NULL,
  correction REAL NOT NULL,
  affinity REAL NOT NULL,
  tried REAL NOT NULL,
  found REAL NOT NULL,
  PRIMARY KEY (policy, first_url, prefix, pages)
) STRICT, WITHOUT ROWID;

CREATE TABLE look (
  page_id INTEGER PRIMARY KEY REFERENCES page (id),
  looked_at INTEGER NOT NULL,
  because TEXT NOT NULL
) STRICT;

ALTER TABLE budget_minute ADD COLUMN looks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE budget_minute ADD COLUMN looks_found INTEGER NOT NULL DEFAULT 0;

DROP VIEW budget_report;
CREATE VIEW budget_report AS
SELECT
  strftime('%Y-%m-%dT%H:%M:%SZ', minute / 1000, 'unixepoch') AS minute,
  CASE WHEN budget < 1e300 THEN printf('%.1f', 100 * requests / (budget * max(seconds, 0.001))) || ' %'
       ELSE 'unlimited' END AS used,
  requests,
  CASE WHEN budget < 1e300 THEN CAST(round(budget * seconds) AS INTEGER) END AS allowed,
  CASE WHEN budget < 1e300 THEN budget END AS budget_per_second,
  polls,
  changes,
  same,
  errors,
  explored,
  looks,
  looks_found
FROM budget_minute
ORDER BY budget_minute.minute DESC;
)sql";

}  // namespace pollux::store::migration
