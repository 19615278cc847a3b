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
    a=$(result "$one" $options)
    # shellcheck disable=SC2086
    b=$(result "$two" $options)
    if [[ $a != "{"* || $a != "$b" ]]; then
        echo "tropism $options: the builds disagree"
        diff <(tr ',' '\n' <<<"$a") <(tr ',' '\n' <<<"$b") | head -n 20
        exit 1
    fi
    count=$((count + 1))
done <<'END'
flow --n 300 --d 3 --rule softmax --beta 4 --steps 40 --threads 2
flow --n 300 --d 2 --rule hardmax --until converged --steps 1000
flow --n 200 --d 5 --rule localmax --epsilon 0.2 --until converged --steps 1000
flow --n 100 --d 4 --rule sparsemax --steps 30
flow --n 100 --d 4 --rule entmax --steps 30
flow --n 64 --d 3 --dynamics chain --rule softmax --beta 3 --steps 100
flow --n 64 --d 3 --init sphere --dynamics sa --rule softmax --beta 5 --time 2
flow --n 2000 --d 2 --rule softmax --beta 5 --method tree --steps 2
flow --n 2000 --d 3 --rule localmax --method tree --steps 2 --closed-form never
flow --n 2000 --d 3 --rule hardmax --method hull --steps 3 --closed-form never
flow --n 300 --d 8 --rule softmax --precision single --steps 5
flow --copies 9 --n 12 --dynamics sa --integrator euler --dt 0.1 --time 2 --beta 3
margin --data attsvm
margin --data attsvm --norm lp --p 1.75
margin --data attsvm --norm lp --p 8
margin --data attsvm --norm nuclear
margin --data attsvm --norm spectral
train --data attsvm --optimizer nmirror --p 1.75 --steps 300
train --data attsvm --optimizer mirror --p 1.1 --steps 300
train --data attsvm --optimizer muon --steps 100 --model kq --start normal --width 3
train --data attsvm --optimizer adam --steps 300 --start uniform --batch 4
path --data attsvm --p 3 --radius 5,10
END
echo "bits: $count results agree"
