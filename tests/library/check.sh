#!/usr/bin/env bash
# Installs libgjk as `cmake --install` does, and builds against it what others would: each public
# header alone, and the programs beside this, in C and C++, by pkg-config and by CMake, static
# and shared.
#   tests/library/check.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=$place/usr
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

cmake --install "$build" --component libgjk --prefix "$prefix" >"$place/install.log"
library=$(find "$prefix" -name libgjk.so)
PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
export PKG_CONFIG_PATH LD_LIBRARY_PATH=${library%/*}
read -ra flags <<<"$(pkg-config --define-prefix --cflags --libs gjk)"

for header in "$prefix"/include/gjk/*.h; do
    echo "#include <gjk/${header##*/}>" | tee "$place/alone.c" >"$place/alone.cpp"
    for cc in gcc clang; do
        "$cc" -std=c17 "${warnings[@]}" -I"$prefix/include" -fsyntax-only "$place/alone.c"
    done
    for cxx in g++ clang++; do
        "$cxx" -std=c++17 "${warnings[@]}" -Wnarrowing -I"$prefix/include" -fsyntax-only \
            "$place/alone.cpp"
    done
done

# The library shows what the headers declare, with a version, and nothing else.
nm -D --defined-only "$library" | awk '$3 != "GJK_0" && $3 !~ /^gjk_.*@@GJK_0$/' | tee "$place/extra"
test ! -s "$place/extra"
nm -D --defined-only "$library" | sed -n 's/.* \(gjk_[a-z0-9_]*\)@@GJK_0/\1/p' >"$place/shown"
while read -r name; do
    grep -qw "$name" "$prefix"/include/gjk/*.h || { echo "$name is in no public header" && exit 1; }
done <"$place/shown"

for example in tests/library/*.c; do
    name=$(basename "$example" .c)
    cc -std=c17 "${warnings[@]}" "$example" "${flags[@]}" -o "$place/$name"
    cc -std=c17 "$example" -I"$prefix/include" "${library%.so}.a" -lm -o "$place/$name-static"
    c++ -x c++ -std=c++17 "${warnings[@]}" "$example" "${flags[@]}" -o "$place/$name-cpp"
    for program in "$name" "$name-static" "$name-cpp"; do
        "$place/$program" | diff - "tests/library/$name.txt"
    done
done

cmake -S tests/library -B "$place/cmake" -DCMAKE_PREFIX_PATH="$prefix" --log-level=WARNING >"$place/cmake.log"
cmake --build "$place/cmake" >"$place/cmake.log" || { cat "$place/cmake.log" && exit 1; }
for program in in_c in_cpp in_c_static; do
    "$place/cmake/$program" | diff - tests/library/pair.txt
done
echo "ok    $(wc -l <"$place/shown") functions, four examples, by pkg-config and by CMake"
