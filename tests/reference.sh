#!/bin/bash
# reference.sh BUILD -- the program against the second implementation in tests/reference, for half a minute, and small
# counterexamples judged again in rational numbers; with TROP_TEST_WIDE=1 until every pair of values is met, some four minutes and the same 3,300 cases on every
# machine, with TROP_TEST_FULL=1 for four hours, and then on programs with planted faults, all of which it has to find. TROP_TEST_SEED draws other cases.
set -eu
build=$(cd "${1:?usage: reference.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
limit=(--seconds 30 --jobs 1)
[ "${TROP_TEST_WIDE:-0}" != 1 ] || limit=(--seconds 1 --pairs)
[ "${TROP_TEST_FULL:-0}" != 1 ] || limit=(--seconds 14400 --pairs)
# The copy stays as it is while a build beside this run links another.
program=$(mktemp -d)
plants=$(mktemp -d)
trap 'rm -rf "$program" "$plants"' EXIT
cp "$build/tropism" "$program"
# Debian's own Python, which has the packages of the tests.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" -B tests/reference/steps/test_rules.py
"$python" -B tests/reference/plants.py --texts
"$python" -B tests/reference/exact/judge.py "$program/tropism"
"$python" -B tests/reference/fuzz.py --program "$program/tropism" \
    --seed "${TROP_TEST_SEED:-31}" "${limit[@]}"
# With the full counts, also whether it would find what it is there for.
[ "${TROP_TEST_FULL:-0}" != 1 ] || "$python" -B tests/reference/plants.py "$plants"
