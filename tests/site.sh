#!/bin/bash
# site.sh -- the manual builds as a site: every page of docs/site/pages is there, every link and
# picture is found, equations become MathML, and docs/pictures has nothing that no page shows.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=$scratch/site
fail() {
    echo "site: $1"
    exit 1
}

scripts/site.sh "$folder" 2>"$scratch/words" || fail "$(cat "$scratch/words")"
# pandoc leaves an equation that it cannot read as text, and says so.
grep -q . "$scratch/words" && fail "$(head -5 "$scratch/words")"
grep -q '<math' "$folder/quiescence.html" || fail "quiescence.html has no equations"

# A dollar that is left in the text is an equation that was not read as one.
left=$(for page in "$folder"/*.html; do
    tr '\n' '\r' <"$page" | sed -E 's#<(pre|code|annotation)[^>]*>[^<]*(<span[^<]*|</span>[^<]*|<a [^<]*|</a>[^<]*)*</\1>##g' |
        tr '\r' '\n' | grep -n '\$' | sed "s#^#$(basename "$page"):#"
done)
[ -z "$left" ] || fail "not an equation: $(echo "$left" | head -3)"

# Links to places inside pages: GitHub's and pandoc's names of headings are the same.
for link in $(grep -ohE '\]\([a-z_-]*\.md#[^)]+\)' docs/*.md | sed 's/](//; s/)//' | sort -u); do
    page=${link%%.md*}
    grep -q "id=\"${link#*#}\"" "$folder/$page.html" || fail "$link: there is no such heading"
done

for picture in docs/pictures/*; do
    name=$(basename "$picture")
    grep -qF "(pictures/$name)" docs/*.md || grep -qF "(docs/pictures/$name)" README.md ||
        fail "no page shows $picture; 'git rm' it"
done
size=$(du -sk docs/pictures | cut -f1)
[ "$size" -le 4096 ] || fail "docs/pictures has $size kB, and 4096 are allowed"
echo "site: pages, links, $(ls docs/pictures | wc -l) pictures"
