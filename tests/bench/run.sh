#!/usr/bin/env bash
# Installs what is missing, builds the release and measures one topic. Prints a
# table and writes build/bench/<topic>.jsonl; README.md tells how to read it.
#   tests/bench/run.sh TOPIC
# Measures only: a slow result is a result, and no time makes it fail.
set -euo pipefail
cd "$(dirname "$0")/../.."

TOPICS=(pairs sets worlds meshes configurations shooter tick http forms wire rewind memory store stream wasm cluster)
build=${GJKD_BENCH_BUILD:-build/release} # another folder, where this one is taken

topic_pairs() {
    "$build/tests/bench/bench_pairs" >"$1"
}

topic_sets() {
    "$build/tests/bench/bench_sets" >"$1"
}

topic_worlds() {
    local name
    for name in worlds regions moves depths; do "$build/tests/bench/bench_$name"; done >"$1"
}

topic_meshes() {
    "$build/tests/bench/bench_meshes" >"$1"
}

topic_configurations() {
    /usr/bin/python3 -B tests/bench/configurations.py "$build/server/gjkd" "$build/tests/bench" "$1"
}

topic_shooter() {
    /usr/bin/python3 -B tests/bench/shooter.py "$build/server/gjkd" "$1"
}

topic_tick() {
    /usr/bin/python3 -B tests/bench/tick.py "$build/server/gjkd" "$build/tests/bench" "$1"
}

topic_http() {
    /usr/bin/python3 -B tests/bench/load.py "$build/server/gjkd" "$build/tests/bench/bench_echo" "$1"
}

topic_forms() {
    # Where PostGIS cannot be had, it is left out.
    deploy/install.sh tests/bench/packages-postgis || true
    /usr/bin/python3 -B tests/bench/forms.py "$build/server/gjkd" "$build/tests/bench" "$1" ${GJKD_BENCH_OTHER:+"$GJKD_BENCH_OTHER"}
}

topic_wire() {
    /usr/bin/python3 -B tests/bench/wire.py "$build/server/gjkd" "$build/tests/bench" "$1"
}

topic_rewind() {
    /usr/bin/python3 -B tests/bench/rewind.py "$build/server/gjkd" "$build/tests/bench" "$1"
}

topic_memory() {
    /usr/bin/python3 -B tests/bench/memory.py "$build/server/gjkd" "$1"
}

topic_store() {
    /usr/bin/python3 -B tests/bench/store.py "$build/server/gjkd" "$build/tests/bench" "$1"
}

topic_cluster() {
    deploy/install.sh deploy/packages/cluster
    /usr/bin/python3 -B tests/bench/cluster.py "$build/server/gjkd" "$build/tests/bench" "$1"
}

topic_stream() {
    /usr/bin/python3 -B tests/bench/stream.py "$build/server/gjkd" "$build/tests/bench" "$1"
}

topic_wasm() {
    rm -rf build/bench/core && mkdir -p build/bench/core
    cp proto/clients/core/{package.json,core.js} build/bench/core
    proto/clients/core/build.sh build/bench/core/core.wasm
    node tests/bench/wasm.mjs "$build/tests/bench/bench_wasm" build/bench/core "$1"
}

topic=${1:-}
if [ $# -ne 1 ] || [[ " ${TOPICS[*]} " != *" $topic "* ]]; then
    echo "no such topic: ${topic:-(none)}; there are: ${TOPICS[*]}" >&2
    exit 2
fi

deploy/install.sh deploy/packages/build tests/bench/packages
mkdir -p build/bench
cmake --preset release -B "$build" --log-level=WARNING -DGJKD_TESTS=ON -DGJKD_BENCH=ON >/dev/null
cmake --build "$build" --target gjkd bench_pairs bench_sets bench_worlds bench_meshes bench_regions bench_moves bench_depths bench_robot bench_echo bench_load bench_calls bench_rows bench_tick bench_wasm -- --quiet >&2

results=build/bench/$topic.jsonl
"topic_$topic" "$results"
/usr/bin/python3 -B tests/bench/table.py "$results"
echo "written to $results"
