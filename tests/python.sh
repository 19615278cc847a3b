#!/bin/sh
# python.sh BUILD -- the tests of the Python package on the wheel in BUILD/wheel, beside the program
# of BUILD, in the environment BUILD/python-env.
set -eu
build=$(cd "${1:?usage: python.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
python="$build/python-env/bin/python"
"$python" -m pip --disable-pip-version-check --quiet install --force-reinstall --no-deps "$build"/wheel/*.whl

# The stubs are those that the library would write now, and agree with themselves.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
(cd "$made" && "$python" -m tropism._stubs "$made")
for stub in __init__.pyi data.pyi; do
    cmp "$made/$stub" "python/tropism/$stub" ||
        { echo "python/tropism/$stub is out of date: make stubs"; exit 1; }
done
"$python" -m mypy --no-error-summary --strict --follow-imports=silent --cache-dir="$made" \
    python/tropism/__init__.pyi python/tropism/data.pyi python/tests/typed.py

TROPISM_PROGRAM="$build/tropism" "$python" -m pytest -q -p no:cacheprovider python/tests
