// The migration that makes the first tables and views, as released: never edited again. Described
// in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char first_tables[] = R"sql(
CREATE TABLE page (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  host TEXT NOT NULL,
  slot INTEGER,
  state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'removed')),
  importance REAL NOT NULL,
  min_interval_ms INTEGER NOT NULL,
  max_interval_ms INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  polls INTEGER NOT NULL DEFAULT 0,
  changes INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  last_polled_at INTEGER,
  last_confirmed_at INTEGER,
  last_changed_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  error_streak INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER,
  content_hash TEXT,
  etag TEXT,
  last_modified TEXT,
  body_bytes INTEGER,
  share REAL NOT NULL DEFAULT 0,
  next_due_at INTEGER,
  change_rate_per_day REAL,
  slow_hits REAL NOT NULL DEFAULT 0,
  slow_hit_time REAL NOT NULL DEFAULT 0,
  slow_miss_time REAL NOT NULL DEFAULT 0,
  fast_hits REAL NOT NULL DEFAULT 0,
  fast_hit_time REAL NOT NULL DEFAULT 0,
  fast_miss_time REAL NOT NULL DEFAULT 0,
  streak REAL NOT NULL DEFAULT 0,
  position REAL NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX page_by_url ON page (url);
CREATE UNIQUE INDEX page_by_slot ON page (slot) WHERE slot IS NOT NULL;

CREATE TABLE change (
  id INTEGER PRIMARY KEY,
  page_id INTEGER NOT NULL REFERENCES page (id),
  found_at INTEGER NOT NULL,
  previous_poll_at INTEGER NOT NULL,
  old_hash TEXT NOT NULL,
  new_hash TEXT NOT NULL,
  body_bytes INTEGER NOT NULL,
  status INTEGER NOT NULL
) STRICT;
CREATE INDEX change_by_page ON change (page_id, found_at);
CREATE INDEX change_by_time ON change (found_at);

CREATE TABLE learner_node (
  policy TEXT NOT NULL,
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (policy, level, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE host (
  host TEXT NOT NULL PRIMARY KEY,
  last_request_at INTEGER,
  blocked_until INTEGER,
  requests INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE budget_minute (
  minute INTEGER PRIMARY KEY,
  budget REAL NOT NULL,
  seconds REAL NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  polls INTEGER NOT NULL DEFAULT 0,
  changes INTEGER NOT NULL DEFAULT 0,
  same INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  explored INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
    WHEN last_polled_at IS NULL THEN 'not polled yet'
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
  last_status,
  body_bytes,
  host,
  strftime('%Y-%m-%dT%H:%M:%fZ', added_at / 1000.0, 'unixepoch') AS added_at,
  id
FROM wanted
ORDER BY share DESC, url;

CREATE VIEW change_report AS
WITH windowed AS (
  SELECT change.*, page.url AS url, (found_at - previous_poll_at) / 1000.0 AS seconds
  FROM change JOIN page ON page.id = change.page_id
)
SELECT
  strftime('%Y-%m-%dT%H:%M:%fZ', found_at / 1000.0, 'unixepoch') AS found_at,
  url,
  CASE
    WHEN seconds < 1 THEN printf('%.0f ms', seconds * 1000)
    WHEN seconds < 60 THEN printf('%.1f s', seconds)
    WHEN seconds < 3600 THEN printf('%.1f min', seconds / 60)
    WHEN seconds < 86400 THEN printf('%.1f h', seconds / 3600)
    ELSE printf('%.1f d', seconds / 86400)
  END AS at_most_old,
  strftime('%Y-%m-%dT%H:%M:%fZ', previous_poll_at / 1000.0, 'unixepoch') AS previous_poll_at,
  body_bytes,
  status,
  substr(old_hash, 1, 12) AS old_hash_start,
  substr(new_hash, 1, 12) AS new_hash_start,
  id,
  page_id
FROM windowed
ORDER BY windowed.found_at DESC, windowed.id DESC;

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
  explored
FROM budget_minute
ORDER BY budget_minute.minute DESC;
)sql";

}  // namespace pollux::store::migration
