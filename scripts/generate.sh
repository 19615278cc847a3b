#!/bin/sh
# generate.sh BUILD FOLDER -- the pages that the program writes from its own tables.
set -eu
build=${1:?usage: generate.sh BUILD FOLDER}
folder=${2:?usage: generate.sh BUILD FOLDER}
mkdir -p "$folder"
for page in options results claims; do
    # Beside first: a program that fails leaves the old page.
    "$build/tropism" help --generate "$page" >"$folder/.$page.new"
    mv "$folder/.$page.new" "$folder/$page.md"
done
