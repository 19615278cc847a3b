"""suite_merge.py -- tokens that come close become one: flow --merge (docs/flow.md).

After a step of the layer, tokens that are joined by distances of at most D become one token at their mean by mass; it has their mass, and
every token of it is written at that place. `merges` is n less the number of those tokens, `merge_bound` the sum over the steps of the longest
way that merging has moved a token by. `auto` is 8 ulp of radius/gamma; what is decided here is only that pairs closer than
half of it merge and pairs farther than four times it do not. `--merge 0` merges equal tokens; hardmax has the same bits with it and without it, which a
second run shows.

From the recorded state: the step y = x + gamma (avg - x) (residual: x + avg) in extended precision with its bound (fields.py; sets of
hardmax and localmax are exact, in fractions), the groups of y, their means. Where a distance is within the bound of D the rest is not judged.
"""
from fractions import Fraction

import numpy as np

import clouds
import harness
from fields import Field, L, U, schedule
from harness import Case, Difference, close, equal, number
from states import State



class Merge:
    name = "merge"
    axes = {
        "merge": ("off", "auto", "0", "0.01", "0.5", "1", "3"),
        "rule": ("softmax", "sparsemax", "entmax", "uniform", "hardmax", "localmax"),
        "ties": ("points", "indices"),
        "dynamics": ("layer", "residual", "chain"),
        "mask": ("full", "causal"),
        "gamma": ("none", "0.1", "1", "fw", "power:0.5,1"),
        "masses": ("none", "whole", "eighths"),
        "B": ("none", "2", "-1", "0.3"),
        "beta": ("1", "20", "-1"),
        "cloud": clouds.KINDS,
        "n": (1, 2, 3, 5, 8, 9, 17),
        "d": (1, 2, 3, 6, 8),
    }
    options = {"B": ("key-query",)}

    def make(self, chosen, rng):
        n, d = chosen["n"], chosen["d"]
        o = {"tokens": "x.csv", "dynamics": chosen["dynamics"], "rule": chosen["rule"], "mask": chosen["mask"], "merge": chosen["merge"],
             "ties": chosen["ties"], "beta": chosen["beta"], "epsilon": "0.3", "steps": str(rng.choice((1, 4))), "closed-form": "never",
             "record": "tokens,diameter,energy,clusters"}
        files = {"x.csv": clouds.text(clouds.make(chosen["cloud"], n, d, rng))}
        if chosen["gamma"] != "none":
            o["gamma"] = chosen["gamma"]
        if chosen["B"] != "none":
            o["key-query"] = chosen["B"]
        if chosen["masses"] != "none":
            top, below = {"whole": (4, 1), "eighths": (24, 8)}[chosen["masses"]]
            files["m.csv"] = clouds.text([[rng.randint(1, top) / below] for _ in range(n)])
            o["masses"] = "m.csv"
        return Case("flow", o, files, chosen)

    def refusal(self, case):
        o = case.options
        if o.get("merge", "off") != "off" and o["dynamics"] != "chain" and o.get("mask") == "causal":
            return "merged tokens would part again"
        return None

    @staticmethod
    def rows(case):
        return [[float(c) for c in line.split(",")] for line in case.files["x.csv"].split()]

    def judge(self, case, answer):
        o, rows = case.options, self.rows(case)
        n, d = len(rows), len(rows[0])
        if o["dynamics"] == "chain":
            return equal("merges", None, answer["merges"])
        states = [[[number(c) for c in row] for row in state] for state in answer["record.tokens"]]
        found = equal("tokens[0]", rows, states[0])
        masses = np.array([float(v) for v in case.files["m.csv"].split()] if "masses" in o else [1.0] * n, dtype=L)
        B = np.eye(d) * float(o["key-query"]) if "key-query" in o else None
        self.work = Field(dynamics="ode", rule=o["rule"], B=B, V=None, masses=masses, causal=o.get("mask") == "causal",
                          beta=(o.get("beta", "1"), None), a=L(1.5), shifted=False)
        if o.get("merge", "off") == "off":
            found += equal("merges", None, answer["merges"]) + equal("merge_bound", None, answer["merge_bound"])
        found += self.walk(case, answer, states, masses)
        if o.get("merge", "off") == "0" and o["rule"] == "hardmax":
            plain = harness.run(case.changed(options={"merge": "off"}), self.program)
            found += equal("hardmax merge 0", plain["record.tokens"], answer["record.tokens"], "the bits without merging")
        for k, state in enumerate(states):
            view = State(state, None)
            found += close("diameter", *[view.diameter()[0], answer["record.diameter"][k]], view.diameter()[1])
        return found

    def walk(self, case, answer, states, masses):
        o, n = case.options, len(states[0])
        group = list(range(n))
        bound, slack, clear = L(0), L(0), True
        for k in range(len(states) - 1):
            gamma = L(1) if o["dynamics"] == "residual" else schedule(o.get("gamma", "0.5"), None, k)
            moved = self.step(case, states[k], k, gamma)
            if moved is None:
                return []
            y, e = moved
            radius = np.sqrt((y * y).sum(axis=1)).max()
            group = self.join(o.get("merge", "off"), y, e, group, radius / gamma, states, k)
            if group is None:
                return []
            want, allowed = y.copy(), e.copy()
            for g in set(group):
                inside = [i for i in range(n) if group[i] == g]
                if len(inside) > 1:
                    m = masses[inside][:, None]
                    want[inside] = (m * y[inside]).sum(axis=0) / m.sum()
                    allowed[inside] = (m * e[inside]).sum(axis=0) / m.sum() + (n + 6) * U * np.abs(y[inside]).max(axis=0)
            off = np.abs(np.array(states[k + 1], dtype=L) - want)
            if not (off <= allowed).all():
                i = int(np.argwhere(~(off <= allowed))[0][0])
                return [Difference("tokens", [float(v) for v in want[i]], states[k + 1][i],
                                   f"step {k + 1}, token {i}, off by {float((off / allowed).max()):.3g} bounds, groups {group}")]
            for i in range(n):
                if group[i] != i and states[k + 1][i] != states[k + 1][group[i]]:
                    return [Difference("tokens", states[k + 1][group[i]], states[k + 1][i], f"step {k + 1}: tokens {i} and {group[i]} have merged")]
            way = np.sqrt(((want - y) ** 2).sum(axis=1)).max()
            bound, slack = bound + way, slack + np.sqrt(((allowed + e) ** 2).sum(axis=1)).max() + 8 * U * way
        if o.get("merge", "off") == "off":
            return []
        found = equal("merges", n - len(set(group)), answer["merges"], f"groups {group}")
        return found + close("merge_bound", bound, answer["merge_bound"], 2 * slack)

    def join(self, merge, y, e, group, scale, states, k):
        """The group (its first token) of each token after a step; None when rounding decides."""
        n = len(y)
        if merge == "off":
            return list(range(n))
        low = high = {"auto": 0}.get(merge, None)
        if merge == "auto":
            low, high = 4 * 2.0 ** -52 * scale, 32 * 2.0 ** -52 * scale
        else:
            low = high = L(float(merge))
        parent = list(group)

        def root(i):
            while parent[i] != i:
                i = parent[i]
            return i

        for i in range(n):
            for j in range(i):
                apart = y[i] - y[j]
                r = np.sqrt((apart ** 2).sum())
                off = np.sqrt(((e[i] + e[j]) ** 2).sum()) + 8 * U * r
                if merge == "0":
                    near = states[k + 1][i] == states[k + 1][j]
                    if near and r > off:
                        return self.parted(i, j)
                elif root(i) == root(j):
                    continue
                elif r + off <= low:
                    near = True
                elif r - off > high:
                    near = False
                else:
                    return None
                if near:
                    parent[max(root(i), root(j))] = min(root(i), root(j))
        return [root(i) for i in range(n)]

    @staticmethod
    def parted(i, j):
        raise ValueError(f"tokens {i} and {j} are written at one place and cannot be")

    def step(self, case, rows, k, gamma):
        """(y, bound) of one step without merging; None where a set is not exact here."""
        o, x = case.options, np.array(rows, dtype=L)
        if o["rule"] in ("hardmax", "localmax"):
            w = self.sets(case, rows)
            if w is None:
                return None
            apart = x[None, :, :] - x[:, None, :]
            f = np.einsum("ij,ijc->ic", w, apart)
            e = (len(x) + 16) * U * np.einsum("ij,ijc->ic", w, np.abs(apart))
        else:
            f, e = self.work.parts(x, k)
        if o["dynamics"] == "residual":
            e = e + 2 * U * (np.abs(x) + np.abs(f))
            f = f + x
        y = x + gamma * f
        return y, gamma * e + 2 * U * (np.abs(y) + np.abs(gamma * f)) + L(2) ** -1070

    def sets(self, case, rows):
        """Weights of hardmax and localmax, exactly; None where y = B x is rounded and that could matter."""
        o, m = case.options, self.work.m
        scale = Fraction(float(o.get("key-query", "1")))
        if scale not in (1, 2, -1):
            return None
        x = [[Fraction(c) for c in row] for row in rows]
        epsilon = Fraction(0.3) if o["rule"] == "localmax" else 0
        w = np.zeros((len(x), len(x)), dtype=L)
        for i, p in enumerate(x):
            s = [scale * sum(a * b for a, b in zip(p, q)) for q in x[: i + 1 if self.work.causal else None]]
            top = max(s)
            inside = [j for j, v in enumerate(s) if v >= top - epsilon]
            if o["rule"] == "hardmax" and o.get("ties", "points") == "points":
                first = {}
                for j in inside:
                    first.setdefault(tuple(rows[j]), j)
                for j in first.values():
                    w[i, j] = L(1) / len(first)
            else:
                w[i, inside] = m[inside] / m[inside].sum()
        return w

    def smaller(self, case):
        return clouds.smaller(case, self.rows(case), ("masses", "key-query", "beta", "mask", "ties", "gamma"), ("1", "2"))


SUITE = Merge()
