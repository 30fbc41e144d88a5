#!/usr/bin/env bash
# Makes the Dockerfile's image of the files in a folder as an OCI archive, without an engine. The same files, time and
# packages of Debian make the same bytes.
#   SOURCE_DATE_EPOCH=SECONDS deploy/image.sh FOLDER ARCH FILE     ARCH: amd64 or arm64
set -euo pipefail
cd "$(dirname "$0")/.."
from=$1 arch=$2 file=$3
source deploy/buildah.sh
why=$(no_image)
[ -z "$why" ] || { echo "no image: $why" >&2 && exit 77; }
make_base
cross=$arch
if [ "$(dpkg --print-architecture)" = "$arch" ]; then cross=; fi
buildah_here bud --isolation=chroot --format oci --pull-never --timestamp "$SOURCE_DATE_EPOCH" --build-arg CROSS="$cross" \
    --build-arg VERSION="$("$from/deploy/version.sh")" -t gjkd:one "$from" >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log" >&2 && exit 1; }
container=$(buildah_here from --pull-never gjkd:one)
buildah_here config --arch "$arch" "$container"
buildah_here commit --quiet --format oci --timestamp "$SOURCE_DATE_EPOCH" "$container" gjkd:named >/dev/null
buildah_here push --quiet gjkd:named "oci:$work/oci:gjkd:$("$from/deploy/version.sh")"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work/oci" -cf "$file" .
