#!/usr/bin/env bash
# Boots a fresh Debian 12 in systemd-nspawn with a .deb installed and treats the service as an
# administrator would: start, reload, read the database, crash, hang, stop. Takes some minutes;
# needs root, debootstrap and systemd-container.
# usage: service_booted.sh FILE.deb
set -euo pipefail

deb=${1:?usage: $0 FILE.deb}
# shellcheck source-path=SCRIPTDIR source=fresh_debian.bash
source "$(dirname "$0")/fresh_debian.bash"

fresh_debian
cp "$deb" "$root/pollux.deb"
expect "installs" apt install systemd-sysv dbus sqlite3 /pollux.deb
rm "$root/usr/sbin/policy-rc.d"
inside useradd --groups pollux reader
inside useradd stranger

# The only page is one that is refused unasked, so nothing outside is polled.
cat >"$root/etc/pollux/pollux.yaml" <<'YAML'
budget: 1
database: /var/lib/pollux/pollux.db
pages:
  - http://127.0.0.1:2/
YAML
# A minute is too long to wait for the watchdog here, and so is the pause before a restart.
install -d "$root/etc/systemd/system/pollux.service.d"
printf '[Service]\nWatchdogSec=5\nRestartSec=1\n' >"$root/etc/systemd/system/pollux.service.d/test.conf"

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
show() { systemctl show --value -p "$1" pollux; }
as() { setpriv --reuid="$1" --regid="$1" --init-groups "${@:2}"; }
tables() { as "$1" sqlite3 -readonly /var/lib/pollux/pollux.db 'select count(*) from sqlite_schema'; }
active_again() { # waits until the service has been restarted $1 times and is ready
  for _ in $(seq 100); do
    [[ $(show NRestarts) == "$1" && $(show ActiveState) == active ]] && return 0
    sleep 0.2
  done
  systemctl --no-pager status pollux
  return 1
}
check "enable --now waits until it is ready" 'systemctl enable --now pollux && [[ $(show ActiveState) == active ]]'
check "it says what it is doing" '[[ -n $(show StatusText) ]]'
check "it runs as pollux, without a capability" \
  'grep -q "^CapBnd:.0*$" /proc/$(show MainPID)/status && [[ $(stat -c %U /proc/$(show MainPID)) == pollux ]]'
check "a reload keeps the process" 'pid=$(show MainPID); systemctl reload pollux && [[ $(show MainPID) == "$pid" ]]'
check "a member of the group reads the database while it runs" 'tables reader'
check "a stranger does not" '! tables stranger'
kill -KILL "$(show MainPID)"
check "it comes back after a crash" 'active_again 1'
kill -STOP "$(show MainPID)"
check "it comes back after a hang" 'active_again 2'
check "it stops in time, with success" 'systemctl stop pollux && [[ $(show Result) == success ]]'
check "a member of the group reads the database while it is stopped" 'tables reader'
echo "budget: [" >/etc/pollux/pollux.yaml
systemctl start pollux
sleep 2
check "a broken configuration fails once and is not tried again" \
  '[[ $(show ActiveState) == failed && $(show NRestarts) == 0 ]] || { systemctl --no-pager status pollux; false; }'
check "a removal stops and forgets it" 'apt-get -qy remove pollux && ! systemctl is-active pollux'
echo "-- journal"
journalctl --no-pager -b -u pollux -o cat | tail -n 60
echo "-- end"
sync
systemctl poweroff
SH
chmod 755 "$root/at_boot"
boot_at_boot
finish
