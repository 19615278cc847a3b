"""margin_data.py -- problems for `tropism margin`, which of them must be refused, and simpler ones."""
import json
import math

import margins
from harness import Case
from train_data import cloud, draw

AXES = {
    "model": ("prompt", "keys", "cross", "self", "sequence", "causal", "places", "label", "graph"),
    "norm": ("l2", "lp 1.02", "lp 1.2", "lp 1.75", "lp 2", "lp 3", "lp 10", "lp 100", "l1", "linf", "nuclear", "spectral"),
    "select": ("list", "optimal", "several", "default", "beyond"),
    "relaxed": ("none", "some", "all"),
    "equal": ("none", "sets", "weights"),
    "extra": ("none", "enumerate", "direction"),
    "decoder": (True, False),
    "data": ("drawn", "lattice", "duplicates", "equal", "offset", "tiny", "large", "antipodal"),
    "shape": ("1x1x1", "1x2x1", "1x2x2", "2x2x2", "2x3x2", "3x2x3", "2x4x3", "2x7x3", "1x8x4", "1x9x9", "7x2x2", "8x2x5", "9x2x2",
              "2x3x7", "2x2x8", "2x2x9", "3x3x4", "4x3x6"),
}


def make(chosen, rng):
    n, T, d = map(int, chosen["shape"].split("x"))
    kind = chosen["model"]
    model = {"keys": "prompt", "causal": "sequence", "places": "sequence"}.get(kind, kind)
    o = {"data": "data.json", "model": model}
    files = {}
    if kind == "graph":
        words = rng.randrange(2, 6)
        ids = [[rng.randrange(words) for _ in range(T)] for _ in range(n)]
        data = {"E": draw(rng, words, d), "ids": ids, "next": [rng.choice(row) for row in ids]}
    else:
        v = draw(rng, 1, d)
        if chosen["data"] == "equal":
            v[0][rng.randrange(d)] = 0.0
        data = {"X": cloud(chosen["data"], rng, n, T, d, v)}
        if chosen["decoder"]:
            data["v"] = v[0]
        if kind == "cross":
            data["z"] = draw(rng, n, d)
        if kind == "keys":
            data["K"] = draw(rng, n, T, rng.choice((1, 2, d)))
        if kind == "places":
            data["z"] = draw(rng, n, T, d)
        if rng.random() < 0.7:
            data["y"] = [rng.choice((-1, 1)) for _ in range(n)]
    if kind in ("causal",):
        o["mask"] = "causal"
    if kind == "self" and rng.random() < 0.7:
        o["row"] = str(rng.randrange(T))
    name, _, p = chosen["norm"].partition(" ")
    if name != "l2":
        o["norm"] = name
    if p:
        o["p"] = p
    if kind == "graph":
        return Case("margin", o, {"data.json": json.dumps(data)})
    places = [k % T + 1 if kind == "causal" else T for k in range(n * T)] if model == "sequence" else [T] * n
    if chosen["equal"] != "none" and model in ("prompt", "cross", "self"):
        sets = [sorted(rng.sample(range(T), rng.randrange(1, min(T, 3) + 1))) for _ in range(n)]
        if chosen["equal"] == "sets":
            given = {"sets": sets}
        else:
            weights = [[rng.randrange(1, 5) if t in s else 0 for t in range(T)] for s in sets]
            given = {"weights": [[w / sum(row) for w in row] for row in weights]}
        files["equal.json"] = json.dumps(given)
        o["equal"] = "equal.json"
    elif chosen["select"] != "default":
        if chosen["select"] == "optimal":
            o["select"] = "optimal"
        else:
            parts = [str(rng.randrange(upto)) for upto in places]
            if chosen["select"] == "several":
                for i in rng.sample(range(len(places)), min(2, len(places))):
                    parts[i] = "|".join(map(str, sorted(rng.sample(range(places[i]), min(2, places[i])))))
            if chosen["select"] == "beyond":
                parts[-1] = str(places[-1])
            o["select"] = ",".join(parts)
    if chosen["relaxed"] != "none" and "equal" not in o and model != "label":
        count = n
        chosen_inputs = range(count) if chosen["relaxed"] == "all" else [rng.randrange(count)]
        o["relaxed"] = ",".join(map(str, chosen_inputs))
    files["data.json"] = json.dumps(data)
    case = Case("margin", o, files)
    if "equal" not in o and o.get("select", "optimal") == "optimal" and math.prod(several(case, data)) > 64:
        o["select"] = ",".join("0" for _ in places)  # solving them all would take seconds
        case = Case("margin", o, files)
    if chosen["extra"] == "enumerate" and model in ("prompt", "cross", "self") and T ** n <= 64 and "v" in data \
            and "relaxed" not in o and "equal" not in o and "|" not in o.get("select", ""):
        case.options["enumerate"] = None
    if chosen["extra"] == "direction" and model in ("prompt", "cross", "self"):
        case.options["direction"] = "direction.json"
        dk = len(data["K"][0][0]) if "K" in data else d
        scale = rng.choice((1.0, 1e-3, 1e6))
        W = [[x * scale for x in row] for row in draw(rng, dk if model == "prompt" else d, 1 if model == "prompt" else d)]
        if rng.random() < 0.4:
            W = [[float(round(x)) for x in row] for row in W]
        case.files["direction.json"] = json.dumps({"p": [x for x, in W]} if model == "prompt" else {"W": W})
    return case


