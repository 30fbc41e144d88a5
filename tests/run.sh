#!/usr/bin/env bash
# Installs what is missing, builds, and runs every suite. Suites that mostly wait run beside
# those that compute; what a suite says is shown when it ends.
#   tests/run.sh                 everything that CI runs
#   tests/run.sh --full          five times in a row, the last time with what takes longer
#   tests/run.sh --only NAME     one suite (may be given again)
#   tests/run.sh --list          the names of the suites
# A suite is a function suite_NAME below: exit code 0 passed, 77 skipped.
# shellcheck disable=SC2317 # the suites are called by name
set -euo pipefail
cd "$(dirname "$0")/.."

# What runs one program at a time comes first, what fills all processors last. The row that ends first
# goes on with the other's, from its end.
COMPUTING=(format shellcheck rooms image release clients library unit property vectors differential determinism fuzz
    tidy tsan asan)
WAITING=(cluster playground guide deploy soak streams http plain)
SUITES=("${COMPUTING[@]}" "${WAITING[@]}")
SKIPPED=77
CTEST_TIMEOUT_S=1200 # for one test, sanitizers and a busy machine included

# What --full adds, in the last of its rounds.
full=
FULL_ROUNDS_IN_A_ROW=5 # what fails once in some runs only is a fault, too
FULL_FUZZ_SECONDS=${GJKD_FUZZ_SECONDS:-60} # for each target
FULL_FACTOR=5                              # times as many random pairs
FULL_PROPERTY_FACTOR=20                    # times as many depths of wholes, and walks
FULL_SOAK_SECONDS=600
FULL_ROUNDS=100000 # of sets that come and go
SOAK_SECONDS=20
ATTACK_SECONDS=20
FULL_ATTACK_SECONDS=${GJKD_ATTACK_SECONDS:-1800}

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=exitcode=66:second_deadlock_stack=1
if [ -f tests/tsan.supp ]; then TSAN_OPTIONS+=:suppressions=$PWD/tests/tsan.supp; fi
# pytest rewrites the assertions of all tests once, not again in each of its processes. Sources stay as
# they are.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/build/pycache
export GJKD_CORE_CACHE=$PWD/build/core # one core.wasm for all suites
export CK_DEFAULT_TIMEOUT=600 # seconds for one test of check, which is 4 otherwise

# build PRESET [TARGET...]: silent unless something is wrong, and then told whole. Two suites
# that need the same tree build it one after the other.
build() {
    local preset=$1
    shift
    (
        flock 9
        cmake --preset "$preset" --log-level=WARNING -DGJKD_WERROR=ON >"build/$preset.log" 2>&1 ||
            { cat "build/$preset.log" && return 1; }
        cmake --build --preset "$preset" --target "${@:-all}" -- --quiet -k 0
    ) 9>"build/$preset.lock"
}

# A command that the commands below run under, when one is set.
wrapper=()

# run_ctest FOLDER [CTEST ARGUMENTS]: every test registered below a build folder.
run_ctest() {
    local folder=$1
    shift
    "${wrapper[@]}" ctest --test-dir "$folder" --output-on-failure --no-tests=error \
        --timeout "$CTEST_TIMEOUT_S" -j2 "$@"
}

# run_pytest FOLDER PRESET PYTEST ARGUMENTS: tests of that folder below tests/, against that build's
# daemon. Nothing is tried again: what fails beside others depends on time or on its neighbours, and
# that is to be mended.
run_pytest() {
    local folder=$1
    export GJKD_BINARY=$PWD/build/$2/server/gjkd
    shift 2
    "${wrapper[@]}" /usr/bin/python3 -m pytest -q -rs -p no:cacheprovider --durations=10 \
        -c "tests/$folder/pytest.ini" "$@"
}

# run_http PRESET PYTEST ARGUMENTS: tests of tests/http. They wait more than they compute: three
# processes, a file of tests to each in turn.
run_http() {
    local preset=$1
    shift
    run_pytest http "$preset" -n 3 --dist loadfile "$@"
}

