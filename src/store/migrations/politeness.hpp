// The migration that adds what a polite guest remembers: robots.txt of each host, how fast hosts
// answer, where pages have moved and how long they call themselves fresh. As released: never edited
// again.
#pragma once

namespace pollux::store::migration {

inline constexpr char politeness[] = R"sql(
ALTER TABLE page ADD COLUMN moved_to TEXT;
ALTER TABLE page ADD COLUMN fresh_until INTEGER;
ALTER TABLE host ADD COLUMN response_ms INTEGER;
ALTER TABLE host ADD COLUMN delay_ms INTEGER;

CREATE TABLE robots (
  host TEXT NOT NULL PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (verdict IN ('rules', 'allow', 'disallow')),
  fetched_at INTEGER NOT NULL,
  check_at INTEGER NOT NULL,
  unreachable_since INTEGER,
  status INTEGER,
  error TEXT,
  crawl_delay_ms INTEGER,
  product TEXT NOT NULL,
  rules TEXT NOT NULL
) STRICT;

DROP VIEW page_report;
CREATE VIEW page_report AS
WITH known (per_second) AS (
  SELECT CAST(value AS REAL) FROM meta WHERE key = 'budget' AND value GLOB '[0-9]*'
), wanted AS (
  SELECT *, CASE WHEN state = 'active' AND share > 0 THEN
    max(min_interval_ms / 1000.0,
        min(max_interval_ms / 1000.0, 1 / (share * (SELECT per_second FROM known)))) END AS seconds
  FROM page
)
SELECT
  url,
  state,
  CASE
    WHEN error_streak > 0 THEN coalesce(last_error, 'failed')
      || CASE WHEN error_streak > 1 THEN ' (' || error_streak || ' in a row)' ELSE '' END
    WHEN last_error IS NOT NULL THEN last_error
    WHEN last_polled_at IS NULL THEN 'not polled yet'
    WHEN moved_to IS NOT NULL THEN 'ok, moved'
    ELSE 'ok'
  END AS status,
  round(share * 100, 4) AS share_percent,
  CASE
    WHEN seconds IS NULL THEN NULL
    WHEN seconds < 1 THEN printf('%.0f ms', seconds * 1000)
    WHEN seconds < 60 THEN printf('%.1f s', seconds)
    WHEN seconds < 3600 THEN printf('%.1f min', seconds / 60)
    WHEN seconds < 86400 THEN printf('%.1f h', seconds / 3600)
    ELSE printf('%.1f d', seconds / 86400)
  END AS polled_every,
  importance,
  round(change_rate_per_day, 3) AS change_rate_per_day,
  polls,
  changes,
  errors,
  strftime('%Y-%m-%dT%H:%M:%fZ', last_polled_at / 1000.0, 'unixepoch') AS last_polled_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', last_changed_at / 1000.0, 'unixepoch') AS last_changed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', next_due_at / 1000.0, 'unixepoch') AS next_due_at,
  strftime('%Y-%m-%dT%H:%M:%fZ',
           CASE WHEN retry_at > strftime('%s', 'now') * 1000 THEN retry_at END / 1000.0,
           'unixepoch') AS backing_off_until,
  moved_to,
  strftime('%Y-%m-%dT%H:%M:%fZ',
           CASE WHEN fresh_until > strftime('%s', 'now') * 1000 THEN fresh_until END / 1000.0,
           'unixepoch') AS fresh_until,
  last_status,
  body_bytes,
  host,
  strftime('%Y-%m-%dT%H:%M:%fZ', added_at / 1000.0, 'unixepoch') AS added_at,
  id
FROM wanted
ORDER BY share DESC, url;
)sql";

}  // namespace pollux::store::migration