def several(case, data):
    """How many tokens may win in each ask."""
    o = case.options
    select = o.get("select", "optimal")
    if select != "optimal":
        return [part.count("|") + 1 for part in select.split(",")]
    if "v" not in data:
        return [1]
    asks = margins.asks_of(data, o["model"], o.get("mask", "full"), int(o.get("row", 0)))
    return [scores.count(max(scores)) for _, _, scores in asks]


def refusal(case):
    o = case.options
    data = json.loads(case.files["data.json"])
    if o["model"] == "graph":
        return None
    T = len(data["X"][0])
    if "equal" not in o and math.prod(several(case, data)) > 100000:
        return "more than 100000 combinations"
    if "v" not in data and "equal" not in o and o.get("select", "optimal") == "optimal" and T > 1:
        return "no decoder to score tokens by"
    if "select" in o and o["select"] != "optimal":
        count = len(o["select"].split(","))
        for i, part in enumerate(o["select"].split(",")):
            upto = i % T + 1 if o.get("mask") == "causal" else T
            if any(int(t) >= upto for t in part.split("|")):
                return "no such token"
        wanted = len(data["X"]) * (T if o["model"] == "sequence" else 1)
        if count != wanted:
            return "one for each input"
    return None


def smaller(case):
    o = case.options
    for name in ("enumerate", "direction", "relaxed", "row", "mask", "p", "norm"):
        if name in o:
            yield case.changed(options={name: ...})
    data = json.loads(case.files["data.json"])

    def with_data(new, **options):
        return case.changed(files={"data.json": json.dumps(new)}, options=options)

    if "X" in data and o["model"] != "sequence" and "equal" not in o:
        n, T = len(data["X"]), len(data["X"][0])
        for i in range(n) if n > 1 else ():
            new = {k: a if k == "v" else a[:i] + a[i + 1:] for k, a in data.items()}
            if "relaxed" in o:
                break
            parts = o["select"].split(",") if o.get("select", "optimal") != "optimal" else None
            yield with_data(new, **({"select": ",".join(parts[:i] + parts[i + 1:])} if parts else {}))
        for t in range(T - 1, 0, -1) if T > 1 else ():
            new = dict(data)
            for k in ("X", "K"):
                if k in data:
                    new[k] = [a[:t] + a[t + 1:] for a in data[k]]
            yield with_data(new)
    for scale in (1.0, 4.0):
        def rounded(a):
            return [rounded(b) for b in a] if isinstance(a, list) else \
                round(a * scale) / scale if isinstance(a, float) else a
        new = {k: rounded(a) for k, a in data.items()}
        if new != data:
            yield with_data(new)
