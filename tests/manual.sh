#!/bin/bash
# manual.sh BUILD [PAGE...] -- every code block of README.md and docs/ is true.
#
# A page is read from top to bottom in an empty folder where build is BUILD (examples, tests, verify and include are there, too):
#   ```sh      is run; each line must succeed. Lines that begin with make, git, pip or cd are for the
#              person who has the sources, and are left out;
#   ```text    right after it is what it prints, line by line; "..." stands for any lines;
#   ```c       with a main is compiled against the public headers and run, and ```text after it is
#              what it prints; without main it is compiled as the body of one;
#   ```python  is run;
#   ```py      needs the Python package: python/tests/test_docs.py runs it.
# Blocks without a language are formulas and words.
set -u
build=$(cd "${1:?usage: manual.sh BUILD [PAGE...]}" && pwd)
shift
cd "$(dirname "$0")/.."
sources=$PWD
pages=("$@")
[ ${#pages[@]} -gt 0 ] || pages=(README.md docs/*.md)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Splits a page into blocks/NNN.LANGUAGE, in order.
split() {
    awk -v folder="$2" '
        !inside && /^```[a-z]+$/ { language = substr($0, 4); inside = 1; count++
            file = sprintf("%s/%03d.%s", folder, count, language); printf "" > file; next }
        !inside && /^```$/ { inside = 2; count++; next }
        inside && /^```$/ { if (inside == 1) close(file); inside = 0; next }
        inside == 1 { print > file }' "$1"
}

# What is printed against what the page shows, where "..." stands for any lines.
compare() {
    awk 'NR == FNR { shown[++n] = $0; next } { got[++m] = $0 }
         END { i = 1; j = 1
            while (i <= n) {
                if (shown[i] == "...") {
                    if (i == n) exit 0
                    while (j <= m && got[j] != shown[i + 1]) j++
                    i++
                    continue
                }
                if (j > m || got[j] != shown[i]) {
                    print "the page shows: " shown[i]; print "and it prints:  " got[j]; exit 1 }
                i++; j++ }
            if (j <= m) { print "it prints more: " got[j]; exit 1 } }' "$1" "$2"
}

run_block() { # file, output
    case "$1" in
    *.sh)
        grep -vE '^(make|git|pip|cd) ' "$1" >"$1.run"
        bash -eu -o pipefail "$1.run" >"$2" 2>"$2.err"
        ;;
    *.c)
        if ! grep -q 'int main' "$1"; then
            { echo '#include <stdio.h>'; echo '#include <tropism.h>'; echo '#include <tropism_lab.h>'
              echo 'int main(void) {'; cat "$1"; echo 'return 0; }'; } >"$1.whole.c"
        else
            cp "$1" "$1.whole.c"
        fi
        gcc -std=c17 -Wall -I"$sources/include" "$1.whole.c" -o program -L"$build" -ltropism-lab -ltropism \
            -Wl,-rpath,"$build" -lm >"$2.err" 2>&1 && ./program >"$2" 2>>"$2.err"
        ;;
    *.python) /usr/bin/python3 "$1" >"$2" 2>"$2.err" ;;
    esac
}

failures=0
blocks=0
for page in "${pages[@]}"; do
    name=$(basename "$page" .md)
    mkdir -p "$scratch/$name/work" "$scratch/$name/blocks"
    split "$sources/$page" "$scratch/$name/blocks"
    ln -s "$build" "$scratch/$name/work/build"
    ln -s "$sources/examples" "$sources/tests" "$sources/verify" "$sources/include" "$scratch/$name/work"
    before=""
    start=$(date +%s.%N)
    for block in "$scratch/$name/blocks"/*.*; do
        [ -e "$block" ] || continue
        number=$(basename "$block" | cut -d. -f1)
        case "$block" in
        *.text)
            previous=$(printf '%03d' $((10#$number - 1)))
            if [ -n "$before" ] && [ "$previous" = "$(basename "$before" | cut -d. -f1)" ]; then
                blocks=$((blocks + 1))
                if ! compare "$block" "$before.out" >"$block.diff"; then
                    echo "$page, block $number: the output differs"
                    cat "$block.diff"
                    failures=$((failures + 1))
                fi
            fi
            ;;
        *.sh | *.c | *.python)
            blocks=$((blocks + 1))
            before=$block
            if ! (cd "$scratch/$name/work" && run_block "$block" "$block.out"); then
                echo "$page, block $number fails:"
                head -20 "$block"
                tail -5 "$block.out.err"
                failures=$((failures + 1))
            fi
            ;;
        esac
    done
    printf '%-28s %5.1f s\n' "$page" "$(echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }')"
done
if [ "$blocks" -lt 20 ] && [ $# -eq 0 ]; then
    echo "manual: only $blocks blocks were found"
    exit 1
fi
if [ "$failures" -gt 0 ]; then
    echo "manual: $failures of $blocks blocks fail"
    exit 1
fi
echo "manual: $blocks blocks run"
