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
generator=""
if command -v ninja >/dev/null; then
    generator="-G Ninja"
fi
for kind in relaxed exact; do
    relaxed=OFF
    if [ $kind = relaxed ]; then
        relaxed=ON
    fi
    # shellcheck disable=SC2086 # two words or none
    cmake -S . -B "$build/web/$kind" ${generator} --log-level=WARNING --toolchain "$PWD/cmake/wasm.cmake" \
        -DTROPISM_MINIMAL=ON -DTROPISM_TESTS=OFF -DTROPISM_RELAXED=$relaxed >/dev/null
    cmake --build "$build/web/$kind" --target tropism-web | tail -1
done
python3 web/build.py "$build/web/tropism.html" "$build/web/relaxed/tropism-web.wasm" "$build/web/exact/tropism-web.wasm"
