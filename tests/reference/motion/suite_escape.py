"""suite_escape.py -- tropism escape: how long tokens stay near their vertices (docs/escape.md, docs/results.md).

In the plane and on the line, where hulls are short to write. Exact: the groups (the unique best scorer of every token, in
fractions; a tie is refused), the vertices of the hull. In double with margins: constants and hypotheses of theorems 5.2 and 5.4, and

    exact     ceil(log 2 / h), h = -sum_i log(1 - p_i), p_i the softmax weight of other groups, where every group is one point
              and gamma times the least distance of two groups exceeds the radius
    repaired  the largest real t with M (1 + log(t n^2/M) - beta c0/2) <= -log 2, at least 1
    printed   the largest real t with (1 + a) log(t n/a) - beta c0 a/2 <= -log 2, a = radius/gamma

within 1e-9 (the first: either of two whole numbers when that near). Where the law is known the share of runs inside has to be within
sqrt(log(2/1e-12)/(2 runs)) of it (Dvoretzky, Kiefer, Wolfowitz, Massart). The flow is stepped here: the exit is exact for the first 256
steps, which the program steps too, and within 1 + 4 tolerance t later. exponent is the least squares line through the medians.
"""
import math
from fractions import Fraction

import numpy as np

import clouds
from groups import Cloud, away
from harness import Case, Difference, close, equal, number

MOST = 1500  # steps of the flow that are taken here


