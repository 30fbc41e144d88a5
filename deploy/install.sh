#!/usr/bin/env bash
# Installs the Debian packages that the given lists name and that are missing.
# Calls apt-get only when something is missing.
#   deploy/install.sh LIST...     lists: deploy/packages/*
# CROSS=arm64 has the compiler and the libraries for another architecture in their places.
set -euo pipefail

for_cross() {
    if [ -z "${CROSS:-}" ]; then cat; else
        sed "s/^\(lib.*\|zlib1g\)-dev\$/&:$CROSS/; s/^gcc\$/gcc-aarch64-linux-gnu/"
    fi
}
if [ -n "${CROSS:-}" ]; then dpkg --add-architecture "$CROSS"; fi

missing=()
while read -r package; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$@" | for_cross)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    printf 'missing packages; as root: apt-get install --no-install-recommends %s\n' \
        "${missing[*]}" >&2
    exit 1
fi

printf 'installing: %s\n' "${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
# Waits for another apt, such as the unattended upgrades of a fresh machine.
wait_for_lock=(-o DPkg::Lock::Timeout=300)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    apt-get "${wait_for_lock[@]}" install -qq -y --no-install-recommends "${missing[@]}" </dev/null >"$log" 2>&1
}
# Without package lists, or with old ones, the first try fails.
install || { apt-get "${wait_for_lock[@]}" update -qq </dev/null >&2 && install; } || {
    cat "$log" >&2
    exit 1
}
