#!/bin/bash
# needs.sh -- a build that misses a compiler or packages says which, and the command that installs
# them: by CMake (and so by pip, which runs it), by make, and for a wheel.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL CC
refused() { # what is to be said, in words that CMake may break over lines; command
    local said=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "needs: not refused: $*"
        exit 1
    fi
    tr -s '\n ' ' ' <"$work/log" | grep -qF "$said" || {
        cat "$work/log"
        echo "needs: '$said' is not said by: $*"
        exit 1
    }
    rm -rf "$work/build"
}
configure="cmake -S $source -B $work/build"
how="On Debian and Ubuntu this installs what is missing: scripts/dependencies.sh"

# 1. No compiler; and what pip configures says the same.
refused "tropism: not found: a C compiler. $how build" env CC=/nowhere/cc $configure
refused "tropism: not found: a C compiler. $how build" env CC=/nowhere/cc cmake -S "$source/python" -B "$work/build"

# 2. Packages, all of them at once.
refused "tropism: not found: lapacke, openblas, qhull_r, clp, hdf5-serial, yaml-0.1, jansson, cairo, libarchive, \
libutf8proc. $how build" env PKG_CONFIG_LIBDIR=/nowhere $configure

# 3. A static library of the wheel: a compiler that does not find nettle's.
cat >"$work/cc" <<'END'
#!/bin/sh
case "$1" in -print-file-name=libnettle.a) echo libnettle.a ;; *) exec cc "$@" ;; esac
END
chmod +x "$work/cc"
refused "tropism: not found: libnettle.a. $how wheel" env CC="$work/cc" $configure -DTROPISM_PYTHON=ON -DTROPISM_CARRY=ON

# 4. make without CMake names the packages that dpkg does not have.
mkdir "$work/bin"
for name in sh bash env make cat grep nproc dirname; do
    ln -s "$(command -v $name)" "$work/bin/$name"
done
printf '#!/bin/sh\ncase "$*" in *cmake) exit 1 ;; *) echo installed ;; esac\n' >"$work/bin/dpkg-query"
chmod +x "$work/bin/dpkg-query"
refused "Please install by hand: apt-get install --no-install-recommends cmake" \
    env PATH="$work/bin" make -C "$source" BUILD="$work/build"
