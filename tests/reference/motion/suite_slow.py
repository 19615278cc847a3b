"""suite_slow.py -- leaps over slow times against plain stepping (docs/slow.md): flow --leap.

Layers: the map x <- x + gamma (avg - x) is stepped here in long double, tokens at 8 ulp of (initial radius)/gamma become one at their mean
by mass, and the time of every merge is compared: exact up to one step of rounding at that distance, and `--leap-tolerance` of the time beyond the
first 256 steps, which the program steps too. Energies after a merge, the plateaus (waits between merges that outlast all the time before) made again from
the merges, and the state after a given number of steps, within the speed times the error of the time. On the sphere: the state
after a given time, against another integrator.
"""
import math

import numpy as np

import clouds
import integrators
from fields import Field, L
from harness import Case, Difference, close, equal, number

ODD = (("dynamics", "ode"), ("dynamics", "residual"), ("rule", "hardmax"), ("rule", "entmax"), ("beta", "harmonic"), ("gamma", "fw"),
       ("mask", "causal"), ("value", "2"), ("merge", "0.1"))
MOST = 2500  # steps that are taken here


class Slow:
    name = "slow"
    axes = {
        "dynamics": ("layer", "sa", "usa"),
        "odd": ("none", "some"),  # some: one of ODD, which leaps refuse
        "beta": ("1", "3", "8", "0", "-0.5"),
        "gamma": ("none", "0.1", "0.9", "1"),  # of layers
        "B": ("none", "0.5", "symmetric"),
        "masses": ("none", "whole"),
        "merge": ("off", "auto"),
        "tolerance": ("none", "1e-3", "1e-9"),
        "ends": ("inf", "300", "1500", "5"),
        "cloud": ("gaussian", "sphere", "polygon", "dyadic", "collinear", "duplicates", "antipodal", "outlier", "equal"),
        "n": (1, 2, 3, 4, 6),
        "d": (1, 2, 3),
    }
    options = {"tolerance": ("leap-tolerance",), "ends": ("steps", "time"), "B": ("key-query",)}

    def make(self, chosen, rng):
        n, d = chosen["n"], chosen["d"]
        o = {"tokens": "x.csv", "leap": None, "dynamics": chosen["dynamics"], "beta": chosen["beta"], "merge": chosen["merge"]}
        files = {"x.csv": clouds.text(clouds.make(chosen["cloud"], n, d, rng))}
        if chosen["dynamics"] in ("sa", "usa", "ode"):
            o["time"] = {"inf": "2", "300": "0.3", "1500": "1", "5": "0"}[chosen["ends"]]
        else:
            o["steps"] = chosen["ends"]
        if chosen["tolerance"] != "none":
            o["leap-tolerance"] = chosen["tolerance"]
        if chosen["gamma"] != "none" and chosen["dynamics"] == "layer":
            o["gamma"] = chosen["gamma"]
        if chosen["odd"] == "some":
            name, value = rng.choice(ODD)
            o[name] = value
        B = None
        if chosen["B"] == "0.5":
            o["key-query"], B = "0.5", [[0.5 * (r == c) for c in range(d)] for r in range(d)]
        elif chosen["B"] == "symmetric":
            B = [[1.0 if r == c else 0.25 for c in range(d)] for r in range(d)]
            files["B.csv"], o["key-query"] = clouds.text(B), "B.csv"
        if chosen["masses"] != "none":
            files["m.csv"], o["masses"] = clouds.text([[float(rng.randint(1, 4))] for _ in range(n)]), "m.csv"
        case = Case("flow", o, files, chosen, {"B": B})
        if chosen["odd"] == "some":
            case.kept.update((name, "leap"))
        return case

    @staticmethod
    def rows(case):
        return [[float(c) for c in line.split(",")] for line in case.files["x.csv"].split()]

    def refusal(self, case):
        o, rows = case.options, self.rows(case)
        if o.get("beta") == "harmonic" or o["dynamics"] == "layer" and o.get("gamma") == "fw" or "value" in o or o.get("mask") == "causal":
            return "leaps need constant beta and gamma, a full mask and no value matrix"
        if o.get("merge") == "0.1":
            return "leaps merge by themselves"
        if o["dynamics"] in ("sa", "usa"):
            if any(not any(row) for row in rows):
                return "the origin has no direction"
            return None
        size = max(sum(c * c for c in row) for row in rows) * abs(float(o.get("beta", "1")))
        return "rounding decides the exponents" if size > 1e13 else None

    def field(self, case):
        o, n = case.options, len(self.rows(case))
        masses = [float(v) for v in case.files["m.csv"].split()] if "masses" in o else [1.0] * n
        dynamics = "ode" if o["dynamics"] == "layer" else o["dynamics"]
        return Field(dynamics=dynamics, rule="softmax", B=case.given["B"] if "key-query" in o else None, V=None, masses=masses,
                     causal=False, beta=(o["beta"], None), a=1, shifted=False)

    def judge(self, case, answer):
        o = case.options
        found = equal("method", "leap", answer["method"]) + self.plateaus(answer)
        if o["dynamics"] != "layer":
            return found + self.sphere(case, answer)
        return found + self.layers(case, answer)

    def sphere(self, case, answer):
        o, field = case.options, self.field(case)
        tolerance, end = float(o.get("leap-tolerance", "1e-6")), float(o["time"])
        x = np.array(self.rows(case), dtype=L)
        x = integrators.unit(x / np.abs(x).max(axis=1, keepdims=True))
        want = integrators.flow(field, x, 0, end, 1e-12) if end else np.array(x, dtype=float)
        if want is None:
            return []
        speed = max(float(np.abs(field(x, 0)).max()), float(np.abs(field(want, end)).max()))
        allowed = 30 * tolerance * (1 + speed * end) + 1e-10
        got = np.array([[number(c) for c in row] for row in answer["tokens"]])
        off = np.abs(got - want).max()
        growth = math.exp(min(20, float(field.lipschitz(x, 0)) * end))
        if off > allowed * min(growth, 1e3):
            return [Difference("tokens", want.tolist(), got.tolist(), f"off by {off:.3g}, allowed {allowed:.3g}")]
        return equal("time", end, number(answer["time"]))

    def layers(self, case, answer):
        o = case.options
        tolerance, gamma = float(o.get("leap-tolerance", "1e-6")), float(o.get("gamma", "0.5"))
        end = MOST if o["steps"] == "inf" else min(MOST, int(o["steps"]))
        events, x, last, energies = self.step(case, gamma, end)
        got = [(10 ** number(e["log10_time"]) if number(e["log10_time"]) > -math.inf else 0.0, e["clusters"], number(e["energy"]))
               for e in answer["merge_list"]]
        found = []
        for t, left, energy, swing in events:
            match = [g for g in got if g[1] <= left]
            # rounding of places, u R / gamma in all, is an eighth of the distance at which they join
            slack = 1 + 2 * tolerance * t + (0 if t <= 256 else 0.25 / gamma)
            if not match:
                if t < end - slack:
                    found.append(Difference("merge_list", f"{left} left at {t}", None, ""))
            elif t > 1 and not abs(match[0][0] - t) <= slack * (1 + 1e-9):
                found.append(Difference("merge_list", f"{left} left at {t}", match[0][0], f"allowed {slack:.3g}"))
            elif match[0][1] == left and not abs(match[0][2] - energy) <= 4 * swing + 1e-9 * abs(energy) + 4e-13 * self.size(case):
                found.append(Difference("merge_list.energy", energy, match[0][2], f"{left} left at {t}"))
        for t, left, _ in got:
            if t < end - 2 and not any(k <= left for _, k, _, _ in events):
                found.append(Difference("merge_list", "no such merge", t, f"{left} left"))
        if o["steps"] != "inf" and end == int(o["steps"]) and not any(abs(t - end) < 3 + 0.05 * end for t, *_ in events):
            off = np.abs(np.array([[number(c) for c in row] for row in answer["tokens"]], dtype=L) - x).max()
            # a time that is off by the tolerance, relative, is a place off by that part of the way
            allowed = float(last) * (2 + 4 * tolerance * end) + tolerance * math.sqrt(self.size(case))
            if end <= 256:
                allowed = 1e-11 * math.sqrt(self.size(case)) * end
            if off > allowed:
                found.append(Difference("tokens", "the state of plain stepping", float(off), f"allowed {allowed:.3g}"))
        return found

    def size(self, case):
        return max(sum(c * c for c in row) for row in self.rows(case)) + 1e-300

    def step(self, case, gamma, end):
        """(merges (step, left, energy, change of energy in a step), state of all tokens, speed, ...)."""
        field = self.field(case)
        B = np.eye(len(self.rows(case)[0]), dtype=L) if field.B is None else field.B
        beta = float(case.options["beta"])
        sign = -1 if beta < 0 else 1
        x, m = np.array(self.rows(case), dtype=L), field.m.copy()
        place = list(range(len(x)))
        near = 8 * L(2) ** -52 * np.sqrt((x * x).sum(axis=1)).max() / gamma
        events, speed, before = [], L(0), None
        mean = lambda: float((m * np.einsum("ic,ic->i", x @ B.T, x)).sum() / m.sum() / 2) * sign
        for t in range(1, end + 1):
            if len(x) == 1:
                break
            s = beta * (x @ B.T) @ x.T
            w = m * np.exp(s - s.max(axis=1, keepdims=True))
            w = w / w.sum(axis=1, keepdims=True)
            move = gamma * np.einsum("ij,ijc->ic", w, x[None, :, :] - x[:, None, :])
            speed, before = np.abs(move).max(), mean()
            x = x + move
            after = mean()
            while len(x) > 1:
                r = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2)) + np.diag([np.inf] * len(x))
                i, j = sorted(int(v) for v in np.unravel_index(r.argmin(), r.shape))
                if r[i, j] > near:
                    break
                x[i] = (m[i] * x[i] + m[j] * x[j]) / (m[i] + m[j])
                m[i] += m[j]
                x, m = np.delete(x, j, axis=0), np.delete(m, j)
                place = [i if p == j else p - (p > j) for p in place]
                events.append([t, len(x), mean(), abs(after - before)])
        return events, x[place], speed, None

    @staticmethod
    def plateaus(answer):
        """Waits between merges that outlast all the time before: out - in > in."""
        merges, want = [number(e["log10_time"]) for e in answer["merge_list"]], []
        bounds = [-math.inf] + merges
        counts = [None] + [e["clusters"] for e in answer["merge_list"]]
        for k in range(len(merges)):
            a, b = bounds[k], bounds[k + 1]
            if abs(b - a - math.log10(2)) < 1e-9:
                return []
            if b > -math.inf and b - a > math.log10(2):
                want.append((counts[k], a, b))
        got = [(p["clusters"], number(p["log10_in"]), number(p["log10_out"])) for p in answer["plateaus"] if p["log10_out"] is not None]
        if len(want) != len(got):
            return [Difference("plateaus", want, got, "")]
        found = []
        for (count, a, b), (left, start, stop) in zip(want, got):
            if count is not None:
                found += equal("plateaus.clusters", count, left)
            found += equal("plateaus.log10_in", a, start) + equal("plateaus.log10_out", b, stop)
        return found

    def smaller(self, case):
        return clouds.smaller(case, self.rows(case), ("masses", "key-query", "gamma", "leap-tolerance", "merge"))


SUITE = Slow()
