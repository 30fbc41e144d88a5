#!/usr/bin/env bash
# From a checkout on Debian 12 or 13 to a running daemon with the demo sets: installs
# what is missing, builds the release, starts gjkd in the foreground (Ctrl-C
# drains it) and prints three lines to try.
#   deploy/run.sh [FLAGS OF gjkd...]
#   deploy/run.sh --cluster [FLAGS OF gjkd...]   three of them that share their sets: see cluster.sh
set -euo pipefail
cd "$(dirname "$0")/.."

lists=(deploy/packages/build deploy/packages/try)
if [ "${1:-}" = --cluster ]; then lists+=(deploy/packages/cluster); fi
deploy/install.sh "${lists[@]}"
[ -x build/release/server/gjkd ] || echo "building, which takes some minutes the first time" >&2
{
    [ -f build/release/build.ninja ] || cmake --preset release -DGJKD_TESTS=OFF >/dev/null
    cmake --build --preset release --target gjkd -- --quiet
} >&2
if [ "${1:-}" = --cluster ]; then exec deploy/cluster.sh "${@:2}"; fi

# Passes the daemon's output on, and tells what to do with the address in its first line (--help and
# the like print none).
hints() {
    local line address
    IFS= read -r line || return 0
    printf '%s\n' "$line"
    if [ "${line#gjkd listening on }" = "$line" ]; then exec cat; fi
    address=${line##* }
    cat <<TEXT

Try, in another terminal:

  # does the sword of player 1 hit player 2, and how deep?
  curl -s ${address}v1/sets/arena2d/detect -H 'Content-Type: application/json' -d '{"a": "player-1/sword", "b": "player-2"}'

  # how far is player 2 from a crate, and where do they come closest?
  curl -s ${address}v1/sets/arena2d/distance -H 'Content-Type: application/json' -d '{"a": "player-2", "b": "crate-1"}'

  # what does the rifle of player 1 hit?
  curl -s ${address}v1/sets/range3d/raycast -H 'Content-Type: application/json' -d '{"origin": [1.1, -0.25, 1.35], "direction": [1, 0.02, 0], "filter": {"ignore_groups": ["player-1"]}}'

TEXT
}

exec build/release/server/gjkd --demo "$@" > >(hints)
