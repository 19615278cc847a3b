"""suite_step.py -- one to three steps of `tropism flow` in dynamics layer, residual and chain.

Every rule, tie, form, mask, key-query and value matrix, mass, schedule, method and precision on clouds of
every kind: rules.py has the mathematics, judge_step.py the comparison and its bounds. Refusals are those of
docs/rules.md, docs/flow.md, docs/methods.md and the ranges of docs/options.md.
"""
import os

import clouds
import schedules
import sizes
from attention import State
from harness import Case, Difference
from judge_step import Judge
from setting import Setting, norm

CLOUDS = {"plain": ("gaussian", "sphere"), "ties": ("lattice", "dyadic", "axes"), "same": ("duplicates", "equal"),
          "line": ("collinear",), "symmetric": ("polygon", "antipodal"), "near": ("near",),
          "scale": ("huge", "tiny", "scales", "outlier"), "origin": ("origin",)}
SIZES = {"1": (1,), "2": (2,), "few": (3, 4, 5, 6, 7, 8, 9), "leaf": tuple(v for v in sizes.TOKENS if 30 < v < 50),
         "many": tuple(v for v in sizes.TOKENS if v > 60)}
RULES = ("softmax", "hardmax points", "hardmax indices", "hardmax first", "localmax additive",
         "localmax relative", "localmax cosine", "localmax probability", "minp additive", "minp relative",
         "minp cosine", "minp probability", "topk 1", "topk 2", "topk n", "topk more", "sparsemax", "entmax 1",
         "entmax 1.5", "entmax 2", "entmax 3", "uniform", "confidence 0", "confidence 0.05", "confidence 1",
         "confidence 1e6")
VARIANT = {"hardmax": "ties", "localmax": "form", "minp": "form", "topk": "k", "entmax": "a",
           "confidence": "confidence"}
STEPS = {"half": {}, "one": {"gamma": "1"}, "fw": {"gamma": "fw"}, "harmonic": {"gamma": "harmonic"},
         "tiny": {"gamma": "1e-9"}, "tenth": {"gamma": "0.1"}, "alpha": {"alpha": "0.3"},
         "superexp": {"gamma": "superexp:0.7"}, "geometric": {"gamma": "geometric:0.9,0.6"},
         "power": {"gamma": "power:0.7,0.5"}, "cosine": {"gamma": "cosine:0.5,0.3"},
         "linear": {"gamma": "linear:0.25,0.25"}, "list": {"gamma": "@g.csv"}}
BETAS = {"1": None, "0": "0", "30": "30", "1e6": "1e6", "negative": "-2", "linear": "linear:0.5,0.75",
         "geometric": "geometric:2,1.5", "list": "@b.csv"}
EPSILONS = {"tenth": None, "0": "0", "tiny": "1e-13", "large": "5", "one": "1", "geometric": "geometric:0.5,0.5",
            "cosine": "cosine:0.5,0.25", "list": "@e.csv"}
FILES = {"g.csv": "0.5\n1\n0.125\n", "b.csv": "1\n4\n", "e.csv": "0.25\n0\n1\n"}
SCALARS = {"identity": None, "-1": "-1", "0.7": "0.7", "0": "0"}
MATRICES = ("positive", "indefinite", "skew", "singular", "random")
KERNELS = ("auto", "baseline") + tuple(name for name, flag in (("avx2", " avx2 "), ("avx512", " avx512vl "))
                                       if os.path.exists("/proc/cpuinfo") and flag in open("/proc/cpuinfo").read())
RECORDED = ("tokens", "residual", "diameter", "energy", "gap", "margin", "leaders", "switches", "potential",
            "potential_rise", "spread", "spread_rise", "support", "support_rise", "energy_fall", "gap_least")


def matrix(kind, d, rng):
    """Small whole numbers, so that products are exact, but for random."""
    if kind == "random":
        return [[rng.gauss(0, 1) for _ in range(d)] for _ in range(d)]
    A = [[float(rng.randint(-2, 2)) for _ in range(d)] for _ in range(d)]
    if kind == "positive":
        return [[sum(A[k][r] * A[k][c] for k in range(d)) + (r == c) for c in range(d)] for r in range(d)]
    if kind == "indefinite":
        return [[A[min(r, c)][max(r, c)] for c in range(d)] for r in range(d)]
    if kind == "singular":
        return [[A[0][r] * A[0][c] for c in range(d)] for r in range(d)]
    if kind == "skew":
        return [[(A[r][c] if r < c else -A[c][r]) + (r == c) for c in range(d)] for r in range(d)]
    return A


