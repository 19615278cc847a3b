"""train_data.py -- data, starts and options for `tropism train`, and simpler ones for a case that fails.

Kinds of data: drawn, on a lattice of halves (many exact ties), duplicates of tokens, equal scores, far from the origin
(differences to the winner are small against tokens), tiny and large, antipodal. Sizes are at the edges of lanes and strips.
"""
import json

from harness import Case

SHAPES = ("1x1x1", "1x2x1", "1x2x2", "2x3x2", "3x2x3", "2x7x3", "2x8x2", "2x9x3", "7x2x2", "8x3x2", "9x2x2", "2x3x7", "2x2x8",
          "1x3x9", "63x2x2", "64x2x1", "65x2x2", "1x63x2", "1x64x2", "1x65x2", "1x2x16", "1x2x17")
AXES = {
    "model": ("prompt", "keys", "cross", "self", "sequence", "causal", "places", "kq", "kq-row", "joint", "joint-z",
              "words", "words-kq"),
    "head": ("linear", "relu", "quadratic"),
    "loss": ("logistic", "exponential", "correlation", "log"),
    "optimizer": ("gd", "ngd", "polyak", "mirror", "nmirror", "square", "steepest", "sign", "signum", "greedy", "spectral",
                  "muon", "adam", "eg", "hypentropy", "cosh"),
    "p": ("1", "1.05", "1.1", "1.75", "2", "3", "10", "100", "inf"),
    "eta": ("0.1", "0.001", "7"),
    "schedule": ("1", "power:1,0.5", "harmonic", "geometric:2,0.5", "fw"),
    "backtrack": (False, True),
    "batch": (0, 1, 2, "n", "n+1"),
    "gradient": ("stable", "naive", "naive-reversed"),
    "epsilon": ("0", "2.22e-16", "0.25"),
    "means": ("0.9 0.9 0.999 0", "0 0 0.5 0", "0.5 0.5 0 1e-8", "0.999 0 0.999 0.5"),
    "bend": ("1", "0.01", "100"),
    "start": ("zeros", "drawn", "small", "far", "1e5", "1e9", "axis"),
    "shape": SHAPES,
    "data": ("drawn", "lattice", "duplicates", "equal", "offset", "tiny", "large", "antipodal"),
    "steps": (0, 1, 2, 3),
}


def bits(x, scale=256.0):
    """Rounded to few bits, so that files are short."""
    return round(x * scale) / scale


def draw(rng, *shape):
    return [draw(rng, *shape[1:]) for _ in range(shape[0])] if shape else bits(rng.gauss(0, 1))


def cloud(kind, rng, n, T, d, v):
    X = draw(rng, n, T, d)
    for tokens in X:
        for t, x in enumerate(tokens):
            if kind == "lattice":
                x[:] = [rng.randrange(-2, 3) / 2 for _ in x]
            elif kind == "duplicates" and t and rng.random() < 0.6:
                x[:] = tokens[rng.randrange(t)]
            elif kind == "equal" and t:  # the same score: an entry where v is 0 moves alone
                x[:] = tokens[0]
                for k in range(d):
                    x[k] += 0.0 if any(row[k] for row in v) else 0.5 * rng.randrange(-2, 3)
            elif kind == "offset":
                x[:] = [a + 2.0 ** 20 for a in x] if rng.random() < 0.9 else [2.0 ** 20] * d
            elif kind == "tiny":
                x[:] = [a * 2.0 ** -40 for a in x]
            elif kind == "large":
                x[:] = [a * 2.0 ** 6 for a in x]
            elif kind == "antipodal" and t % 2:
                x[:] = [-a for a in tokens[t - 1]]
    return X


