#!/bin/bash
# web.sh BUILD [TEST...] -- the explorer (BUILD/web/tropism.html, which 'make web' makes), opened and used in Chromium, and
# compared with the program (tests/browser/explorer.py, training.py), and some of it in Firefox (firefox.py). TEST: those alone, of explorer.py. With TROP_BROWSER_SHOTS=FOLDER, what the browser
# showed is kept there. Without clang for WebAssembly, which 'make web-dependencies' brings, it is skipped.
set -eu
build=$(cd "${1:?usage: web.sh BUILD [TEST...]}" && pwd)
shift
cd "$(dirname "$0")/.."
if ! scripts/dependencies.sh --check web >/dev/null 2>&1; then
    echo "web: skipped, packages are missing ('make web-dependencies' installs them)"
    exit 77
fi
scripts/web.sh "$build"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$build/tropism" "$build/web/tropism.html" "$scratch/"
# The Python package's library, where the build has it (-DTROPISM_PYTHON=ON).
if [ -f "$build/_tropism.so" ]; then
    export TROPISM_LIBRARY="$build/_tropism.so"
fi
if [ $# != 0 ]; then
    /usr/bin/python3 -B tests/browser/explorer.py "$scratch" "$@"
    exit
fi
# They wait more than they compute: Firefox beside Chromium.
status=0
/usr/bin/python3 -B tests/browser/firefox.py "$scratch" >"$scratch/firefox.log" 2>&1 &
/usr/bin/python3 -B tests/browser/explorer.py "$scratch" || status=1
/usr/bin/python3 -B tests/browser/training.py "$scratch" || status=1
wait $! || status=1
cat "$scratch/firefox.log"
exit $status
