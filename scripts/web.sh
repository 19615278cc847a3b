#!/bin/bash
# web.sh BUILD -- BUILD/web/tropism.html: the explorer, one page with two builds of libtropism inside, one whose multiply-add
# is a relaxed instruction and one for machines where that rounds twice. Needs what 'scripts/dependencies.sh portable' installs.
set -eu
build=${1:?usage: web.sh BUILD}
cd "$(dirname "$0")/.."
if ! command -v clang-19 >/dev/null || ! command -v wasm-ld-19 >/dev/null; then
    echo "web: clang-19 and lld-19 are missing; 'make web-dependencies' brings them" >&2
    exit 1
fi
scripts/wasm.sh "$build" tropism-web
python3 web/build.py "$build/web/tropism.html" "$build/web/relaxed/tropism-web.wasm" "$build/web/exact/tropism-web.wasm"
