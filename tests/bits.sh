#!/bin/bash
# bits.sh PROGRAM OTHER -- two builds of the program print the same results, to the
# last bit, whatever compiled them.
set -eu
one=${1:?usage: bits.sh PROGRAM OTHER}
two=${2:?usage: bits.sh PROGRAM OTHER}

# Clock times are no results.
result() {
    "$@" --json 2>/dev/null | sed -E 's/"seconds": *[-+0-9.e]+//'
}

count=0
while read -r options; do
    # shellcheck disable=SC2086 # a list of words
    a=$(result "$one" flow $options)
    # shellcheck disable=SC2086
    b=$(result "$two" flow $options)
    if [[ $a != "{"* || $a != "$b" ]]; then
        echo "tropism flow $options: the builds disagree"
        diff <(tr ',' '\n' <<<"$a") <(tr ',' '\n' <<<"$b") | head -n 20
        exit 1
    fi
    count=$((count + 1))
done <<'END'
--n 300 --d 3 --rule softmax --beta 4 --steps 40 --threads 2
--n 300 --d 2 --rule hardmax --until converged --steps 1000
--n 200 --d 5 --rule localmax --epsilon 0.2 --until converged --steps 1000
--n 100 --d 4 --rule sparsemax --steps 30
--n 100 --d 4 --rule entmax --steps 30
--n 64 --d 3 --dynamics chain --rule softmax --beta 3 --steps 100
--n 64 --d 3 --init sphere --dynamics sa --rule softmax --beta 5 --time 2
END
echo "bits: $count flows agree"
