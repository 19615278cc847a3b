#!/bin/sh
# wheel.sh ENVIRONMENT FOLDER -- in FOLDER an archive of the sources, and a wheel of the Python package
# made from it that carries all that it links, by the tools of a Python environment (scripts/python-env.sh).
# The oldest C library that it runs with is this machine's.
set -eu
bin=$(cd "${1:?usage: wheel.sh ENVIRONMENT FOLDER}" && pwd)/bin
folder=${2:?usage: wheel.sh ENVIRONMENT FOLDER}
PATH="$bin:$PATH"
export PATH
rm -rf "$folder"
mkdir -p "$folder/plain"
folder=$(cd "$folder" && pwd)
quietly() {
    "$@" >"$folder/build.log" 2>&1 || { tail -40 "$folder/build.log" >&2; exit 1; }
}
quietly python -m build --sdist --no-isolation --outdir "$folder" .
# The sources as they come out of the archive, beside those of the last time: what has not changed
# keeps its date, and is not compiled again.
sources=$(dirname "$folder")/sdist
python scripts/wheel-unpack.py "$folder"/*.tar.gz "$sources"
quietly python -m build --wheel --no-isolation --outdir "$folder/plain" -Ccmake.define.TROPISM_CARRY=ON "$sources"
quietly auditwheel repair --wheel-dir "$folder" "$folder"/plain/*.whl
rm -rf "$folder/plain"
python scripts/wheel-carry.py "$folder"/*.whl "$sources/build/python/native/_tropism.map" docs/wheel.md
# The same bytes, packed closer.
advzip --quiet --recompress --shrink-normal "$folder"/*.whl
python scripts/wheel-carry.py --size "$folder"/*.whl
# The name says which C library it needs.
tag=$(basename "$folder"/*.whl .whl | sed 's/.*-//')
auditwheel show "$folder"/*.whl >"$folder/build.log"
grep -q "\"$tag\"" "$folder/build.log" || { cat "$folder/build.log"; echo "wheel: it is not $tag" >&2; exit 1; }
rm "$folder/build.log"
ls "$folder"/*
