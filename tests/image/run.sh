#!/usr/bin/env bash
# Is the image what the Dockerfile promises? Builds it for real, without an engine
# or a registry (buildah, on a Debian base made here), and starts what is in it.
# Skipped, exit code 77, where that cannot be.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() {
    echo "image: skipped, $1"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip "it takes root to build and mount an image"
unshare --net --mount true 2>/dev/null || skip "namespaces cannot be made here"
deploy/install.sh deploy/packages/image || skip "buildah or mmdebstrap cannot be installed"

work=$(mktemp -d "${TMPDIR:-/tmp}/gjkd-image.XXXXXX")
buildah_here() {
    buildah --root "$work/root" --runroot "$work/run" --storage-driver "$driver" "$@"
}
clean_up() {
    buildah_here umount --all >/dev/null 2>&1 || true
    buildah_here rm --all >/dev/null 2>&1 || true
    if mountpoint -q "$work/root/overlay"; then umount "$work/root/overlay"; fi
    rm -rf "$work"
}
driver=overlay
trap clean_up EXIT
# A folder that lies on an overlay itself takes no other overlay.
[ "$(stat -f -c %T "$work")" != overlayfs ] || driver=vfs

# The base, kept for the next run: Debian's smallest set of packages.
tag=$(sed -n 's/^ARG DEBIAN=//p' Dockerfile)
suite=${tag%-slim}
base=build/image/$suite.tar
if [ ! -s "$base" ]; then
    echo "image: making the base"
    mkdir -p build/image
    # The same archives as this machine's, which may be of another release.
    sources=/etc/apt/sources.list.d/debian.sources
    [ -f "$sources" ] || sources=/etc/apt/sources.list
    codename=$(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release)
    sed "s/\b$codename\b/$suite/g" "$sources" >"$work/${sources##*/}"
    mmdebstrap --quiet --variant=minbase "$suite" "${base%.tar}.part.tar" "$work/${sources##*/}" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log" && exit 1; }
    mv "${base%.tar}.part.tar" "$base"
fi
container=$(buildah_here from scratch)
buildah_here add --quiet "$container" "$base" / >/dev/null
buildah_here commit --quiet "$container" "docker.io/library/debian:$tag" >/dev/null
buildah_here rm "$container" >/dev/null

echo "image: building"
# --format docker keeps the HEALTHCHECK.
buildah_here bud --isolation=chroot --format docker --pull-never -t gjkd:test \
    --build-arg VERSION="$(deploy/version.sh)" . >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log" && exit 1; }

buildah_here inspect --type image gjkd:test >"$work/inspect.json"
container=$(buildah_here from --pull-never gjkd:test)
mount=$(buildah_here mount "$container")
echo "image: $(du -sh "$mount" | cut -f1) in all"

# In a network of its own, 0.0.0.0:8080 is free and nobody else's.
unshare --net --mount tests/image/check.sh "$mount" "$work/inspect.json"
