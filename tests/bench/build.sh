#!/usr/bin/env bash
# How long a first build takes, without ccache: what `./dev run` builds, then all tests.
#   tests/bench/build.sh [REVISION]
# With a revision the same of that one, and the ratio. Everything happens in folders thrown away at the end.
#
# On a machine with other work the CPU seconds count, not the wall time; the load average stands beside them.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CCACHE_DISABLE=1
work=$(mktemp -d "${TMPDIR:-/tmp}/pollux-build.XXXXXX")
before=$work/before
clean_up() {
  git worktree remove --force "$before" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean_up EXIT
jobs=$(nproc)

# timed FOLDER TARGET...: sets $wall, $cpu and $steps.
timed() {
  local folder=$1 began cpu_before
  shift
  began=$(date +%s.%N)
  cpu_before=$(children_cpu)
  if ! ninja -C "$folder" -j "$jobs" "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
  fi
  cpu=$(awk -v a="$cpu_before" -v b="$(children_cpu)" 'BEGIN { printf "%.0f", b - a }')
  wall=$(awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN { printf "%.0f", b - a }')
  steps=$(grep -cE '^\[[0-9]+/[0-9]+\]' "$work/log" || true)
}

# CPU seconds of all that this script has waited for.
children_cpu() { awk -v hz="$(getconf CLK_TCK)" '{ print ($16 + $17) / hz }' "/proc/$$/stat"; }

# Every executable of a test; revisions before the target `tests` have only their names.
test_targets() {
  if ninja -C "$1" -t query tests >/dev/null 2>&1; then
    echo tests
  else
    ninja -C "$1" -t targets all | sed -nE 's/^((unit_[a-z_]+|integration|cli_tests)): phony$/\1/p' | sort -u
  fi
}

# measure NAME SOURCE: two lines of the table; sets cpu_of[NAME what] and wall_of[NAME what].
declare -A cpu_of wall_of
measure() {
  local name=$1 source=$2 folder=$work/build-$1 targets
  cmake -S "$source" -B "$folder" -G Ninja -DPOLLUX_DEV=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1" >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
  timed "$folder" pollux
  row "$name" pollux
  mapfile -t targets < <(test_targets "$folder")
  timed "$folder" "${targets[@]}"
  # The tests need the program, too.
  wall=$((wall + ${wall_of[$name pollux]})) cpu=$((cpu + ${cpu_of[$name pollux]}))
  row "$name" tests
  rm -rf "$folder"
}

row() {
  wall_of[$1 $2]=$wall
  cpu_of[$1 $2]=$cpu
  printf '   %-10s %-8s %6s s wall %6s s CPU %5s steps   load %s\n' "$1" "$2" "$wall" "$cpu" "$steps" \
    "$(cut -d' ' -f1 /proc/loadavg)"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }
verdict() { if (($1 <= $2)); then echo ok; else echo MISSED; fi; }

echo "A first build on $jobs cores, without ccache: the program, then the program and all tests"
if (($#)); then
  git worktree add --detach "$before" "$1" >/dev/null 2>&1 || { echo "build.sh: there is no revision '$1'" >&2 && exit 64; }
  measure "$1" "$before"
fi
measure now "$PWD"
if (($#)); then
  for what in pollux tests; do
    printf '   now ÷ %s, %s: %s of the CPU seconds, %s of the wall time\n' "$1" "$what" \
      "$(ratio "${cpu_of[now $what]}" "${cpu_of[$1 $what]}")" "$(ratio "${wall_of[now $what]}" "${wall_of[$1 $what]}")"
  done
fi
echo "   wanted on 2 idle cores: pollux in 150 s $(verdict "${wall_of[now pollux]}" 150), tests in 360 s $(verdict "${wall_of[now tests]}" 360)"
