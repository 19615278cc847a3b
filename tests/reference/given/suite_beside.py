"""suite_beside.py -- which options `tropism flow` takes beside which others (options.py says what is compared).

A tiny flow with its rule, dynamics and what else conditions ask for. --accuracy is also tried from 16384 tokens on, where method auto takes trees.
"""
import clouds
from harness import Case
from options import Suite, beside

VALUES = {
    "init": ("sphere",), "beta": ("2", "0", "harmonic"), "epsilon": ("0.5", "0", "geometric:0.5,0.5"), "form": ("relative", "additive"),
    "k": ("2", "1"), "a": ("1.25",), "confidence": ("0.5", "0"), "ties": ("first", "points"), "gamma": ("0.25", "fw"), "alpha": ("0.5", "0", "0.0"),
    "value": ("0.5", "0"), "steps": ("1",), "tolerance": ("0.1", "0"), "until": ("converged", "steps"), "integrator": ("euler", "auto"),
    "dt": ("0.25",), "time": ("0.5",), "accuracy": ("1e-6",), "usa": ("shifted", "survey"), "merge": ("auto", "off", "0", "0.5"),
    "closed-form": ("auto", "never", "only"), "leap": (None,), "leap-tolerance": ("1e-4",), "method": ("direct", "auto", "tree"),
    "precision": ("single", "double"), "betas": ("1,2",), "record": ("residual",), "every": ("2",), "checkpoint": ("5", "0"),
    "resume": ("gone.h5",),
}
ODES = ("softmax", "sparsemax", "entmax", "uniform")  # and hardmax without the sphere
MANY = 16384
SAMPLE = 12  # options that are tried beside a line


class Beside(Suite):
    name = "beside"
    axes = {
        "rule": ("softmax", "hardmax", "localmax", "minp", "topk", "sparsemax", "entmax", "uniform", "confidence"),
        "dynamics": ("layer", "residual", "chain", "ode", "sa", "usa", "sa-step"),
        "form": ("none", "additive", "relative", "cosine", "probability"),
        "integrator": ("none", "auto", "euler", "dopri5"),
        "method": ("none", "auto", "direct", "tree"),
        "leap": (False, True),
        "result": ("none", "record", "copies", "out"),
        "mask": ("none", "causal"),
        "tokens": ("drawn", "file"),
    }
    options = {"result": ("record", "copies", "out")}

    def make(self, chosen, rng):
        o = {"rule": chosen["rule"], "dynamics": chosen["dynamics"], "d": "2", "threads": "1"}
        files = {}
        for name in ("form", "integrator", "method", "mask"):
            if chosen[name] != "none":
                o[name] = chosen[name]
        if chosen["leap"]:
            o["leap"] = None
        o.update({"record": {"record": "residual"}, "copies": {"copies": "2"}, "out": {"out": "run.h5"}}.get(chosen["result"], {}))
        if chosen["tokens"] == "file":
            files["x.csv"] = clouds.text([[1.0, 0.5], [-0.5, 1.0], [0.25, -1.0]])
            o["tokens"] = "x.csv"
        else:
            o["n"] = "3"
        if chosen["dynamics"] in ("ode", "sa", "usa", "sa-step"):
            o["time"] = "0.1"
        if not (chosen["leap"] and chosen["dynamics"] in ("sa", "usa", "sa-step")):
            o["steps"] = "2"
        more = {name: (rng.choice(VALUES[name]),) for name in rng.sample(sorted(VALUES), SAMPLE)}
        return Case("flow", o, files, chosen, {"more": more})

    def refusal(self, case):
        o = case.options
        rule, dynamics = o["rule"], o["dynamics"]
        if dynamics in ("ode", "sa", "usa", "sa-step"):
            if rule not in ODES + (("hardmax",) if dynamics == "ode" else ()) or dynamics == "usa" and rule != "softmax":
                return "no such ODE"
            if rule == "hardmax" and o.get("integrator", "auto") != "auto":
                return "the hardmax ODE is exact"
        if o.get("method") == "tree" and (rule == "hardmax" or dynamics == "chain" or "mask" in o or "leap" in o):
            return "no tree"
        if "leap" in o and "mask" in o:
            return "leaps see all"
        return None

    def values(self, case):
        return case.given["more"]

    def judge(self, case, answer):
        found, o = super().judge(case, answer), case.options
        if "accuracy" in case.given["more"] and o["rule"] in ("softmax", "localmax") and o["dynamics"] in ("layer", "residual") and o.get("form", "additive") == "additive" and \
                o.get("method") != "direct" and "copies" not in o and "mask" not in o and "tokens" not in o:
            for n in (MANY - 1, MANY):
                many = case.changed(options={"n": str(n), "d": "1", "steps": "0"})
                found += beside(many, {"accuracy": VALUES["accuracy"]}, self.program)
        return found


SUITE = Beside()
