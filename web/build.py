#!/usr/bin/env python3
"""build.py OUT RELAXED EXACT -- the page: web/index.html with style, scripts and the two modules inside.

The scripts of the page stay modules: an import map leads their names to data: addresses. What runs in the Worker is one
text, made into a blob when the page opens. Modules are deflated and in base64, opened by DecompressionStream. RELAXED may
be - when there is no such module.
"""
import base64
import json
import pathlib
import re
import sys
import zlib

WORKER = ["worker.js", "worker_flow.js", "worker_train.js"]
PAGE = ["draw.js", "engine.js", "parts.js", "flow_state.js", "flow_export.js", "flow_axis.js", "flow_scene.js",
        "flow_options.js", "view.js", "flow.js", "train_sets.js", "train_state.js", "train_export.js", "train_curves.js", "train_scene.js",
        "train_basins.js", "train_data.js", "train.js", "app.js"]
LIMIT = 3_000_000


def packed(path):
    if path == "-":
        return ""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(pathlib.Path(path).read_bytes()) + deflate.flush()
    return base64.b64encode(data).decode()


def main(out, relaxed, exact):
    here = pathlib.Path(__file__).resolve().parent
    scripts = {}
    for name in PAGE:
        text = (here / name).read_text()
        text = re.sub(r"from '\./([a-z_]+)\.js'", r"from '\1'", text)
        scripts[name[:-3]] = "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
    parts = {
        "style": (here / "style.css").read_text(),
        "imports": json.dumps({"imports": scripts}),
        "worker": "".join((here / name).read_text() for name in WORKER),
        "relaxed": packed(relaxed),
        "exact": packed(exact),
    }
    assert "</script" not in parts["worker"]
    page = re.sub(r"@([a-z]+)@", lambda m: parts[m[1]], (here / "index.html").read_text())
    assert len(page) < LIMIT, f"{len(page)} bytes, must be below {LIMIT}"
    pathlib.Path(out).write_text(page)
    print(f"{out}: {len(page)} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