def masses(kind, n, rng):
    if kind == "integers":
        return [float(rng.randint(1, 4)) for _ in range(n)]
    if kind == "fractions":
        return [rng.choice((0.5, 0.1, 0.75, 1 / 3, 2.5)) for _ in range(n)]
    return [rng.choice((1.0, 1e-9, 1e9, 3.0)) for _ in range(n)]


class Step:
    name = "step"
    axes = {"rule": RULES, "cloud": tuple(CLOUDS), "n": tuple(SIZES), "d": (1, 2, 3, 6, 7, 17),
            "dynamics": ("layer", "residual", "chain"), "mask": ("full", "causal"),
            "B": tuple(SCALARS) + MATRICES, "V": ("none", "number", "matrix"),
            "masses": ("none", "integers", "fractions", "ratios"), "gamma": tuple(STEPS), "beta": tuple(BETAS),
            "epsilon": tuple(EPSILONS), "method": ("auto", "direct", "tree", "hull", "rows"),
            "precision": ("double", "single"), "closed-form": ("auto", "never"), "threads": ("1", "2"),
            "kernel": KERNELS, "steps": (0, 1, 2, 3), "until": ("steps", "converged")}
    options = {"gamma": ("gamma", "alpha"), "V": ("value",), "B": ("key-query",)}

    def make(self, chosen, rng):
        steps, d = chosen["steps"], chosen["d"]
        n = rng.choice(SIZES[chosen["n"]])
        while n > 3 and n * n * d * (steps + 1) > 80000:
            steps, n = (steps - 1, n) if steps > 1 else (steps, n // 2 + 1)
        files = {"x.csv": clouds.text(clouds.make(rng.choice(CLOUDS[chosen["cloud"]]), n, d, rng))}
        options = {"tokens": "x.csv"}
        rule, _, variant = chosen["rule"].partition(" ")
        options["rule"] = rule
        if variant:
            options[VARIANT[rule]] = {"n": str(n), "more": str(n + 3)}.get(variant, variant)
        for name in ("dynamics", "mask", "method", "precision", "closed-form", "threads", "kernel", "until"):
            options[name] = chosen[name]
        for name, values in (("beta", BETAS), ("epsilon", EPSILONS)):
            if values[chosen[name]] is not None:
                options[name] = values[chosen[name]]
        options.update(STEPS[chosen["gamma"]])
        if chosen["B"] in MATRICES:
            options["key-query"] = "B.csv"
            files["B.csv"] = clouds.text(matrix(chosen["B"], d, rng))
        elif SCALARS[chosen["B"]]:
            options["key-query"] = SCALARS[chosen["B"]]
        if chosen["V"] == "number":
            options["value"] = rng.choice(("1", "0.5", "-0.25", "3", "-1", "0"))
        elif chosen["V"] == "matrix":
            options["value"] = "V.csv"
            files["V.csv"] = clouds.text([[v / 4 for v in row] for row in matrix("any", d, rng)])
        if chosen["masses"] != "none":
            options["masses"] = "m.csv"
            files["m.csv"] = clouds.text([[m] for m in masses(chosen["masses"], n, rng)])
        for text in options.values():
            if text[0] == "@":
                files[text[1:]] = FILES[text[1:]]
        options.update(seed=str(rng.randrange(1000)), steps=str(steps))
        return self.settled(Case("flow", options, files))

    def settled(self, case):
        """With all fields that the flow has."""
        setting = Setting(case)
        fields = list(RECORDED)
        if setting.rule == "hardmax" or setting.rule == "localmax" and setting.form in ("additive", "probability"):
            fields += ["dirichlet", "dirichlet_rise"]
        if setting.rule == "hardmax" and setting.dynamics == "layer" and setting.constant_gamma():
            fields += ["gap_bound", "gap_ratio"]
        case.options["record"] = ",".join(fields)
        case.options["print-tokens"] = None
        return case

    @staticmethod
    def positive(setting):
        """<Bx, x> > 0 for certain, B with the sign of beta."""
        sign = -1 if setting.rule == "minp" and setting.form != "cosine" and setting.schedule("beta", 0)[0] < 0 else 1
        if not isinstance(setting.B, list):
            return sign * (1 if setting.B is None else setting.B) > 0
        return sign > 0 and all(setting.B[r][c] == setting.B[c][r] for r in range(setting.d) for c in range(r)) and \
            all(2 * line[r] > sum(map(abs, line)) for r, line in enumerate(setting.B))

    @staticmethod
    def floor(setting):
        """About what rounding leaves of an average in a tree."""
        size = max(abs(c) for row in setting.tokens for c in row) * 2 ** (
            setting.steps if setting.dynamics == "residual" else 0)
        B = setting.B if isinstance(setting.B, list) else [[1.0 if setting.B is None else setting.B]]
        beta = max(abs(setting.schedule("beta", t)[0]) for t in range(setting.steps + 1))
        return (setting.d + 3) * float(beta) * setting.d * size * size * norm(B) * 2.0 ** -53

    def refusal(self, case):
        setting = Setting(case)
        options = case.options
        for reason in (self.refused_step, self.refused_rule, self.refused_method):
            found = reason(setting, options)
            if found:
                return found
        return None

    @staticmethod
    def refused_step(setting, options):
        stepped = "gamma" in options or "alpha" in options
        if setting.dynamics == "layer" and setting.V is not None:
            if stepped:
                return "value sets the step"
            if setting.step_matrix[0] is None:
                return "I + V is singular"
        if (setting.V is None or setting.dynamics == "chain") and setting.dynamics != "residual":
            constant = schedules.constant(options.get("gamma", "0.5"))
            for t in range(1 if constant else setting.steps):
                if not 0 < setting.schedule("gamma", t)[0] <= 1:
                    return f"gamma at step {t}"
        return None

    def refused_rule(self, setting, options):
        if setting.rule not in ("localmax", "minp"):
            return None
        if setting.form == "additive":
            return None
        for t in range(setting.steps + 1):
            epsilon, beta = setting.schedule("epsilon", t)[0], setting.schedule("beta", t)[0]
            if setting.form == "probability" and not (0 < epsilon <= 1 and beta > 0):
                return "probability: epsilon in (0, 1] and beta > 0"
            if setting.form == "relative" and not 0 <= epsilon <= 1:
                return "relative: epsilon in [0, 1]"
        if setting.form == "probability" or self.positive(setting):
            return None
        return "the form does not take these tokens" if Judge.unfit(State(setting.tokens, setting, 0)) else None

    def silent(self, case, answer):
        """A later state that the form does not take, and a tree whose rounding floor is near what is asked for."""
        setting = Setting(case)
        if setting.method == "tree" and setting.rule == "softmax" and "floor" in answer.words and self.floor(setting) > 1e-11:
            return []
        if setting.rule in ("localmax", "minp") and setting.form in ("relative", "cosine") and setting.steps and \
                "form = " + setting.form in answer.words and not self.positive(setting):
            return []
        return [Difference("exit", 0, answer.exit, answer.words[-300:])]

    def refused_method(self, setting, options):
        if setting.method == "rows" and setting.precision == "single":
            return "single is for direct"
        if setting.method not in ("tree", "hull"):
            return None
        if setting.rule == "hardmax" and setting.method == "tree" or setting.rule in ("softmax", "localmax") and setting.method == "hull":
            return "method is not for this rule"
        if setting.mask == "causal" or setting.dynamics == "chain" or setting.d > 6:
            return "method needs a full mask, no chain, at most six dimensions"
        if setting.precision == "single":
            return "single is for direct"
        if setting.method == "tree" and setting.rule == "softmax":
            largest = max(abs(c) for row in setting.tokens for c in row)
            if largest and not 2.0 ** -400 <= largest <= 2.0 ** 400:
                return "tree: sizes from 2^-400 to 2^400"
        return None

    def judge(self, case, answer):
        return Judge(Setting(case), answer).run()

    def smaller(self, case):
        """Fewer tokens, options back to their defaults, plainer numbers."""
        setting = Setting(case)
        masses_ = [float(m) for m in setting.masses]
        for keep in clouds.dropped(setting.tokens):
            files = {"x.csv": clouds.text([setting.tokens[i] for i in keep])}
            if "masses" in case.options:
                files["m.csv"] = clouds.text([[masses_[i]] for i in keep])
            yield case.changed(files=files)
        for name in list(case.options):
            if name not in ("tokens", "steps", "record", "print-tokens", "rule"):
                yield self.settled(case.changed(options={name: ...}))
        if setting.steps:
            yield self.settled(case.changed(options={"steps": str(setting.steps - 1)}))
        if setting.d > 1 and not any(isinstance(M, list) for M in (setting.B, setting.V)):
            yield case.changed(files={"x.csv": clouds.text([row[:-1] for row in setting.tokens])})
        for rows in clouds.simpler(setting.tokens):
            yield case.changed(files={"x.csv": clouds.text(rows)})


SUITE = Step()
