#!/usr/bin/env bash
# 3. A large list: memory per page above a daemon with one page, and the time from start to first poll
#    when the list is in the database already (best of five; the database's quick check is part of it).
#    How both grow with the list is part of the table.
. "$(dirname "$0")/lib.sh"

sizes=("${@:-10000 100000 1000000}")
mkdir -p "$work/site"
start_nginx "$work/site" "$work/access.log"  # only one page exists: the cost of the list matters, not the answers
echo page >"$work/site/index.html"
base=http://127.0.0.1:$nginx_port

exec {silence}<> <(:)  # nothing ever comes from here: a pause of the shell's own

# measure NAME: starts the daemon on $work/NAME.txt; prints resident bytes and seconds to the first request.
measure() {
  cat >"$work/$1.yaml" <<YAML
budget: 20
database: $work/$1.db
pages_file: $1.txt
network: { allow: [127.0.0.0/8] }
hosts: { delay: 0s, connections: 64, robots: ignore }  # the first request is to be a page's
log: { level: error }
YAML
  local begin pid now
  : >"$work/access.log"
  begin=$(date +%s.%N)
  "$pollux" run --config "$work/$1.yaml" 2>"$work/$1.log" &
  pid=$!
  started+=("$pid")
  # Without a new process for every look: those would take a quarter of a core from what is measured.
  until [ -s "$work/access.log" ]; do
    kill -0 "$pid" 2>/dev/null || { cat "$work/$1.log" >&2; return 1; }
    read -r -t 0.02 -u "$silence" || true
  done
  now=$(date +%s.%N)
  sleep 3
  echo "$(rss_of "$pid") $(awk -v a="$begin" -v b="$now" 'BEGIN { printf "%.2f", b - a }')"
  kill "$pid"
  wait "$pid"
}

echo "3. A large list (every URL on one host, budget 20/s)"
echo "$base/index.html" >"$work/one.txt"
read -r empty _ < <(measure one)
printf '   %10s %16s %18s %18s\n' pages 'bytes per page' 'first start, s' 'restart, s'
for size in ${sizes[*]}; do
  seq -f "$base/section/article-%.0f.html" 1 "$size" >"$work/list.txt"
  rm -f "$work"/list.db*
  read -r _ first < <(measure list)
  read -r rss again < <(measure list)
  for _ in 2 3 4 5; do  # the best of five: others use this machine, too
    read -r _ next < <(measure list)
    again=$(awk -v a="$again" -v b="$next" 'BEGIN { print a < b ? a : b }')
  done
  per_page=$(awk -v r="$rss" -v e="$empty" -v n="$size" 'BEGIN { printf "%.0f", (r - e) / n }')
  printf '   %10s %16s %18s %18s' "$size" "$per_page" "$first" "$again"
  if [ "$size" -ge 1000000 ]; then
    printf '   (wanted: 700 bytes, 4 s) %s %s' "$(verdict "$per_page" '<=' 700)" "$(verdict "$again" '<=' 4)"
  fi
  echo
done
