#!/usr/bin/env bash
# Boots a fresh Debian 12 in systemd-nspawn with a .deb and a browser installed, and sees pages rendered under
# systemd's sandbox: by an agent (pollux-agent.service with render.conf) and by the daemon's own browser
# (pollux.service with render.conf). Takes some minutes; needs root, debootstrap and systemd-container.
# usage: renderer_booted.sh FILE.deb
set -euo pipefail

deb=${1:?usage: $0 FILE.deb}
# shellcheck source-path=SCRIPTDIR source=fresh_debian.bash
source "$(dirname "$0")/fresh_debian.bash"

fresh_debian
cp "$deb" "$root/pollux.deb"
expect "installs, with a browser and a NATS server" \
  apt install systemd-sysv dbus sqlite3 nats-server python3 chromium-headless-shell /pollux.deb
rm "$root/usr/sbin/policy-rc.d"

# A page of which the server sends a shell that never changes.
install -d "$root/srv/site"
cat >"$root/srv/site/index.html" <<'HTML'
<!DOCTYPE html><title>A shop</title><p id=p></p>
<script>fetch('/price.txt').then(r => r.text()).then(t => { p.textContent = 'the price is ' + t })</script>
HTML
echo 120 >"$root/srv/site/price.txt"
cat >"$root/srv/serve.py" <<'PY'
import http.server, os
os.chdir('/srv/site')
http.server.ThreadingHTTPServer(('127.0.0.1', 8080), http.server.SimpleHTTPRequestHandler).serve_forever()
PY

cat >"$root/etc/pollux/agent.yaml" <<'YAML'
agent: { name: here }
nats: { servers: ["nats://127.0.0.1:4222"] }
network: { allow: [127.0.0.1], allow_ports: [8080] }
hosts: { delay: 0s }
render: { chromium: true }
YAML
brain() { # FILE SECTIONS
  cat >"$1" <<YAML
budget: 10
database: /var/lib/pollux/pollux.db
network: { allow: [127.0.0.1], allow_ports: [8080] }
hosts: { delay: 0s, robots: ignore }
defaults: { min_interval: 0s, max_interval: 2s, timeout: 30s }
$2
pages:
  - { url: "http://127.0.0.1:8080/", content: { render: true } }
YAML
}
brain "$root/etc/pollux/pollux.yaml" 'nats: { servers: ["nats://127.0.0.1:4222"] }
access_points: [{ name: here, agent: here }]'
brain "$root/etc/pollux/own.yaml" 'render: { chromium: true }'
for unit in pollux pollux-agent; do
  install -D -m 644 "$root/usr/share/pollux/render.conf" "$root/etc/systemd/system/$unit.service.d/render.conf"
done

# Runs at boot, writes one line per check to /result, and turns the machine off.
cat >"$root/at_boot" <<'SH'
#!/bin/bash
exec >/result 2>&1
check() {
  local what=$1
  shift
  if output=$(eval "$*" 2>&1); then echo "ok      $what"; else
    echo "FAILED  $what"
    sed 's/^/        /' <<<"$output"
  fi
}
show() { systemctl show --value -p "$2" "$1"; }
question() { sqlite3 -readonly -cmd '.timeout 5000' /var/lib/pollux/pollux.db "$1"; }
eventually() { # until the command succeeds
  for _ in $(seq 300); do
    "$@" && return 0
    sleep 0.2
  done
  pollux explain --database /var/lib/pollux/pollux.db http://127.0.0.1:8080/
  journalctl --no-pager -b -u pollux -u pollux-agent -o cat | tail -n 30
  return 1
}
polled() { (($(question 'select polls from page' || echo 0) > $1)); }
changed() { (($(question 'select count(*) from change' || echo 0) > $1)); }
fine() { [[ -z $(question "select coalesce(last_error, '') from page") ]]; }
browser_runs_as_pollux() {
  local pid pids
  pids=$(pgrep chromium-headle) || return 1
  for pid in $pids; do
    [[ $(stat -c %U "/proc/$pid") == pollux ]] || { ps -ef && return 1; }
    grep -q "^NoNewPrivs:.1$" "/proc/$pid/status" || return 1
  done
}
systemctl start nats-server
python3 /srv/serve.py >/dev/null 2>&1 &
check "an agent with a browser starts" 'systemctl start pollux-agent && [[ $(show pollux-agent ActiveState) == active ]]'
check "its brain starts" 'systemctl start pollux && [[ $(show pollux ActiveState) == active ]]'
check "a page is rendered by the agent" 'eventually polled 1 && fine'
check "its change is found" 'echo 90 >/srv/site/price.txt; eventually changed 0 && fine'
check "what changed are the words that scripts made" 'question "select summary from change" | grep "120 → 90"'
check "its browser runs as pollux and gets no privileges" 'browser_runs_as_pollux'
check "the agent stops in time, with its browser" \
  'systemctl stop pollux-agent && [[ $(show pollux-agent Result) == success ]] && ! pgrep chromium-headle'
systemctl stop pollux
mv /etc/pollux/own.yaml /etc/pollux/pollux.yaml
before=$(question 'select polls from page')
check "the daemon starts with a browser of its own" 'systemctl start pollux && [[ $(show pollux ActiveState) == active ]]'
check "a page is rendered by it" 'eventually polled $((before + 1)) && fine'
check "its change is found, too" 'echo 80 >/srv/site/price.txt; eventually changed 1 && fine'
check "its browser runs as pollux, too" 'browser_runs_as_pollux'
check "it stops in time, with success" 'systemctl stop pollux && [[ $(show pollux Result) == success ]]'
check "no stop was an error of the page" '[[ $(question "select errors from page") == 0 ]]'
rm /etc/systemd/system/pollux.service.d/render.conf
systemctl daemon-reload
systemctl start pollux
check "without render.conf each rendered page says that the browser does not start" \
  'eventually eval "[[ \$(question \"select coalesce(last_error, 0) from page\") == *browser* ]]"'
systemctl stop pollux
echo "-- journal"
journalctl --no-pager -b -u pollux -u pollux-agent -o cat | tail -n 60
echo "-- end"
sync
systemctl poweroff
SH
chmod 755 "$root/at_boot"
boot_at_boot
finish
