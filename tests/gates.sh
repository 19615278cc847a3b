#!/bin/bash
# gates.sh BUILD [--record] -- what the hot kernels and the solvers cost, against bench/gates/counts.txt.
#
# Time is noise, so what is compared repeats exactly: the instructions of a step, counted by callgrind
# on kernels that it knows (not AVX-512), and the iterations of the solvers. More than 5% off the
# record fails, in either direction: a gain that is not recorded would be lost again unseen.
# 'make gates' writes the record. Instructions are the compiler's, and are compared only where it is
# the recorded one and the build is optimised; iterations always.
#
# The table of docs/performance.md is that of bench/results, which is checked first.
#
# TROP_TEST_WIDE=1 or TROP_TEST_FULL=1: the cases marked wide too. BUILD/gate has been built.
set -eu
build=$(cd "${1:?usage: gates.sh BUILD [--record]}" && pwd)
record=${2:-}
cd "$(dirname "$0")/.."
cases=bench/gates/cases.txt
counts=bench/gates/counts.txt
wide=""
if [ "$record" = --record ] || [[ "${TROP_TEST_WIDE:-}${TROP_TEST_FULL:-}" == *1* ]]; then
    wide=wide
fi
[ "$record" = --record ] || /usr/bin/python3 -B scripts/bench.py --check
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

value() { # of a variable of the build
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}
compiler=$($(value CMAKE_C_COMPILER) --version | head -1)

# The solvers of wide problems ask LAPACK, whose last bits, and with them an iteration or two, are those
# of the kernels that OpenBLAS takes for the processor: here those that every x86-64 has.
OPENBLAS_CORETYPE=Prescott "$build/gate" $cases counts $wide >"$scratch/lines"

# Large blocks come fresh from the system, whatever was freed before: where a case stands in the list
# would else decide whether its memory is cleared by instructions (30% of a case).
export MALLOC_MMAP_THRESHOLD_=131072

# The k-th dump of callgrind is the k-th call of gate_measured, and that is the k-th case with pairs.
why=""
if ! command -v valgrind >/dev/null; then
    why="there is no valgrind"
elif ! grep -qw avx2 /proc/cpuinfo; then
    why="this machine has no AVX2"
elif [ "$(value CMAKE_BUILD_TYPE)" != Release ] || [ -n "$(value TROPISM_SANITIZE)" ]; then
    why="this build is not the optimised one"
elif [ "$record" != --record ] && ! grep -qxF "compiler $compiler" $counts; then
    why="the record is of another compiler than $compiler"
fi
if [ -z "$why" ]; then
    valgrind --tool=callgrind --toggle-collect=gate_measured --dump-after=gate_measured \
        --callgrind-out-file="$scratch/dump" "$build/gate" $cases kernels $wide \
        >"$scratch/kernels" 2>"$scratch/log" || { tail -5 "$scratch/log"; exit 1; }
    k=0
    while read -r name rest; do
        case "$rest" in
        pairs=*)
            k=$((k + 1))
            sum=$(awk '/^(summary|totals):/ { print $2; exit }' "$scratch/dump.$k")
            echo "$name instructions=${sum:-0} $rest"
            ;;
        *) echo "$name $rest" ;;
        esac
    done <"$scratch/kernels" >>"$scratch/lines"
else
    echo "gates: no instructions are counted: $why"
    [ "$record" != --record ] || exit 1
fi

if [ "$record" = --record ]; then
    {
        echo "# Written by 'make gates' from cases.txt; tests/gates.sh compares with it."
        echo "compiler $compiler"
        grep -v ' refused: ' "$scratch/lines" | sed 's/ pairs=.*//' | sort
    } >"$counts.new"
    mv "$counts.new" $counts
fi

# Every count against its record; what is on record and was to be counted must be there.
awk -v wide="$wide" -v kernels="${why:-yes}" '
    function keep(name, what, number) { seen[name] = 1; found[name " " what] = number }
    FILENAME ~ /counts.txt$/ {
        if ($1 ~ /^#|^compiler$/) next
        split($2, pair, "="); old[$1] = pair[2]; what[$1] = pair[1]; next }
    FILENAME ~ /cases.txt$/ {
        if ($1 == "wide") { if (wide != "wide") next; $1 = ""; $0 = substr($0, 2) }
        if ($0 ~ /^(#|$)/) next
        order[++n] = $2; kernel[$2] = ($1 ~ /^(flow|copies|train|fit)$/); next }
    / refused: / { name = $1; sub(/^[^ ]* /, ""); refusal[name] = $0; next }
    { name = $1; split($2, pair, "="); now[name] = pair[2]
      for (f = 3; f <= NF; f++) if (split($f, pair, "=") == 2 && pair[1] == "pairs" && pair[2] > 0)
          each[name] = sprintf("%9.2f a pair", now[name] / pair[2]) }
    END {
        for (k = 1; k <= n; k++) {
            name = order[k]
            if (kernel[name] && kernels != "yes") continue
            if (!(name in now)) {
                printf "%-28s %s\n", name, (name in refusal) ? refusal[name] : "was not counted"
                if (name in old) { bad++; printf "%-28s and the record says %s\n", name, old[name] }
                continue
            }
            if (!(name in old)) {
                printf "%-28s %12d %s, not on record\n", name, now[name], each[name]; fresh++; continue }
            compared++
            change = 100 * (now[name] - old[name]) / old[name]
            wrong = change > 5 || change < -5
            printf "%-28s %12d %s %+6.1f%% %s%s\n", name, now[name], each[name], change, what[name], wrong ? "   <- over 5%" : ""
            bad += wrong
        }
        if (fresh) printf "gates: %d are not on record; %s\n", fresh, "make gates writes them"
        if (compared < 5) { printf "gates: only %d were compared\n", compared; exit 1 }
        if (bad) { printf "gates: %d of %d are over 5%% off bench/gates/counts.txt; if that is meant, make gates records it\n", bad, compared; exit 1 }
        printf "gates: %d counts within 5%%\n", compared
    }' $counts $cases "$scratch/lines"
