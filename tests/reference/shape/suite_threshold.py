"""suite_threshold.py -- `tropism threshold` (docs/threshold.md): what needs no run exactly, and the two ends of the bracket by runs of our own.

complete   max_i (max_j s_ij - min_j s_ij), first   min_i (max_j s_ij - next lower score): the least doubles that are not below these.
bound      max over x, y in K of (x - y)' A (x - y)/2, A = (B + B')/2: at least its value at every pair of tokens, and that value (attained at
           vertices, a convex function) when A is positive semidefinite; rounded upwards: how far is not said, we take 1024 d u of its terms.
low, high  localmax is run at both in fixed point with 240 bits beyond the cloud's size, whose errors stay below 2^-200 of it: at high the diameter
           falls, at low it does not. Very near a critical epsilon the answer is that of the computed path (docs), so `--width 0` is not run.
"""
import math
from fractions import Fraction

import clouds
import clusters
from cells import U, show, value
from harness import Case, Difference, equal, number
from rational import dot, integers, power, times

BITS = 240
CLOUDS = {"plain": ("gaussian", "sphere"), "ties": ("lattice", "dyadic", "axes"), "same": ("duplicates", "equal"), "line": ("collinear",),
          "symmetric": ("polygon", "antipodal"), "scale": ("huge", "tiny", "outlier")}
GAMMAS = {"half": {}, "0.3": {"gamma": "0.3"}, "one": {"gamma": "1"}, "alpha": {"alpha": "3"}, "fw": {"gamma": "fw"}}
MATRICES = {"identity": None, "-1": "-1", "0": "0", "positive": [2, 1, 1], "skew": [1, 1, -1], "indefinite": [0, 1, 1]}


def least_double(x):
    """The least double that is not below x."""
    f = float(x)
    return f if Fraction(f) >= x else math.nextafter(f, math.inf)


def meets(rows, B, masses, gamma, epsilon, steps):
    """1: the diameter has fallen to 1e-9 of the first; 0: it has not, and the last ten steps changed it by less than 1e-12 of it; None: neither."""
    e, x = integers(rows)
    f, b = integers(B)
    x = [[c << BITS for c in row] for row in x]
    limit = int(Fraction(epsilon) / (power(2 * e + f)) * (1 << (2 * BITS)))
    first = span(x)
    if not first:
        return 1
    spans = []
    for _ in range(steps):
        moved = []
        for row in x:
            y = times(b, row)
            s = [dot(y, z) for z in x]
            top = max(s)
            near = [j for j in range(len(x)) if s[j] >= top - limit]
            mass = sum(masses[j] for j in near)
            moved.append([c + int(gamma * (sum(masses[j] * x[j][k] for j in near) / mass - c)) for k, c in enumerate(row)])
        x = moved
        spans.append(span(x))
        if spans[-1] * 10 ** 9 <= first:
            return 1
    still = abs(spans[-1] - spans[-10]) * 10 ** 12 <= first
    return 0 if still else None


def span(x):
    return max(max(row[c] for row in x) - min(row[c] for row in x) for c in range(len(x[0])))


