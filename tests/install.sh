#!/bin/bash
# install.sh BUILD -- an installed copy serves a program that knows only tropism.h:
# through pkg-config and through CMake, shared and static, wherever it lies.
set -eu
build=$(cd "${1:?usage: install.sh BUILD}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        echo "install: $1 failed"
        exit 1
    }
}
fail() {
    echo "install: $1"
    exit 1
}

unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that may have started this
quietly make -C "$source" install BUILD="$build" DESTDIR="$work/stage" PREFIX=/usr
mv "$work/stage/usr" "$work/moved" # nothing may remember where it was put
copy=$work/moved
libraries=$(dirname "$(find "$copy" -name libtropism.a)")

# 1. Nothing remembers where it was built.
if grep -rnF -e "$source" -e "$build" -e "$work" --include='*.pc' --include='*.cmake' "$copy"; then
    fail "an installed file names a folder of the build"
fi
for binary in "$copy"/bin/tropism "$libraries"/lib*.so; do
    if readelf -d "$binary" | grep -E 'RPATH|RUNPATH' | grep -vF '[$ORIGIN]'; then
        fail "$binary looks for libraries in a folder of the build"
    fi
done

# 2. Everything is there, and the program works.
for file in include/tropism.h include/tropism_lab.h include/tropism_claim.h bin/tropism share/man/man1/tropism.1 \
    share/bash-completion/completions/tropism share/zsh/site-functions/_tropism \
    share/fish/vendor_completions.d/tropism.fish share/doc/tropism/NOTICE \
    share/tropism/verify/tropism_verify.py; do
    [ -s "$copy/$file" ] || fail "$file is missing or empty"
done
for library in libtropism.so libtropism.a libtropism-lab.so libtropism-lab.a; do
    [ -s "$libraries/$library" ] || fail "$library is missing"
done
"$copy/bin/tropism" --version | grep -qF "$(cat "$source/VERSION")" || fail "tropism --version"

# A file of claims needs its header alone, and is loaded by the program. The header is C99 and C++.
quietly cc -std=c99 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -I "$copy/include" \
    "$source/examples/claims/diameter.c" -o "$work/diameter.so"
"$copy/bin/tropism" check "$work/diameter.so:my-lem-diameter" 2>/dev/null | grep -q '^my-lem-diameter: holds (proved)$' ||
    fail "a file of claims is not checked"
printf '#include <tropism_claim.h>\nstatic struct trop_claim claim;\nTROP_CLAIMS(&claim);\n' >"$work/header.c"
for standard in c99 c11 c++11 c++17; do
    case $standard in c++*) compiler=c++ ;; *) compiler=cc ;; esac
    command -v $compiler >/dev/null || continue
    quietly $compiler -x "${standard%%[0-9]*}" -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        -I "$copy/include" "$work/header.c"
done

# 3. The examples, built six ways, print what is expected.
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
compare() { # program, example
    "$1" >"$work/out" 2>&1 || {
        cat "$work/out"
        fail "$1 failed"
    }
    diff -u "${2%.c}.expected" "$work/out" || fail "$1 prints something else"
}
flags="-std=c17 -Wall -Wextra -Wpedantic -Werror"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(example C)
find_package(tropism REQUIRED COMPONENTS shared static lab)
foreach(kind tropism tropism_static tropism-lab tropism-lab_static)
  add_executable(${kind}_program ${EXAMPLE})
  target_link_libraries(${kind}_program tropism::${kind})
endforeach()
END
count=0
for example in "$source"/examples/*.c; do
    count=$((count + 1))
    name=$(basename "$example" .c)
    # shellcheck disable=SC2046,SC2086 # lists of flags
    quietly cc $flags $(pkg-config --cflags tropism) -o "$work/$name" "$example" \
        $(pkg-config --libs tropism)
    compare "$work/$name" "$example"
    # shellcheck disable=SC2046,SC2086
    quietly cc $flags $(pkg-config --cflags tropism) -o "$work/$name" "$example" \
        $(pkg-config --static --libs tropism | sed 's/-ltropism\b/-l:libtropism.a/')
    if readelf -d "$work/$name" | grep -q libtropism; then
        fail "the static program needs the shared library"
    fi
    compare "$work/$name" "$example"

    quietly cmake -S "$work" -B "$work/cmake" -DEXAMPLE="$example" -DCMAKE_PREFIX_PATH="$copy"
    quietly cmake --build "$work/cmake"
    for kind in tropism tropism_static tropism-lab tropism-lab_static; do
        compare "$work/cmake/${kind}_program" "$example"
    done
done
[ "$count" -gt 0 ] || fail "there are no examples"
quietly pkg-config --exists --print-errors "tropism-lab = $(cat "$source/VERSION")"
echo "install: $count examples, six ways each"
