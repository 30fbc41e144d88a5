#!/usr/bin/env bash
# Makes a release of what is checked out, and uses it as others would: lintian, installation on a bare
# Debian of this release, an upgrade that keeps the stored sets, removal that leaves nothing.
#   tests/release/check.sh [--full]   --full: makes it again and compares the bytes, images included; starts
#                                     the images; does the same with packages made on Debian 13
# Skipped, exit code 77, where no bare Debian can be made.
set -euo pipefail
cd "$(dirname "$0")/../.."

deploy/install.sh deploy/packages/build deploy/packages/deb deploy/packages/release <(printf 'iproute2\nlintian\nmmdebstrap\n')
images=()
if [ "${1:-}" = --full ]; then images=(amd64 arm64); fi
deploy/release.sh --snapshot "${images[@]}"
if [ "${1:-}" = --full ]; then
    cp dist/SHA256SUMS build/SHA256SUMS
    deploy/release.sh --snapshot "${images[@]}"
    diff build/SHA256SUMS dist/SHA256SUMS
fi
(cd dist && sha256sum --check --quiet SHA256SUMS)
lintian --allow-root --fail-on error dist/*.deb
/usr/bin/python3 - dist/*.spdx.json <<'E2'
import json, sys
told = json.load(open(sys.argv[1]))
names = {package["name"].removesuffix("t64") for package in told["packages"]} # as Debian 13 calls some
assert told["spdxVersion"] == "SPDX-2.3" and {"gjkd", "libc6", "libuv1"} <= names, names
E2

if [ "$(id -u)" -ne 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
    echo "release: skipped from here on: a bare Debian takes root and namespaces"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# in_bare FOLDER COMMAND...: with processes of its own and without the network of the machine.
in_bare() {
    # shellcheck disable=SC2016 # $1 is expanded by the inner shell
    unshare --net --mount --pid --fork /bin/bash -c \
        'ip link set lo up && mount -t proc proc "$1/proc" && exec chroot "$@"' - "$@"
}

# try_packages SUITE FOLDER: installs its packages on a bare Debian, over what calls itself 0.1.
try_packages() {
    local bare=$work/$1 needs
    needs=$(for package in "$2"/*.deb; do dpkg-deb -f "$package" Depends; done | tr , '\n' |
        sed 's/([^)]*)//g; s/|.*//; s/ //g; /^$/d; /^gjkd$/d; /^libgjk0$/d' | sort -u | paste -sd ,)
    deploy/bare.sh "$1" "$bare" "$needs,curl,gcc,libc6-dev,pkg-config"
    cp "$2"/*.deb tests/release/use.sh tests/clients/c/installed/ask.c "$bare/root"
    dpkg-deb -R "$2"/gjkd_*.deb "$work/old"
    sed -i 's/^Version: .*/Version: 0.1.0/' "$work/old/DEBIAN/control"
    dpkg-deb -b "$work/old" "$bare/root/old.deb" >"$work/log"
    rm -r "$work/old"
    in_bare "$bare" /bin/bash /root/use.sh
    rm -r "$bare"
}

suite=$(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release)
try_packages "$suite" dist
if [ "${1:-}" = --full ]; then
    deploy/bare.sh trixie "$work/build" "$(sed '/^#/d' deploy/packages/{build,deb} | paste -sd ,)"
    tar -xzf dist/gjkd-*.tar.gz -C "$work/build/root"
    in_bare "$work/build" /bin/bash -c 'cd /root && mkdir out && SOURCE_DATE_EPOCH=0 gjkd-*/deploy/deb.sh /root/gjkd-* out'
    try_packages trixie "$work/build/root/out"
    tests/release/images.sh dist
fi
