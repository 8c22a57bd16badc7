PRAGMA application_id = 1349479532;
PRAGMA user_version = 6;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
, moved_to TEXT, fresh_until INTEGER, age_model TEXT, outdated_after TEXT, download_ms REAL) STRICT;
INSERT INTO page VALUES(1,'http://127.0.0.1:@PORT@/same1','127.0.0.1:@PORT@',0,'active',1.0,0,5000,1577836685285,12,0,0,1577836688565,1577836688558,NULL,200,NULL,0,NULL,'077de5a6628f0ede2eb5b559ac0e0062b324c7c8017f0e56ae8db64fadb70e18',NULL,NULL,46,0.1665497312077386105,1577836688760,30425.063352706059958,0.0,0.0,2.8988566398620605468,0.0,0.0,0.60214388370513916015,0.0,-0.84228515625,NULL,NULL,NULL,NULL,25.528702884912490844);
INSERT INTO page VALUES(2,'http://127.0.0.1:@PORT@/same2','127.0.0.1:@PORT@',1,'active',1.0,0,5000,1577836685285,11,0,0,1577836688466,1577836688466,NULL,200,NULL,0,NULL,'83c735c798a36dabbaee70cd2844afcbb0dbb80325cdf69d0363c4389a0890db',NULL,NULL,46,0.16547996984122043118,1577836688729,30611.339971782606881,0.0,0.0,2.9093480110168457031,0.0,0.0,0.60376518964767456054,0.0,-0.7021484375,NULL,NULL,NULL,NULL,30.172107741236686706);
INSERT INTO page VALUES(3,'http://127.0.0.1:@PORT@/same3','127.0.0.1:@PORT@',2,'active',1.0,0,5000,1577836685285,11,0,0,1577836688423,1577836688417,NULL,200,NULL,0,NULL,'9adbc6597df041a39034174bcccd6e6eabdb2f8367e3be9133687697ec6fe6e4',NULL,NULL,46,0.16334740982530518427,1577836688649,30582.444831161585171,0.0,0.0,2.8147425651550292968,0.0,0.0,0.61209774017333984375,0.0,-0.7109375,NULL,NULL,NULL,NULL,30.654124915599822998);
INSERT INTO page VALUES(4,'http://127.0.0.1:@PORT@/gen1','127.0.0.1:@PORT@',3,'active',1.0,0,5000,1577836685285,10,0,0,1577836688426,1577836688383,NULL,200,NULL,0,NULL,'7ebd876345cb34562eda1f20bb653b01e942df78d593f62e0583584fffb4c09b',NULL,NULL,74,0.16137111864827688445,1577836688640,29942.6557802388852,0.0,0.0,2.929487466812133789,0.0,0.0,0.63353335857391357421,0.0,-0.59130859375,NULL,NULL,NULL,NULL,38.922943174839019775);
INSERT INTO page VALUES(5,'http://127.0.0.1:@PORT@/gen2','127.0.0.1:@PORT@',4,'active',1.0,0,5000,1577836685285,11,0,0,1577836688511,1577836688510,NULL,200,NULL,0,NULL,'5468ff0f3c28e778650dc131f9b70bac16356f19cd2567d9b8be45100d77b433',NULL,NULL,74,0.16471087821974705889,1577836688741,30280.139333922717924,0.0,0.0,2.9998111724853515625,0.0,0.0,0.60843706130981445312,0.0,-0.70166015625,NULL,NULL,NULL,NULL,36.996085196733474731);
INSERT INTO page VALUES(6,'http://127.0.0.1:@PORT@/gen3','127.0.0.1:@PORT@',5,'active',1.0,0,5000,1577836685285,11,0,0,1577836688621,1577836688611,NULL,200,NULL,0,NULL,'0edd80ea850a345554eb229d6d575ec3a1e65f153588d604f09eb907752ea560',NULL,NULL,74,0.16465327080558722627,1577836688918,29929.15732492092502,0.0,0.0,3.1709396839141845703,0.0,0.0,0.60853165388107299804,0.0,-0.701171875,NULL,NULL,NULL,NULL,23.838428780436515808);
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
, response_ms INTEGER, delay_ms INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO host VALUES('127.0.0.1:@PORT@',1577836688611,NULL,66,0,12,NULL);
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
INSERT INTO budget_minute VALUES(1577836640000,20.0,3.2864399999999998058,66,66,0,60,0,1);
CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('budget','20');
INSERT INTO meta VALUES('clean_stop','1');
INSERT INTO meta VALUES('config_file','p.yaml');
INSERT INTO meta VALUES('cost_bias_removal','0');
INSERT INTO meta VALUES('cost_by','none');
INSERT INTO meta VALUES('database_id','55eb7178');
INSERT INTO meta VALUES('detect_overflows','0');
INSERT INTO meta VALUES('detect_rate','62388.8');
INSERT INTO meta VALUES('detect_starved_seconds','0.000');
INSERT INTO meta VALUES('detect_waiting','0');
INSERT INTO meta VALUES('explore','0.03');
INSERT INTO meta VALUES('fetch_rate','26.9611');
INSERT INTO meta VALUES('fetches_allowed','32');
INSERT INTO meta VALUES('fetches_out','0');
INSERT INTO meta VALUES('heartbeat_at','1577836688621');
INSERT INTO meta VALUES('loop_stall_longest_ms','20');
INSERT INTO meta VALUES('loop_stall_p999_ms','20');
INSERT INTO meta VALUES('max_interval_stretch','1.000');
INSERT INTO meta VALUES('objective','changes');
INSERT INTO meta VALUES('pid','31449');
INSERT INTO meta VALUES('policy','htraa');
INSERT INTO meta VALUES('started_at','1577836685335');
INSERT INTO meta VALUES('version','0.1.0');
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
CREATE TABLE access_point (
  name TEXT NOT NULL PRIMARY KEY,
  way TEXT NOT NULL,
  capacity INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE placement (
  host TEXT NOT NULL,
  access_point TEXT NOT NULL,
  placed INTEGER NOT NULL CHECK (placed IN (0, 1)),
  depth INTEGER NOT NULL,
  seconds REAL,
  PRIMARY KEY (host, access_point)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX page_by_url ON page (url);
CREATE UNIQUE INDEX page_by_slot ON page (slot) WHERE slot IS NOT NULL;
CREATE INDEX change_by_page ON change (page_id, found_at);
CREATE INDEX change_by_time ON change (found_at);
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
CREATE VIEW access_point_report AS
SELECT
  access_point.name AS access_point,
  access_point.way,
  access_point.capacity,
  count(placement.host) AS hosts,
  round(avg(placement.seconds) * 1000, 1) AS mean_ms
FROM access_point
LEFT JOIN placement ON placement.access_point = access_point.name AND placement.placed = 1
GROUP BY access_point.name
ORDER BY hosts DESC, access_point.name;
CREATE INDEX page_by_host ON page (host);
CREATE VIEW page_report AS
WITH known (per_second, stretch) AS (
  SELECT
    (SELECT CAST(value AS REAL) FROM meta WHERE key = 'budget' AND value GLOB '[0-9]*'),
    max(1, coalesce((SELECT CAST(value AS REAL) FROM meta WHERE key = 'max_interval_stretch'), 1))
), wanted AS (
  SELECT *, CASE WHEN state = 'active' AND share > 0 THEN
    max(min_interval_ms / 1000.0,
        min(max_interval_ms / 1000.0 * (SELECT stretch FROM known),
            1 / (share * (SELECT per_second FROM known)))) END AS seconds
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
  strftime('%Y-%m-%dT%H:%M:%fZ',
           CASE WHEN fresh_until > strftime('%s', 'now') * 1000 THEN fresh_until END / 1000.0,
           'unixepoch') AS fresh_until,
  last_status,
  body_bytes,
  round(download_ms, 1) AS download_ms,
  host,
  strftime('%Y-%m-%dT%H:%M:%fZ', added_at / 1000.0, 'unixepoch') AS added_at,
  id
FROM outlook
ORDER BY share DESC, url
;
COMMIT;
