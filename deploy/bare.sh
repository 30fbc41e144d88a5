#!/usr/bin/env bash
# Makes a bare Debian from the archives that this machine uses, in a folder or a tar file.
#   deploy/bare.sh SUITE PLACE [PACKAGE,...]     SUITE: bookworm, trixie
set -euo pipefail
suite=$1 place=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
codename=$(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release)
sources=$(grep -lsw "$codename" /etc/apt/sources.list.d/*.sources /etc/apt/sources.list{,.d/*.list} | head -n 1) || true
sed "s/\b$codename\b/$suite/g" "$sources" >"$work/${sources##*/}"
mmdebstrap --quiet --variant=minbase ${3:+--include="$3"} "$suite" "$place" "$work/${sources##*/}" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2 && exit 1; }
