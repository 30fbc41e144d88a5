#!/usr/bin/env bash
# Compiles the core by clang, for arm64 and for WebAssembly, runs golden_hash on different numbers of
# threads and with instruction sets hidden from the core or from libc, and compares its numbers with the
# file `golden`. The programs of build/release (gcc -O3, as it is shipped) and
# build/debug (gcc -O0, with assertions) have to be built before. Only the shipped one answers all
# queries; the others answer the first eighth, or 32nd, of the same.
#   tests/determinism/check.sh [FOLDER]   FOLDER: for the objects, else a temporary one
#   tests/determinism/check.sh --full     all queries everywhere, more threads, and gcc -O2
#   tests/determinism/check.sh --renew    writes `golden` from build/release, then checks the rest
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/determinism}

full=
if [ "${1:-}" = --full ]; then full=1 && shift; fi
renew=
if [ "${1:-}" = --renew ]; then renew=1 && shift; fi
scratch=
folder=${1:-}
if [ -z "$folder" ]; then scratch=$(mktemp -d) && folder=$scratch; fi
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT

FLAGS=(-std=gnu17 -DNDEBUG -ffp-contract=off -fno-fast-math
    -I"$root/core/include" -I"$root/core" -I"$root/tests/support")
mapfile -t CORE < <(find "$root/core" -name "*.c" | sort)
mapfile -t LANES < <(printf '%s\n' "${CORE[@]}" | grep '_lanes[.]c$')
PROGRAM=("$here"/*.c "$root/tests/support/rng.c")
ALL_CHUNKS=800                        # of 512 queries
MANY_CHUNKS=$((full ? ALL_CHUNKS : 100))
FEW_CHUNKS=$((full ? 100 : 25)) # for the slow ones
THREADS=(1 16)
if [ -n "$full" ]; then THREADS=(1 3 7 16); fi

# compile_into NAME SOURCES... -- COMPILER OPTION...: an object each in folder/NAME, named by
# the whole path, since two floors may have a file of the same name.
compile_into() {
    local into=$folder/$1 sources=() source object
    shift
    while [ "$1" != -- ]; do sources+=("$1") && shift; done
    shift
    mkdir -p "$into"
    for source in "${sources[@]}"; do
        object=${source#"$root"/}
        printf '%s\0%s\0' "$into/${object//\//-}.o" "$source"
    done | xargs -0 -n 2 -P "$(nproc)" "$@" "${FLAGS[@]}" -c -o
}

# compile NAME COMPILER OPTION...: folder/NAME/golden_hash
compile() {
    local name=$1 form
    shift
    compile_into "$name" "${CORE[@]}" "${PROGRAM[@]}" -- "$@"
    for form in AVX2 AVX512; do # see core/base/lanes.h
        compile_into "$name/$form" "${LANES[@]}" -- "$@" "-DLANES_$form"
    done
    "$1" "$folder/$name"/{,AVX2/,AVX512/}*.o -lm -lpthread -o "$folder/$name/golden_hash"
}

# compile_foreign NAME LINK_OPTION RUNNER -- COMPILER OPTION...: the same for another machine, whose
# programs RUNNER runs; golden_hash is a script that calls it.
compile_foreign() {
    local name=$1 link=$2 runner=$3
    shift 4
    compile_into "$name" "${CORE[@]}" "${PROGRAM[@]}" -- "$@"
    "${@:1:2}" "$folder/$name"/*.o -lm "$link" -o "$folder/$name/program"
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$runner" "$folder/$name/program" >"$folder/$name/golden_hash"
    chmod +x "$folder/$name/golden_hash"
}

# golden CHUNKS: the numbers for that many chunks
golden() {
    sed -n "s/^$1 //p" "$here/golden"
}

wrong=0
# check WHAT NAME CHUNKS THREADS [HIDDEN]: HIDDEN: an instruction set that the core does without
check() {
    local got expected
    got=$("$folder/$2/golden_hash" "${@:3}")
    expected=$(golden "$3")
    if [ -n "$expected" ] && [ "$got" = "$expected" ]; then
        printf 'ok    %s  %s\n' "$got" "$1"
    else
        printf 'WRONG %s  %s: expected %s\n' "$got" "$1" "${expected:-a line for $3 chunks}"
        wrong=$((wrong + 1))
    fi
}

for tree in debug release; do
    mkdir -p "$folder/$tree"
    cp "$root/build/$tree/tests/determinism/golden_hash" "$folder/$tree"
done
if [ -n "$renew" ]; then
    {
        sed '/^[0-9]/d' "$here/golden"
        for chunks in $ALL_CHUNKS 100 25; do
            echo "$chunks $("$folder/release/golden_hash" "$chunks" 1)"
        done
    } >"$folder/golden"
    cp "$folder/golden" "$here/golden"
fi
check "build/release" release $ALL_CHUNKS 2
for threads in "${THREADS[@]}"; do
    check "build/release, threads: $threads" release "$MANY_CHUNKS" "$threads"
done

hidden=-FMA,-FMA4,-AVX2,-AVX512F,-AVX512DQ
GLIBC_TUNABLES=glibc.cpu.hwcaps=$hidden \
    check "build/release, libc told $hidden" release "$MANY_CHUNKS" 2

check "build/debug" debug "$FEW_CHUNKS" 2
check "build/release, scan at most AVX2" release "$MANY_CHUNKS" 2 avx512
check "build/release, plain scan" release "$MANY_CHUNKS" 2 avx2
if command -v clang >/dev/null; then
    compile clang clang -O2
    check "clang -O2" clang "$MANY_CHUNKS" 2
else
    echo "clang is missing" && wrong=$((wrong + 1))
fi
if [ -n "$full" ]; then # WebAssembly has clang's plain scan, and arm64 gcc -O2
    check "clang -O2, plain scan" clang "$MANY_CHUNKS" 2 avx2
    compile gcc-O2 gcc -O2
    check "gcc -O2" gcc-O2 "$MANY_CHUNKS" 2
fi
compile_foreign wasm -Wl,-z,stack-size=1048576 "node --no-warnings $here/wasi/run.mjs" -- \
    clang --target=wasm32-wasi -O2 -I"$here/wasi"
check "WebAssembly, in Node.js" wasm "$MANY_CHUNKS" 2
compile_foreign arm64 -static qemu-aarch64 -- aarch64-linux-gnu-gcc -O2 -pthread
check "arm64, gcc -O2, emulated" arm64 "$FEW_CHUNKS" 2
[ "$wrong" -eq 0 ]
