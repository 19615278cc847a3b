#!/bin/bash
# variant.sh NAME BUILD -- builds the project another way, in BUILD/variants/NAME,
# and runs its unit tests there.
#
#   gcc       -Werror for what is shipped; nothing is run, the main build is the same
#   debug     -Werror without optimisation: the same bits as the main build
#   clang     -Werror with the other compiler: the same bits again
#             (these two run the unit tests as well with TROP_TEST_WIDE=1, as .ci/run does)
#   sanitize  address and undefined behaviour
#   thread    data races, in the tests that name threads
#   minimal   libtropism alone: a C compiler and libm
#   fuzz      the readers, on random bytes
#
# TROP_TEST_FULL=1 takes the full counts. TROP_TEST_SLOW=1 tells the tests that this
# build is slow and fat: those that measure time or memory skip.
set -eu
name=${1:?usage: variant.sh NAME BUILD}
build=$(cd "${2:?usage: variant.sh NAME BUILD}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
folder=$build/variants/$name
targets=(all)
select=(-L unit -LE slow)
wide=${TROP_TEST_WIDE:-${TROP_TEST_FULL:-0}}
mapfile -t shipped < <(basename -s .c "$source"/bench/bench_*.c)
shipped+=(tropism tropism-lab tropism-cli)

# Under a sanitizer gcc warns of what is not there: those builds only warn.
case "$name" in
gcc)
    options=(-DCMAKE_C_COMPILER=gcc -DTROPISM_WERROR=ON)
    targets=("${shipped[@]}")
    ;;
debug) options=(-DCMAKE_C_COMPILER=gcc -DTROPISM_WERROR=ON -DCMAKE_BUILD_TYPE=Debug) ;;
clang) options=(-DCMAKE_C_COMPILER=clang -DTROPISM_WERROR=ON) ;;
sanitize)
    options=(-DCMAKE_C_COMPILER=gcc "-DTROPISM_SANITIZE=address,undefined"
        "-DCMAKE_C_FLAGS_RELEASE=-O1 -g1") # half the time to build, and lines are still named
    hostile='^test_(cli|refusal|run|run_memory)$' # slow, and all about what comes from outside
    ;;
thread)
    options=(-DCMAKE_C_COMPILER=gcc -DTROPISM_SANITIZE=thread -DTROPISM_PTHREADS=ON
        "-DCMAKE_C_FLAGS_RELEASE=-O1 -g1")
    select=(-L threads -LE slow)
    # The tests that CMake labels so, and the program that some of them start.
    mapfile -t targets < <(grep -lE 'threads|trop_parallel' "$source"/tests/test_*.c |
        xargs -n 1 basename -s .c)
    targets+=(tropism-cli)
    export OPENBLAS_NUM_THREADS=1 # not instrumented: its own threads look like races
    ;;
minimal) options=(-DTROPISM_MINIMAL=ON -DTROPISM_WERROR=ON) ;;
fuzz)
    options=(-DCMAKE_C_COMPILER=clang -DTROPISM_FUZZ=ON -DTROPISM_TESTS=OFF)
    mapfile -t targets < <(basename -s .c "$source"/fuzz/fuzz_*.c)
    ;;
*)
    echo "$name: not a variant" >&2
    exit 2
    ;;
esac

case "$name" in
debug | sanitize | thread) export TROP_TEST_SLOW=1 ;;
esac
# Other compilers and levels change no bit: what is shipped says so by its results.
runs=yes
if [[ $name == @(debug|clang) ]]; then
    if [ "$wide" = 1 ]; then
        options+=(-DTROPISM_TESTS=ON)
    else
        options+=(-DTROPISM_TESTS=OFF)
        targets=("${shipped[@]}")
        runs=no
    fi
fi
if [ "${TROP_TEST_FULL:-0}" = 1 ]; then
    select=("${select[@]:0:2}") # the slow ones too
fi
unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that may have started this
mkdir -p "$folder"
log=$folder/build.log
if ! cmake -S "$source" -B "$folder" -DTROPISM_VARIANT="$name" "${options[@]}" >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
if ! cmake --build "$folder" --target "${targets[@]}" >"$log" 2>&1; then
    grep -E -A 8 'error|warning' "$log" || tail -n 40 "$log"
    exit 1
fi

case "$name-$runs" in
gcc-* | *-no) ;;
fuzz-*) "$source/tests/fuzz.sh" "$folder" ;;
*)
    run=(ctest --test-dir "$folder" --timeout 43200 --output-on-failure --no-tests=error
        --no-label-summary)
    "${run[@]}" "${select[@]}"
    if [ -n "${hostile:-}" ] && [ "${TROP_TEST_FULL:-0}" != 1 ]; then
        "${run[@]}" -R "$hostile"
    fi
    ;;
esac
case "$name" in
debug | clang) "$source/tests/bits.sh" "$build/tropism" "$folder/tropism" ;;
minimal)
    # Installed, it asks for libm and nothing else, and gives the same answer.
    cmake --install "$folder" --prefix "$folder/stage" >"$log"
    cc -std=c17 -I "$folder/stage/include" -o "$folder/flow" "$source/examples/flow.c" \
        "$(find "$folder/stage" -name libtropism.a)" -lm
    "$folder/flow" | diff -u "$source/examples/flow.expected" -
    ;;
esac