class Threshold:
    name = "threshold"
    axes = {"cloud": tuple(CLOUDS), "n": ("1", "2", "few", "some"), "d": (1, 2, 3), "B": tuple(MATRICES), "gamma": tuple(GAMMAS),
            "masses": ("none", "whole"), "width": ("1e-6", "0", "0.1"), "tolerance": ("1e-12", "1e-6"), "threads": ("1", "2")}

    def make(self, chosen, rng):
        d = chosen["d"]
        n = {"1": 1, "2": 2, "few": rng.randint(3, 5), "some": rng.randint(6, 9)}[chosen["n"]]
        rows = clouds.make(rng.choice(CLOUDS[chosen["cloud"]]), n, d, rng)
        options, files = {"tokens": "x.csv", **GAMMAS[chosen["gamma"]]}, {"x.csv": clouds.text(rows)}
        entry, B = MATRICES[chosen["B"]], [[float(i == j) for j in range(d)] for i in range(d)]
        if isinstance(entry, list):
            a, up, down = entry
            B = [[float(a if i == j else up if j == i + 1 else down if i == j + 1 else 0) for j in range(d)] for i in range(d)]
            options["key-query"], files["B.csv"] = "B.csv", clouds.text(B)
        elif entry:
            options["key-query"] = entry
            B = [[c * float(entry) for c in row] for row in B]
        masses = [1.0] * n
        if chosen["masses"] != "none":
            masses = [rng.choice((1.0, 2.0, 3.0)) for _ in range(n)]
            options["masses"], files["m.csv"] = "m.csv", clouds.text([[m] for m in masses])
        for name in ("width", "tolerance", "threads"):
            options[name] = chosen[name]
        options["steps"] = "300"
        return Case("threshold", options, files, given={"rows": rows, "B": B, "masses": masses})

    def refusal(self, case):
        if case.options.get("gamma") == "fw":
            return "gamma varies"
        x = [[Fraction(c) for c in row] for row in case.given["rows"]]
        y = [times([[Fraction(c) for c in row] for row in case.given["B"]], row) for row in x]
        if max(max(s) - min(s) for s in ([dot(row, z) for z in x] for row in y)) > 10 ** 300:
            return "scores differ by more than the largest epsilon"
        return None

    def judge(self, case, got):
        rows, B = case.given["rows"], case.given["B"]
        masses = [Fraction(m) for m in case.given["masses"]]
        e, x = integers(rows)
        f, b = integers(B)
        unit = power(2 * e + f)
        scores = [[dot(times(b, row), z) for z in x] for row in x]
        found = []
        full = [[Fraction(c) for c in row] for row in B]
        exact = all(Fraction(c) * Fraction(2) ** 40 % 1 == 0 for row in rows for c in row) or "key-query" not in case.options or case.options["key-query"] != "B.csv"
        complete = max(max(s) - min(s) for s in scores) * unit
        leads = [max(s) - max(v for v in s if v < max(s)) for s in scores if min(s) < max(s)]
        if exact:  # B x is not rounded
            if complete < 2 ** 1023:
                found += equal("complete", least_double(complete), number(got["complete"]))
            if not leads or min(leads) * unit < 2 ** 1023:
                found += equal("first", least_double(min(leads) * unit) if leads else math.inf, number(got["first"]))
        found += self.bound(rows, full, got)
        low, high = value(got["low"]), value(got["high"])
        if low is not None and high is not None and not low < high:
            found.append(Difference("low", "below high", got["low"], f"high {got['high']}"))
        if got["undecided"] is not None and not (low or 0) <= value(got["undecided"][0]) <= value(got["undecided"][1]) <= high:
            found.append(Difference("undecided", "within the bracket", got["undecided"], ""))
        if case.options["width"] == "0" or isinstance(high, float):
            return found
        gamma = Fraction(3, 4) if "alpha" in case.options else Fraction(float(case.options.get("gamma", "0.5")))
        steps = 260 if gamma < Fraction(1, 2) else 120
        if len(rows) * len(rows) * steps > 6000:
            steps = max(60, 6000 // len(rows) ** 2)
        if high is not None and meets(rows, B, masses, gamma, high, steps) == 0:
            found.append(Difference("high", "stays apart", got["high"], f"by {got['certificate.high']}"))
        if low is not None and meets(rows, B, masses, gamma, low, steps) == 1:
            found.append(Difference("low", "meets", got["low"], f"by {got['certificate.low']}"))
        return found

    def bound(self, rows, B, got):
        x = [[Fraction(c) for c in row] for row in rows]
        forms = [dot(times(B, z), z) / 2 for z in ([a - c for a, c in zip(p, q)] for p in x for q in x)]
        top = max(forms)
        said = value(got["bound"])
        if said is None or isinstance(said, float):
            return []
        if said < top:
            return [Difference("bound", show(top), got["bound"], "below its value at two tokens")]
        d = len(B)
        positive = all(B[i][i] >= sum(abs(B[i][j] + B[j][i]) for j in range(d) if j != i) / 2 for i in range(d))  # by Gershgorin
        size = max(abs(B[i][j]) for i in range(d) for j in range(d)) * max(sum(abs(c) for c in p) for p in x) ** 2
        if positive and said > top + 1024 * d * U * (top + size) + Fraction(1, 1 << 1060):
            return [Difference("bound", show(top), got["bound"], "attained at two tokens, A positive semidefinite")]
        return []

    def smaller(self, case):
        for name in ("gamma", "alpha", "masses", "width", "tolerance", "threads"):
            if name in case.options and name != "width":
                given = {"masses": [1.0] * len(case.given["rows"])} if name == "masses" else {}
                yield case.changed(options={name: ...}, given=given, files={"m.csv": ...} if name == "masses" else {})
        rows, masses = case.given["rows"], case.given["masses"]
        for keep in clouds.dropped(rows):
            fewer, files = [rows[i] for i in keep], {}
            if "masses" in case.options:
                files["m.csv"] = clouds.text([[masses[i]] for i in keep])
            yield case.changed(files={"x.csv": clouds.text(fewer), **files}, given={"rows": fewer, "masses": [masses[i] for i in keep]})
        for plain in clouds.simpler(rows):
            yield case.changed(files={"x.csv": clouds.text(plain)}, given={"rows": plain})


SUITE = Threshold()
