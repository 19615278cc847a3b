#!/bin/sh
# wheel.sh ENVIRONMENT FOLDER -- a wheel of the Python package in FOLDER that carries the library
# and all that it links, by the tools of a Python environment (scripts/python-env.sh). The oldest C
# library that it runs with is this machine's.
set -eu
bin=$(cd "${1:?usage: wheel.sh ENVIRONMENT FOLDER}" && pwd)/bin
folder=${2:?usage: wheel.sh ENVIRONMENT FOLDER}
PATH="$bin:$PATH"
export PATH
rm -rf "$folder"
mkdir -p "$folder/plain"
"$bin/python" -m build --wheel --no-isolation --outdir "$folder/plain" . >"$folder/build.log" 2>&1 ||
    { tail -40 "$folder/build.log" >&2; exit 1; }
"$bin/auditwheel" repair --wheel-dir "$folder" "$folder"/plain/*.whl
rm -rf "$folder/plain"
"$bin/python" scripts/wheel-carry.py "$folder"/*.whl
# The name says which C library it needs, and what was carried may not need a newer one.
tag=$(basename "$folder"/*.whl .whl | sed 's/.*-//')
"$bin/auditwheel" show "$folder"/*.whl >"$folder/show.log"
cat "$folder/show.log"
grep -q "\"$tag\"" "$folder/show.log" || { echo "wheel: it is not $tag" >&2; exit 1; }
rm "$folder/show.log"
