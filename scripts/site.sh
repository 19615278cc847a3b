#!/bin/bash
# site.sh FOLDER -- the manual as a site: docs/*.md in the order of docs/site/pages, by pandoc, with
# equations as MathML and pictures beside the pages. It needs no network, and neither do its readers.
# The explorer is in it where 'make web' has made build/web/tropism.html.
set -eu
folder=${1:?usage: site.sh FOLDER}
cd "$(dirname "$0")/.."
command -v pandoc >/dev/null || {
    echo "site: pandoc is missing; 'apt-get install pandoc' brings it" >&2
    exit 1
}
mkdir -p "$folder"

nav() { # the page that is being made
    grep -v '^#' docs/site/pages | while read -r file title; do
        if [ -z "$title" ]; then
            echo "<strong>$file</strong>"
        elif [ "$file" = "$1" ]; then
            echo "<a href=\"$file.html\" aria-current=\"page\"><b>$title</b></a>"
        else
            echo "<a href=\"$file.html\">$title</a>"
        fi
    done
}

# Without the explorer there are no links into it.
explorer=${BUILD:-build}/web/tropism.html
links='/^- in the explorer: /d'
if [ -f "$explorer" ]; then
    links=
fi

count=0
while read -r file title; do
    [ -n "$title" ] || continue
    # Links between pages are to .md, for people who read them as files.
    sed -E "$links" "docs/$file.md" | sed -E 's#\[([a-z-]+)\.md\]\(#[\1](#g; s#\]\(([a-z_-]+)\.md(\#[^)]*)?\)#](\1.html\2)#g' |
        pandoc -f gfm+tex_math_dollars -t html5 --mathml --standalone --template docs/site/template.html \
            -M title="$title" -V nav="$(nav "$file")" -o "$folder/$file.html"
    count=$((count + 1))
done < <(grep -v '^#' docs/site/pages)
if [ -d docs/pictures ]; then
    cp -r docs/pictures "$folder/"
fi

if [ -f "$explorer" ]; then
    cp "$explorer" "$folder/"
    sed -i '0,/<\/h1>/s##</h1>\n<p><a href="tropism.html">Open it in a page of its own.</a></p>\n<iframe src="tropism.html" title="the explorer" loading="lazy" style="width: 100%; height: 46rem; border: 1px solid var(--line)"></iframe>#' "$folder/explorer.html"
fi

# Every page and picture that is linked is there.
broken=$(grep -ohE '(href|src)="[^"#:]+' "$folder"/*.html | sed -E 's/.*="//' | sort -u |
    while read -r target; do [ -e "$folder/$target" ] || echo "$target"; done)
if [ -n "$broken" ]; then
    echo "site: linked but not there: $(echo $broken)" >&2
    exit 1
fi
echo "site: $count pages in $folder"
