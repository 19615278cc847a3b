#!/bin/bash
# demo.sh BUILD -- a token flow from end to end, told in plain words.
set -eu
build=${1:-build}
folder=$build/demo
mkdir -p "$folder"

# One member of a result: a number, a word or a flat list. The first of its name: options, which
# have some of the same names, come behind.
member() {
    value=$(tr -d '\n' <"$folder/$1.json" |
        grep -oE "\"$2\": *(\[[^]]*\]|\"[^\"]*\"|[^],}]*)" | sed -nE '1s/^"[^"]*": *//p' | tr -d '"')
    [ -n "$value" ] || echo "demo: $folder/$1.json has no $2" >&2
    echo "$value"
}
flow() { # name, options
    local name=$1
    shift
    "$build/tropism" flow --tokens "$folder/tokens.csv" --alpha 0.5 "$@" --json >"$folder/$name.json"
}

# Eight tokens in the plane, from Alcalde, Fantuzzi and Zuazua, "Clustering in pure-attention
# hardmax transformers" (2024), figure 2, the emerging leader.
cat >"$folder/tokens.csv" <<'END'
1,0.3333333333333333
-0.08333333333333333,0.08333333333333333
-1,-1
0,0.25
-0.3,-0.7
-0.6,-0.9
0.8,0.1
0.6,0.15
END

flow start --rule hardmax --steps 0
flow first --rule hardmax --steps 1
flow hardmax --rule hardmax --until converged --steps 1e6 --out "$folder/hardmax.h5"
flow localmax --rule localmax --epsilon 0.1 --until converged --steps 1e6 --out "$folder/localmax.h5"

# The story below is only told when it happened.
for line in "start leaders [0,2]" "first leaders [0,1,2]" "hardmax clusters 3" "localmax clusters 2" \
    "hardmax converged true" "localmax converged true"; do
    read -r name what expected <<<"$line"
    found=$(member "$name" "$what" | tr -d ' ')
    if [ "$found" != "$expected" ]; then
        echo "demo: $folder/$name.json: $what is $found, expected $expected" >&2
        exit 1
    fi
done

# Who is at rest did not need all the steps that it was allowed.
for name in hardmax localmax; do
    steps=$(member "$name" steps)
    if ! [ "$steps" -gt 1 ] || ! [ "$steps" -lt 1000000 ]; then
        echo "demo: $folder/$name.json: steps is $steps, expected fewer than the limit" >&2
        exit 1
    fi
done

explorer="'make web' makes $build/web/tropism.html, where tokens are dragged by hand"
if [ -f "$build/web/tropism.html" ]; then
    explorer="open $build/web/tropism.html and drag the tokens"
fi
cat <<END

Eight tokens in the plane attend to each other. Under hardmax each one moves a third of the way
towards the token with which it is best aligned. A token that is best aligned with itself stays
where it is: a leader.

  before the first step   leaders $(member start leaders)
  after one step          leaders $(member first leaders)   (token 1 has become one)
  at rest                 $(member hardmax clusters) clusters after $(member hardmax steps) steps,
                          proved final by: $(member hardmax kind)

Now each token follows every token whose score is within 0.1 of the best (localmax). The emerging
leader is drawn away, and the others follow points where no token stood:

  at rest                 $(member localmax clusters) clusters after $(member localmax steps) steps,
                          proved final by: $(member localmax kind)
  cluster of each token   $(member localmax labels)

The tokens, the results (JSON) and the recorded runs (HDF5) are in $folder.
Try: $build/tropism flow --n 64 --d 2 --rule hardmax --until converged
In a browser: $explorer
END
