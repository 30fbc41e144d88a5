#!/usr/bin/env bash
# Builds the version before this one, from the last commit that called itself by another number, and prints
# the path of its daemon; nothing where the history is not there.
#   tests/cluster/before.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/build/before
change=$(git log -1 --format=%H -G'^project\(gjkd VERSION' -- CMakeLists.txt 2>/dev/null) || exit 0
commit=$(git rev-parse --quiet --verify "$change^") || exit 0
if [ "$(cat "$folder/commit" 2>/dev/null)" != "$commit" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/source"
    git archive "$commit" | tar -x -C "$folder/source"
    cmake -S "$folder/source" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DGJKD_TESTS=OFF >&2
    cmake --build "$folder/build" --target gjkd -j2 >&2
    echo "$commit" >"$folder/commit"
fi
echo "$folder/build/server/gjkd"