class Escape:
    name = "escape"
    axes = {
        "dynamics": ("chain", "flow"),
        "cloud": ("polygon", "gaussian", "dyadic", "axes", "followers", "stacks", "equal", "antipodal"),
        "n": (1, 2, 3, 4, 5, 7),
        "d": (1, 2),
        "beta": ("2,3", "0.5:1.5:0.5", "4", "-1,1", "0,6", "20,80"),
        "gamma": ("none", "0.5", "1", "0.01"),
        "radius": ("none", "0.3", "2"),
        "near": ("none", "0.2", "0"),
        "shadow": ("off", "0.1"),
        "B": ("none", "2", "symmetric"),
        "runs": ("1", "8", "60"),
    }

    def make(self, chosen, rng):
        n, d, kind = chosen["n"], chosen["d"], chosen["cloud"]
        if kind in ("followers", "stacks"):
            base = clouds.polygon(3, 2, rng) if d == 2 else [[1.0], [-1.0]]
            rows = [list(base[k % len(base)]) for k in range(n)]
            if kind == "followers":
                rows = [row if k < len(base) else [c * rng.choice((0.5, 0.75, 0.9)) for c in row] for k, row in enumerate(rows)]
        else:
            rows = clouds.make(kind, n, d, rng)
        o = {"tokens": "x.csv", "dynamics": chosen["dynamics"], "beta": chosen["beta"], "runs": chosen["runs"]}
        for name in ("gamma", "radius", "near"):
            if chosen[name] != "none":
                o[name] = chosen[name]
        if chosen["shadow"] != "off":
            o["shadow"] = chosen["shadow"]
        files, B = {"x.csv": clouds.text(rows)}, None
        if chosen["B"] == "2":
            o["key-query"], B = "2", [[2.0 * (r == c) for c in range(d)] for r in range(d)]
        elif chosen["B"] == "symmetric":
            B = [[2.0, 0.5], [0.5, 1.0]] if d == 2 else [[1.5]]
            files["B.csv"], o["key-query"] = clouds.text(B), "B.csv"
        return Case("escape", o, files, chosen, {"B": B})

    @staticmethod
    def rows(case):
        return [[float(c) for c in line.split(",")] for line in case.files["x.csv"].split()]

    def cloud(self, case):
        o = case.options
        return Cloud(self.rows(case), case.given["B"] if "key-query" in o else None,
                     float(o.get("radius", "0.05")), float(o.get("gamma", "0.1")))

    def refusal(self, case):
        return "a token on a wall has no group" if self.cloud(case).walls else None

    def judge(self, case, answer):
        o, c = case.options, self.cloud(case)
        radius, gamma = float(o.get("radius", "0.05")), float(o.get("gamma", "0.1"))
        rows, found = self.rows(case), []
        for i, l in enumerate(answer["labels"]):
            if rows[l] != rows[c.label[i]]:
                found += equal("labels", c.label, answer["labels"])
        k = answer["constants"]
        for name, want in (("n", c.n), ("kappa", c.kappa), ("groups", c.groups)):
            found += equal("constants." + name, want, k[name])
        size = c.R * c.R * max(1.0, np.abs(c.B).max()) * 4 + 1e-300
        for name, want, scale in (("R", c.R, c.R), ("diameter", c.diameter, c.R), ("rho", c.rho, c.R)):
            found += close("constants." + name, want, k[name], 1e-12 * scale)
        if c.kappa > 1:
            found += close("constants.c0", c.c0, k["c0"], 1e-12 * size)
            found += close("constants.lambda", c.lam, k["lambda"], 1e-12 * (size + 8 * (c.R + radius) ** 2))
            over = radius / (gamma * c.diameter)
            if abs(over - round(over)) > 1e-9:
                found += equal("constants.M", c.M, k["M"])
        far = [f for f in c.far if f > 0]
        if far:
            found += close("constants.m", min(far), k["m"], 1e-12 * c.R)
        found += self.hypotheses(case, c, answer["hypotheses"], radius, gamma)
        for row in answer["betas"]:
            found += self.bounds(case, c, row, radius, gamma)
            if "shadow" in o:
                found += self.shadow(c, row, float(o["shadow"]), gamma)
            found += self.flow(case, c, row, radius, gamma) if o["dynamics"] == "flow" else self.runs(case, c, row)
        return found + self.exponent(answer)

    @staticmethod
    def hypotheses(case, c, h, radius, gamma):
        found = equal("hypotheses.identity", "key-query" not in case.options, h["identity"])
        checks = {"c0_positive": c.c0, "small_radius": -c.small, "radius_over_gamma": radius / gamma - 2 * c.diameter}
        for name, lead in checks.items():
            if c.kappa > 1 and abs(lead) > 1e-9:
                found += equal("hypotheses." + name, bool(lead > 0), h[name])
        norms = np.sqrt((c.v ** 2).sum(axis=1))
        spread = norms.max() - norms.min()
        if spread > 1e-6 * norms.max() or spread == 0:
            found += equal("hypotheses.equal_norm", bool(spread == 0), h["equal_norm"])
        return found

    @staticmethod
    def least(field, value, got):
        """A bound of the median, which is at least 1."""
        return close(field, max(1, value), got, 1e-9 * max(1, value))

    def bounds(self, case, c, row, radius, gamma):
        beta, bound, found = row["beta"], row["bound"], []
        chain = case.options["dynamics"] == "chain"
        margin = abs(c.leaves) > 1e-9
        if chain and margin and c.groups > 1:
            law = c.points and c.leaves > 0
            found += equal("bound.law", "geometric" if law else "unknown", bound["law"])
            if law and "exact" in bound:
                h = c.other(beta)
                for name, rate in (("exact", sum(h)), ("exact_token", max(h))):
                    t = math.log(2) / rate
                    want = {math.ceil(t * (1 - 1e-9)), math.ceil(t * (1 + 1e-9))}
                    if t < 1e8 and bound[name] not in want:
                        found.append(Difference("bound." + name, sorted(want), bound[name], f"beta {beta}"))
                    exact = math.ceil(t) if t < 1e8 else t
                    found += close("bound.log10_" + name, math.log10(exact), bound["log10_" + name], 1e-8 + 1 / exact)
            elif law and number(bound["log10_exact"]) < 15:  # beyond 2^53 a median is known by its logarithm
                found.append(Difference("bound.exact", "a median", None, f"beta {beta}"))
        if not chain or c.kappa < 2:
            return found
        ok = "key-query" not in case.options and c.c0 > 1e-9 and c.small < -1e-9 and beta >= 0
        if ok:
            log = beta * c.c0 / 2 - 1 - math.log(2) / c.M + math.log(c.M / c.n ** 2)
            found += self.least("bound.repaired", math.exp(log), bound.get("repaired", -1)) if log < 600 else []
        elif c.c0 < -1e-9 or c.small > 1e-9 or beta < 0 or "key-query" in case.options:
            found += equal("bound.repaired", None, bound.get("repaired"))
        a = radius / gamma
        if a > 2 * c.diameter * (1 + 1e-9) and "key-query" not in case.options and "printed" in bound:
            log = (beta * c.c0 * a / 2 - math.log(2)) / (1 + a) + math.log(a / c.n)
            found += self.least("bound.printed", math.exp(log), bound["printed"]) if log < 600 else []
        return found

    def runs(self, case, c, row):
        runs, survival, found = int(case.options["runs"]), row["survival"], []
        found += equal("runs", runs, row["runs"])
        if c.groups == 1:
            return found
        off = row["distance"]  # of the law from the chain's, in total variation
        band = math.sqrt(math.log(2 / 0.01) / (2 * runs)) + off
        found += equal("interval", self.rank(runs, off) > 0 and row["median"] is not None, row.get("interval") is not None)
        for (step, share), (low, high) in zip(survival, row["survival_band"]):
            found += close("survival_band", max(0, share - band), low, 1e-12) + close("survival_band", min(1, share + band), high, 1e-12)
        half = [step for step, share in survival if share <= 0.5]
        if half and row["median"] is not None and number(row["median"]) > number(half[0]):
            found.append(Difference("median", f"at most {half[0]}", row["median"], "half of the runs have left"))
        if row["bound"]["law"] == "geometric" and c.leaves > 1e-9:
            h, wide = sum(c.other(row["beta"])), math.sqrt(math.log(2e12) / (2 * runs))
            for step, share in survival if h > 1e-300 else ():  # beyond, steps are known by their logarithms
                if not abs(share - math.exp(-h * number(step))) <= wide:
                    found.append(Difference("survival", math.exp(-h * number(step)), share, f"after {step} steps, beta {row['beta']}"))
                    break
        return found

    @staticmethod
    def unstable(c, beta, gamma, steps):
        """How many steps sooner or later a start that is off by 8 u of the radius may leave: two starts grow apart by a factor in
        these steps, and by the same factor rounding does."""
        size = float(np.abs(c.x).max())
        shift = 8 * 2.0 ** -53 * size * np.where(np.arange(c.x.size) % 2, 1.0, -1.0).reshape(c.x.shape)
        x, y = c.x.astype(np.longdouble), c.x.astype(np.longdouble) + shift
        for _ in range(min(steps, 1000)):
            for z in (x, y):
                s = beta * (z @ c.B.T) @ z.T
                w = np.exp(s - s.max(axis=1, keepdims=True))
                z += gamma * (w @ z / w.sum(axis=1, keepdims=True) - z)
        return 0 if np.abs(x - y).max() < 1e-6 * size else 2 + steps // 10

    def flow(self, case, c, row, radius, gamma):
        """Steps the softmax flow, and the hardmax flow beside it."""
        o, x, beta = case.options, c.x.astype(np.longdouble), row["beta"]
        if c.groups == 1:
            return []
        z, exit_, arrive, shadow, doubt = c.x.copy(), None, None, None, False
        near = number(o["near"]) if "near" in o else None
        hull = [c.hulls[l] for l in c.label]
        point = all(len(h) == 1 for h in hull)
        home = np.array([[float(v) for v in h[0]] for h in hull])
        most = MOST if point else MOST // 5
        for t in range(0, most):
            if t:
                s = beta * (x @ c.B.T) @ x.T
                w = np.exp(s - s.max(axis=1, keepdims=True))
                x = x + gamma * (w @ x / w.sum(axis=1, keepdims=True) - x)
                far = np.sqrt(((x - home) ** 2).sum(axis=1)) if point else np.array([away(p, h) for p, h in zip(x, hull)])
                if exit_ is None and far.max() > radius:
                    exit_, doubt = t, abs(far.max() - radius) < 1e-9
            if near is not None and arrive is None and exit_ is None:
                way = np.sqrt(((x - c.x[c.label]) ** 2).sum(axis=1)).max()
                arrive = t if way <= near - 1e-9 else "near" if way <= near + 1e-9 else None
            if exit_ is not None:
                break
        found = []
        median = number(row["median"])
        if exit_ is None:
            if median is not None and median < most * 0.99 and not self.unstable(c, beta, gamma, int(median)):
                found.append(Difference("median", f"above {most}", median, f"the flow at beta {beta}"))
        elif not doubt:
            slack = (0 if exit_ <= 250 else 1 + 4e-6 * exit_) + self.unstable(c, beta, gamma, exit_)
            found += close("median", exit_, median, slack, f"the flow at beta {beta} stepped")
        if near is not None and arrive != "near" and exit_ is not None and exit_ <= 250:
            found += equal("arrival", arrive, row["arrival"], f"the flow at beta {beta}")
        return found

    @staticmethod
    def shadow(c, row, distance, gamma):
        """First step at which a token of the softmax flow is farther than that from its twin of the hardmax flow."""
        x, z, beta = c.x.copy(), c.x.copy(), row["beta"]
        for t in range(1, 251):
            s = beta * (x @ c.B.T) @ x.T
            w = np.exp(s - s.max(axis=1, keepdims=True))
            x = x + gamma * (w @ x / w.sum(axis=1, keepdims=True) - x)
            s = (z @ c.B.T) @ z.T
            best = s.argmax(axis=1)
            lead = s.max(axis=1, keepdims=True) - s
            apart = np.abs(z[best][:, None] - z[None]).max(axis=2)
            if ((lead <= 1e-12 * np.abs(s).max()) & (apart > 1e-12 * np.abs(z).max())).any():
                return []  # two different points tie, up to rounding
            z = z + gamma * (z[best] - z)
            far = np.sqrt(((x - z) ** 2).sum(axis=1))
            if abs(far.max() - distance) < 1e-9:
                return []
            if far.max() > distance:
                found = equal("shadow", t, row["shadow"], f"beta {beta}")
                near = np.flatnonzero(far >= far.max() - 1e-9)
                return found + ([] if row["shadow_token"] in near else equal("shadow_token", int(near[0]), row["shadow_token"]))
        if row["shadow"] is not None and number(row["shadow"]) <= 250:
            return [Difference("shadow", "above 250", row["shadow"], f"beta {beta}")]
        return []

    @staticmethod
    def rank(runs, off):
        """The largest l with P[Bin(runs, 1/2 - off) <= l - 1] <= 1/200, in fractions; 0: none."""
        p, sum_, l = Fraction(1, 2) - Fraction(off), Fraction(0), 0
        while p > 0 and l < runs:
            sum_ += math.comb(runs, l) * p ** l * (1 - p) ** (runs - l)
            if sum_ > Fraction(1, 200):
                break
            l += 1
        return l if p > 0 else 0

    def exponent(self, answer):
        points = [(row["beta"], number(row["log10_median"]) * math.log(10)) for row in answer["betas"]
                  if row["log10_median"] is not None and math.isfinite(number(row["log10_median"]))]
        e = answer["exponent"]
        found = equal("exponent.betas", len(points), e["betas"])
        if len(points) < 2 or found:
            return found
        if all(log == 0 for _, log in points):  # the first step says nothing of an exponent, and a radius is named instead
            return equal("exponent.fit", "absent", e.get("fit", "absent")) + equal("advice", True, "advice" in answer.json)
        b, l = np.array([p[0] for p in points], dtype=float), np.array([p[1] for p in points])
        slope = ((b - b.mean()) * (l - l.mean())).sum() / ((b - b.mean()) ** 2).sum()
        found += close("exponent.fit", slope, e["fit"], 1e-10 * (1 + abs(slope)))
        found += close("exponent.intercept", l.mean() - slope * b.mean(), e["intercept"], 1e-9 * (1 + np.abs(l).max()))
        if len(points) > 2:
            rest = l - l.mean() - slope * (b - b.mean())
            se = math.sqrt((rest ** 2).sum() / (len(b) - 2) / ((b - b.mean()) ** 2).sum())
            used = [row for row in answer["betas"] if row["log10_median"] is not None and math.isfinite(number(row["log10_median"]))]
            if answer["dynamics"] == "chain" and any(self.rank(row["runs"], 0) > 0 and row.get("interval") is None for row in used):
                return found + equal("exponent.standard_error", None, e.get("standard_error"))
            found += close("exponent.standard_error", se, e["standard_error"], 1e-9 * (1 + np.abs(l).max()))
        return found

    def smaller(self, case):
        rows = self.rows(case)
        for keep in clouds.dropped(rows):
            yield case.changed(files={"x.csv": clouds.text([rows[i] for i in keep])})
        for name in ("key-query", "gamma", "radius", "near", "shadow"):
            if name in case.options:
                yield case.changed(options={name: ...})
        for beta in case.options["beta"].split(","):
            if "," in case.options["beta"]:
                yield case.changed(options={"beta": beta})
        for plain in clouds.simpler(rows):
            yield case.changed(files={"x.csv": clouds.text(plain)})


SUITE = Escape()
