#!/bin/bash
# readme.sh BUILD -- what README.md shows is true: its C program is examples/flow.c,
# and its lines that begin with build/tropism work. So is the example that opens tropism.h.
set -eu
build=$(cd "${1:?usage: readme.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! diff <(sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d') <(sed '/^\/\* .* \*\/$/d' examples/flow.c); then
    echo "readme: the C program differs from examples/flow.c"
    exit 1
fi

{
    printf '#include "tropism.h"\n#include <stdio.h>\nint main(void)\n{\n'
    sed -n '/come to rest:$/,/^ \* True for/ s/^ \*   //p' include/tropism.h
    printf 'return 0;\n}\n'
} >"$work/head.c"
cc -std=c17 -Wall -Werror -I include -o "$work/head" "$work/head.c" -L "$build" -ltropism -Wl,-rpath,"$build"
shown=$("$work/head")
asked=$("$build/tropism" flow --n 64 --d 2 --rule hardmax --until converged | sed -n 's/^diameter *//p')
if [ -z "$shown" ] || [ "$shown" != "$asked" ]; then
    echo "readme: the example in tropism.h says '$shown', the program '$asked'"
    exit 1
fi

printf '1,0.3\n-0.1,0.1\n-1,-1\n0,0.25\n' >"$work/x.csv"
ln -s "$build" "$work/build"
count=0
while read -r line; do
    count=$((count + 1))
    (cd "$work" && bash -c "$line" >out 2>&1) || {
        cat "$work/out"
        echo "readme: failed: $line"
        exit 1
    }
done <<<"$(grep '^build/tropism ' README.md)"
[ "$count" -ge 2 ] || {
    echo "readme: no commands were found"
    exit 1
}
echo "readme: the program and $count commands"
