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
source deploy/buildah.sh
why=$(no_image)
[ -z "$why" ] || skip "$why"
make_base

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
