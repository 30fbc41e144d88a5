#!/usr/bin/env bash
# Builds the C client by gcc and clang, for C and C++, without warnings, and runs its tests, also
# with AddressSanitizer. Installs it, and builds against it by pkg-config and by CMake.
#   tests/clients/c/run.sh GJKD
set -euo pipefail
GJKD_BINARY=$(realpath "$1")
export GJKD_BINARY
cd "$(dirname "$0")/../../.."
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
for cc in gcc clang; do
    for flags in -O2 "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"; do
        out=$PWD/build/clients/c/$cc${flags%% *}
        cmake -S proto/clients/c -B "$out" -G Ninja -DCMAKE_C_COMPILER=$cc -DCMAKE_C_FLAGS="$flags $warnings -Wno-sign-conversion" \
            -DCMAKE_BUILD_TYPE=None --log-level=WARNING >/dev/null
        cmake --build "$out" -- --quiet
        read -ra options <<<"$flags $(pkg-config --cflags --libs libcurl jansson libprotobuf-c check)"
        $cc -std=gnu17 -Itests/support -Iproto/clients/c -I"$out" tests/clients/c/test_client.c \
            tests/support/test.c "$out/libgjkd_client.a" "${options[@]}" -o "$out/test"
        "$out/test"
    done
done

prefix=$(mktemp -d)
pipe=$prefix/pipe
mkfifo "$pipe"
"$GJKD_BINARY" --listen 127.0.0.1:0 >"$pipe" &
daemon=$!
trap 'kill "$daemon"; rm -rf "$prefix"' EXIT
read -r line <"$pipe"
cmake --install build/clients/c/gcc-O2 --prefix "$prefix/usr" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name gjkd_client.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$warnings $(pkg-config --define-prefix --cflags --libs gjkd_client)"
uses=tests/clients/c/installed
for cc in gcc clang; do
    $cc -std=c17 $uses/ask.c "${flags[@]}" -o "$prefix/$cc"
    "${cc/gcc/g}++" -std=c++17 -x c++ $uses/ask.c "${flags[@]}" -o "$prefix/$cc++"
done
cmake -S $uses -B "$prefix/cmake" -DCMAKE_PREFIX_PATH="$prefix/usr" --log-level=WARNING >/dev/null
cmake --build "$prefix/cmake" >/dev/null
for program in "$prefix"/{gcc,gcc++,clang,clang++} "$prefix"/cmake/in_{c,cpp}; do
    [ "$("$program" "${line##* }")" = 4.5 ]
done
