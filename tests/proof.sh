#!/bin/bash
# proof.sh BUILD -- proof files of the program are verified by verify/tropism_verify.py, and what is
# changed in them is not (tests/proof); with TROP_TEST_FULL=1 on many more results and changes.
set -eu
build=$(cd "${1:?usage: proof.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
python=/usr/bin/python3 # Debian's own
[ -x "$python" ] || python=python3
"$python" -B -W error tests/proof/test_hostile.py
"$python" -B -W error tests/proof/test_proofs.py "$build/tropism"
"$python" -B -W error tests/proof/test_study.py "$build/tropism"
