#!/usr/bin/env bash
# Where does the processor time of one small JSON query go? Installs what is missing (perf too),
# builds the release and prints a table; README.md tells what the rows are.
#   tests/bench/profile.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${GJKD_BENCH_BUILD:-build/release} # another folder, where this one is taken

deploy/install.sh deploy/packages/build tests/bench/packages <(echo linux-perf)
cmake --preset release -B "$build" --log-level=WARNING >/dev/null
cmake --build "$build" --target gjkd -- --quiet >&2
/usr/bin/python3 -B tests/bench/profile.py "$build/server/gjkd" "$@"
