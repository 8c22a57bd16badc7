-- The pages that get most of the budget, and why
SELECT url, share_percent, polled_every, change_rate_per_day, importance FROM page_report ORDER BY share_percent DESC LIMIT 10;
-- What changed last
SELECT found_at, url, summary FROM change_report LIMIT 10;
-- Pages whose answers are not believed as they are, and why
SELECT url, health, health_reason FROM page WHERE health NOT IN ('ok', 'masked') AND state = 'active' LIMIT 20;
-- Pages that fail, the longest streak first
SELECT url, error_streak, last_error, last_status FROM page WHERE error_streak > 0 AND state = 'active' ORDER BY error_streak DESC LIMIT 20;
-- Was the budget used? The last hour, minute by minute
SELECT minute, used, requests, allowed, changes, errors FROM budget_report LIMIT 60;
-- Which polls paid: changes found per hundred polls
SELECT url, polls, changes, round(100.0 * changes / polls, 1) AS changes_per_100_polls FROM page WHERE polls > 0 ORDER BY changes_per_100_polls DESC LIMIT 10;
-- Changes per day over the last month
SELECT date(found_at / 1000, 'unixepoch') AS day, count(*) AS changes, count(DISTINCT page_id) AS pages FROM change GROUP BY day ORDER BY day DESC LIMIT 30;
-- Hosts by what they cost and what they gave
SELECT host, count(*) AS pages, sum(polls) AS polls, sum(changes) AS changes, sum(errors) AS errors FROM page WHERE state = 'active' GROUP BY host ORDER BY polls DESC LIMIT 10;
-- The history of one page (put its URL here)
SELECT found_at, at_most_old, body_bytes, status, new_hash_start FROM change_report WHERE url = 'https://example.org/news' LIMIT 20;
-- How late were we? The time in which each change of the last week must have happened
SELECT count(*) AS changes, round(avg(found_at - previous_poll_at) / 2000.0, 1) AS mean_delay_seconds, max(found_at - previous_poll_at) / 1000.0 AS worst_case_seconds FROM change WHERE found_at > (strftime('%s', 'now') - 7 * 86400) * 1000;
-- Pages that have never changed, the most polled first
SELECT url, polls, polled_every, added_at FROM page_report WHERE changes = 0 AND state = 'active' ORDER BY polls DESC LIMIT 20;
