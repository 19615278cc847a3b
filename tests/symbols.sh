#!/bin/bash
# symbols.sh BUILD -- names, read with nm from what was built in BUILD.
#
# 1. A file exports only symbols that begin with trop_ and its own name. The name
#    of a file that is one of several on the same noun counts up to its first
#    underscore: rule_softmax.c, kernel_body.c, lapack_none.c and parallel_none.c
#    export trop_rule_..., trop_kernel_..., trop_lapack_... and trop_parallel....
#    status.c holds what every other file uses: trop_error, trop_fail, trop_version.
# 2. A shared library exports what a header declares with TROP_API and nothing else:
#    libtropism.so tropism.h and the few of src/*/*.h that libtropism-lab calls,
#    libtropism-lab.so tropism_lab.h.
# 3. Every function that a public header declares is exported.
# 4. Of the functions of libm only those are used that have one exact answer: others differ in
#    their last bit from one C library to the next.
# 5. The judge of margins (margin_check*.c) shares no code with the solvers: it calls itself, its own
#    kernels, allocation and errors, and two decompositions whose residuals it takes itself.
# 6. What tropism_claim.h hands to a file of claims, the file calls by a name: a member of the table, a macro.
set -eu
build=$(cd "${1:?usage: symbols.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."

offenders=0
offend() {
    echo "$1"
    offenders=$((offenders + 1))
}

# "object symbol" of every global definition in an archive.
defined() {
    nm -A -g --defined-only "$1" | awk '{ split($1, at, ":"); print at[2], $NF }' | sort -u
}

# The C declarations of headers, one per line, without comments and # lines.
declarations() {
    cat "$@" | sed -E '/^[[:space:]]*#/d' | tr '\n' ' ' |
        sed -E 's:/\*([^*]|\*+[^*/])*\*+/::g' | tr ';{}' '\n\n\n' | sed -E 's/[[:space:]]+/ /g'
}

# Those that say TROP_API, by name; of functions and of objects.
marked() {
    declarations "$@" | sed -nE 's/.*TROP_API[^(]*\b(trop_[a-z0-9_]+) *(\(.*|\[.*|)$/\1/p' | sort -u
}

# Every function declared, marked or not; members that point to functions are none.
functions() {
    declarations "$@" | grep -v '^ *typedef' |
        sed -nE 's/^[^(=]*\b(trop_[a-z0-9_]+) *\([^*].*/\1/p' | sort -u
}

exported() {
    nm -D --defined-only "$1" | awk '$2 != "A" { print $NF }' |
        grep -vxE '_init|_fini|__bss_start|_edata|_end' | sort -u
}

# Functions of libm that an archive asks for, those left out that are exact in every C library.
exact="fma|sqrt|floor|ceil|trunc|rint|round|nearbyint|lrint|llrint|lround|llround|fmod|ldexp|scalbn|frexp|ilogb|logb"
exact="($exact|modf|nextafter|copysign|fabs|fmax|fmin|fdim|nan|feclearexcept|fetestexcept|fesetround|fegetround)[fl]?"
libm=$(${CC:-cc} -print-file-name=libm.so.6)
inexact() {
    comm -12 <(nm -A -g --undefined-only "$1" | awk '{ print $NF }' | sort -u) \
        <(nm -D --defined-only "$libm" | sed 's/.* //; s/@.*//' | sort -u) | grep -vxE "$exact" || true
}

check() { # library, its public header, other headers it may export from
    local library="$1" archive="$build/$1.a" shared="$build/$1.so" header="$2"
    shift 2
    local count=0
    while read -r object symbol; do
        stem=${object%%.*}
        noun=${stem%%_*}
        count=$((count + 1))
        case "$symbol" in
        "trop_$noun"*) ;;
        trop_error | trop_fail | trop_version)
            [ "$stem" = status ] || offend "$stem.c defines $symbol"
            ;;
        *) offend "$stem.c defines $symbol: must begin with trop_$noun" ;;
        esac
    done <<<"$(defined "$archive")"
    [ "$count" -ge 5 ] || offend "$archive: only $count symbols"

    for symbol in $(comm -23 <(exported "$shared") <(marked "$header" "$@")); do
        offend "$library exports $symbol, which no header marks TROP_API"
    done
    for symbol in $(comm -13 <(exported "$shared") <(functions "$header")); do
        offend "$header declares $symbol, which $library does not export"
    done
    for symbol in $(inexact "$archive"); do
        offend "$library uses $symbol of the C library, which is not the same everywhere"
    done
    [ -n "$(functions "$header")" ] || offend "$header: no declaration was found"
    echo "$library: $count symbols in the archive, $(exported "$shared" | wc -l) exported"
}

check libtropism include/tropism.h $(find src -name "*.h")
for call in $(nm -A -g --undefined-only "$build/libtropism.a" 2>/dev/null |
    awk '$1 ~ /:margin_check[a-z_]*\.c/ && $NF ~ /^trop_/ { split($1, at, ":"); print at[2] ":" $NF }' |
    grep -vE ':trop_(margin_check|alloc|fail|kernel_choose|lapack_svd|linalg_cholesky)'); do
    offend "the judge calls what solvers use: ${call/:/ calls }"
done
for line in $(grep -hoE '^#include "[^"]*"' src/margin/check/margin_check*.[ch] | sort -u | grep -oE '"[^"]*"' |
    grep -vxE '"(margin/check/margin_check(_internal)?|kernel/kernel_judge|base/(math/dd|alloc|status|lapack|linalg)|tropism)\.h"'); do
    offend "the judge includes $line"
done
if [ -f include/tropism_lab.h ] && [ -f "$build/libtropism-lab.so" ]; then
    check libtropism-lab include/tropism_lab.h
fi
handed=$(sed -n '/^struct trop_claim_api {/,/^};/p' include/tropism_claim.h |
    sed -nE 's/^    [a-z][^(]*\(\*([a-z_]+)\)\(.*/trop_\1/p' | sort)
called=$(sed -nE 's/^#define (trop_[a-z_]+) \(trop_claim_host->([a-z_]+)\)$/\1 trop_\2/p' include/tropism_claim.h |
    awk '$1 == $2 { print $1 }' | sort)
[ "$(wc -w <<<"$handed")" -gt 50 ] || offend "tropism_claim.h: only $(wc -w <<<"$handed") functions were found"
for name in $(comm -3 <(echo "$handed") <(echo "$called")); do
    offend "tropism_claim.h: $name is in the table or a macro, and not both"
done
if [ "$offenders" -gt 0 ]; then
    echo "symbols: $offenders offenders"
    exit 1
fi
