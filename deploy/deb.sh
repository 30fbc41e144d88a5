#!/usr/bin/env bash
# Makes packages of the source in a folder, for the Debian that it runs on, which needs deploy/packages/{build,deb}.
#   SOURCE_DATE_EPOCH=SECONDS deploy/deb.sh SOURCE OUT     the same source and time make the same bytes
set -euo pipefail
source=$1 out=$2
export LC_ALL=C.UTF-8 TZ=UTC
cp -r "$source/deploy/debian" "$source/debian"
cp "$source/deploy/systemd/gjkd.service" "$source/debian/"
cat >"$source/debian/changelog" <<EOF
gjkd ($("$source/deploy/version.sh")) unstable; urgency=medium

  * CHANGELOG.md tells what changed.

 -- The gjkd maintainers <maintainers@gjkd.invalid>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
EOF
log=$(mktemp)
(cd "$source" && dpkg-buildpackage -b -us -uc >"$log" 2>&1) || { tail -n 40 "$log" && exit 1; }
rm "$log"
mv "$source"/../*.deb "$out"
