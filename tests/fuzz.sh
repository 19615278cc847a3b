#!/bin/bash
# fuzz.sh BUILD NAME... -- these fuzz targets on their corpus, then on a fixed number of inputs
# made from a fixed seed; with TROP_TEST_FULL=1 for a minute each, results 10^5 times.
set -eu
build=$(cd "${1:?usage: fuzz.sh BUILD NAME...}" && pwd)
cd "$(dirname "$0")/.."
full=${TROP_TEST_FULL:-0}
shift
[ "$full" = 1 ] || rm -rf "$build"/found-* # what an earlier run found would change this one

for short in "$@"; do
    name=fuzz_$short
    limit=(-seed=1 -runs=40000)
    [ "$full" = 0 ] || limit=(-max_total_time=60)
    if [ "$short" = result ]; then # not libFuzzer's, which knows no structure
        limit=(-seed=1 "-runs=$([ "$full" = 0 ] && echo 300 || echo 100000)")
    fi
    mkdir -p "$build/found-$short"
    corpus=("$build/found-$short")
    [ ! -d "fuzz/corpus/$short" ] || corpus+=("fuzz/corpus/$short")
    if ! "$build/$name" "${limit[@]}" -timeout=10 -print_final_stats=1 \
        -artifact_prefix="$build/found-$short-" "${corpus[@]}" >"$build/$name.log" 2>&1; then
        tail -n 60 "$build/$name.log"
        echo "$name: failed; the input is beside $build/found-$short, or a trial that its log names"
        exit 1
    fi
    echo "$name: $(sed -nE 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs"
done
