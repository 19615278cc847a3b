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

# At the end what searches came to, by scripts/claims.py searched: a row a claim.
with_searches() {
    cat "$1"
    cat <<'EOF'

## What searches found

`tropism check ID --search SECONDS` on one thread ([check.md](check.md#searching-for-a-counterexample)): all claims that can be searched, of those that
are false without their known counterexamples. Seconds are those that were spent, with one seed or several, on cores that other work shared: what
a row is worth its instances say. Where a claim holds, the row has the instance that came nearest to a violation, and
how much of its bound was reached: a constant in that bound is at most as much too large. Where it is refuted, the row has medians over the
seeds, and the smallest counterexample. Shapes stand for instances with
many numbers; of a claim about a limit the row has a reading at a finite time, which refutes nothing: its run has not come to the limit yet.
`tf-thm-4` and `tf-thm-5` are the false ones that no search refutes: their counterexample is a set of data with two locally optimal selections and a start
inside the cone of the worse one, so a search would have to draw both and train $4\cdot 10^4$ steps for each.

| claim | seconds | instances | nearest, or counterexample | instance |
|---|---|---|---|---|
EOF
    awk -F '\t' '
        NR == FNR { if (/^### /) { known[substr($0, 5)] = 1 }; next }
        !($1 in known) { print "docs/searches.tsv: no claim " $1 > "/dev/stderr"; bad = 1 }
        {
            anchor = $1; gsub(/\./, "", anchor)
            for (k = 4; k <= 5; k++) { gsub(/[<*_|]/, "\\\\&", $k) }
            print "| [" $1 "](#" anchor ") | " $2 " | " $3 " | " $4 " | " $5 " |"
        }
        END { exit bad }
    ' "$1" docs/searches.tsv
}

# Beside first: a program that fails leaves the old page.
for page in options results claims; do
    "$build/tropism" help --generate "$page" >"$folder/.$page.new"
done
with_checks "$folder/.claims.new" >"$folder/.claims.checked"
with_links "$folder/.claims.checked" >"$folder/.claims.new"
with_searches "$folder/.claims.new" >"$folder/.claims.checked"
mv "$folder/.claims.checked" "$folder/.claims.new"
for page in options results claims; do
    mv "$folder/.$page.new" "$folder/$page.md"
done
