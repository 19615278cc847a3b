#!/bin/bash
# browser.sh BUILD [PAGE...] -- the pages that the program writes, opened and used in Chromium, compared with the
# JSON of the same commands, and looked at (tests/browser/pages.py has the list). PAGE: those alone. With
# TROP_BROWSER_SHOTS=FOLDER, what the browser showed is kept there, to be looked at.
set -eu
build=$(cd "${1:?usage: browser.sh BUILD [PAGE...]}" && pwd)
shift
cd "$(dirname "$0")/.."
if [ -n "${TROP_BROWSER_SHOTS:-}" ]; then
    mkdir -p "$TROP_BROWSER_SHOTS"
    TROP_BROWSER_SHOTS=$(cd "$TROP_BROWSER_SHOTS" && pwd)
fi
export TROP_BROWSER_SHOTS=${TROP_BROWSER_SHOTS:-}
# The copy stays as it is while a build beside this run links another; the browser keeps its own files in it, too.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$build/tropism" "$scratch"
# Debian's own Python, which has Selenium and NumPy.
HOME="$scratch" XDG_CONFIG_HOME="$scratch" XDG_CACHE_HOME="$scratch" TMPDIR="$scratch" \
    /usr/bin/python3 -B tests/browser/pages.py "$scratch/tropism" tests/data/stories260K.bin "$@"
