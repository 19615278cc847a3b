#!/bin/bash
# gpu.sh build | test | bench [FOLDER] -- what is done on a machine with a GPU, in FOLDER (build-gpu).
#
#   build   FOLDER/run: libtropism-cuda.so, the tests of devices, the benchmark, and the commit. Needs CMake,
#           a C compiler, nvcc and cmocka; no device
#   test    those tests on the device, by themselves and under compute-sanitizer (memcheck, racecheck);
#           the log is bench/results/gpu-test.txt
#   bench   bench/gpu.py; the table is bench/results/gpu.txt
#
# FOLDER/run is all that test and bench need, so that it can be made on one machine and used on another. Where
# it is missing they make it. Each takes less than ten minutes and needs no network. GPU_RESULTS: a folder in
# place of bench/results.
set -u
what=${1:?usage: gpu.sh build | test | bench [FOLDER]}
cd "$(dirname "$0")/.."
folder=${2:-build-gpu}
run=$folder/run
results=${GPU_RESULTS:-bench/results}
tests="test_attend_device test_flow_device"

stop() {
    echo "gpu: $1" >&2
    exit 1
}

build() {
    command -v cmake >/dev/null || stop "CMake is missing; make $run on another machine: scripts/gpu.sh build"
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || stop "nvcc is missing"
    cmake -S . -B "$folder" -DTROPISM_MINIMAL=ON -DTROPISM_TESTS=ON -DTROPISM_CUDA=ON --log-level=WARNING >&2 ||
        stop "CMake failed (above)"
    # shellcheck disable=SC2086
    cmake --build "$folder" -j "$(nproc)" --target tropism-cuda bench_gpu $tests >&2 || stop "the build failed (above)"
    mkdir -p "$run"
    for file in libtropism-cuda.so bench_gpu $tests; do
        cp "$folder/$file" "$run/" || stop "$folder/$file is missing"
    done
    # cmocka, which the other machine may not have.
    ldd "$run/test_attend_device" | awk '/cmocka|mpfr|gmp/ { print $3 }' | xargs -r cp -Lt "$run"
    { git rev-parse HEAD && git diff --quiet HEAD || echo "with changes"; } 2>/dev/null | paste -sd ' ' >"$run/commit"
}

ready() {
    [ -x "$run/bench_gpu" ] && [ -s "$run/commit" ] || build
    command -v nvidia-smi >/dev/null || stop "nvidia-smi is missing: is there a driver?"
    nvidia-smi -L | grep -q GPU || stop "nvidia-smi lists no GPU"
}

# One command of the log: its name, its end, and its last lines when it failed.
failed=0
try() {
    local name=$1 begin=$SECONDS
    shift
    if timeout 280 "$@" >"$run/log" 2>&1; then
        echo "ok      $name ($((SECONDS - begin)) s)"
    else
        echo "FAILED  $name (exit $?, $((SECONDS - begin)) s)"
        tail -30 "$run/log" | sed 's/^/        /'
        failed=1
    fi
}

test_all() {
    local sanitizer
    sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
    TROP_TEST_DEVICE=$(cd "$run" && pwd)/libtropism-cuda.so
    export TROP_TEST_DEVICE LD_LIBRARY_PATH=$run${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    echo "date    $(date -u '+%Y-%m-%d %H:%M') UTC"
    echo "commit  $(cat "$run/commit")"
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | sed 's/^/device  /'
    for name in $tests; do
        try "$name" "$run/$name"
    done
    if [ -x "$sanitizer" ]; then
        for tool in memcheck racecheck; do
            TROP_TEST_FEW=1 try "$tool test_attend_device" "$sanitizer" --tool "$tool" --error-exitcode 9 "$run/test_attend_device"
        done
    else
        echo "FAILED  compute-sanitizer is not installed"
        failed=1
    fi
    return $failed
}

case $what in
build) build ;;
test)
    ready
    mkdir -p "$results"
    test_all | tee "$results/gpu-test.txt"
    exit "${PIPESTATUS[0]}"
    ;;
bench)
    ready
    mkdir -p "$results"
    exec python3 bench/gpu.py "$run" "$results/gpu.txt"
    ;;
*) stop "$what: build, test or bench" ;;
esac