# run_soak PRESET [SECONDS]: everything at once against that build's daemon.
run_soak() {
    "${wrapper[@]}" /usr/bin/python3 tests/soak/soak.py "build/$1/server/gjkd" "${2:-$SOAK_SECONDS}"
}

suite_format() {
    find core proto server tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
}

suite_shellcheck() {
    find deploy tests .ci -type f -print0 | xargs -0 grep -lZE '^#!.*\b(ba)?sh\b' |
        xargs -0 shellcheck -x
}

suite_rooms() {
    build release gjk_core
    tests/rooms.sh
    python3 tests/house.py
}

# clang's warnings and clang-tidy's, without compiling: determinism does that by clang. The analyzer
# follows fewer paths than it does by itself, which takes an eighth of the time.
suite_tidy() {
    if [[ $(clang-tidy --version) != *"version 14."* ]]; then
        echo "tidy: .clang-tidy chooses among the checks of clang-tidy 14 (Debian 12); this one has others"
        return "$SKIPPED"
    fi
    build tidy build.ninja
    local bounds=()
    if [ -z "$full" ]; then bounds=(--extra-arg=-Xclang --extra-arg={-analyzer-config,-Xclang,max-nodes=20000}); fi
    sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/tidy/compile_commands.json | grep -v /files_data.c |
        xargs -n 4 -P "$(nproc)" clang-tidy -p build/tidy --quiet "${bounds[@]}" 2>build/tidy.log ||
        { grep -v ' warnings\? generated' build/tidy.log && return 1; }
}

# As it is shipped; with assertions asan runs them.
suite_unit() {
    build release tests/unit/all
    run_ctest build/release/tests/unit
}

suite_property() {
    build release tests/property/all
    if [ -n "$full" ]; then export GJKD_FACTOR=$FULL_PROPERTY_FACTOR; fi
    run_ctest build/release/tests/property
}

suite_vectors() {
    build release tests/vectors/all
    run_ctest build/release/tests/vectors
}

suite_differential() {
    build release tests/differential/all
    if [ -n "$full" ]; then export GJKD_FACTOR=$FULL_FACTOR; fi
    run_ctest build/release/tests/differential
}

# Every compiler, optimisation and scan; it compiles those by itself that no tree has.
suite_determinism() {
    build debug tests/determinism/all
    build release tests/determinism/all
    tests/determinism/check.sh ${full:+--full}
}

suite_library() {
    build release gjk
    tests/library/check.sh build/release
}

# All under the address sanitizer, but for those marked plain.
suite_http() {
    build asan gjkd
    run_http asan tests/http
}

suite_plain() {
    build release gjkd
    if [ -n "$full" ]; then
        export GJKD_ROUNDS=$FULL_ROUNDS GJKD_FULL=1
        run_http release tests/http
    else
        run_http release tests/http -m 'plain or also_plain'
    fi
}

# The same tests over streams; by default those of one question or one write at a time.
STREAM_TESTS=(against at_start batch casts columns conditions exits filter handles hit include json
    line_columns mistakes operations patches queries rates rays refusals rewind sets shapes signed
    single_shapes states tick_batches ticks tokens traces within worst)
suite_streams() {
    build release gjkd
    local files=("${STREAM_TESTS[@]/#/tests/http/test_}")
    files=("${files[@]/%/.py}")
    if [ -n "$full" ]; then files=(tests/http); fi
    run_http release --transport stream "${files[@]}"
}

# Without the engine only the judge of histories is tested.
suite_cluster() {
    build release gjkd
    deploy/install.sh tests/cluster/packages || echo "cluster: no engine can be installed"
    if [ -n "$full" ]; then
        GJKD_BEFORE=$(tests/cluster/before.sh)
        export GJKD_FULL=1 GJKD_BEFORE
    fi
    run_pytest cluster release tests/cluster
}