def make_data(chosen, rng):
    n, T, d = map(int, chosen["shape"].split("x"))
    model = chosen["model"]
    if model.startswith("words"):
        words = rng.randrange(2, 7)
        ids = [[rng.randrange(words) for _ in range(T)] for _ in range(n)]
        return {"E": draw(rng, words, d), "ids": ids, "next": [rng.choice(row) for row in ids]}
    rows = rng.choice((1, 2, 3)) if chosen["head"] == "relu" else 1
    v = draw(rng, rows, d)
    if chosen["data"] == "equal":
        free = rng.randrange(d)
        for row in v:
            row[free] = 0.0
    kind = chosen["data"]
    if chosen["loss"] == "exponential" and kind in ("offset", "large"):  # e^-f would leave double
        v = [[x * 2.0 ** (-20 if kind == "offset" else -6) for x in row] for row in v]
        kind = "drawn" if chosen["head"] == "quadratic" or model.startswith("joint") else kind
    data = {"X": cloud(kind, rng, n, T, d, v)}
    if model in ("cross", "kq", "joint-z"):
        data["z"] = draw(rng, n, d)
        if rng.random() < 0.1:
            data["z"][0] = [0.0] * d
    if model == "keys":
        data["K"] = draw(rng, n, T, rng.choice((1, 2, d)))
    if model == "places":
        data["z"] = draw(rng, n, T, d)
        data["y"] = [[rng.choice((-1, 1)) for _ in range(T)] for _ in range(n)]
    elif rng.random() < 0.7:
        data["y"] = [rng.choice((-1, 1)) for _ in range(n)]
    if not model.startswith("joint"):
        data["v"] = v if rows > 1 else v[0]
    return data


def make_start(chosen, rng, options, data):
    d = len(data["E"][0]) if "E" in data else len(data["X"][0][0])
    model = options["model"]
    scale = {"drawn": 1.0, "small": 2.0 ** -30, "far": 30.0, "1e5": 1e5, "1e9": 1e9, "axis": 4.0}[chosen["start"]]

    def weights(*shape):
        drawn = draw(rng, *shape)
        if chosen["start"] == "axis":  # one entry: signs, zeros of the dual
            drawn = [[0.0] * len(r) for r in drawn] if isinstance(drawn[0], list) else [0.0] * len(drawn)
            (drawn[0] if isinstance(drawn[0], list) else drawn)[0] = 1.0
        return [[x * scale for x in r] for r in drawn] if isinstance(drawn[0], list) else [x * scale for x in drawn]

    if model == "kq":
        scale = min(scale, 1e5)  # logits are of its square
        width = int(options.get("width", 0)) or d
        return {"K": weights(d, width), "Q": weights(d, width)}
    if model == "prompt" or model == "joint" and "z" not in data:
        found = {"p": weights(len(data["K"][0][0]) if "K" in data else d)}
    else:
        found = {"W": weights(d, d)}
    if model == "joint":
        found["v"] = draw(rng, d)
    return found


