#!/bin/bash
# format.sh -- every C file is as clang-format leaves it.
set -eu
cd "$(dirname "$0")/.."

# Versions of clang-format disagree: Debian 12's is the one that counts.
program=clang-format-14
command -v "$program" >/dev/null || program=clang-format
mapfile -t files < <(git ls-files -co --exclude-standard -- '*.c' '*.h' 2>/dev/null ||
    find include src cli tests examples fuzz bench -name '*.[ch]')
present=()
for file in "${files[@]}"; do
    [ ! -f "$file" ] || present+=("$file")
done
if [ "${#present[@]}" -lt 10 ]; then
    echo "format: only ${#present[@]} files were found"
    exit 1
fi
"$program" --dry-run -Werror "${present[@]}"
echo "format: ${#present[@]} files"
