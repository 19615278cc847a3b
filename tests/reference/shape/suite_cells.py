"""suite_cells.py -- `tropism cells` against exact hulls and cells (hulls.py, cells.py, hull_measures.py, planes.py).

Tokens are read back from the answer, so that drawn clouds are judged as well as files. Where an exact hull takes too long (many
tokens in 4 to 6 dimensions), Qhull judges volume and vertices; above 6 dimensions linear programs in integers judge a sample.
A flat direction counts as flat below 1e-13 of the diameter (docs): of clouds with directions between 0 and 1e-10 of it the hull is
not compared, only what follows from the vertices that are listed.
"""
import math
import random
from fractions import Fraction

import cells
import clouds
import hull_measures as measures
import hulls
import planes
from harness import Case, Difference, equal
from rational import dot

DRAWN = ("drawn-gaussian", "drawn-uniform", "drawn-sphere", "drawn-polygon")
OWN = ("cube", "flat", "shifted", "simplex", "facets")
KINDS = clouds.KINDS + DRAWN + OWN
SCALES = {"1": 1.0, "2^-500": 2.0 ** -500, "2^500": 2.0 ** 500, "2^-1040": 2.0 ** -1040, "1e-7": 1e-7, "2^1021": 2.0 ** 1021}
# Values of an axis are classes; which of a class is drawn.
MATRICES = {"number": ("identity", "-1", "0", "2.5"), "symmetric": ("symmetric", "indefinite"), "other": ("skew", "full", "shear"),
            "singular": ("singular",), "tiny": ("tiny",)}
COUNTS = {"few": (1, 2, 3), "small": (4, 5, 6, 7, 8, 9, 12), "some": (15, 16, 17, 24), "edges": (31, 32, 33, 63, 64, 65, 129), "rounds": (46, 47, 48)}
DIMENSIONS = {"1": (1,), "2": (2,), "3": (3,), "4, 5": (4, 5), "6": (6,), "above": (7, 8, 9)}


def own_cloud(kind, n, d, rng):
    if kind == "cube":
        return [[float(rng.choice((-1, 1, 1, -1, 0))) for _ in range(d)] for _ in range(n)]
    if kind == "flat":
        k = rng.randint(1, max(1, d - 1))
        frame = [[rng.randint(-3, 3) for _ in range(d)] for _ in range(k)]
        return [[float(sum(f[c] * w for f, w in zip(frame, ws))) for c in range(d)] for ws in ([rng.randint(-4, 4) for _ in range(k)] for _ in range(n))]
    if kind == "shifted":
        far = [rng.choice((3.0, -5.0, 1000.0)) for _ in range(d)]
        return [[c + o for c, o in zip(row, far)] for row in clouds.gaussian(n, d, rng)]
    if kind == "simplex":
        corners = clouds.gaussian(d + 1, d, rng)
        return [list(rng.choice(corners)) if rng.random() < 0.5 else [sum(c) / (d + 1) for c in zip(*corners)] for _ in range(n)]
    # corners of an octahedron, and points in the middle of its facets, exactly on them
    rows = []
    for _ in range(n):
        signs, size = [rng.choice((-1, 1)) for _ in range(d)], 1 << (d - 1).bit_length()
        cuts = sorted(rng.randint(0, size) for _ in range(d - 1))
        rows.append([s * (b - a) / size for s, a, b in zip(signs, [0] + cuts, cuts + [size])])
    return rows


def matrix(kind, d, rng):
    """(text of --key-query or None for a file, rows)"""
    def rows(entry):
        return [[float(entry(i, j)) for j in range(d)] for i in range(d)]
    if kind in ("identity", "-1", "0", "2.5"):
        scale = 1.0 if kind == "identity" else float(kind)
        return kind, rows(lambda i, j: scale if i == j else 0)
    whole = rows(lambda i, j: rng.randint(-3, 3))
    if kind == "symmetric":
        return None, rows(lambda i, j: whole[min(i, j)][max(i, j)])
    if kind == "indefinite":
        return None, rows(lambda i, j: (1 if i % 2 else -1) if i == j else 0)
    if kind == "skew":
        return None, rows(lambda i, j: 0 if i == j else whole[i][j] if i < j else -whole[j][i])
    if kind == "singular":
        return None, rows(lambda i, j: whole[0][i] * whole[-1][j])
    if kind == "shear":
        return None, rows(lambda i, j: 1 if i == j else 0.5 if j == i + 1 else 0)
    size = 1e-200 if kind == "tiny" else 1
    return None, rows(lambda i, j: size * rng.gauss(0, 1))