# npm comes with some packages of Node.js and is one of its own with Debian's.
suite_clients() {
    command -v npm >/dev/null || deploy/install.sh <(echo npm)
    build release gjkd
    tests/clients/run.sh build/release/server/gjkd
    tests/clients/c/run.sh build/release/server/gjkd
    if [ -n "$full" ]; then export GJKD_FULL=1; fi
    run_pytest clients/python release tests/clients/python
    (
        cd proto/clients/go
        if gofmt -l . | grep .; then return 1; fi
        go vet ./...
        GJKD_BINARY=$OLDPWD/build/release/server/gjkd go test -count=1 ./...
    )
    PYTHONPATH=proto/clients/python /usr/bin/python3 tests/guide/run.py proto/clients/{c,core,python,go,typescript}/README.md
}

suite_playground() {
    command -v npm >/dev/null || deploy/install.sh <(echo npm)
    deploy/install.sh tests/playground/packages || {
        echo "playground: no browser can be installed"
        return "$SKIPPED"
    }
    build release gjkd
    tests/playground/run.sh build/release/server/gjkd
}

suite_guide() {
    build release gjkd
    /usr/bin/python3 tests/guide/run.py README.md {core,proto,server}/README.md proto/guide/*.md deploy/*.md
}

suite_deploy() {
    build release gjkd
    tests/deploy/try.sh
    deploy/install.sh tests/deploy/packages || {
        echo "deploy: the rest is skipped, its tools cannot be installed"
        return "$SKIPPED"
    }
    run_pytest deploy release tests/deploy
}

suite_soak() {
    build release gjkd
    run_soak release "${full:+$FULL_SOAK_SECONDS}"
    local seconds=${full:+$FULL_ATTACK_SECONDS}
    if [ -n "$full" ]; then export GJKD_FULL=1; fi
    /usr/bin/python3 tests/soak/attacks.py build/release/server/gjkd \
        "${seconds:-$ATTACK_SECONDS}" || [ $? -eq "$SKIPPED" ] # it says why
}

# Check forks for every test, and at the end of each fork the sanitizer searches all memory
# for leaks, which takes minutes. So one search at the end of each program; but for the
# program that tests how gjkd aborts.
suite_asan() {
    build asan gjkd tests/{unit,property,vectors,differential,fuzz}/all
    CK_FORK=no run_ctest build/asan -E '^unit.core.base.base$'
    run_ctest build/asan -R '^unit.core.base.base$'
    if [ -n "$full" ]; then run_soak asan; fi
}

# Only the server has threads. The thread sanitizer wants the address space laid out as it was when it was built.
suite_tsan() {
    build tsan gjkd test_server
    if setarch -R true 2>/dev/null; then wrapper=(setarch -R); fi
    run_ctest build/tsan/tests/unit -R '^unit.server$'
    if [ -n "$full" ]; then
        run_http tsan tests/http
        run_soak tsan
    else
        run_http tsan tests/http -m concurrency
    fi
}

# The corpus of every target is replayed by asan; here libFuzzer goes on from it.
suite_fuzz() {
    if [ -z "$full" ]; then
        echo "fuzz: with --full; asan replays the corpus"
        return "$SKIPPED"
    fi
    build fuzz
    local target name fresh words
    for target in build/fuzz/tests/fuzz/fuzz_*; do
        if [ ! -f "$target" ] || [ ! -x "$target" ]; then continue; fi
        name=${target##*/fuzz_}
        fresh=build/fuzz/corpus/$name
        words=()
        if [ -f "tests/fuzz/$name.dict" ]; then words=("-dict=tests/fuzz/$name.dict"); fi
        mkdir -p "$fresh"
        "$target" "${words[@]}" -max_total_time="$FULL_FUZZ_SECONDS" -timeout=10 -print_final_stats=1 \
            -artifact_prefix="build/fuzz/$name-" "$fresh" "tests/fuzz/corpus/$name" \
            >"build/fuzz/$name.log" 2>&1 || { tail -n 60 "build/fuzz/$name.log" && return 1; }
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log")" \
            "inputs in $FULL_FUZZ_SECONDS s"
    done
}

