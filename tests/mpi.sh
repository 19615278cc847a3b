#!/bin/bash
# mpi.sh BUILD [PROGRAM] -- one study three ways: by one process, in four shards, and by the four
# ranks of an mpirun, PROGRAM being tropism with MPI. Then a rank is killed in the middle: the others
# end, and the next mpirun completes the study. Nothing leaves 127.0.0.1. Ends with 77 (CTest: skipped)
# where there is no MPI.
set -eu
build=$(cd "${1:?usage: mpi.sh BUILD [PROGRAM]}" && pwd)
program=${2:+$(realpath "$2")}
skip() {
    echo "mpi: skipped: $*"
    exit 77
}
[ -n "$program" ] || skip "this build found no MPI (ompi-c, mpich)"
command -v mpirun >/dev/null || skip "there is no mpirun"
mpirun --version 2>/dev/null | grep -q "Open MPI" || skip "the options below are those of Open MPI's mpirun"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() {
    echo "mpi: $*"
    tail -n 20 said* 2>/dev/null || true
    exit 1
}

# Points of a millisecond or two, enough of them to die among.
cat >study.yaml <<'END'
verb: train
data: attsvm
n: 6
T: 8
d: 10
eta: [0.1, 1]
seed: 1..200
steps: 800
keep: [loss, norm, saturation]
END

# The values of every point, to their bits: by all axes a row is a point, and its means are values.
rows_of() {
    "$build/tropism" study table "$1" --by eta,seed --out "$1.csv" >/dev/null
}
compare() {
    "$build/tropism" study merge "$1" >/dev/null
    rows_of "$1"
    cmp one.csv "$1.csv" || fail "$1 is not what one process computes"
}
left_of() {
    "$build/tropism" study status "$1" --json | sed -n 's/.*"left": *\([0-9][0-9]*\).*/\1/p'
}
# Ranks that are on one machine, and more of them than cores.
four=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 4 --oversubscribe
    --mca btl "self,vader" --mca oob_tcp_if_include lo)

"$build/tropism" study run study.yaml --out one --threads 1 >/dev/null 2>said.one || fail "one process"
rows_of one
[ "$(wc -l <one.csv)" = 401 ] || fail "one process has $(wc -l <one.csv) lines"

for shard in 0 1 2 3; do
    "$build/tropism" study run study.yaml --out shards --shard "$shard/4" --threads 1 >/dev/null \
        2>said.shards || fail "shard $shard"
done
compare shards

"${four[@]}" "$program" study run study.yaml --out ranks --threads 1 >said.ranks 2>&1 || fail "four ranks"
compare ranks
# They shared it: several wrote, and together no more than one alone.
[ "$(find ranks/log -type f | wc -l)" -ge 2 ] || fail "one rank did it all"
[ "$(cat ranks/log/* | wc -c)" -lt "$(($(cat one/log/* | wc -c) * 3 / 2))" ] || fail "ranks did the same points"

# ---- a rank that dies ----------------------------------------------------------------------------

# until_true COMMAND...: within ten seconds.
until_true() {
    for ((k = 0; k < 1000; k++)); do
        "$@" && return
        sleep 0.01
    done
    kill "$mpirun" 2>/dev/null || true
    fail "waited in vain for: $*"
}
has_begun() {
    [ -e rank.3 ] && [ -n "$(find killed/log -type f 2>/dev/null)" ]
}
has_ended() {
    ! kill -0 "$1" 2>/dev/null
}
run_and_kill() {
    rm -rf killed rank.*
    # shellcheck disable=SC2016 # for the shell of each rank
    "${four[@]}" sh -c 'echo $$ >"rank.$OMPI_COMM_WORLD_RANK"; exec "$@"' rank \
        "$program" study run study.yaml --out killed --threads 1 >said.killed 2>&1 &
    mpirun=$!
    until_true has_begun
    kill -KILL "$(cat rank.2)" || true
    ! wait "$mpirun" || return 0
    for rank in rank.*; do
        until_true has_ended "$(cat "$rank")"
    done
}
# On a machine that pauses us, the ranks may be done before one is killed.
for attempt in 1 2 3 4 5; do
    run_and_kill
    left=$(left_of killed)
    [ "${left:-0}" = 0 ] || break
done
[ "${left:-0}" -gt 0 ] || fail "$attempt times nothing was left when a rank died"
"${four[@]}" "$program" study run study.yaml --out killed --threads 1 >said.again 2>&1 ||
    fail "the next mpirun"
[ "$(left_of killed)" = 0 ] || fail "the next mpirun left points"
compare killed
echo "mpi: four shards, four ranks, and four of which one was killed: the catalogue of one process"