def make(chosen, rng):
    data = make_data(chosen, rng)
    T = len((data.get("ids") or data["X"])[0])
    n = len(data.get("ids") or data["X"])
    model = {"keys": "prompt", "causal": "sequence", "places": "sequence", "kq-row": "kq", "joint-z": "joint", "words": "cross",
             "words-kq": "kq"}.get(chosen["model"], chosen["model"])
    o = {"data": "data.json", "model": model, "head": chosen["head"], "loss": chosen["loss"],
         "optimizer": chosen["optimizer"], "eta": chosen["eta"], "eta-schedule": chosen["schedule"],
         "steps": str(chosen["steps"]), "records": "1000"}
    if chosen["model"] == "causal" or chosen["model"] == "places" and rng.random() < 0.5:
        o["mask"] = "causal"
    if chosen["model"] in ("self", "kq-row"):
        o["row"] = str(rng.randrange(T))
    if model == "kq":
        o["width"] = str(rng.choice((0, 1, 2)))
    if chosen["head"] == "quadratic":
        o["lambda"] = rng.choice(("1", "-0.5", "0", "0.125"))
    if chosen["optimizer"] in ("mirror", "nmirror", "square", "steepest"):
        o["p"] = chosen["p"]
    if chosen["optimizer"] in ("ngd", "nmirror", "square", "steepest", "eg", "hypentropy", "cosh"):
        o["gradient-epsilon"] = chosen["epsilon"]
    if o.get("p") in ("1", "inf") and chosen["optimizer"] == "square" and model == "kq":
        o["p"] = "2"
    momentum, beta1, beta2, small = chosen["means"].split()
    if chosen["optimizer"] in ("signum", "muon"):
        o["momentum"] = momentum
        if chosen["optimizer"] == "muon" and rng.random() < 0.4:
            o["polynomial"] = None
    if chosen["optimizer"] == "adam":
        o.update({"beta1": beta1, "beta2": beta2, "adam-epsilon": small})
    if chosen["optimizer"] in ("eg", "hypentropy"):
        o["bend"] = chosen["bend"]
    # A plain program takes the logarithm of a weight that underflows: nothing is promised there.
    o["gradient"] = "stable" if chosen["loss"] == "log" else chosen["gradient"]
    batch = {"n": n, "n+1": n + 1}.get(chosen["batch"], chosen["batch"])
    if batch and (n <= 5 or batch >= n) and chosen["optimizer"] != "polyak" and not chosen["backtrack"]:
        o["batch"] = str(batch)
    if chosen["backtrack"]:
        o["backtrack"] = None
    if n * T * (T if model == "sequence" else 1) > 150:
        o["compare"] = "none"  # the max-margin solutions would cost seconds
    files = {"data.json": json.dumps(data)}
    start = chosen["start"]
    if chosen["optimizer"] == "square" and chosen["p"] in ("1", "inf") and model != "kq":
        start = "zeros"  # the gradient of these potentials is not one vector elsewhere
    if chosen["optimizer"] == "polyak" and start in ("drawn", "far", "1e5", "1e9", "axis"):
        start = "small"  # (L - L*) / |G| is e^1e5 where another token than the best has won
    if n * T * T > 1000 and model == "sequence":
        o["steps"] = str(min(1, chosen["steps"]))
    if start != "zeros":
        files["start.json"] = json.dumps(make_start(dict(chosen, start=start), rng, o, data))
        o["start"] = "start.json"
    return Case("train", o, files)


def smaller(case, defaults):
    """Options back to default, fewer inputs, tokens, steps; then coordinates of few bits."""
    o = case.options
    for name, value in list(o.items()):
        if name in ("data", "start", "records", "steps", "model", "optimizer"):
            continue
        if value is None or defaults.get(name) != value:
            yield case.changed(options={name: ...})
    steps = int(o["steps"])
    for fewer in range(1, steps):
        yield case.changed(options={"steps": str(fewer)})
    data = json.loads(case.files["data.json"])

    def with_data(new):
        return case.changed(files={"data.json": json.dumps(new)})

    main = "ids" if "ids" in data else "X"
    n, T = len(data[main]), len(data[main][0])
    for keep in ([i] for i in range(min(n, 4))) if n > 1 else ():
        yield with_data({k: [a[i] for i in keep] if k not in ("v", "E") else a for k, a in data.items()})
    for i in range(min(n, 8)) if n > 2 else ():
        yield with_data({k: a[:i] + a[i + 1:] if k not in ("v", "E") else a for k, a in data.items()})
    for t in range(min(T, 8)) if T > 1 else ():
        if main == "X":
            new = dict(data)
            for k in ("X", "K") + (("z", "y") if isinstance(data.get("y", [0])[0], list) else ()):
                if k in data:
                    new[k] = [a[:t] + a[t + 1:] for a in data[k]]
            yield with_data(new)
    for scale in (1.0, 4.0):
        def rounded(a):
            return [rounded(b) for b in a] if isinstance(a, list) else bits(a, scale) if isinstance(a, float) else a
        new = {k: rounded(a) for k, a in data.items()}
        if new != data:
            yield with_data(new)
        if "start.json" in case.files:
            start = json.loads(case.files["start.json"])
            new = {k: rounded(a) for k, a in start.items()}
            if new != start:
                yield case.changed(files={"start.json": json.dumps(new)})
