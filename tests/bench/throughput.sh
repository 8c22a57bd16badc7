#!/usr/bin/env bash
# 1. Throughput: the whole daemon, database included, against a bare libcurl loop and against urlwatch,
#    all on the same nginx with 4 KB pages in the same run.
. "$(dirname "$0")/lib.sh"

seconds=${1:-3}
pages=${2:-2000}
mkdir -p "$work/site"
for ((i = 0; i < pages; ++i)); do
  { echo "page $i"; head -c 4000 /dev/zero | tr '\0' 'x'; } >"$work/site/$i"
done
start_nginx "$work/site"
base=http://127.0.0.1:$nginx_port/

bare() { "$build/tests/bench/bench_bare_loop" "$base" "$pages" "$seconds" 128; }

io_cpu_of() { awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' "/proc/$1/task/$1/stat"; }

configuration() {  # NAME LIST [LINE...]: of a daemon that polls as fast as it can
  cat <<YAML
budget: unlimited
database: $work/$1.db
pages_file: $2
defaults: { min_interval: 0s, max_interval: 1d }
hosts: { delay: 0s, connections: 1000, robots: ignore }
network: { allow: [127.0.0.0/8] }
log: { level: warn }
YAML
  printf '%s\n' "${@:3}"
}

daemon() {  # prints: polls per second, CPU milliseconds a poll of the process and of its I/O thread
  configuration throughput urls.txt >"$work/pollux.yaml"
  for ((i = 0; i < pages; ++i)); do echo "$base$i"; done >"$work/urls.txt"
  rm -f "$work"/throughput.db*
  "$pollux" run --config "$work/pollux.yaml" 2>"$work/daemon.log" &
  local pid=$!
  sleep 2
  local before after cpu_before cpu_after io_before io_after t0 t1
  polls_now() { sqlite3 -readonly -cmd ".timeout 5000" "$work/throughput.db" "select coalesce(sum(polls), 0) from page"; }
  before=$(polls_now); cpu_before=$(cpu_of $pid); io_before=$(io_cpu_of $pid); t0=$(date +%s.%N)
  sleep "$seconds"
  after=$(polls_now); cpu_after=$(cpu_of $pid); io_after=$(io_cpu_of $pid); t1=$(date +%s.%N)
  kill "$pid"; wait "$pid" || { cat "$work/daemon.log" >&2; return 1; }
  errors=$(sqlite3 -readonly "$work/throughput.db" "select sum(errors) from page")
  [ "$errors" = 0 ] || { echo "the daemon saw $errors errors" >&2; return 1; }
  awk -v a="$before" -v b="$after" -v s="$t0" -v e="$t1" -v c="$cpu_before" -v d="$cpu_after" \
    -v i="$io_before" -v j="$io_after" \
    'BEGIN { n = b - a; printf "%.0f %.5f %.5f\n", n / (e - s), (d - c) * 1000 / n, (j - i) * 1000 / n }'
}

echo "1. Throughput, $pages pages of 4 KB on one nginx worker"
# Interleaved and often, so that noisy moments hit both; the middle one of the seven ratios counts.
rounds=7
bare_rates=(); daemon_rates=(); daemon_costs=(); ratios=(); cpu_ratios=()
for ((round = 0; round < rounds; ++round)); do
  read -r bare_rate bare_cost < <(bare | awk '{ printf "%.0f %.5f\n", $6, $8 * 1000 / $2 }')
  read -r rate cost io_cost < <(daemon)
  bare_rates+=("$bare_rate"); daemon_rates+=("$rate"); daemon_costs+=("$cost")
  ratios+=("$(ratio "$rate" "$bare_rate")"); cpu_ratios+=("$(ratio "$io_cost" "$bare_cost")")
done
middle() { printf '%s\n' "$@" | sort -g | sed -n $((($# + 1) / 2))p; }
cost=$(middle "${daemon_costs[@]}")
r=$(middle "${ratios[@]}"); c=$(middle "${cpu_ratios[@]}")
echo "   bare libcurl loop   $(middle "${bare_rates[@]}") polls/s   (${bare_rates[*]})"
echo "   pollux, durable     $(middle "${daemon_rates[@]}") polls/s   (${daemon_rates[*]})"
echo "   ratio               $r   (${ratios[*]}; wanted: 0.90 or more) $(verdict "$r" '>=' 0.90)"
echo "   CPU of a poll, I/O thread to bare loop  $c   (${cpu_ratios[*]}; wanted: 0.90 or less) $(verdict "$c" '<=' 0.90)"

# The fetcher alone, CPU microseconds for one request; the bare loop with and without its hashing.
read -r _ loop _ hashing_loop _ fetcher _ two_steps _ to_loop _ to_hashing \
  < <("$build/tests/bench/bench_fetch_cost" "$base" "$pages" "${FETCH_COST_SECONDS:-0.5}" 64 7)
echo "   CPU of one request: bare loop $loop us, with hashing $hashing_loop us; fetcher $fetcher us, sending from on_ready $two_steps us"
echo "   fetcher to bare loop $to_loop, to bare loop with hashing $to_hashing"

if command -v urlwatch >/dev/null && [ "${COMPARE_URLWATCH:-1}" = 1 ]; then
  jobs=$((pages < 500 ? pages : 500))
  for ((i = 0; i < jobs; ++i)); do printf 'url: "%s%d"\n---\n' "$base" "$i"; done | sed '$d' >"$work/jobs.yaml"
  printf 'display: {}\nreport: {}\n' >"$work/urlwatch.yaml"
  run_urlwatch() { urlwatch --urls "$work/jobs.yaml" --config "$work/urlwatch.yaml" --cache "$work/urlwatch.db" --hooks "$work/none.py" >"$work/urlwatch.log" 2>&1 || true; }
  run_urlwatch
  # bash's own clock of child CPU time, around the second run (the first one only fills its cache).
  TIMEFORMAT='%U %S'
  cpu=$({ time run_urlwatch; } 2>&1 | awk '{ print $1 + $2 }')
  urlwatch_per_cpu=$(awk -v n="$jobs" -v c="$cpu" 'BEGIN { printf "%.0f", n / c }')
  pollux_per_cpu=$(awk -v c="$cost" 'BEGIN { printf "%.0f", 1000 / c }')
  r=$(ratio "$pollux_per_cpu" "$urlwatch_per_cpu")
  echo "   pages per CPU second: pollux $pollux_per_cpu, urlwatch $urlwatch_per_cpu; ratio $r (wanted: 60 or more) $(verdict "$r" '>=' 60)"
else
  echo "   urlwatch is not installed: not compared"
fi

# Fetch threads. The pages are divided over eight hosts, because a host stays on one thread. What counts
# is CPU time: on two cores, which nginx wants too, more threads cannot fetch more.
with_threads() {  # THREADS: prints CPU microseconds for one poll: in all, the engine's thread, the fetch threads
  configuration threads hosts.txt "fetch: { threads: $1 }" >"$work/threads.yaml"
  for ((i = 0; i < pages; ++i)); do echo "http://127.0.0.$((i % 8 + 1)):$nginx_port/$i"; done >"$work/hosts.txt"
  rm -f "$work"/threads.db*
  "$pollux" run --config "$work/threads.yaml" 2>"$work/threads.log" &
  local pid=$! before after
  # Polls, then ticks of all threads, of the engine's and of those that fetch.
  figures() {
    sqlite3 -readonly -cmd ".timeout 5000" "$work/threads.db" "select coalesce(sum(polls), 0) from page"
    awk -v pid="$1" '{ used = $14 + $15; all += used }
      $1 == pid { engine = used }
      $2 == "(fetch)" { fetch += used }
      END { print all + 0, engine + 0, fetch + 0 }' /proc/"$1"/task/*/stat
  }
  sleep 2
  before=$(figures $pid); sleep "$seconds"; after=$(figures $pid)
  kill "$pid"; wait "$pid" || { cat "$work/threads.log" >&2; return 1; }
  # shellcheck disable=SC2086
  printf '%s ' $before $after | awk -v hz="$(getconf CLK_TCK)" '{
    polls = $5 - $1
    for (i = 2; i <= 4; ++i) printf "%.2f ", ($(i + 4) - $i) * 1e6 / hz / polls
    print "" }'
}
one_costs=(); two_costs=(); engine_costs=(); fetch_costs=(); cost_ratios=()
for _ in 1 2 3 4 5; do
  read -r one _ _ < <(with_threads 1)
  read -r two engine fetch < <(with_threads 2)
  one_costs+=("$one"); two_costs+=("$two"); engine_costs+=("$engine"); fetch_costs+=("$fetch")
  cost_ratios+=("$(ratio "$two" "$one")")
done
median_of_five() { printf '%s\n' "$@" | sort -g | sed -n 3p; }
r=$(median_of_five "${cost_ratios[@]}")
engine=$(median_of_five "${engine_costs[@]}"); fetch=$(median_of_five "${fetch_costs[@]}")
echo "   CPU of one poll: 1 fetch thread $(median_of_five "${one_costs[@]}") us (${one_costs[*]}), 2 fetch threads $(median_of_five "${two_costs[@]}") us (${two_costs[*]})"
echo "   2 threads to 1       $r   (${cost_ratios[*]}; wanted: 1.10 or less) $(verdict "$r" '<=' 1.10)"
echo "   the engine's thread $engine us of each poll, fetch threads $fetch us: one engine feeds $(ratio "$fetch" "$engine") fetch threads"
