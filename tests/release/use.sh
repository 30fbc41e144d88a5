#!/usr/bin/env bash
# Within a bare Debian, beside the packages in /root: installs, uses, upgrades and purges them.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
cd /root
everything() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /root -o -path /tmp -o -path /run \
        -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache \) -prune -o -print | sort
}
everything >/tmp/before
dpkg --install old.deb >/tmp/install
id gjkd >/dev/null

# As the unit starts it, but for systemd: its command, user, environment and files.
unit=$(dpkg -L gjkd | grep 'gjkd\.service$')
of_unit() { sed -n "s/^$1=-\{0,1\}//p" "$unit"; }
install -d -o "$(of_unit User)" -m "$(of_unit StateDirectoryMode)" "/var/lib/$(of_unit StateDirectory)"
start() {
    # shellcheck disable=SC2046 # words of the unit and of its file
    env -i $(of_unit Environment) $(grep -h '^[A-Z]' "$(of_unit EnvironmentFile)") \
        setpriv --reuid "$(of_unit User)" --regid "$(of_unit User)" --clear-groups $(of_unit ExecStart) 2>>/tmp/log &
    pid=$!
    for _ in $(seq 600); do
        gjkd --health-check >/dev/null 2>&1 && return
        sleep 0.1
    done
    cat /tmp/log && exit 1
}
echo "GJKD_IO_THREADS=1" >>"$(of_unit EnvironmentFile)"
start
curl -sf --json '{"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}}' -X PUT 127.0.0.1:8080/v1/sets/kept
dpkg --install gjkd_*.deb libgjk0_*.deb libgjk-dev_*.deb libgjkd-client-dev_*.deb >/tmp/upgrade
grep -q '^GJKD_IO_THREADS=1' "$(of_unit EnvironmentFile)"
kill "$pid" && wait "$pid"
start
curl -sf 127.0.0.1:8080/v1/sets/kept | grep -q '"radius":1'
gjkd --version
test -e /usr/include/gjk/set.h && ldconfig -p | grep -q libgjk.so.0
bash -c 'source /usr/share/bash-completion/completions/gjkd && complete -p gjkd' | grep -q -- --data-dir
# shellcheck disable=SC2046 # words
gcc ask.c $(pkg-config --cflags --libs gjkd_client) -o /tmp/ask
[ "$(/tmp/ask http://127.0.0.1:8080)" = 4.5 ]
kill "$pid" && wait "$pid"

dpkg --purge gjkd libgjk-dev libgjk0 libgjkd-client-dev >/tmp/purge
everything >/tmp/after
diff /tmp/before /tmp/after
echo "release: installed, used, upgraded and purged on Debian $(cat /etc/debian_version)"
