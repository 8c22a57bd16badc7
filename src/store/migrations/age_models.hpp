// The migration that adds age models, what they expect, and what a download costs. Never edited
// once released.
#pragma once

namespace pollux::store::migration {

inline constexpr char age_models[] = R"sql(
ALTER TABLE page ADD COLUMN age_model TEXT;
ALTER TABLE page ADD COLUMN outdated_after TEXT;
ALTER TABLE page ADD COLUMN download_ms REAL;

DROP VIEW page_report;
CREATE VIEW page_report AS
WITH known (per_second) AS (
  SELECT CAST(value AS REAL) FROM meta WHERE key = 'budget' AND value GLOB '[0-9]*'
), wanted AS (
  SELECT *, CASE WHEN state = 'active' AND share > 0 THEN
    max(min_interval_ms / 1000.0,
        min(max_interval_ms / 1000.0, 1 / (share * (SELECT per_second FROM known)))) END AS seconds
  FROM page
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
  FROM wanted
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
  round(download_ms, 1) AS download_ms,
  host,
  strftime('%Y-%m-%dT%H:%M:%fZ', added_at / 1000.0, 'unixepoch') AS added_at,
  id
FROM expected
ORDER BY share DESC, url;
)sql";

}  // namespace pollux::store::migration
