#!/bin/sh
# dependencies.sh [--check] build|wheel|test|bench|cluster|portable|web -- the Debian packages a
# build, a wheel, a test, a benchmark run, the test of studies under Slurm, builds for other processors
# or the explorer and its test need. Installs those that are missing; with --check it only names them.
# When all are there it does nothing and needs no network.
set -eu

# gcc without recommended packages has no C library headers: libc6-dev is named.
build="gcc libc6-dev cmake ninja-build pkg-config libopenblas-dev liblapacke-dev libsundials-dev
    libhdf5-dev libyaml-dev libqhull-dev coinor-libclp-dev libjansson-dev
    libcairo2-dev libgif-dev libarchive-dev libutf8proc-dev libsqlite3-dev
    fonts-dejavu-core"
test="clang clang-format libclang-rt-14-dev libomp-dev libcmocka-dev libmpfr-dev libgmp-dev
    librandom123-dev qhull-bin libnlopt-dev libopenmpi-dev openmpi-bin
    python3-cvxopt python3-scipy python3-h5py pandoc valgrind chromium chromium-driver python3-selenium"
# What a wheel carries comes from static libraries: those that the build alone does not need.
wheel="libgfortran-12-dev libstdc++-12-dev libpixman-1-dev libbrotli-dev libexpat1-dev liblzma-dev
    libzstd-dev libbz2-dev nettle-dev libaec-dev python3-venv advancecomp"
# The peers of the benchmarks: some compile what they run.
bench="g++ python3-venv python3-dev"
# Services, which nobody wants for a test: .ci/run takes them, 'make test' skips what needs them.
cluster="slurmctld slurmd slurm-client munge"
# Other processors: WebAssembly, in node and in Chromium, and 64-bit ARM, emulated. Likewise.
portable="clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 nodejs chromium
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
# The explorer (make web), and browsers to test it.
web="clang-19 llvm-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 python3 chromium chromium-driver python3-selenium firefox-esr"

only_check=no
if [ "${1:-}" = --check ]; then
    only_check=yes
    shift
fi
case "${1:-}" in
build) wanted="$build" ;;
wheel) wanted="$build $wheel" ;;
test) wanted="$build $test" ;;
bench) wanted="$build $bench" ;;
cluster) wanted="$cluster" ;;
portable) wanted="$portable" ;;
web) wanted="$build $web" ;;
*)
    echo "usage: scripts/dependencies.sh [--check] build|wheel|test|bench|cluster|portable|web" >&2
    exit 2
    ;;
esac

# On another system the names differ; the build itself says what it misses.
if ! command -v dpkg-query >/dev/null 2>&1; then
    exit 0
fi

missing=""
for package in $wanted; do
    # A package of several architectures answers once for each.
    if ! dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
        missing="$missing $package"
    fi
done
missing=${missing# }
if [ -z "$missing" ]; then
    exit 0
fi

by_hand() {
    echo "tropism: $1. Please install by hand: apt-get install --no-install-recommends $missing" >&2
    exit 1
}

if [ "$only_check" = yes ]; then
    by_hand "packages are missing ('make dependencies' installs them)"
fi
if ! command -v apt-get >/dev/null 2>&1; then
    by_hand "there is no apt-get"
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1; then
    as_root="sudo"
else
    by_hand "this needs root, and there is no sudo"
fi

echo "tropism: installing the missing Debian packages: $missing"
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update ||
    by_hand "the package lists could not be fetched"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of names
if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 install \
    --no-install-recommends $missing >"$log" 2>&1; then
    cat "$log" >&2
    by_hand "the installation failed"
fi
