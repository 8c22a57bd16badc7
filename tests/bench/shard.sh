#!/usr/bin/env bash
# What it costs to divide a list: `pollux shard --split 4` against copies of the same two files by `.backup`, and
# the way back. A page has three changes and two versions of 600 bytes, every site some nodes of the learner.
. "$(dirname "$0")/lib.sh"

sizes=("${@:-10000 100000}")

# A database as a daemon leaves it, filled up.
make_source() {
  seq 0 $(($1 - 1)) | awk '{ printf "https://www%d.site%d.example/section-%d/article-%d.html\n", $1 % 2, $1 / 20, $1 % 3, $1 }' \
    >"$work/list.txt"
  cat >"$work/list.yaml" <<YAML
budget: 1/h
database: list.db
pages_file: list.txt
network: { allow: [127.0.0.0/8] }
YAML
  "$pollux" run --config "$work/list.yaml" 2>"$work/run.log" &
  local pid=$!
  started+=("$pid")
  until grep -q watching "$work/run.log"; do kill -0 "$pid" && sleep 0.1; done
  kill "$pid"
  wait "$pid"
  sqlite3 "$work/list.db" "
    BEGIN;
    UPDATE page SET polls = 100, changes = 3, slow_hits = id % 9, slow_hit_time = 500, slow_miss_time = 9000 + id % 777,
      fast_hits = id % 3, fast_hit_time = 50, fast_miss_time = 500, content_hash = printf('%064x', id), share = 1.0 / $1;
    INSERT INTO change (page_id, found_at, previous_poll_at, old_hash, new_hash, body_bytes, status, summary)
      SELECT id, 1790000000000 + 1000 * n + id, 1790000000000, printf('%064x', id), printf('%064x', id + n), 4000, 200,
        'a sentence about what is new in it' FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3), page ORDER BY n, id;
    INSERT INTO learner_node SELECT 'htraa', min(url), 'https://' || substr(host, 1, instr(host, ':') - 1) || '/', count(*),
      0.1, 1.01, 0.2, 3, 1 FROM page GROUP BY host;
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE);" >"$work/sqlite.log"
  sqlite3 "$work/list.db-content" "
    ATTACH '$work/list.db' AS list;
    BEGIN;
    CREATE TABLE IF NOT EXISTS url (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE IF NOT EXISTS version (url_id INTEGER NOT NULL REFERENCES url (id), number INTEGER NOT NULL,
      seen_at INTEGER NOT NULL, replaced_at INTEGER, hash TEXT NOT NULL, kind TEXT NOT NULL, bytes INTEGER NOT NULL,
      full INTEGER NOT NULL CHECK (full IN (0, 1)), data BLOB NOT NULL, UNIQUE (url_id, number)) STRICT;
    CREATE INDEX IF NOT EXISTS version_by_replaced_at ON version (replaced_at) WHERE replaced_at IS NOT NULL;
    PRAGMA application_id = $((0x506f6c63));
    PRAGMA user_version = 1;
    INSERT INTO url SELECT id, url FROM list.page;
    INSERT INTO version SELECT id, n, n, CASE n WHEN 1 THEN 2 END, 'hash', 'text', 1200, 1, randomblob(600)
      FROM list.page, (SELECT 1 AS n UNION SELECT 2);
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE);" >>"$work/sqlite.log"
}

# measure COMMAND...: CPU seconds, seconds, and the most memory in MB.
measure() {
  local begin pid peak=0 now
  begin=$(date +%s.%N)
  "$@" >"$work/measured.log" 2>&1 &
  pid=$!
  while now=$(awk '/^VmHWM:/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
    peak=$now
    cpu=$(cpu_of "$pid" 2>/dev/null || echo "$cpu")
    sleep 0.02
  done
  wait "$pid" || { cat "$work/measured.log" >&2; return 1; }
  now=$(date +%s.%N)
  echo "$cpu $(awk -v a="$begin" -v b="$now" -v m="$peak" 'BEGIN { printf "%.2f %.0f", b - a, m / 1024 }')"
}
cpu=0

echo "Dividing a list (wanted: CPU in proportion to the pages)"
printf '   %8s %8s | %9s | %9s %8s %7s | %9s %8s %7s\n' pages MB 'copy, CPU' 'split' 'x copy' 'MB' 'merge' 'x copy' 'MB'
for size in ${sizes[*]}; do
  rm -rf "$work"/list.* "$work"/copy* "$work"/brains "$work"/back*
  make_source "$size"
  bytes=$(($(stat -c %s "$work/list.db") + $(stat -c %s "$work/list.db-content")))
  cat >"$work/copy.sh" <<COPY
exec sqlite3 "$work/list.db" ".backup '$work/copy.db'" "ATTACH '$work/list.db-content' AS content" "VACUUM content INTO '$work/copy.db-content'"
COPY
  read -r copy _ _ < <(measure bash "$work/copy.sh")
  read -r split _ split_mb < <(measure "$pollux" shard --split 4 --config "$work/list.yaml" --out "$work/brains")
  read -r merge _ merge_mb < <(measure "$pollux" shard --merge "$work/brains" --out "$work/back.db")
  printf '   %8s %8.0f | %9s | %9s %8s %7s | %9s %8s %7s' "$size" "$(ratio "$bytes" 1048576)" "$copy" "$split" \
    "$(ratio "$split" "$copy")" "$split_mb" "$merge" "$(ratio "$merge" "$copy")" "$merge_mb"
  if [ -n "${split_before:-}" ]; then
    grown=$(awk -v a="$split" -v b="$split_before" -v m="$size" -v n="$size_before" 'BEGIN { printf "%.2f", a / b / (m / n) }')
    printf '   per page x %s (wanted: 1.3) %s' "$grown" "$(verdict "$grown" '<=' 1.3)"
  fi
  echo
  split_before=$split
  size_before=$size
done
