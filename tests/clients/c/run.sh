#!/usr/bin/env bash
# Builds the C client by gcc and clang, for C and C++, without warnings, and runs its tests, also
# with AddressSanitizer.
#   tests/clients/c/run.sh GJKD
set -euo pipefail
GJKD_BINARY=$(realpath "$1")
export GJKD_BINARY
cd "$(dirname "$0")/../../.."
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror"
for cc in gcc clang; do
    for flags in -O2 "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"; do
        out=$PWD/build/clients/c/$cc${flags%% *}
        make -s -B -C proto/clients/c OUT="$out" CC=$cc CFLAGS="$flags $warnings"
        read -ra options <<<"$flags $(pkg-config --cflags --libs libcurl jansson libprotobuf-c check)"
        $cc -std=gnu17 -Itests/support -Iproto/clients/c -I"$out" tests/clients/c/test_client.c \
            tests/support/test.c "$out/libgjkd_client.a" "${options[@]}" -o "$out/test"
        "$out/test"
    done
    echo '#include "gjkd_client.h"' >"$out/alone.cpp"
    "${cc/gcc/g}++" -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
        -Iproto/clients/c -I"$out" -fsyntax-only "$out/alone.cpp"
done
