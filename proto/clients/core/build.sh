#!/usr/bin/env bash
# Builds core.wasm for 32-bit WebAssembly from the core, the encoders of answers in proto, and src/core.c. Needs clang,
# lld, wasi-libc and binaryen. Does not use 128-bit vectors: with them clang 14 rounds the flat kernels differently.
#   build.sh [OUT]   OUT: the output, by default core.wasm beside this script
# GJKD_CORE_CACHE: a folder that caches outputs by their sources and tools.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=${1:-proto/clients/core/core.wasm}
if [ -n "${GJKD_CORE_CACHE:-}" ]; then
    kept=$GJKD_CORE_CACHE/$({
        clang --version && wasm-opt --version
        find core proto -name '*.[ch]' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum "proto/clients/core/build.sh"
    } | sha256sum | cut -d ' ' -f 1).wasm
    if [ -f "$kept" ]; then cp "$kept" "$out" && exit; fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

features=(-mbulk-memory -mnontrapping-fptoint -msign-ext)
flags=(--target=wasm32-wasi "${features[@]}" -Oz -flto -std=gnu17 -DNDEBUG -ffp-contract=off -fno-fast-math -fno-math-errno
    -ffunction-sections -fdata-sections -fvisibility=hidden -Icore -Icore/include -Iproto -Iproto/include)
# Numbers are printed by JavaScript.
find core proto/clients/core/src proto/encode/answers.c proto/json -name '*.c' \
    ! -path proto/json/number.c | LC_ALL=C sort |
    while read -r source; do printf '%s\0%s\0' "$work/${source//\//-}.o" "$source"; done |
    xargs -0 -n 2 -P "$(nproc)" clang "${flags[@]}" -c -o
# No strength reduction of addresses, which engines do themselves: 1 % smaller, as fast.
clang --target=wasm32-wasi -flto -mexec-model=reactor -Wl,--gc-sections,--strip-all,-z,stack-size=1048576,-mllvm,-disable-lsr \
    "$work"/*.o -lm -o "$work/linked.wasm"
# Nothing lies in the first 1,024 bytes, so that offsets below go into loads and stores.
wasm-opt -Oz --converge --low-memory-unused --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext \
    --strip-producers --strip-target-features "$work/linked.wasm" -o "$work/core.wasm"
if [ -n "${kept:-}" ]; then mkdir -p "$GJKD_CORE_CACHE" && cp "$work/core.wasm" "$kept"; fi
mv "$work/core.wasm" "$out"