suite_image() {
    tests/image/run.sh
}

suite_release() {
    if [ -n "$full" ]; then unset GJKD_CORE_CACHE; fi # what is made twice is compared
    tests/release/check.sh ${full:+--full}
}

# run_suite NAME: shows what it says when it has ended, and notes what became of it.
run_suite() {
    local name=$1 start=$SECONDS code result
    local TIMEFORMAT='%U %S'
    set +e
    {
        time {
            (
                set -e
                "suite_$name"
            ) >"build/suites/$name.log" 2>&1
        }
        code=$?
    } 2>"build/suites/$name.time"
    set -e
    case $code in
    0) result=passed ;;
    "$SKIPPED") result=skipped ;;
    *) result=FAILED ;;
    esac
    awk -v name="$name" -v result="$result" -v taken=$((SECONDS - start)) '{
        printf "%-13s %-8s %4d s, %5d s of processor\n", name, result, taken, $1 + $2
    }' "build/suites/$name.time" >"build/suites/$name.result"
    (
        flock 9
        printf '\n=== %s ===\n' "$name"
        cat "build/suites/$name.log"
    ) 9>build/suites/lock
}

# run_lane NAME...: those of the named suites that were chosen, one after the other, but for those that
# the other lane has begun.
run_lane() {
    local name
    for name in "$@"; do
        if [[ " ${chosen[*]} " == *" $name "* ]] && mkdir "build/suites/$name.begun" 2>/dev/null; then
            run_suite "$name"
        fi
    done
}

# count RESULT: how many of the results say so.
count() {
    grep -lw "$1" build/suites/*.result | wc -l
}

# run_round: every chosen suite, once. Ends the script if one failed.
run_round() {
    local name start=$SECONDS backwards
    rm -rf build/suites && mkdir -p build/suites
    mapfile -t backwards < <(printf '%s\n' "${SUITES[@]}" | tac)
    run_lane "${WAITING[@]}" "${backwards[@]}" &
    run_lane "${COMPUTING[@]}" "${backwards[@]}"
    wait
    printf '\n=== summary ===\n'
    for name in "${chosen[@]}"; do cat "build/suites/$name.result"; done
    printf '\n%d passed, %d failed, %d skipped in %d s\n' \
        "$(count passed)" "$(count FAILED)" "$(count skipped)" $((SECONDS - start))
    [ "$(count passed)" -gt 0 ] && [ "$(count FAILED)" -eq 0 ]
}

main() {
    local chosen=() rounds=1 round last=
    while [ $# -gt 0 ]; do
        case $1 in
        --full) last=1 rounds=$FULL_ROUNDS_IN_A_ROW ;;
        --only)
            [[ " ${SUITES[*]} " == *" ${2:-} "* ]] || {
                echo "no such suite: ${2:-}; there are: ${SUITES[*]}" >&2
                exit 2
            }
            chosen+=("$2")
            shift
            ;;
        --list) printf '%s\n' "${SUITES[@]}" && exit 0 ;;
        *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
        esac
        shift
    done
    [ ${#chosen[@]} -gt 0 ] || chosen=("${SUITES[@]}")

    deploy/install.sh deploy/packages/build deploy/packages/test
    for ((round = 1; round <= rounds; round++)); do
        if [ "$rounds" -gt 1 ]; then printf '\n=== round %d of %d ===\n' "$round" "$rounds"; fi
        if [ "$round" -eq "$rounds" ]; then full=$last; fi
        run_round # a failure ends the script; behind || or if it would not, nor would those in suites
    done
}

# Read whole before it runs, so that an edit of this file does not reach a run.
{
    main "$@"
    exit
}
