#!/bin/bash
# fuzz.sh BUILD -- every fuzz target on its corpus, then on a fixed number of inputs
# made from a fixed seed; with TROP_TEST_FULL=1 for a minute each.
set -eu
build=$(cd "${1:?usage: fuzz.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
limit=(-seed=1 -runs=40000)
if [ "${TROP_TEST_FULL:-0}" = 1 ]; then
    limit=(-max_total_time=60)
else
    rm -rf "$build"/found-* # what an earlier run found would change this one
fi

for source in fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    short=${name#fuzz_}
    mkdir -p "$build/found-$short"
    corpus=("$build/found-$short")
    [ ! -d "fuzz/corpus/$short" ] || corpus+=("fuzz/corpus/$short")
    if ! "$build/$name" "${limit[@]}" -timeout=10 -print_final_stats=1 \
        -artifact_prefix="$build/found-$short-" "${corpus[@]}" >"$build/$name.log" 2>&1; then
        tail -n 60 "$build/$name.log"
        echo "$name: failed; the input is beside $build/found-$short"
        exit 1
    fi
    echo "$name: $(sed -nE 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs"
done
