"""applies.py -- which options of a verb apply beside which others: what the manual says, once more, in Python.

An option that is given where it does not apply (it is *idle*) is refused with exit 2 and a sentence with its name,
unless its value turns it off: no, off, none, never, or 0 of what counts something. Suites choose options at random; harness.py takes idle ones out by
settled(), keeps one now and then, and then expects that sentence. Nothing here is asked of the program.
"""
import json
import re

DEFAULTS = {
    "flow": {"rule": "softmax", "dynamics": "layer", "form": "additive", "integrator": "auto", "method": "auto", "n": "64"},
    "escape": {"dynamics": "chain"},
    "train": {"model": "auto", "head": "linear", "optimizer": "ngd", "start": "zeros"},
    "path": {"model": "auto"},
    "margin": {"model": "auto"},
    "plot": {"kind": "auto"},
}
TIMES = ("ode", "sa", "usa", "sa-step")
COUNTS = ("checkpoint", "copies", "batch", "width", "row", "trials", "restarts", "n", "T", "d")  # 0 of them is none, or the data's own
FILES = ("counterexample",)  # none is no file, and refused beside an instance like any
METHODS = ("softmax", "hardmax", "localmax")


class Line:
    """The options of a command line, resolved."""

    def __init__(self, verb, options, files):
        self.verb, self.options, self.files = verb, options, files

    def __getitem__(self, name):
        if name in ("model", "norm", "n") and hasattr(self, name):
            return getattr(self, name)()
        value = self.options.get(name, DEFAULTS.get(self.verb, {}).get(name, ""))
        return "yes" if value is None else str(value)

    def on(self, name):
        return name in self.options and not is_off(name, self.options[name])

    def is_one(self, name, *values):
        return self[name] in values

    def n(self):
        """How many tokens, of a file or drawn."""
        text = self.files.get(self.options.get("tokens"))
        return len(text.split()) if isinstance(text, str) else int(self.options.get("n", DEFAULTS[self.verb]["n"]))

    def norm(self):
        """p alone asks for lp."""
        return self.options.get("norm", "lp" if "p" in self.options else "l2")

    def model(self):
        """auto: by the data."""
        model, text = self.options.get("model", "auto"), self.files.get(self.options.get("data"))
        if model != "auto" or text is None:
            return model
        data = json.loads(text)
        if "z" in data:
            one = not isinstance(data["z"][0][0], list) or len(data["z"][0]) == 1
            return "cross" if one else "sequence"
        if "E" in data:
            return "graph" if self.verb == "margin" else "cross"
        return "prompt"


def is_off(name, value):
    """Values that turn an option off; a flag (None) is on."""
    if value is None or name in FILES:
        return False
    return str(value) == "0" and name in COUNTS or value in ("no", "off", "none", "never")


def one(name, *values):
    return lambda o: o.is_one(name, *values)


def on(name):
    return lambda o: o.on(name)


def off(*names):
    return lambda o: not any(o.on(name) for name in names)


def none(name, *values):
    return lambda o: not o.is_one(name, *values)


def accuracy(o):
    """Of integrators that choose their steps, and of trees, which method auto takes from 16384 tokens on."""
    adaptive = o.is_one("dynamics", "ode", "sa", "usa") and o.is_one("integrator", "auto", "dopri5", "cvode") and o["rule"] != "hardmax" and not o.on("leap")
    tree = o["method"] == "tree" or o["method"] == "auto" and o["n"] >= 16384
    return adaptive or tree and o.is_one("rule", "softmax", "localmax")


def closed_form(o):
    if o["rule"] == "hardmax":
        return o.is_one("dynamics", "layer", "ode")
    return o["rule"] == "localmax" and o["dynamics"] == "layer" and o.is_one("form", "additive", "probability")


