#!/usr/bin/env bash
# Makes a release of what is checked out, and uses it as others would: lintian, installation on a bare
# Debian of this release, an upgrade that keeps the stored sets, removal that leaves nothing.
#   tests/release/check.sh [--twice]   --twice: makes it again, and compares the bytes
# Skipped, exit code 77, where no bare Debian can be made.
set -euo pipefail
cd "$(dirname "$0")/../.."

deploy/install.sh deploy/packages/release <(printf 'iproute2\nlintian\nmmdebstrap\n')
deploy/release.sh --snapshot
if [ "${1:-}" = --twice ]; then
    cp dist/SHA256SUMS build/SHA256SUMS
    deploy/release.sh --snapshot
    diff build/SHA256SUMS dist/SHA256SUMS
fi
(cd dist && sha256sum --check --quiet SHA256SUMS)
lintian --allow-root --fail-on error dist/*.deb
/usr/bin/python3 - dist/*.spdx.json <<'E2'
import json, sys
told = json.load(open(sys.argv[1]))
names = {package["name"] for package in told["packages"]}
assert told["spdxVersion"] == "SPDX-2.3" and {"gjkd", "libc6", "libuv1"} <= names, names
E2

if [ "$(id -u)" -ne 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
    echo "release: skipped from here on: a bare Debian takes root and namespaces"
    exit 77
fi
codename=$(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release)
sources=/etc/apt/sources.list.d/debian.sources
[ -f "$sources" ] || sources=/etc/apt/sources.list
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
depends=$(dpkg-deb -f dist/gjkd_*.deb Depends | sed 's/([^)]*)//g; s/ *| *[^,]*//g; s/ //g')
mmdebstrap --quiet --variant=apt --include="$depends,curl" "$codename" "$bare" "$sources" >"$bare.log" 2>&1 ||
    { tail -n 20 "$bare.log" && exit 1; }
cp dist/*.deb "$bare/root"
cp tests/release/use.sh "$bare/root"
# Without the network of the machine, and with processes of its own.
# shellcheck disable=SC2016 # $1 is expanded by the inner shell
unshare --net --mount --pid --fork /bin/bash -c \
    'ip link set lo up && mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash /root/use.sh' - "$bare"
