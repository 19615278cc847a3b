#!/bin/bash
# pictures.sh BUILD [PAGE...] -- makes docs/pictures again, by the commands that the pages show.
#
# A page that shows pictures/NAME has an sh block that writes NAME. The sh blocks of the page are
# run in an empty folder, as tests/manual.sh does, and what it shows is taken from there.
set -eu
build=$(cd "${1:?usage: pictures.sh BUILD [PAGE...]}" && pwd)
shift
cd "$(dirname "$0")/.."
sources=$PWD
pages=("$@")
[ ${#pages[@]} -gt 0 ] || pages=(docs/*.md)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p docs/pictures
export STUDY= # pages run a part of a study, pictures are of the whole

count=0
for page in "${pages[@]}"; do
    shown=$(grep -oE '\(pictures/[A-Za-z0-9_.-]+\)' "$page" | sed 's#.*/##; s#)##' | sort -u)
    [ -n "$shown" ] || continue
    work=$scratch/$(basename "$page" .md)
    mkdir "$work"
    ln -s "$build" "$work/build"
    ln -s "$sources/tests" "$sources/examples" "$work"
    awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$sources/$page" |
        grep -vE '^(make|git|cd) ' >"$work/commands"
    (cd "$work" && bash -eu -o pipefail commands >/dev/null)
    for picture in $shown; do
        [ -s "$work/$picture" ] || {
            echo "pictures: $page shows $picture, and no command of it writes that" >&2
            exit 1
        }
        cp "$work/$picture" "docs/pictures/$picture"
        count=$((count + 1))
    done
done
echo "pictures: $count made"
