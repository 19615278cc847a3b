"""suite_threshold.py -- tropism threshold: a tolerance at which localmax brings a cloud together (docs/threshold.md).

    complete  max_i (max_j s_ij - min_j s_ij), the least double that is not below it
    first     min_i (max_j s_ij - the next lower score), likewise; inf when every row has one score
    bound     max (x - y)' A (x - y)/2 over the hull, A = (B + B')/2: for A >= 0 over pairs of tokens, rounded upwards; no proof at gamma = 1
    low, high at low the flow of localmax keeps several limits, at high it has one

The first two are exact, in fractions, where y = B x is (B a power of two times the identity, or dyadic with few bits), otherwise within
(2d + 8) u of the sums. low and high are judged by running localmax in double at both: leads that are within 1e-12 of the tolerance
are not decided and the run is left. high - low is at most `--width` of the smaller of complete and bound, unless a band is undecided.
"""
import math
from fractions import Fraction

import numpy as np

import clouds
from harness import Case, Difference, close, equal, number

U = 2.0 ** -53
KNOWN = ()


def upwards(value):
    """The least double that is not below a fraction."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


class Threshold:
    name = "threshold"
    axes = {
        "cloud": clouds.KINDS,
        "n": (1, 2, 3, 5, 8, 9, 16, 17),
        "d": (1, 2, 3, 5, 8),
        "B": ("none", "2", "-1", "0.3", "dyadic", "gaussian", "0"),
        "gamma": ("none", "0.1", "0.5", "1", "alpha", "fw"),
        "masses": ("none", "whole"),
        "width": ("none", "1e-3", "0", "1"),
        "steps": ("none", "3"),
        "tolerance": ("none", "1e-6"),
    }

    def make(self, chosen, rng):
        n, d = chosen["n"], chosen["d"]
        o, files = {"tokens": "x.csv"}, {"x.csv": clouds.text(clouds.make(chosen["cloud"], n, d, rng))}
        for name in ("width", "steps", "tolerance"):
            if chosen[name] != "none":
                o[name] = chosen[name]
        if chosen["gamma"] == "alpha":
            o["alpha"] = "0.25"
        elif chosen["gamma"] != "none":
            o["gamma"] = chosen["gamma"]
        B = None
        if chosen["B"] in ("dyadic", "gaussian"):
            draw = (lambda: rng.randint(-8, 8) / 4) if chosen["B"] == "dyadic" else (lambda: rng.gauss(0, 1))
            B = [[draw() for _ in range(d)] for _ in range(d)]
            files["B.csv"], o["key-query"] = clouds.text(B), "B.csv"
        elif chosen["B"] != "none":
            o["key-query"] = chosen["B"]
            B = [[float(chosen["B"]) * (r == c) for c in range(d)] for r in range(d)]
        if chosen["masses"] != "none":
            files["m.csv"], o["masses"] = clouds.text([[float(rng.randint(1, 4))] for _ in range(n)]), "m.csv"
        return Case("threshold", o, files, chosen, {"B": B})

    def refusal(self, case):
        if case.options.get("gamma") == "fw":
            return "gamma must be constant"
        x, B = np.array(self.rows(case), dtype=np.longdouble), case.given["B"] if "key-query" in case.options else None
        s = (x if B is None else x @ np.array(B, dtype=np.longdouble).T) @ x.T
        return "scores differ by more than the largest epsilon" if (s.max(axis=1) - s.min(axis=1)).max() > 1e300 else None

    @staticmethod
    def rows(case):
        return [[float(c) for c in line.split(",")] for line in case.files["x.csv"].split()]

    @staticmethod
    def gamma(case):
        return 0.2 if "alpha" in case.options else float(case.options.get("gamma", "0.5"))

    def judge(self, case, answer):
        rows, B = self.rows(case), case.given["B"] if "key-query" in case.options else None
        x = [[Fraction(c) for c in row] for row in rows]
        m = None if B is None else [[Fraction(c) for c in row] for row in B]
        y = x if m is None else [[sum(b * c for b, c in zip(row, p)) for row in m] for p in x]
        exact = B is None or all(Fraction(float(c)) == c for p in y for c in p)
        s = [[sum(a * b for a, b in zip(q, p)) for p in x] for q in y]
        complete = max(max(row) - min(row) for row in s)
        leads = [max(row) - v for row in s for v in row if v < max(row)]
        slack = 0 if exact else float((2 * len(x[0]) + 8) * max(
            (sum(abs(b * c) for b, c in zip(r, p)) for p in x for r in m), default=0) * max(
            (sum(map(abs, p)) for p in x), default=0)) * U * 2
        found = self.number("complete", complete, answer, slack)
        found += self.number("first", min(leads), answer, slack) if leads else equal("first", "inf", answer["first"])
        found += self.bound(case, x, m, answer)
        return found + self.bracket(case, rows, B, answer)

    @staticmethod
    def number(name, value, answer, slack):
        try:
            want = upwards(value)
        except OverflowError:
            want = math.inf
        return equal(name, want, number(answer[name])) if not slack else close(name, want, answer[name], slack)

    def bound(self, case, x, m, answer):
        if self.gamma(case) == 1:
            return [Difference("certificate.high", "no T4 at gamma = 1", "T4", "")] if answer["certificate.high"] == "T4" else []
        d, got = len(x[0]), number(answer["bound"])
        A = [[Fraction(int(r == c)) if m is None else (m[r][c] + m[c][r]) / 2 for c in range(d)] for r in range(d)]
        forms = [sum(A[r][c] * (p[r] - q[r]) * (p[c] - q[c]) for r in range(d) for c in range(d)) / 2
                 for k, p in enumerate(x) for q in x[:k]]
        least = max(forms, default=Fraction(0))
        if got is None or Fraction(got) < max(0, least):
            return [Difference("bound", f"at least {float(least)!r}", got, "the form of a pair of tokens")]
        eig = np.linalg.eigvalsh(np.array(A, dtype=float))
        size = float(max((sum(abs(A[r][c] * (p[r] - q[r]) * (p[c] - q[c])) for r in range(d) for c in range(d)) / 2
                          for k, p in enumerate(x) for q in x[:k]), default=Fraction(0)))
        if eig.min() > 1e-9 * max(1, abs(eig).max()) and got > float(least) + 64 * (d + 4) * U * size + 1e-300:
            return [Difference("bound", float(least), got, "the largest form of a pair, for A > 0")]
        if eig.max() < -1e-9 * abs(eig).max() and got != 0:
            return [Difference("bound", 0, got, "A is negative definite")]
        return []

    def bracket(self, case, rows, B, answer):
        o, found = case.options, []
        low, high = answer["low"], number(answer["high"])
        if low is not None and not number(low) < high:
            found.append(Difference("low", f"below {high}", low, ""))
        if answer["certificate.kind"] == "least":
            found += equal("high", 0, high) + equal("low", None, low)
        if low is not None and answer["undecided"] is None:
            top = min(v for v in (number(answer["complete"]), number(answer["bound"])) if v is not None)
            wide = float(o.get("width", "1e-6")) * top
            if not high - number(low) <= wide * (1 + 1e-9) + math.ulp(high):
                found.append(Difference("width", wide, high - number(low), ""))
        for name, value, one in (("low", low, False), ("high", high, True)):
            if value is None or not math.isfinite(number(value)):
                continue
            places = self.simulate(case, rows, B, number(value))
            if places is not None and (places == 1) != one:
                found.append(Difference(name, "one place" if one else "several", places, f"localmax at {value!r}"))
        return found

    def simulate(self, case, rows, B, epsilon):
        """Places that localmax ends at, or None."""
        x = np.array(rows)
        size = np.abs(x).max()
        if not 1e-100 < size < 1e100:
            return None
        B = np.eye(x.shape[1]) if B is None else np.array(B)
        mass = np.array([float(v) for v in case.files["m.csv"].split()]) if "masses" in case.options else np.ones(len(x))
        gamma = self.gamma(case)
        first = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2)).max()
        if first < 1e-6 * size:
            return None  # rounding of the steps is no longer small beside the cloud
        scale = np.abs(B).max() * size * size * x.shape[1] ** 2
        for _ in range(60 if gamma >= 0.5 else 400):
            s = (x @ B.T) @ x.T
            lead = s.max(axis=1, keepdims=True) - s
            same = (x[None, :, :] == x[s.argmax(axis=1)][:, None, :]).all(axis=2)
            if (np.abs(lead - epsilon) < 1e-12 * scale)[~same].any():
                return None
            w = ((lead <= epsilon) | same) * mass
            x = x + gamma * (w @ x / w.sum(axis=1, keepdims=True) - x)
        r = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
        if first and ((r > 1e-9 * first) & (r < 1e-4 * first)).any():
            return None
        seen, places = set(), 0
        for i in range(len(x)):
            if i not in seen:
                places += 1
                stack = [i]
                while stack:
                    k = stack.pop()
                    if k not in seen:
                        seen.add(k)
                        stack += [int(j) for j in np.flatnonzero(r[k] <= 1e-9 * first)]
        return places

    def smaller(self, case):
        rows = self.rows(case)
        for keep in clouds.dropped(rows):
            files = {"x.csv": clouds.text([rows[i] for i in keep])}
            if "m.csv" in case.files:
                masses = case.files["m.csv"].split()
                files["m.csv"] = "".join(masses[i] + "\n" for i in keep)
            yield case.changed(files=files)
        for name in ("masses", "key-query", "width", "steps", "tolerance", "gamma", "alpha"):
            if name in case.options:
                yield case.changed(options={name: ...})
        for plain in clouds.simpler(rows):
            yield case.changed(files={"x.csv": clouds.text(plain)})


SUITE = Threshold()
