#!/bin/sh
# wheel.sh BUILD -- what 'make wheel' left in BUILD: another environment of pip's compiles nothing again;
# a library that docs/wheel.md does not list, one that is not there, or a wheel that is too large is refused.
set -eu
build=$(cd "${1:?usage: wheel.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
python="$build/wheel-env/bin/python"
PATH="$build/wheel-env/bin:$PATH"
export PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "wheel: $1"
    exit 1
}

# 1. scikit-build-core clears the folder of a build when it stands in a new folder itself, as it does
# each time that pip makes an isolated environment.
folder=$build/sdist/build/python
sed -i 's|"skbuild_path": *"[^"]*"|"skbuild_path": "/of/another/environment"|' "$folder/.skbuild-info.json"
grep -q /of/another/environment "$folder/.skbuild-info.json" || fail "no skbuild_path in .skbuild-info.json"
touch "$work/before"
"$python" -m build --wheel --no-isolation --outdir "$work" -Ccmake.define.TROPISM_CARRY=ON "$build/sdist" >"$work/log" 2>&1 ||
    { tail -20 "$work/log"; fail "the second build failed"; }
again=$(find "$folder" -path '*/CMakeFiles/*_objects.dir/*.o' -newer "$work/before" | wc -l)
[ "$again" = 0 ] || fail "$again files were compiled again"

# 2. The table against what is inside, with a row too few and a row too many.
auditwheel repair --wheel-dir "$work/repaired" "$work"/*.whl >"$work/log" 2>&1 || { cat "$work/log"; fail "auditwheel"; }
refused() { # what is said, the page
    if python scripts/wheel-carry.py "$work"/repaired/*.whl "$folder/native/_tropism.map" "$2" >"$work/log" 2>&1; then
        fail "not refused: $1"
    fi
    grep -qF "$1" "$work/log" || { cat "$work/log"; fail "not said: $1"; }
}
grep -v 'libyaml.a' docs/wheel.md >"$work/few.md"
refused "libyaml.a: in the wheel, and not in the table of few.md" "$work/few.md"
sed 's/^| `libyaml.a`/| `libcurl.a`, `libyaml.a`/' docs/wheel.md >"$work/many.md"
refused "libcurl.a: in the table of many.md, and not in the wheel" "$work/many.md"
head -c 15000001 /dev/zero >"$work/large.whl"
if python scripts/wheel-carry.py --size "$work/large.whl" 2>"$work/log"; then
    fail "15,000,001 bytes are not refused"
fi