class Cells:
    name = "cells"
    axes = {
        "cloud": KINDS,
        "n": tuple(COUNTS),
        "d": tuple(DIMENSIONS),
        "B": tuple(MATRICES),
        "eta": ("off", "0", "small", "large"),
        "erode": ("off", "0", "small", "large"),
        "query": ("off", "tokens", "middles", "random", "far"),
        "threads": ("1", "2"),
        "scale": tuple(SCALES),
    }

    def make(self, chosen, rng):
        kind, n, d = chosen["cloud"], rng.choice(COUNTS[chosen["n"]]), rng.choice(DIMENSIONS[chosen["d"]])
        options, files, scale = {}, {}, SCALES[chosen["scale"]]
        if kind in DRAWN:
            scale = 1.0
            options.update({"init": kind[6:], "n": n, "d": d, "seed": rng.randint(1, 99)})
            if rng.random() < 0.5:
                options.pop("seed")
            rows = clouds.gaussian(n, d, rng)
        else:
            rows = clouds.make(kind, n, d, rng) if kind in clouds.KINDS else own_cloud(kind, n, d, rng)
            rows = [[c * scale for c in row] for row in rows]
            rows = [[math.copysign(1.7e308, c) if math.isinf(c) else c for c in row] for row in rows]
            options["tokens"] = "tokens.csv"
            files["tokens.csv"] = clouds.text(rows)
        text, b = matrix(rng.choice(MATRICES[chosen["B"]]), d, rng)
        if text is None:
            options["key-query"], files["b.csv"] = "b.csv", clouds.text(b)
        elif text != "identity" or rng.random() < 0.3:
            options["key-query"] = text
        size = max(abs(c) for row in rows for c in row) or 1.0
        norm = max(abs(c) for row in b for c in row) or 1.0
        sizes = {"0": 0.0, "small": 0.03125, "large": 0.6}
        if chosen["eta"] != "off":
            options["eta"] = repr(min(1e300, max(0.0, sizes[chosen["eta"]] * norm * size * size)) if size < 1e150 else sizes[chosen["eta"]])
        if chosen["erode"] != "off":
            options["erode"] = repr(sizes[chosen["erode"]] * size)
        queries = self.queries(chosen["query"], rows, rng)
        if queries:
            options["query"], files["query.csv"] = "query.csv", clouds.text(queries)
        options["threads"] = chosen["threads"]
        return Case("cells", options, files, given={"b": b, "queries": queries, "d": d, "rows": rows})

    def queries(self, kind, rows, rng):
        if kind == "off":
            return []
        picks = [rng.choice(rows) for _ in range(8)]
        if kind == "tokens":
            return [list(p) for p in picks[:4]] + [[0.0] * len(rows[0])]
        if kind == "middles":
            return [[a / 2 + b / 2 for a, b in zip(p, q)] for p, q in zip(picks[:4], picks[4:])]
        if kind == "far":
            return [[8 * c if abs(c) < 1e300 else c for c in p] for p in picks[:3]]
        size = max(abs(c) for row in rows for c in row)
        return [[rng.uniform(-size, size) for _ in rows[0]] for _ in range(4)]

    def refusal(self, case):
        init, d = case.options.get("init"), case.given["d"]
        if init == "polygon" and d != 2:
            return "a polygon is drawn in the plane"
        largest = max([abs(c) for row in case.given["rows"] for c in row]) if init is None else 0
        if largest >= 4.49e307 / math.sqrt(d):
            return "distances overflow"
        if max(float(case.options.get(name, 0)) for name in ("eta", "erode")) > 1e300:
            return "beyond 1e300"
        return None

    def judge(self, case, got):
        tokens, b, queries = got["tokens"], case.given["b"], case.given["queries"]
        tokens = [[float(c) for c in row] for row in tokens]
        if "rows" in case.given and "init" not in case.options and tokens != case.given["rows"]:
            return [Difference("tokens", "as given", "others", "")]
        d = len(tokens[0])
        erode = float(case.options["erode"]) if "erode" in case.options else None
        eta = float(case.options["eta"]) if "eta" in case.options else 0.0 if erode is not None else None
        listed = got["vertices"]
        if not listed or any(not 0 <= v < len(tokens) for v in listed):
            return [Difference("vertices", "some", listed, "")]
        view = cells.View(tokens, b, queries, listed)
        found = view.cells(got) + view.dominance(got, eta)
        if queries:
            rows = [[dot(y, v) for v in view.corners] for y in ([dot(r, q) for r in view.b] for q in view.q)]
            found += view.labelled("query_", got, rows)
        else:
            for name in ("labels", "margins", "walls", "inside"):
                found += equal("query_" + name, None, got["query_" + name])
        if found:
            return found
        hull, sure = None, False
        if d <= 6:
            try:
                hull = hulls.Hull(view.x, 16000 if d < 5 else 9000)
                sure = measures.sure(hull.cloud, hull.k)
            except hulls.TooLarge:
                hull = None
        found += measures.origin(view, hull, got)
        if hull is None:
            return found + self.outside(view, got, tokens)
        if sure:
            found += measures.vertices(view, hull, got)
            found += measures.measures(view, hull, got)
            if not found:
                found += measures.faces(view, hull, got)
            if set(listed) == set(hull.vertices):
                found += measures.eroded(view, hull, got, eta, erode)
        if queries:
            found += measures.inside(view, hull, got)
        if sure or d != 2:
            found += planes.check(view, got, eta, erode)
        return found

    def outside(self, view, got, tokens):
        """Where there is no exact hull: linear programs for a sample, and Qhull up to 6 dimensions."""
        found, d = [], view.d
        own, seen = [], set()
        for i, x in enumerate(view.x):
            if tuple(x) not in seen:
                seen.add(tuple(x))
                own.append(i)
        rng = random.Random(len(own))
        thick = measures.sure([view.x[i] for i in own], d)
        listed = set(got["vertices"])
        for i in rng.sample(own, min(len(own), 6 if len(own) < 50 else 3)):
            vertex = not hulls.member([view.x[j] for j in own if j != i], view.x[i]) if len(own) > 1 else True
            if vertex != (i in listed) and thick and (not vertex or i not in got["candidates"]):
                found.append(Difference("vertices", f"{i} is a vertex: {vertex}", i in listed, ""))
        if got["edges"] is None:
            if d <= 6 or len(listed) <= 32:
                found += equal("edges", "a list", None)
        elif 2 < len(listed) < 40 and thick:
            edges = {tuple(e) for e in got["edges"]}
            for _ in range(3):
                i, j = sorted(rng.sample(range(len(listed)), 2))
                pair = (view.vertices[i], view.vertices[j])
                if hulls.is_edge(view.corners, i, j) and pair not in edges:
                    found.append(Difference("edges", pair, "missing", ""))
        if d > 6:
            if thick:
                found += equal("volume", None, got["volume"]) + equal("dimension", d, got["dimension"])
            return found
        if not thick:
            return found
        moved = [[c - o for c, o in zip(view.x[i], view.x[0])] for i in own]
        unit = max(abs(c) for row in moved for c in row)
        plain = [[float(Fraction(c, unit)) for c in row] for row in moved]
        volume, vertices, _ = hulls.outside_judge(plain)
        found += equal("dimension", d, got["dimension"])
        # Qhull is as good as double: 1e-10 of the volume of the cloud's box bounds either's rounding by far
        box = math.prod(max(row[c] for row in plain) - min(row[c] for row in plain) for c in range(d))
        scale = (unit * view.unit) ** d
        found += cells.near("volume", Fraction(volume) * scale, got["volume"], Fraction(box) * scale / 10 ** 10)
        gone = sorted({own[v] for v in vertices} - listed - set(got["candidates"]))
        if gone:
            found.append(Difference("vertices", "vertices of Qhull", gone[:5], "missing"))
        return found

    def smaller(self, case):
        rows = case.given["rows"]
        for name in ("query", "eta", "erode", "threads", "seed"):
            if name in case.options:
                given = {"queries": []} if name == "query" else {}
                yield case.changed(options={name: ...}, given=given)
        if "key-query" in case.options:
            d = case.given["d"]
            identity = [[float(i == j) for j in range(d)] for i in range(d)]
            yield case.changed(options={"key-query": ...}, files={"b.csv": ...}, given={"b": identity})
        if "tokens" not in case.options:
            return
        choices = [[rows[i] for i in keep] for keep in clouds.dropped(rows)] + list(clouds.simpler(rows))
        for plain in choices:
            yield case.changed(files={"tokens.csv": clouds.text(plain)}, given={"rows": plain})
        for k in range(len(case.given["queries"])):
            fewer = case.given["queries"][:k] + case.given["queries"][k + 1:]
            if fewer:
                yield case.changed(files={"query.csv": clouds.text(fewer)}, given={"queries": fewer})


SUITE = Cells()