APPLIES = {
    "flow": {
        "init": off("tokens"),
        "beta": lambda o: o.is_one("rule", "softmax", "minp", "topk", "sparsemax", "entmax") or
        o["rule"] == "localmax" and o["form"] == "probability",
        "epsilon": one("rule", "localmax", "minp"),
        "form": one("rule", "localmax", "minp"),
        "k": one("rule", "topk"),
        "a": one("rule", "entmax"),
        "confidence": lambda o: o["rule"] == "confidence" or o.on("record") and o["rule"] != "localmax",  # radius of potential
        "ties": one("rule", "hardmax"),
        "gamma": one("dynamics", "layer", "chain"),
        "alpha": one("dynamics", "layer", "chain"),
        "value": one("dynamics", "layer", "residual", "sa", "usa", "sa-step"),
        "steps": lambda o: not (o.is_one("dynamics", "sa", "usa", "sa-step") and o.on("leap")),
        "tolerance": none("dynamics", "residual"),
        "until": lambda o: not o.is_one("dynamics", "residual", "chain") or o.on("leap"),
        "integrator": lambda o: o.is_one("dynamics", "ode", "sa", "usa") and not o.on("leap"),
        "dt": lambda o: o.is_one("dynamics", *TIMES) and o["rule"] != "hardmax" and not o.on("leap"),
        "time": one("dynamics", *TIMES),
        "accuracy": accuracy,
        "usa": one("dynamics", "usa"),
        "merge": none("dynamics", "chain"),
        "closed-form": closed_form,
        "leap": lambda o: o.is_one("dynamics", "layer", "chain", "sa", "usa") and o["rule"] == "softmax",
        "leap-tolerance": on("leap"),
        "method": lambda o: o.is_one("rule", *METHODS) or o["method"] == "rows",
        "precision": one("rule", *METHODS),
        "betas": on("copies"),
        "every": on("record"),
        "checkpoint": lambda o: o.on("out") and not o.on("copies"),
        "resume": off("copies"),
    },
    "cells": {"init": off("tokens")},
    "threshold": {"init": off("tokens")},
    "escape": {"init": off("tokens"), "runs": one("dynamics", "chain")},
    "train": {
        "mask": one("model", "sequence"),
        "row": one("model", "self", "kq"),
        "width": one("model", "kq"),
        "lambda": one("head", "quadratic"),
        "p": one("optimizer", "mirror", "nmirror", "square", "steepest"),
        "backtrack": off("batch"),
        "gradient-epsilon": one("optimizer", "ngd", "nmirror", "square", "steepest", "eg", "hypentropy", "cosh"),
        "momentum": one("optimizer", "signum", "muon"),
        "beta1": one("optimizer", "adam"),
        "beta2": one("optimizer", "adam"),
        "adam-epsilon": one("optimizer", "adam"),
        "bend": one("optimizer", "eg", "hypentropy"),
        "polynomial": one("optimizer", "muon"),
        "start-scale": one("start", "normal", "uniform"),
    },
    "path": {
        "mask": one("model", "sequence"),
        "row": one("model", "self"),
        "decoder-radius": one("model", "joint"),
        "local": none("model", "joint"),
        "select": on("local"),
        "cone": on("local"),
    },
    "margin": {
        "model": off("problem"),
        "mask": one("model", "sequence"),
        "row": one("model", "self"),
        "select": off("problem"),
        "relaxed": off("problem"),
        "equal": off("problem"),
        "enumerate": off("problem"),
        "p": one("norm", "lp"),
    },
    "check": {
        "n": on("data"), "T": on("data"), "d": on("data"),
        "trials": off("instance", "tokens", "data"),
        "search": off("instance", "tokens", "data"),
        "restarts": on("search"),
        **{name: off("instance") for name in ("tokens", "data", "key-query", "value", "gamma", "beta", "epsilon", "p", "steps", "set",
                                              "full")},
        "counterexample": lambda o: not o.on("instance") or o.on("shrink"),
    },
    "plot": {
        **{name: one("kind", "auto", "clusters", "survival", "staircase", "training", "correlation", "bregman", "loss", "norm", "curve",
                     "curves", "bands", "histogram", *more)
           for name, more in (("log", ()), *((label, ("paths", "cells", "energy", "graph", "attention", "outcomes", "heat"))
                                             for label in ("x-label", "y-label")))},
        "x": one("kind", "auto", "curve", "heat", "curves", "bands"),
        "y": one("kind", "auto", "curve", "heat", "curves", "bands", "histogram"),
        "against": one("kind", "auto", "clusters", "outcomes"),
        "axes": one("kind", "training"),
        "record": one("kind", "graph", "attention"),
        "seconds": lambda o: o.is_one("kind", "auto", "paths") and o["out"].endswith(".gif"),
    },
}


def is_named(name, sentence):
    return re.search(rf"\b{re.escape(name.replace('-', '_'))}\b", sentence) is not None


def idle(case):
    """The names of the options of a case that do not apply."""
    line = Line(case.verb, case.options, case.files)
    rows = APPLIES.get(case.verb, {})
    return [name for name, value in case.options.items()
            if name in rows and not is_off(name, value) and not rows[name](line)]


def settled(case):
    """The case without its idle options, but for those that it keeps; case.dropped has the names of the others."""
    case, dropped = case.changed(), set()
    gone = True
    while gone:
        gone = [name for name in idle(case) if name not in case.kept]
        for name in gone:
            del case.options[name]
        dropped.update(gone)
    case.dropped = dropped
    return case
