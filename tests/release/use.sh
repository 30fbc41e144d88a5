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
dpkg --install gjkd_*.deb libgjk0_*.deb libgjk-dev_*.deb >/tmp/install
id gjkd >/dev/null
gjkd --version
test -e /usr/include/gjk/set.h && ldconfig -p | grep -q libgjk.so.0
bash -c 'source /usr/share/bash-completion/completions/gjkd && complete -p gjkd' | grep -q -- --data-dir

# As the unit starts it, but for systemd.
install -d -o gjkd -m 0700 /var/lib/gjkd
start() {
    GJKD_DATA_DIR=/var/lib/gjkd setpriv --reuid gjkd --regid gjkd --clear-groups gjkd 2>>/tmp/log &
    pid=$!
    for _ in $(seq 100); do
        gjkd --health-check >/dev/null 2>&1 && return
        sleep 0.1
    done
    cat /tmp/log && exit 1
}
start
curl -sf --json '{"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}}' -X PUT 127.0.0.1:8080/v1/sets/kept
dpkg --install gjkd_*.deb >/tmp/upgrade
kill "$pid" && wait "$pid"
start
curl -sf 127.0.0.1:8080/v1/sets/kept | grep -q '"radius":1'
kill "$pid" && wait "$pid"

dpkg --purge gjkd libgjk-dev libgjk0 >/tmp/purge
everything >/tmp/after
diff /tmp/before /tmp/after
echo "release: installed, used, upgraded and purged"
