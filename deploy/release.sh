#!/usr/bin/env bash
# Makes the files of a release in dist/: the source, packages for this Debian, the clients for Python
# and npm, container images, a list of what the daemon is made of (SPDX), the changes, and checksums.
# The same commit makes the same bytes on the same Debian.
#   deploy/release.sh                         from a clean checkout of the tag vVERSION
#   deploy/release.sh --snapshot [ARCH...]    from the commit that is checked out, whatever it is, with images
#                                             of these architectures alone
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(deploy/version.sh)
images=(amd64 arm64)
if [ "${1:-}" = --snapshot ]; then
    images=("${@:2}")
else
    [ -z "$(git status --porcelain)" ] || { echo "there are changes that are not committed" >&2 && exit 1; }
    [ "$(git describe --tags --exact-match 2>/dev/null)" = "v$version" ] ||
        { echo "this commit is not v$version: tag it, or use --snapshot" >&2 && exit 1; }
fi
deploy/install.sh deploy/packages/build deploy/packages/deb deploy/packages/release

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf dist
mkdir dist
dist=$PWD/dist

git archive --prefix="gjkd-$version/" HEAD | gzip -9n >"dist/gjkd-$version.tar.gz"
tar -xzf "dist/gjkd-$version.tar.gz" -C "$work"
source=$work/gjkd-$version

echo "packages" >&2
deploy/deb.sh "$source" dist

echo "wheel" >&2
(cd "$source/proto/clients/python" &&
    /usr/bin/python3 -c 'import setuptools; setuptools.setup()' -q bdist_wheel --dist-dir "$dist" >"$work/log" 2>&1) ||
    { tail -n 20 "$work/log" && exit 1; }

echo "npm packages" >&2
# Some packages of Node.js contain npm; Debian has a package of its own for it.
command -v npm >/dev/null || deploy/install.sh <(echo npm)
(cd "$source/proto/clients/typescript" &&
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >"$work/log" 2>&1 &&
    npm pack --pack-destination "$dist" >>"$work/log" 2>&1) || { tail -n 20 "$work/log" && exit 1; }
cp "$source"/obj-*/server/playground/core.wasm "$source/proto/clients/core/" # which the daemon carries, too
(cd "$source/proto/clients/core" && npm pack --ignore-scripts --pack-destination "$dist" >"$work/log" 2>&1) ||
    { tail -n 20 "$work/log" && exit 1; }

for arch in "${images[@]}"; do
    echo "image for $arch" >&2
    deploy/image.sh "$source" "$arch" "dist/gjkd-$version-$arch.oci.tar"
done

deploy/sbom.py "$version" dist/gjkd_*.deb >"dist/gjkd-$version.spdx.json"
sed -n "/^## \[$version\]/,/^## \[/p" "$source/CHANGELOG.md" | sed '1b; /^## \[/d' >"dist/CHANGES-$version.md"
(cd dist && sha256sum -- * >"$work/SHA256SUMS" && cp "$work/SHA256SUMS" .)
ls -l dist >&2
