#!/usr/bin/env bash
# Do the rooms keep to themselves? server -> proto -> core -> libm, nothing back, and inside
# each room down its floors only (floors.py). The build enforces what it can (each target
# exposes only its include/); this looks at what it cannot see.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

# complain WHAT LINES: fails when there are lines.
complain() {
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$2"
    failed=1
}

# The client in C is no part of its room: it knows the wire only.
sources() {
    find "$@" -name clients -prune -o -name '*.[ch]' -print | sort
}

# Every source without its comments, under the same name in a folder of its own.
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
sources core proto server | while read -r file; do
    mkdir -p "$bare/${file%/*}"
    gcc -fpreprocessed -dD -E -P -w - <"$file" >"$bare/$file" 2>/dev/null
done

# matches PATTERN FOLDER...: the lines of code, comments aside, that match.
matches() {
    local pattern=$1
    shift
    (cd "$bare" && sources "$@" | xargs -r grep -HE "$pattern" | sed "s|^|  |; s|:|: |") || true
}

includes() {
    local pattern=$1
    shift
    sources "$@" | xargs -r grep -HnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$pattern" || true
}

for room in core proto server; do
    [ -n "$(sources $room)" ] || complain "room" "  $room has no sources"
done

complain "core includes more than the language and libm" \
    "$(includes '' core | grep -v '^core/base/large_pages\.h:' | grep -vE '<(assert|float|limits|math|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|immintrin|sanitizer/asan_interface)\.h>|"(gjk|base|shape|pair|ray|tree|scene)/[a-z0-9_/]+\.h"' || true)"
complain "core does input or output" \
    "$(matches '\b(fopen|fread|fwrite|open|read|write|socket|getenv|time|clock|rand|printf|puts)[[:space:]]*\(' core)"
complain "core has no threads" "$(includes '(pthread|threads)\.h' core)"
complain "core counts references in one place" \
    "$(includes 'stdatomic\.h' core | grep -v '^core/base/references\.h:' || true)"
complain "core uses more of libm than what is exact" \
    "$(matches '\b(sin|cos|tan|asin|acos|atan|atan2|exp|exp2|log|log2|pow|cbrt|hypot|fma)[[:space:]]*\(' core)"
complain "an include looks upwards" \
    "$(includes '(proto|server)/' core; includes 'server/' proto; includes '[^">]*\.\./' core proto server)"
complain "jansson is more than the oracle of tests" "$(includes 'jansson' core proto server)"
complain "libuv leaves server" "$(matches '\buv_[a-z]+' core proto; includes 'uv\.h' core proto)"
complain "libmicrohttpd leaves server" "$(matches '\bMHD_' core proto; includes 'microhttpd' core proto)"
complain "another room's private headers are included" \
    "$(includes '(base|shape|pair|ray|tree|scene)/' proto server
        includes '(json|text|reader|decode|encode|columns)/' server)"
complain "includes go upwards, in a circle, or into a crowd" "$(python3 tests/floors.py . || true)"

connection=$(matches 'struct MHD_Connection' server | sed -E 's/^ *([^:]*):.*/\1/' | sort -u)
[ "$(printf '%s' "$connection" | grep -c .)" -le 2 ] ||
    complain "struct MHD_Connection stands in more than two files" "$connection"

# Globals of the core: symbols in writable sections of its objects.
library=build/release/core/libgjk.a
if [ -f "$library" ]; then
    # Constants with addresses in them lie in .data.rel.ro, which is read-only when it runs.
    complain "core has globals" \
        "$(nm -f sysv --defined-only "$library" |
            grep -E '\|[[:space:]]*(\*COM\*|\.t?(data|bss)(\.[a-z].*)?)$' |
            grep -vE '\.data\.rel\.ro|^assert_handler' || true)"
    complain "core allocates or reaches beyond libc's memory and libm" \
        "$(nm -A --undefined-only "$library" | grep -E ' U (fopen|open|read|write|socket|pthread_.*|getenv|time|sin|cos|tan|asin|acos|atan|atan2|exp|log|pow|hypot|fma)$' || true)"
fi

[ $failed -eq 0 ] && echo "the rooms keep to themselves"
exit $failed
