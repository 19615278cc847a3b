#!/bin/sh
# python-env.sh FOLDER REQUIREMENTS [MORE] -- a Python environment of its own in FOLDER with the
# packages and versions of the file REQUIREMENTS, and of the file MORE on top of them, fetched by pip
# from wherever pip is told to look. One that is complete is left alone.
#
# PyTorch's wheel for Linux wants gigabytes of GPU libraries that a CPU never calls. What the file
# marks no-deps is therefore installed by itself; what PyTorch's CPU side needs is named there, and
# each GPU library that the loader asks for by name is a dummy, made here: none of its functions is
# ever called on a CPU, and one that were would end the program, never give a wrong number.
set -eu
folder=${1:?usage: python-env.sh FOLDER REQUIREMENTS}
wanted=${2:?usage: python-env.sh FOLDER REQUIREMENTS}
more=${3:-}
python=/usr/bin/python3
[ -x "$python" ] || python=python3
pip="$folder/bin/pip --disable-pip-version-check --quiet"

# A name has one version in both files, or pip says so: MORE is installed under the constraints of the first.
add() {
    [ -n "$more" ] || return 0
    if cmp -s "$more" "$folder/complete-more"; then
        return 0
    fi
    echo "tropism: packages of $more, in $folder"
    $pip install --use-pep517 -r "$more" -c "$folder/with"
    cp "$more" "$folder/complete-more"
}

if cmp -s "$wanted" "$folder/complete"; then
    add
    exit 0
fi
size=""
if grep -q '^torch' "$wanted"; then
    size=" (several hundred megabytes)"
fi
echo "tropism: packages of $wanted, in $folder$size"
rm -rf "$folder"
"$python" -m venv "$folder"
# A list of names and versions each: the lines with and without the mark.
grep -v 'no-deps' "$wanted" >"$folder/with"
grep 'no-deps' "$wanted" >"$folder/without" || true
$pip install --use-pep517 -r "$folder/with"
if [ ! -s "$folder/without" ]; then
    cp "$wanted" "$folder/complete"
    add
    exit 0
fi
$pip install --no-deps -r "$folder/without"

# A library of each name that is wanted and not there: its functions, by the versions that the
# loader looks for, each of them a trap. Those without a version begin with their library's name.
libraries=$(echo "$folder"/lib/python3*/site-packages/torch/lib)
present=$(find "$folder" -name '*.so*' -printf '%f\n')
readelf -V "$libraries"/*.so* | awk '/ File: / { file = $5 } $2 == "Name:" { print $3, file }' |
    sort -u >"$folder/versions"
nm -D --undefined-only "$libraries"/*.so* 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u >"$folder/wanted"
for name in $(readelf -d "$libraries"/*.so* | sed -n 's/.*NEEDED.*\[\(lib.*\)\]$/\1/p' | sort -u); do
    case "$name" in
    libcuda.so*) continue ;;
    libcu* | libnv* | libnccl*) ;;
    *) continue ;;
    esac
    if echo "$present" | grep -qxF "$name"; then
        continue
    fi
    awk -F '[ @]' -v name="$name" -v code="$folder/empty.c" -v script="$folder/empty.map" '
        function define(symbol) { printf "void %s(void) { __builtin_trap(); }\n", symbol >code }
        BEGIN { printf "" >code; printf "" >script
                begin = tolower(name); sub(/^lib/, "", begin); sub(/(_host)?[.]so.*/, "", begin) }
        FNR == NR { if ($2 == name) members[$1] = ""; next }
        NF > 1 && $2 in members { define($1); members[$2] = members[$2] $1 "; " }
        NF == 1 && index(tolower($1), begin) == 1 { define($1) }
        END { for (v in members) if (members[v] != "") printf "%s { global: %s};\n", v, members[v] >script
              else printf "%s { };\n", v >script }' "$folder/versions" "$folder/wanted"
    gcc -shared -fPIC -nostdlib "$folder/empty.c" -o "$libraries/$name" -Wl,-soname,"$name" \
        $([ -s "$folder/empty.map" ] && echo "-Wl,--version-script=$folder/empty.map")
done
"$folder/bin/python" -c 'import torch; torch.zeros(2) + 1' ||
    echo "tropism: PyTorch does not work here; what needs it will say so" >&2
cp "$wanted" "$folder/complete"
add
