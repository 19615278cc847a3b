#!/bin/bash
# layers.sh -- a folder of src/ is a layer and includes only itself and the layers
# it may know; cli/ includes the two public headers and its own.
#
#   base < kernel < attend < shape < flow < margin < learn < model < run < claim
#
# io and draw know base alone; model, run and claim, where numbers meet files, know io, and the last
# two draw as well.
#
# tests/ has the same folders, cli and support, and no file there is longer than 600 lines.
set -eu
cd "${1:-$(dirname "$0")/..}"

declare -A knows
before="base"
for layer in base kernel attend shape flow margin learn; do
    case " $before " in *" $layer "*) ;; *) before="$before $layer" ;; esac
    knows[$layer]="$before"
done
knows[io]="base io"
knows[draw]="base draw"
knows[model]="$before io model"
knows[run]="$before io draw model run"
knows[claim]="$before io draw model run claim"

offenders=0
offend() {
    echo "$1"
    offenders=$((offenders + 1))
}

# Prints "file:line:header" of every #include "...".
includes() {
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' --include='*.cu' "$1" |
        sed -E 's/^([^:]*:[0-9]+):[^"]*"([^"]*)".*/\1:\2/' || true
}

files=0
for folder in src/*/; do
    layer=$(basename "$folder")
    if [ -z "${knows[$layer]:-}" ]; then
        offend "$folder is not a layer that tests/layers.sh knows"
        continue
    fi
    while IFS=: read -r file line header; do
        [ -n "$file" ] || continue
        files=$((files + 1))
        case "$header" in
        tropism.h) ;;
        tropism_claim.h)
            [ "$layer" = claim ] || offend "$file:$line: layer $layer includes tropism_claim.h"
            ;;
        tropism_lab.h)
            [[ $layer =~ ^(io|draw|model|run|claim)$ ]] ||
                offend "$file:$line: libtropism includes tropism_lab.h"
            ;;
        */*)
            case " ${knows[$layer]} " in
            *" ${header%%/*} "*) ;;
            *) offend "$file:$line: layer $layer includes $header" ;;
            esac
            ;;
        *) offend "$file:$line: \"$header\" does not name its layer" ;;
        esac
    done <<<"$(includes "$folder")"
done

while IFS=: read -r file line header; do
    [ -n "$file" ] || continue
    case "$header" in
    tropism.h | tropism_lab.h) ;;
    *)
        if [ ! -f "cli/${header#cli/}" ]; then
            offend "$file:$line: the program includes $header"
        fi
        ;;
    esac
done <<<"$(includes cli)"

# The map of the tree, in CONTRIBUTING.md and in the manual: every folder has its line.
for page in CONTRIBUTING.md docs/index.md; do
    while read -r line; do
        offend "$page: the map of the tree and the folders of src/ differ: $line"
    done < <(diff <(grep -oE '^src/[a-z0-9/]+' "$page" | sort) <(find src -mindepth 1 -type d | sort) | grep '^[<>]')
done
diff <(sed -n '/^include\/ /,/^```/p' CONTRIBUTING.md) <(sed -n '/^include\/ /,/^```/p' docs/index.md) >/dev/null ||
    offend "the maps of the tree in CONTRIBUTING.md and docs/index.md differ"

while IFS= read -r file; do
    folder=${file#tests/}
    case " ${!knows[*]} cli portable support " in
    *" ${folder%/*} "*) ;;
    *) offend "$file: tests stand in a folder named like a layer, in cli, portable or support" ;;
    esac
    lines=$(wc -l <"$file")
    [ "$lines" -le 600 ] || offend "$file: $lines lines, of a test at most 600"
done < <(find tests -name '*.[ch]')

if [ "$files" -lt 10 ]; then
    offend "only $files includes were found: this test no longer sees the sources"
fi
if [ "$offenders" -gt 0 ]; then
    echo "layers: $offenders offenders"
    exit 1
fi
echo "layers: $files includes in order"
