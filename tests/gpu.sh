#!/bin/bash
# gpu.sh BUILD -- what make test-gpu and make bench-gpu do with a device, where there is none: the same
# scripts on a stand-in for it (the kernels of cuda/ on the host), with a driver's programs that say what
# they are asked to; and what they say when something is missing. No speed is looked at.
set -eu
build=$(cd "${1:?usage: gpu.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "gpu: $1"
    [ -z "${2:-}" ] || cat "$2"
    exit 1
}

mkdir -p "$work/run" "$work/bin"
cp "$build/device/standin/libtropism-cuda.so" "$build/bench_gpu" "$build/test_attend_device" "$build/test_flow_device" "$work/run/"
echo 0123abcd >"$work/run/commit"
cat >"$work/bin/nvidia-smi" <<'END'
#!/bin/sh
case $1 in -L) echo "GPU 0: a stand-in" ;; *) echo "a stand-in, 580.00" ;; esac
END
# Its last word is the program; SANITIZER_FINDS lets it find something.
cat >"$work/bin/compute-sanitizer" <<'END'
#!/bin/sh
for program; do :; done
echo "$2" >>"$SANITIZED"
[ -z "${SANITIZER_FINDS:-}" ] || { echo "Race reported"; exit 9; }
"$program"
END
chmod +x "$work/bin/"*
export SANITIZED=$work/sanitized GPU_RESULTS=$work/results TROP_BENCH_SMALL=1 TROP_TEST_FEW=1

# 1. Without a driver both say so, and write no table.
PATH=/usr/bin:/bin scripts/gpu.sh test "$work" >"$work/out" 2>&1 && fail "a test without a driver passes"
grep -q "gpu: nvidia-smi is missing: is there a driver?" "$work/out" || fail "no driver is not told" "$work/out"
[ ! -e "$work/results/gpu-test.txt" ] || fail "a log of no test"

# 2. The tests run on the library that is beside them, also under both tools, and the log says it.
export PATH="$work/bin:$PATH"
scripts/gpu.sh test "$work" >"$work/out" 2>&1 || fail "the tests fail on the stand-in" "$work/out"
for line in "commit  0123abcd" "device  a stand-in" "ok      test_attend_device" "ok      test_flow_device" \
    "ok      memcheck test_attend_device" "ok      racecheck test_attend_device"; do
    grep -q "^$line" "$work/results/gpu-test.txt" || fail "the log has no line '$line'" "$work/results/gpu-test.txt"
done
[ "$(paste -sd ' ' "$SANITIZED")" = "memcheck racecheck" ] || fail "not both tools were used"

# The rest is about the scripts.
printf '#!/bin/sh\n' >"$work/run/test_flow_device"

# 3. A finding, or a library without bits of ours, is a failure that shows what it was.
SANITIZER_FINDS=1 scripts/gpu.sh test "$work" >"$work/out" 2>&1 && fail "a race passes"
grep -q "Race reported" "$work/out" || fail "a race is not shown" "$work/out"
cp "$build/device/entry/libtropism-cuda.so" "$work/run/"
scripts/gpu.sh test "$work" >"$work/out" 2>&1 && fail "a library without the entry passes"
grep -q "FAILED  test_attend_device" "$work/out" || fail "a wrong library is not told" "$work/out"
scripts/gpu.sh bench "$work" >"$work/out" 2>&1 && fail "a benchmark of a wrong library passes"
grep -q "has no trop_device_entry" "$work/out" || fail "a wrong library is not told by the benchmark" "$work/out"
[ ! -e "$work/results/gpu.txt" ] || fail "a table of nothing"
cp "$build/device/standin/libtropism-cuda.so" "$work/run/"

# 4. The benchmark writes its table: a row a case, what is absent, and all lines it was made of.
scripts/gpu.sh bench "$work" >"$work/out" 2>&1 || fail "the benchmark fails on the stand-in" "$work/out"
page=$work/results/gpu.txt
[ "$(grep -cE '^(softmax|hardmax|localmax) ' "$page")" -eq 12 ] || fail "the table has not twelve rows" "$page"
for line in "commit    0123abcd" "device    a stand-in" "absent    float32 softmax" "absent    phase diagram" \
    "absent    mm-fig-9" "gpu rates fma="; do
    grep -q "^$line" "$page" || fail "the table has no line '$line'" "$page"
done
grep -qE "^peer=torch|absent    PyTorch" "$page" || fail "of PyTorch there is neither a time nor a reason" "$page"

# 5. Its numbers: 10^5 tokens in 1 s are 10 Gpair/s; with d = 2 that is 5 fma a pair of 100 10^9, half of all,
# and a tenth of the exponentials; PyTorch took 8 s, and ours 2 (the slower of two), with what a step has besides.
printf '%s\n' "gpu rates fma=1e11 exp=1e11" "gpu rule=softmax n=100000 d=2 step=1.5 rows=0.9 open=0" \
    "gpu rule=softmax n=100000 d=2 step=2 rows=1 open=0" >"$work/ours"
echo "peer=torch rule=softmax precision=double n=100000 d=2 seconds=8" >"$work/peer"
python3 bench/gpu.py --check "$work/ours" "$work/peer" | tail -1 >"$work/row"
read -r -a row <"$work/row"
[ "${row[*]}" = "softmax 100000 2 2000 1000 10 0.500 0.100 8000 4.00" ] || fail "the table's arithmetic" "$work/row"
# 6. What nvcc makes of the kernels: operations on numbers are rounded one by one (.rn, which forbids ptxas to
# contract them), in double, and none is approximate.
nvcc=$(sed -n 's/^TROPISM_NVCC:FILEPATH=//p' "$build/CMakeCache.txt")
if [ -x "$nvcc" ] && [ -e "$build/libtropism-cuda.so" ]; then
    grep -rqF -- "-fmad=false" "$build/build.ninja" "$build/CMakeFiles/tropism-cuda.dir" 2>/dev/null ||
        fail "libtropism-cuda is built without -fmad=false"
    "$nvcc" -std=c++17 -O3 -fmad=false -arch=compute_90 -ptx -Iinclude -Isrc -Icuda '-DTROP_VERSION="0"' \
        '-DDEVICE_GRID="grid_cuda.h"' -x cu cuda/device_body.c -o "$work/rows.ptx" || fail "nvcc compiles no PTX"
    [ "$(grep -c 'fma\.rn\.f64' "$work/rows.ptx")" -gt 1000 ] || fail "the PTX has no fma"
    grep -oE '(mul|add|sub|div|sqrt|fma)(\.[a-z]+)*\.f(32|64)|[a-z0-9]+\.approx[.a-z0-9]*' "$work/rows.ptx" |
        grep -vE '^(mul|add|sub|div|sqrt|fma)\.rn\.f64$' | sort | uniq -c >"$work/loose" || true
    [ ! -s "$work/loose" ] || fail "operations that may have other bits:" "$work/loose"
fi
echo "gpu: the scripts of a device, on a stand-in"
