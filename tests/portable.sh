#!/bin/bash
# portable.sh BUILD WHERE -- the bits of everything that the minimal build offers, on other machines: the
# lines of tests/portable/probe.c, a hash of all fields of each of a hundred runs, must be those of BUILD.
#
#   kernels   every kernel that this processor has, alone
#   aarch64   64-bit ARM, emulated by qemu
#   node      WebAssembly in node, with relaxed SIMD (its kernels alone, too) and without
#   chromium  the same in Chromium without a window, from a file
#
# Ends with 77 (CTest: skipped) where a package is missing.
set -eu
build=$(cd "${1:?usage: portable.sh BUILD WHERE}" && pwd)
where=${2:?usage: portable.sh BUILD WHERE}
cd "$(dirname "$0")/.."
if [ "$where" != kernels ] && ! scripts/dependencies.sh --check portable 2>/dev/null; then
    echo "portable: skipped: packages are missing ('scripts/dependencies.sh portable' installs them)"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! "$build/probe" >"$scratch/expected" 2>/dev/null; then
    grep -vE '^[0-9a-f]{16} ' "$scratch/expected"
    exit 1
fi

failed=0
compare() { # NAME: the lines that $scratch/lines has
    if diff -u "$scratch/expected" "$scratch/lines" >"$scratch/differences"; then
        echo "$1: the bits of $(wc -l <"$scratch/lines") runs"
    else
        echo "$1: other bits than here"
        cat "$scratch/differences"
        failed=1
    fi
}

# A module as a page of its own: no server, so its bytes are in the text.
page() { # MODULE
    cat <<HTML
<!doctype html><meta charset="utf-8"><pre id="lines"></pre>
<script>$(cat tests/portable/wasi.js)</script>
<script>
const bytes = Uint8Array.from(atob("$(base64 -w 0 "$1")"), (c) => c.charCodeAt(0));
const text = [];
try {
    runWasi(bytes, ["probe"], (part) => text.push(part));
} catch (error) {
    text.push(String(error));
}
document.getElementById("lines").textContent = text.join("");
</script>
HTML
}

case "$where" in
kernels)
    for kernel in baseline avx2 avx512 neon; do
        status=0
        "$build/probe" $kernel >"$scratch/lines" 2>/dev/null || status=$?
        [ $status = 2 ] || compare $kernel
    done
    ;;
aarch64)
    folder=$build/variants/aarch64
    cmake -G Ninja -S . -B "$folder" --toolchain "$PWD/cmake/aarch64.cmake" -DTROPISM_MINIMAL=ON \
        -DTROPISM_TESTS=OFF -DTROPISM_WERROR=ON -DTROPISM_OPTIMIZE=-O1 >"$scratch/log"
    cmake --build "$folder" -j 1 --target probe >"$scratch/log" || { cat "$scratch/log"; exit 1; }
    qemu-aarch64-static -L /usr/aarch64-linux-gnu "$folder/probe" >"$scratch/lines" 2>/dev/null || true
    compare aarch64
    ;;
node)
    scripts/wasm.sh "$build" probe
    # Of node 20 behind an option; it may crash as it ends, after the last line.
    option=""
    if node --v8-options | grep -q experimental-wasm-relaxed-simd; then
        option=--experimental-wasm-relaxed-simd
    fi
    for run in "exact -" "relaxed -" "relaxed baseline"; do
        # shellcheck disable=SC2086 # words
        set -- $run
        # shellcheck disable=SC2086 # one or none
        node $option tests/portable/wasi.js "$build/web/$1/probe.wasm" "$2" >"$scratch/lines" || true
        compare "node, $run"
    done
    ;;
chromium)
    scripts/wasm.sh "$build" probe
    for kind in exact relaxed; do
        page "$build/web/$kind/probe.wasm" >"$scratch/page.html"
        HOME=$scratch chromium --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
            --dump-dom "file://$scratch/page.html" 2>/dev/null |
            sed -n '/<pre id="lines">/,/<\/pre>/p' | sed 's/.*<pre id="lines">//; s/<\/pre>.*//; /^$/d' >"$scratch/lines"
        compare "chromium, $kind"
    done
    ;;
*)
    echo "$where: kernels, aarch64, node or chromium" >&2
    exit 2
    ;;
esac
exit $failed
