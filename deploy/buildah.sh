# shellcheck shell=bash
# Sourced: buildah with a store of its own in $work, and the Dockerfile's base, without an engine or a registry.
work=$(mktemp -d "${TMPDIR:-/tmp}/gjkd-image.XXXXXX")
driver=overlay
# A folder that lies on an overlay itself takes no other overlay.
[ "$(stat -f -c %T "$work")" != overlayfs ] || driver=vfs
buildah_here() {
    buildah --root "$work/root" --runroot "$work/run" --storage-driver "$driver" "$@"
}
clean_up() {
    buildah_here umount --all >/dev/null 2>&1 || true
    buildah_here rm --all >/dev/null 2>&1 || true
    if mountpoint -q "$work/root/overlay"; then umount "$work/root/overlay"; fi
    rm -rf "$work"
}
trap clean_up EXIT

# Why no image can be built here; empty: one can.
no_image() {
    if [ "$(id -u)" -ne 0 ]; then echo "it takes root to build and mount an image"
    elif ! unshare --net --mount true 2>/dev/null; then echo "namespaces cannot be made here"
    elif ! deploy/install.sh deploy/packages/image; then echo "buildah or mmdebstrap cannot be installed"; fi
}

# The base, Debian's smallest set of packages, kept for the next run in build/image.
make_base() {
    local tag suite base container
    tag=$(sed -n 's/^ARG DEBIAN=//p' Dockerfile)
    suite=${tag%-slim}
    base=build/image/$suite.tar
    if [ ! -s "$base" ]; then
        echo "image: making the base" >&2
        mkdir -p build/image
        deploy/bare.sh "$suite" "${base%.tar}.part.tar"
        mv "${base%.tar}.part.tar" "$base"
    fi
    container=$(buildah_here from scratch)
    buildah_here add --quiet "$container" "$base" / >/dev/null
    buildah_here commit --quiet "$container" "docker.io/library/debian:$tag" >/dev/null
    buildah_here rm "$container" >/dev/null
}
