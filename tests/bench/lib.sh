# What the benchmark scripts share. Sourced, not run.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${POLLUX_BUILD:-$source_dir/build/release}
pollux=$build/pollux
work=$(mktemp -d "${TMPDIR:-/tmp}/pollux-bench.XXXXXX")
chmod 755 "$work"  # nginx drops its rights
started=()

# Ends what was started here, by process id, and clears the work folder.
clean_up() {
  for pid in "${started[@]:-}"; do
    if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; fi
  done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT

free_port() {
  local port
  while :; do
    port=$((12000 + RANDOM % 20000))  # below those the kernel gives to clients
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
}

# start_nginx FOLDER [ACCESS_LOG]: serves the folder on 127.0.0.1 to .8, one worker; sets $nginx_port.
start_nginx() {
  nginx_port=$(free_port)
  mkdir -p "$work/nginx"
  cat >"$work/nginx/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events { worker_connections 4096; }
http {
  access_log ${2:-off};
  etag off;
  keepalive_requests 1000000;
  keepalive_timeout 600s;
  open_file_cache max=20000;
  client_body_temp_path $work/nginx; proxy_temp_path $work/nginx; fastcgi_temp_path $work/nginx;
  uwsgi_temp_path $work/nginx; scgi_temp_path $work/nginx;
  server { $(printf "listen 127.0.0.%d:$nginx_port; " 1 2 3 4 5 6 7 8)root $1; if_modified_since off; add_header Last-Modified ""; }
}
CONF
  nginx -p "$work/nginx" -c "$work/nginx/nginx.conf" 2>"$work/nginx/start.log" &
  started+=($!)
  for _ in $(seq 100); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$nginx_port") 2>/dev/null; then return; fi
    sleep 0.05
  done
  cat "$work/nginx/start.log" >&2
  return 1
}

# CPU seconds a process has used so far.
cpu_of() { awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' "/proc/$1/stat"; }
rss_of() { awk '/^VmRSS:/ { print $2 * 1024 }' "/proc/$1/status"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }
verdict() { awk -v a="$1" -v op="$2" -v b="$3" 'BEGIN { ok = (op == ">=" ? a >= b : a <= b); print (ok ? "ok" : "MISSED") }'; }
