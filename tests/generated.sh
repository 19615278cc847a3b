#!/bin/bash
# generated.sh BUILD -- the pages of docs/ that the program writes are what it
# writes today.
set -eu
build=$(cd "${1:?usage: generated.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

scripts/generate.sh "$build" "$fresh"
stale=0
for page in "$fresh"/*; do
    diff -u "docs/$(basename "$page")" "$page" || stale=1
done
if [ "$stale" = 1 ]; then
    echo "generated: 'make docs' brings them up to date"
    exit 1
fi
