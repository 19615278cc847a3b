#!/bin/sh
# generate.sh BUILD FOLDER -- the pages that the program writes from its own tables.
set -eu
build=${1:?usage: generate.sh BUILD FOLDER}
folder=${2:?usage: generate.sh BUILD FOLDER}
mkdir -p "$folder"

# Under each claim what its check came to, by scripts/claims.py seen. A claim without a line there
# has none, and a line without its claim is an error.
with_checks() {
    awk -F '\t' -v OFS= '
        NR == FNR { text[$1] = $2; next }
        /^### / { id = substr($0, 5) }
        { print }
        /^- faults that its check is tested to detect/ && id in text {
            gsub(/[<*_|]/, "\\\\&", text[id])
            print "- its check: ", text[id]
            delete text[id]
        }
        END { for (id in text) { print "docs/claims.tsv: no claim " id > "/dev/stderr"; bad = 1 }; exit bad }
    ' docs/claims.tsv "$1"
}

# Under that the instances that open in the explorer, by scripts/claims.py links, a line each.
with_links() {
    awk -F '\t' -v OFS= '
        NR == FNR { links[$1] = links[$1] (links[$1] == "" ? "- in the explorer: " : "; ") "[" $3 "](tropism.html#" $2 ")"; next }
        /^#/ && id in links { print links[id] "\n"; delete links[id] }
        /^### / { id = substr($0, 5); open = 0 }
        id in links && open && /^$/ { print links[id]; delete links[id] }
        { if (/^- /) { open = 1 }; print }
        END { for (id in links) { print "docs/explorer.tsv: no claim " id > "/dev/stderr"; bad = 1 }; exit bad }
    ' docs/explorer.tsv "$1"
}

# Beside first: a program that fails leaves the old page.
for page in options results claims; do
    "$build/tropism" help --generate "$page" >"$folder/.$page.new"
done
with_checks "$folder/.claims.new" >"$folder/.claims.checked"
with_links "$folder/.claims.checked" >"$folder/.claims.new"
rm "$folder/.claims.checked"
for page in options results claims; do
    mv "$folder/.$page.new" "$folder/$page.md"
done
