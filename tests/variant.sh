#!/bin/bash
# variant.sh NAME BUILD -- builds the project another way, in BUILD/variants/NAME,
# and runs unit tests there.
#
#   clang     -Werror with the other compiler, without optimisation: the same bits as the
#             main build
#   sanitize  address and undefined behaviour, then whole results changed by structure
#   minimal   libtropism alone: a C compiler and libm
#   fuzz      the readers, on random bytes
#   thread    data races, in tests that name threads   (these three with TROP_TEST_WIDE=1 only)
#   debug     gcc without optimisation
#   release   clang with optimisation
#
# 'make test' takes for each variant the tests that it is about; TROP_TEST_WIDE=1, which
# .ci/run sets, for debug, release and minimal all of them but the slow ones; TROP_TEST_FULL=1 for
# every variant all of them, at their full counts. TROP_TEST_SLOW=1 tells the tests that this build
# is slow and fat: those that measure time or memory skip.
set -eu
name=${1:?usage: variant.sh NAME BUILD}
build=$(cd "${2:?usage: variant.sh NAME BUILD}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
folder=$build/variants/$name
wide=${TROP_TEST_WIDE:-${TROP_TEST_FULL:-0}}
targets=(all)
mapfile -t shipped < <(basename -s .c "$source"/bench/bench_*.c)
shipped+=(tropism tropism-lab tropism-cli)
tests="" # that are built and run; "": all, "none"
case "$name" in
clang)
    options=(-DCMAKE_C_COMPILER=clang -DTROPISM_WERROR=ON -DCMAKE_BUILD_TYPE=Debug)
    tests=none
    ;;
debug) options=(-DCMAKE_C_COMPILER=gcc -DTROPISM_WERROR=ON -DCMAKE_BUILD_TYPE=Debug) ;;
release) options=(-DCMAKE_C_COMPILER=clang -DTROPISM_WERROR=ON) ;;
sanitize) # By clang, which sees what masked loads read. Most of the time is the compiler's: all but kernels
    # is at -O0, and of those clang 14 takes its own temporaries for variables out of scope.
    options=(-DCMAKE_C_COMPILER=clang -DTROPISM_WERROR=ON "-DTROPISM_SANITIZE=address,undefined"
        -DTROPISM_FUZZ=ON "-DTROPISM_OPTIMIZE=-O0 -g1"
        "-DTROPISM_OPTIMIZE_KERNELS=-O1;-fno-inline;-fno-sanitize-address-use-after-scope")
    # What comes from outside, memory that is refused, and one test of each noun.
    tests="alloc csv npy json json_read yaml h5 h5_fields file archive table safetensors tokenizer bpe_refusal transformer transformer_refusal head head_frozen head_reach head_margin_limits inspect inspect_memory corpus corpus_refusal dataset dataset_file dump cli
        margin margin_refusal margin_memory margin_limits train_cli train_decay model selection
        attention optimizer optimizer_mirror fit fit_memory fit_network reading flow flow_chain method leap qhull judge case_memory edit check outside draw"
    # Fontconfig keeps what it has read of the fonts until the end, and the runtime of OpenMP its threads.
    mkdir -p "$folder"
    printf 'leak:libfontconfig\nleak:libomp\n' >"$folder/leaks"
    export ASAN_OPTIONS=detect_stack_use_after_return=1 # by default in later versions of clang
    export LSAN_OPTIONS="suppressions=$folder/leaks:print_suppressions=0"
    ;;
thread)
    options=(-DCMAKE_C_COMPILER=gcc -DTROPISM_SANITIZE=thread
        "-DTROPISM_OPTIMIZE=-O1 -g1")
    tests=$(cd "$source/tests" && grep -lE 'threads|trop_parallel' */test_*.c | sed 's:.*/test_::; s/\.c$//')
    export OPENBLAS_NUM_THREADS=1 # not instrumented: its own threads look like races
    ;;
minimal)
    options=(-DTROPISM_MINIMAL=ON -DTROPISM_WERROR=ON -DTROPISM_OPTIMIZE=-O1)
    tests="alloc flow flow_chain cells cells_sizes margin margin_refusal margin_l2 margin_l2_random
        margin_unitary optimizer optimizer_mirror fit fit_network"
    ;;
fuzz)
    options=(-DCMAKE_C_COMPILER=clang -DTROPISM_FUZZ=ON -DTROPISM_TESTS=OFF)
    mapfile -t targets < <(basename -s .c "$source"/fuzz/fuzz_*.c | grep -v result)
    tests=none
    ;;
*)
    echo "$name: not a variant" >&2
    exit 2
    ;;
esac

case "$name" in
clang | debug | sanitize | thread) export TROP_TEST_SLOW=1 ;;
esac
select=(-L unit)
[ "${TROP_TEST_FULL:-0}" = 1 ] || select+=(-LE slow)
# All tests with sanitizers take as long as three other variants, and those of clang run in release
# with optimisation and in debug without: they are for TROP_TEST_FULL.
case "$name:$wide:${TROP_TEST_FULL:-0}" in
thread:* | fuzz:* | sanitize:*:0 | clang:*:0) ;;
*:1:*) tests="" ;;
esac
if [ "$tests" = none ]; then
    [ "$name" = fuzz ] || targets=("${shipped[@]}")
elif [ -n "$tests" ]; then
    mapfile -t targets < <(printf 'test_%s\n' $tests)
    [ "$name" = minimal ] || targets+=(tropism-cli)
    [ "$name" != sanitize ] || targets+=(fuzz_result)
    if [ "$name" = thread ]; then
        select[1]=threads
    else
        select=(-R "^test_($(tr -s ' \n' '|' <<<"$tests" | sed 's/^|//; s/|$//'))\$")
    fi
fi
unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that may have started this
mkdir -p "$folder"
log=$folder/build.log
if ! cmake -G Ninja -S "$source" -B "$folder" -DTROPISM_VARIANT="$name" "${options[@]}" >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
if ! cmake --build "$folder" -j 1 --target "${targets[@]}" >"$log" 2>&1; then
    grep -E -A 8 'error|warning' "$log" || tail -n 40 "$log"
    exit 1
fi

case "$tests" in
none) ;;
*)
    ctest --test-dir "$folder" --timeout 43200 --output-on-failure --no-tests=error \
        --no-label-summary "${select[@]}"
    ;;
esac
case "$name" in
fuzz) "$source/tests/fuzz.sh" "$folder" "${targets[@]#fuzz_}" ;;
clang | debug | release | sanitize) "$source/tests/bits.sh" "$build/tropism" "$folder/tropism" ;;&
sanitize) OMP_NUM_THREADS=1 "$source/tests/fuzz.sh" "$folder" result ;; # whose readers are all of the library
minimal)
    # Installed, it asks for libm and nothing else, and gives the same answer.
    cmake --build "$folder" -j 1 --target tropism tropism_static >"$log" 2>&1
    cmake --install "$folder" --prefix "$folder/stage" >"$log"
    cc -std=c17 -I "$folder/stage/include" -o "$folder/flow" "$source/examples/flow.c" \
        "$(find "$folder/stage" -name libtropism.a)" -lm
    "$folder/flow" | diff -u "$source/examples/flow.expected" -
    ;;
esac
