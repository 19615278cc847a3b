#!/bin/bash
# wasm.sh BUILD TARGET -- builds a target for WebAssembly twice: in BUILD/web/relaxed, whose multiply-add is a
# relaxed instruction, and in BUILD/web/exact. Needs what 'scripts/dependencies.sh portable' installs.
set -eu
build=${1:?usage: wasm.sh BUILD TARGET}
target=${2:?usage: wasm.sh BUILD TARGET}
cd "$(dirname "$0")/.."
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
    cmake --build "$build/web/$kind" --target "$target" | tail -1
done
