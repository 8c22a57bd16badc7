#!/usr/bin/env bash
# Reloads of a large list: how long the event loop stands still while a tenth and half of the pages go,
# come back, and get other limits, and how many polls are made meanwhile.
. "$(dirname "$0")/lib.sh"

size=${1:-300000}
mkdir -p "$work/site"
echo page >"$work/site/index.html"
start_nginx "$work/site" "$work/access.log"
base=http://127.0.0.1:$nginx_port

# configure PAGES MAX_INTERVAL IMPORTANCE
configure() {
  seq -f "$base/section/article-%.0f.html" 1 "$1" >"$work/list.txt"
  cat >"$work/pollux.yaml" <<YAML
budget: 200
database: $work/pollux.db
pages_file: list.txt
network: { allow: [127.0.0.0/8] }
hosts: { delay: 0s, connections: 64, robots: ignore }
defaults: { max_interval: $2, importance: $3 }
YAML
}
reloads() { grep -c 'reloaded:' "$work/log" || true; }
field() { "$pollux" status --database "$work/pollux.db" --json | sed -n "s/.*\"$1\": *\([0-9.e+]*\).*/\1/p"; }

configure "$size" 1d 1
"$pollux" run --config "$work/pollux.yaml" 2>"$work/log" &
pid=$!
started+=("$pid")
until grep -q watching "$work/log"; do
  kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done
sleep 6
echo "Reloads of $size pages at 200 polls/s"
printf '   %-28s %10s %16s %22s\n' '' 'took, s' 'polls meanwhile' 'longest stall so far, ms'
for step in "a tenth of the pages gone:$((size * 9 / 10)):1d:1" "half of them gone:$((size / 2)):1d:1" \
  "all back again:$size:1d:1" "another max_interval:$size:2d:1" "another importance:$size:2d:2"; do
  IFS=: read -r name pages interval importance <<<"$step"
  configure "$pages" "$interval" "$importance"
  done_before=$(reloads) polls_before=$(wc -l <"$work/access.log") begin=$(date +%s.%N)
  kill -HUP "$pid"
  until [ "$(reloads)" -gt "$done_before" ]; do sleep 0.05; done
  took=$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
  polls=$(($(wc -l <"$work/access.log") - polls_before))
  sleep 6  # figures are saved every five seconds
  printf '   %-28s %10s %16s %22s\n' "$name" "$took" "$polls" "$(field loop_stall_longest_ms)"
done
p999=$(field loop_stall_p999_ms)
echo "   the event loop stood still: p99.9 $p999 ms (wanted: 50 or less) $(verdict "$p999" '<=' 50)"
