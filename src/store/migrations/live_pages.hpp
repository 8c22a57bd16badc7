// The migration by which pages can be added and set while the daemon runs: who lists a page, until
// when it is paused, what was set over the files, and which changes people have read. Never edited
// once released. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char live_pages[] = R"sql(
ALTER TABLE page ADD COLUMN source TEXT NOT NULL DEFAULT 'file' CHECK (source IN ('file', 'live'));
ALTER TABLE page ADD COLUMN paused_until INTEGER;
CREATE INDEX page_live ON page (id) WHERE source = 'live' AND state <> 'removed';
CREATE INDEX page_paused ON page (paused_until) WHERE state = 'paused';

-- What was set of a page while the daemon ran; NULL: as the files say.
CREATE TABLE page_override (
  url TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  tags TEXT,
  importance REAL,
  min_interval_ms INTEGER,
  max_interval_ms INTEGER,
  content TEXT
) STRICT, WITHOUT ROWID;

ALTER TABLE change ADD COLUMN read_at INTEGER;

DROP VIEW page_report;
CREATE VIEW page_report AS
WITH known (per_second, started, until) AS (
  SELECT
    (SELECT CAST(value AS REAL) FROM meta WHERE key = 'budget' AND value GLOB '[0-9]*'),
    coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'started_at'), 0),
    -- Measured up to now, or to the last sign of life of a daemon that is gone.
    coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'heartbeat_at'
              AND CAST(value AS INTEGER) < (strftime('%s', 'now') - 60) * 1000),
             strftime('%s', 'now') * 1000)
), wanted AS (
  SELECT page.*, page_pace.seconds AS seconds,
    -- Measured: at least as long as it has already waited for its next poll.
    CASE WHEN page.state = 'active' AND page.measured_polls > 0
              AND page.measured_since >= (SELECT started FROM known) THEN
      max((page.last_polled_at - page.measured_since) / 1000.0 / page.measured_polls,
          ((SELECT until FROM known) - page.measured_since) / 1000.0 / (page.measured_polls + 1))
    END AS measured
  FROM page_pace JOIN page ON page.id = page_pace.page_id
), rated AS (
  SELECT *,
    -- Three changes would have shown themselves with 95 %.
    CASE WHEN changes = 0 THEN 3 * 86400 /
      nullif(CASE WHEN slow_miss_time > 0 THEN slow_miss_time
                  ELSE (last_confirmed_at - added_at) / 1000.0 END, 0) END AS at_most,
    CASE WHEN changes > 0 AND change_rate_per_day > 86400 / coalesce(measured, seconds)
      THEN 86400 / coalesce(measured, seconds) END AS at_least
  FROM wanted
), expected AS (
  -- Seconds from the last conclusive poll until the copy is out of date with 2, 10, 25, 50, 75, 90
  -- and 98 %: as the policy said, or those of a memoryless page with the estimated rate.
  SELECT *,
    CASE WHEN state = 'active' AND last_confirmed_at IS NOT NULL THEN
      max(strftime('%s', 'now') - last_confirmed_at / 1000.0, 0) END AS waited,
    coalesce(json_extract(outdated_after, '$[0]'), 1745.48 / change_rate_per_day) AS q1,
    coalesce(json_extract(outdated_after, '$[1]'), 9103.15 / change_rate_per_day) AS q2,
    coalesce(json_extract(outdated_after, '$[2]'), 24855.7 / change_rate_per_day) AS q3,
    coalesce(json_extract(outdated_after, '$[3]'), 59887.9 / change_rate_per_day) AS q4,
    coalesce(json_extract(outdated_after, '$[4]'), 119776 / change_rate_per_day) AS q5,
    coalesce(json_extract(outdated_after, '$[5]'), 198943 / change_rate_per_day) AS q6,
    coalesce(json_extract(outdated_after, '$[6]'), 337999 / change_rate_per_day) AS q7
  FROM rated
), outlook AS (
  SELECT *, CASE WHEN q4 < 3e9 THEN q4 - waited END AS ahead FROM expected
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
    WHEN redirect_distance IS NOT NULL THEN 'ok, redirected: ' || replace(redirect_distance, '_', ' ')
    ELSE 'ok'
  END AS status,
  health,
  health_reason,
  round(100 * CASE WHEN state = 'active' THEN
    coalesce(1 / (seconds * (SELECT per_second FROM known)), share) ELSE 0 END, 4) AS share_percent,
  CASE
    WHEN seconds IS NULL THEN NULL
    WHEN seconds < 1 THEN printf('%.0f ms', seconds * 1000)
    WHEN seconds < 60 THEN printf('%.1f s', seconds)
    WHEN seconds < 3600 THEN printf('%.1f min', seconds / 60)
    WHEN seconds < 86400 THEN printf('%.1f h', seconds / 3600)
    ELSE printf('%.1f d', seconds / 86400)
  END AS polled_every,
  round(100 / (measured * (SELECT per_second FROM known)), 4) AS measured_share_percent,
  CASE
    WHEN measured IS NULL THEN NULL
    WHEN measured < 1 THEN printf('%.0f ms', measured * 1000)
    WHEN measured < 60 THEN printf('%.1f s', measured)
    WHEN measured < 3600 THEN printf('%.1f min', measured / 60)
    WHEN measured < 86400 THEN printf('%.1f h', measured / 3600)
    ELSE printf('%.1f d', measured / 86400)
  END AS measured_every,
  importance,
  CASE WHEN changes > 0 AND at_least IS NULL THEN round(change_rate_per_day, 3) END
    AS change_rate_per_day,
  CASE
    WHEN change_rate_per_day IS NULL THEN NULL
    WHEN at_most IS NOT NULL THEN printf('< %.3g/d', at_most)
    WHEN at_least IS NOT NULL THEN printf('> %.3g/d', at_least)
    WHEN changes > 0 THEN printf('%.3g/d', change_rate_per_day)
  END AS change_rate,
  CASE
    WHEN waited IS NULL OR q7 IS NULL THEN NULL
    ELSE CAST(round(100 * CASE
      WHEN waited < q1 THEN 0.02 * waited / q1
      WHEN waited < q2 THEN 0.02 + 0.08 * (waited - q1) / (q2 - q1)
      WHEN waited < q3 THEN 0.1 + 0.15 * (waited - q2) / (q3 - q2)
      WHEN waited < q4 THEN 0.25 + 0.25 * (waited - q3) / (q4 - q3)
      WHEN waited < q5 THEN 0.5 + 0.25 * (waited - q4) / (q5 - q4)
      WHEN waited < q6 THEN 0.75 + 0.15 * (waited - q5) / (q6 - q5)
      WHEN waited < q7 THEN 0.9 + 0.08 * (waited - q6) / (q7 - q6)
      ELSE 1 - 0.02 * q7 / waited END) AS INTEGER) || ' %'
  END AS outdated_probability,
  CASE WHEN waited IS NOT NULL AND q4 < 3e9 THEN
    strftime('%Y-%m-%dT%H:%M:%fZ', last_confirmed_at / 1000.0 + q4, 'unixepoch')
  END AS next_change_expected_at,
  CASE
    WHEN ahead IS NULL THEN NULL
    WHEN ahead <= 0 THEN 'overdue'
    WHEN ahead < 60 THEN printf('in %.0f s', ahead)
    WHEN ahead < 3600 THEN printf('in %.0f min', ahead / 60)
    WHEN ahead < 86400 THEN printf('in %.1f h', ahead / 3600)
    ELSE printf('in %.1f d', ahead / 86400)
  END AS next_change_expected,
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
  final_url,
  redirects,
  redirect_distance,
  strftime('%Y-%m-%dT%H:%M:%fZ',
           CASE WHEN fresh_until > strftime('%s', 'now') * 1000 THEN fresh_until END / 1000.0,
           'unixepoch') AS fresh_until,
  last_status,
  body_bytes,
  round(download_ms, 1) AS download_ms,
  host,
  nullif(name, '') AS name,
  nullif(tags, '') AS tags,
  source,
  strftime('%Y-%m-%dT%H:%M:%fZ', CASE WHEN state = 'paused' THEN paused_until END / 1000.0,
           'unixepoch') AS paused_until,
  strftime('%Y-%m-%dT%H:%M:%fZ', added_at / 1000.0, 'unixepoch') AS added_at,
  id
FROM outlook
ORDER BY seconds IS NULL, seconds, share DESC, url;
)sql";

}  // namespace pollux::store::migration
