#!/usr/bin/env bash
# Installs a .deb into a fresh, minimal Debian 12 with only its declared dependencies, uses it as an
# administrator would, removes and purges it. Takes some minutes; needs root and debootstrap.
# usage: deb_in_chroot.sh FILE.deb
set -euo pipefail

deb=${1:?usage: $0 FILE.deb}
# shellcheck source-path=SCRIPTDIR source=fresh_debian.bash
source "$(dirname "$0")/fresh_debian.bash"

fresh_debian
cp "$deb" "$root/pollux.deb"
expect "installs with its declared dependencies alone" apt install /pollux.deb
expect "says how to start it" grep -q "systemctl enable --now pollux" "$work/apt.log"
expect "pollux --version" inside pollux --version
expect "the user pollux exists" inside id pollux
expect "the shipped configuration is valid" inside pollux check --config /etc/pollux/pollux.yaml
expect "its database is in the state directory" \
  grep -q "^database: /var/lib/pollux/pollux.db" "$root/etc/pollux/pollux.yaml"
expect "the unit is valid where it is installed" inside systemd-analyze verify /lib/systemd/system/pollux.service
expect "it is not enabled unasked" absent "$root/etc/systemd/system/multi-user.target.wants/pollux.service"
expect "installs again over itself" apt install --reinstall /pollux.deb
expect "that enables nothing either" absent "$root/etc/systemd/system/multi-user.target.wants/pollux.service"
expect "it can be enabled" inside systemctl enable pollux
expect "completions are there" test -s "$root/usr/share/bash-completion/completions/pollux" -a \
  -s "$root/usr/share/zsh/vendor-completions/_pollux" -a -s "$root/usr/share/fish/vendor_completions.d/pollux.fish"
expect "manual pages are there" test -s "$root/usr/share/man/man1/pollux.1" -a -s "$root/usr/share/man/man5/pollux.yaml.5"
expect "dashboard and alert rules are there" test -s "$root/usr/share/pollux/grafana-dashboard.json" -a \
  -s "$root/usr/share/pollux/pollux.rules.yaml"
expect "the licence is there" test -s "$root/usr/share/doc/pollux/copyright"

# As the unit would: same user, umask and paths. The only page is one that is refused unasked, so
# nothing outside is polled.
cat >"$root/etc/pollux/pollux.yaml" <<'YAML'
budget: 1
database: /var/lib/pollux/pollux.db
pages:
  - http://127.0.0.1:2/
YAML
install -d -m 0750 "$root/var/lib/pollux"
inside chown pollux:pollux /var/lib/pollux
expect "runs as its user and stops in time when told to" inside sh -c '
  umask 0027
  timeout --signal=TERM --kill-after=15 --preserve-status 3 \
    setpriv --reuid=pollux --regid=pollux --clear-groups pollux run --config /etc/pollux/pollux.yaml'
# shellcheck disable=SC2016  # expanded inside
expect "the group may read the database, others not" \
  inside sh -c 'test "$(stat -c %a:%U:%G /var/lib/pollux/pollux.db)" = 640:pollux:pollux'
expect "the database can be asked after a stop" inside pollux status --database /var/lib/pollux/pollux.db

expect "installs again over an edited configuration" apt install --reinstall /pollux.deb
expect "the edit survives that" grep -q "127.0.0.1:2" "$root/etc/pollux/pollux.yaml"
expect "an enabled service stays enabled" test -L "$root/etc/systemd/system/multi-user.target.wants/pollux.service"

expect "can be removed" apt remove pollux
expect "a removal keeps the configuration" test -s "$root/etc/pollux/pollux.yaml"
expect "a removal keeps the database" test -s "$root/var/lib/pollux/pollux.db"
expect "can be purged" apt purge pollux
expect "a purge leaves no configuration" absent "$root/etc/pollux"
expect "a purge leaves no data" absent "$root/var/lib/pollux"
expect "a purge leaves no unit" absent "$root/lib/systemd/system/pollux.service"
expect "a purge leaves no link" absent "$root/etc/systemd/system/multi-user.target.wants/pollux.service"

finish
