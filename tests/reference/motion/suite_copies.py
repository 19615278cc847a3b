"""suite_copies.py -- many copies of a flow at once (docs/copies.md): flow --copies N [--betas LIST].

Copy k is the flow with the seed `seed + k`, bit for bit: some copies of every case (the first and the last of
a group of eight lanes, the last, one at random) are run alone and compared with equality, in steps, converged, residual, diameter, clusters
and tokens. All sums are made again from the numbers by copy: means and standard errors s / sqrt(N), s^2 with N - 1, within
(N + 8) u of the largest term (N + 8 terms for the error, where squares of differences of rounded means add up); the histogram,
and the aligned pairs <x_i, x_j> > 0.999, which are counted exactly in whole numbers.
"""
import math
from fractions import Fraction

import clouds
import harness
from harness import Case, close, equal, number

U = 2.0 ** -53
BETA_RULES = ("softmax", "minp", "topk", "sparsemax", "entmax")
TIME = ("ode", "sa", "usa", "sa-step")


class Copies:
    name = "copies"
    axes = {
        "copies": (1, 2, 7, 8, 9, 15, 16, 17),
        "beta": ("none", "beta 2", "beta harmonic", "beta linear:1,1", "betas 1,3", "betas 0.5:2:0.5", "betas 40", "betas -1"),
        "dynamics": ("layer", "residual", "chain", "ode", "ode euler", "ode rk4", "sa", "sa euler", "sa rk4", "sa-step", "usa dopri5", "usa euler",
                     "usa rk4"),
        "odd": ("none", "some"),  # some: what is refused
        "rule": BETA_RULES + ("hardmax", "localmax", "uniform", "confidence"),
        "init": ("gaussian", "uniform", "sphere", "polygon", "tokens"),
        "n": (1, 2, 3, 5, 8, 9, 16, 33),
        "d": (1, 2, 3, 7, 8),
        "mask": ("full", "causal"),
        "masses": ("none", "whole"),
        "until": ("steps", "converged"),
        "B": ("none", "-1", "0.7", "file"),
        "gamma": ("none", "0.1", "1", "fw"),  # of layer and chain
        "merge": ("off", "auto", "0"),
        "seed": ("1", "10", "18446744073709551615"),
        "threads": ("1", "2"),
        "form": ("additive", "probability", "cosine"),
    }
    options = {"beta": ("beta", "betas"), "B": ("key-query",)}

    def make(self, chosen, rng):
        n, d = chosen["n"], chosen["d"]
        dynamics, _, integrator = chosen["dynamics"].partition(" ")
        o = {"copies": chosen["copies"], "dynamics": dynamics, "rule": chosen["rule"], "steps": str(rng.choice((1, 3, 20))),
             "until": chosen["until"], "mask": chosen["mask"], "seed": chosen["seed"], "threads": chosen["threads"],
             "form": chosen["form"], "epsilon": "0.4", "k": "2", "confidence": "0.8", "print-tokens": None}
        files = {}
        if chosen["init"] == "tokens":
            kind = rng.choice(("gaussian", "sphere", "dyadic", "near", "tiny", "huge"))
            files["x.csv"] = clouds.text([row if any(row) else [1.0] * d for row in clouds.make(kind, n, d, rng)])
            o["tokens"] = "x.csv"
        else:
            o.update(n=n, d=d, init=chosen["init"])
        if chosen["beta"] != "none":
            name, _, value = chosen["beta"].partition(" ")
            o[name] = value
        if integrator:
            o["integrator"] = integrator
        if dynamics in TIME:
            o.update({"dt": "0.1", "time": "0.7"} if dynamics != "usa" else {"dt": "0.001", "time": "0.007", "usa": "shifted"})
        if chosen["gamma"] != "none" and dynamics in ("layer", "chain"):
            o["gamma"] = chosen["gamma"]
        if chosen["B"] in ("-1", "file") and o["form"] == "cosine":
            o["form"] = "additive"  # B is no norm
        if chosen["B"] != "none":
            o["key-query"] = chosen["B"]
            if chosen["B"] == "file":
                files["B.csv"] = clouds.text([[rng.gauss(0, 1) for _ in range(d)] for _ in range(d)])
                o["key-query"] = "B.csv"
        if chosen["masses"] != "none":
            files["m.csv"] = clouds.text([[float(rng.randint(1, 3))] for _ in range(n)])
            o["masses"] = "m.csv"
        if chosen["merge"] != "off":
            o["merge"] = chosen["merge"]
        if chosen["odd"] == "some":
            odd = rng.choice(({"record": "residual"}, {"checkpoint": "5", "out": "run.h5"}, {"beta": "2", "betas": "1,3"},
                              {"dynamics": "layer", "integrator": "euler"}))
            o.update(odd)
        case = Case("flow", o, files, chosen, {"sample": rng.random()})
        if chosen["odd"] == "some":
            case.kept.update(odd)
        return case

    def refusal(self, case):
        o = case.options
        dynamics, rule = o["dynamics"], o["rule"]
        if "betas" in o and "beta" in o:
            return "beta twice"
        if "betas" in o and rule not in BETA_RULES and not (rule == "localmax" and o.get("form") == "probability"):
            return "the rule does not use beta"
        if rule in ("localmax", "minp") and o.get("form") == "probability" and o.get("betas") == "-1":
            return "the probability form needs beta above 0"
        if dynamics in TIME:
            if rule in ("localmax", "minp", "topk", "confidence") or (rule == "hardmax" and dynamics != "ode"):
                return "no classical ODE"
            if rule == "hardmax" and "integrator" in o:
                return "the hardmax ODE is exact"
            if dynamics == "usa" and rule != "softmax":
                return "usa is softmax's"
        if "merge" in o and dynamics != "chain" and o["mask"] == "causal":
            return "merged tokens part again"
        if o.get("init") == "polygon" and int(o["d"]) != 2:
            return "a polygon lies in the plane"
        return None

    @staticmethod
    def betas(case):
        text = case.options.get("betas")
        return {None: [None], "1,3": [1, 3], "0.5:2:0.5": [0.5, 1, 1.5, 2]}.get(text) or [float(text)]

    def silent(self, case, answer):
        """A fixed step that is too long for usa leaves double, and the sentence says so."""
        fast = case.options["dynamics"] == "usa" and case.options.get("integrator") in ("euler", "rk4")
        return [] if fast and "leaves double" in answer.words else [harness.Difference("exit", 0, answer.exit, answer.words[-300:])]

    def judge(self, case, answer):
        o = case.options
        count, betas = int(o["copies"]), self.betas(case)
        total = count * len(betas)
        found = equal("copies", total, answer["copies"]) + equal("asked", total, answer["asked"])
        lists = {name: answer[name] for name in ("steps", "converged", "residual", "diameter", "clusters", "tokens")}
        for name, values in lists.items():
            if not isinstance(values, list) or len(values) != total:
                return found + equal(name, f"{total} entries", values if values is None else len(values))
        picks = {0, total - 1, min(7, total - 1), int(case.given["sample"] * total)}
        for k in sorted(picks):
            found += self.alone(case, lists, k, betas[k // count], k % count)
        return found + self.sums(case, answer, lists, betas, count)

    def alone(self, case, lists, k, beta, place):
        seed = (int(case.options["seed"]) + place) % 2 ** 64
        single = case.changed(options={"copies": ..., "betas": ..., "seed": str(seed)})
        if beta is not None:
            single.options["beta"] = repr(beta)
        answer = harness.run(single, self.program)
        if answer.json is None:
            return [harness.Difference("alone", "an answer", answer.exit, answer.words[-200:])]
        found = []
        for name, values in lists.items():
            found += equal(name, answer[name], values[k], f"copy {k} against its own flow, seed {seed}, beta {beta}")
        return found

    @staticmethod
    def mean(field, values, mean, error):
        n = len(values)
        exact = sum(map(Fraction, values)) / n
        top = max(map(abs, values))
        found = close(field, exact, mean, (n + 8) * U * top)
        if n == 1:
            return found + equal(field + "_error", "nan", error)
        s2 = sum((Fraction(v) - exact) ** 2 for v in values) / (n - 1) / n
        want = math.sqrt(s2)
        return found + close(field + "_error", want, error, (2 * n + 16) * U * top + 8 * U * want)

    def sums(self, case, answer, lists, betas, count):
        found = []
        sphere = case.options["dynamics"] in ("sa", "usa", "sa-step")
        pairs = [self.aligned(rows) for rows in lists["tokens"]] if sphere else None
        found += equal("aligned_pairs", pairs, answer["aligned_pairs"])
        if sphere:
            n = len(lists["tokens"][0])
            want = [p / (n * (n - 1) / 2) if n > 1 else 1.0 for p in pairs]
            found += equal("aligned", want, [number(v) for v in answer["aligned"]])
        histogram = [lists["clusters"].count(k) for k in range(max(lists["clusters"]) + 1)]
        found += equal("cluster_histogram", histogram, answer["cluster_histogram"])
        if len(answer["means"]) != len(betas):
            return found + equal("means", len(betas), len(answer["means"]))
        for b, (beta, mean) in enumerate(zip(betas, answer["means"])):
            part = slice(b * count, (b + 1) * count)
            found += equal("means.copies", count, mean["copies"])
            if beta is not None:
                found += equal("means.beta", beta, mean["beta"])
            found += self.mean("means.clusters", lists["clusters"][part], mean["clusters"], mean["clusters_error"])
            found += self.mean("means.diameter", [number(v) for v in lists["diameter"][part]], mean["diameter"], mean["diameter_error"])
            found += close("means.steps", Fraction(sum(lists["steps"][part]), count), mean["steps"], 4 * U * max(1, mean["steps"]))
            found += close("means.converged", Fraction(sum(lists["converged"][part]), count), mean["converged"], 2 * U)
            if sphere:
                found += self.mean("means.aligned", [number(v) for v in answer["aligned"][part]], mean["aligned"], mean["aligned_error"])
        return found

    @staticmethod
    def aligned(rows):
        """Pairs with <x_i, x_j> > 0.999, the double, for the real numbers."""
        whole, e = clouds.scaled([[number(c) for c in row] for row in rows])
        p, q = (0.999).as_integer_ratio()
        return sum(sum(a * b for a, b in zip(whole[i], whole[j])) * q > p << (2 * e)
                   for i in range(len(whole)) for j in range(i))

    def smaller(self, case):
        o = case.options
        for copies in (1, 2, 7, 8, 9):
            if copies < int(o["copies"]):
                yield case.changed(options={"copies": copies})
        for name in ("masses", "key-query", "merge", "gamma", "until", "mask", "threads", "integrator", "betas", "beta"):
            if name in o:
                changed = {name: ...}
                yield case.changed(options=changed | ({"mask": "full"} if name == "mask" else {}) | ({"until": "steps"} if name == "until" else {}))
        for n in (1, 2, 3, 5):
            if "tokens" not in o and n < int(o["n"]) and "masses" not in o:
                yield case.changed(options={"n": n})
        for steps in ("1", "3"):
            if int(steps) < int(o["steps"]):
                yield case.changed(options={"steps": steps})


SUITE = Copies()
