# Sourced by the package tests: a fresh, minimal Debian 12 in $root, thrown away at the end, and
# `expect`, which runs one check and goes on.

((EUID == 0)) || { echo "$0: needs root, to make a chroot" >&2 && exit 77; }
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
failures=0

fresh_debian() {
  echo "-- a fresh Debian 12"
  local mirror
  # The mirror is the one this machine installs from.
  # shellcheck disable=SC2016  # apt-get's own variables
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | awk '$2 == "bookworm" { print $1; exit }')
  debootstrap --variant=minbase bookworm "$root" "${mirror:?no bookworm in the sources of apt}" \
    >"$work/debootstrap.log" 2>&1 || { tail -n 20 "$work/debootstrap.log" >&2 && exit 1; }
  # No services start while packages are installed.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  apt update
}

# In namespaces of its own: what is mounted or left running goes with the command.
inside() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --fork --kill-child sh -c \
    'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"' \
    "$root" "$@"
}

apt() {
  inside apt-get -q -y --no-install-recommends "$@" >"$work/apt.log" 2>&1 ||
    { tail -n 30 "$work/apt.log" && return 1; }
}

# expect WHAT COMMAND...: the command must succeed.
expect() {
  local what=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "ok      $what"
  else
    echo "FAILED  $what"
    sed 's/^/        /' "$work/output"
    failures=$((failures + 1))
  fi
}

absent() { [[ ! -e $1 && ! -L $1 ]]; }

# Boots it; $root/at_boot runs then, writes a line for each check to /result and turns the machine off.
boot_at_boot() {
  cat >"$root/etc/systemd/system/at_boot.service" <<'UNIT'
[Unit]
After=basic.target
[Service]
Type=oneshot
ExecStart=/at_boot
UNIT
  install -d "$root/etc/systemd/system/multi-user.target.wants"
  ln -s ../at_boot.service "$root/etc/systemd/system/multi-user.target.wants/"

  echo "-- booting"
  timeout --kill-after=5 240 systemd-nspawn --directory="$root" --boot --register=no --keep-unit --console=pipe \
    </dev/null >"$work/boot.log" 2>&1 || tail -n 20 "$work/boot.log"
  expect "the boot test came to its end" grep -q "^-- end" "$root/result"
  sed -n '/^-- journal/q; p' "$root/result"
  if grep -q "^FAILED" "$root/result"; then
    sed -n '/^-- journal/,$p' "$root/result"
    failures=$((failures + $(grep -c "^FAILED" "$root/result")))
  fi
}

finish() {
  if ((failures)); then
    echo "-- $failures failed"
    exit 1
  fi
  echo "-- all well"
}
