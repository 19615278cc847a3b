"""suite_verbs.py -- which options the other verbs take beside which others (options.py says what is compared).

Problems to be read, instances and results are files that are not there: what does not apply is refused before one is looked for.
"""
import json

from harness import Case
from options import Suite

OPTIMIZERS = ("gd", "ngd", "polyak", "mirror", "nmirror", "square", "steepest", "sign", "signum", "greedy", "spectral", "muon", "adam", "eg",
              "hypentropy", "cosh")
KINDS = ("auto", "paths", "cells", "energy", "graph", "attention", "clusters", "survival", "staircase", "training", "correlation", "bregman",
         "loss", "norm", "outcomes", "heat")
NORMS = ("l2", "lp", "l1", "linf", "nuclear", "spectral")
VALUES = {
    "train": {"mask": ("causal", "full"), "row": ("1", "0"), "width": ("1", "0"), "lambda": ("0.5", "0"), "p": ("3", "2"), "backtrack": (None,),
              "gradient-epsilon": ("0.1", "0"), "momentum": ("0.5", "0"), "beta1": ("0.5", "0"), "beta2": ("0.5",), "adam-epsilon": ("0.1",),
              "bend": ("2",), "polynomial": (None,), "start-scale": ("2",)},
    "path": {"mask": ("causal", "full"), "row": ("1", "0"), "decoder-radius": ("2",), "local": (None,), "select": ("1,1", "optimal"), "cone": ("0.5",)},
    "margin": {"model": ("cross",), "mask": ("causal", "full"), "row": ("1", "0"), "select": ("1,1", "optimal"), "relaxed": ("1",),
               "equal": ("gone.json",), "enumerate": (None,), "p": ("3", "2")},
    "escape": {"init": ("sphere",), "runs": ("4", "1000")},
    "threshold": {"init": ("sphere", "gaussian")},
    "cells": {"init": ("sphere", "gaussian")},
    "check": {"tokens": ("gone.csv",), "data": ("gone.json",), "n": ("3", "0"), "T": ("3",), "d": ("3",), "trials": ("1", "0"), "search": ("0.02",), "restarts": ("1", "0"),
              "key-query": ("2",),
              "value": ("2",), "gamma": ("0.5",), "beta": ("2",), "epsilon": ("0.5",), "p": ("3",), "steps": ("3",), "set": ("a=1",), "full": (None,),
              "counterexample": ("c.h5", "none")},
    "plot": {"x": ("step",), "y": ("residual",), "against": ("epsilon",), "axes": ("0,1",), "record": ("3", "-1"), "seconds": ("0.5",)},
}
X = [[[1.0, 0.5], [-0.5, 1.0], [0.25, -1.0]], [[0.5, 0.5], [1.0, -0.5], [-1.0, 0.25]]]
DATA = {
    "plain": {"X": X, "v": [1.0, 0.25], "y": [1, 1]},
    "queries": {"X": X, "v": [1.0, 0.25], "y": [1, 1], "z": [[1.0, 0.0], [0.5, -1.0]]},
    "places": {"X": X, "v": [1.0, 0.25], "y": [1, 1], "z": X},
    "words": {"E": [[1.0, 0.5], [-0.5, 1.0], [0.25, -1.0]], "ids": [[0, 1, 2], [2, 1, 0]], "next": [1, 2]},
}


class Verbs(Suite):
    name = "verbs"
    axes = {"verb": tuple(VALUES), "draw": tuple(range(16))}  # draw: of the axis with most values

    def make(self, chosen, rng):
        return getattr(self, chosen["verb"])(chosen["draw"], rng)

    @staticmethod
    def data(rng, kinds, models):
        """A kind of data and a model that it suits."""
        kind = rng.choice(kinds)
        suits = {"plain": ("prompt", "self", "sequence", "kq", "joint", "label"), "queries": ("prompt", "cross", "self", "kq", "joint", "label"),
                 "places": ("sequence",), "words": ("graph",) if "graph" in models else ("cross", "kq")}[kind]
        model = rng.choice(("none", "auto") + tuple(m for m in models if m in suits))
        o = {"data": "data.json"} | ({"model": model} if model != "none" else {})
        return o, {"data.json": json.dumps(DATA[kind])}, kind

    def train(self, draw, rng):
        o, files, kind = self.data(rng, tuple(DATA), ("prompt", "cross", "self", "sequence", "kq", "joint"))
        o.update({"optimizer": OPTIMIZERS[draw], "steps": "1", "compare": "none", "start": "normal", "threads": "1"})
        if kind == "words":
            o["loss"] = "log"
        elif rng.random() < 0.5:
            o["head"] = rng.choice(("linear", "quadratic"))
        if rng.random() < 0.3 and o["optimizer"] != "polyak":
            o["batch"] = "1"
        if rng.random() < 0.5 and o.get("model") != "kq":
            del o["start"]
        return Case("train", o, files)

    def path(self, draw, rng):
        o, files, kind = self.data(rng, ("plain", "queries", "places"), ("prompt", "cross", "self", "sequence", "joint"))
        o.update({"radius": "1", "starts": "0", "iterations": "5", "threads": "1"})
        if rng.random() < 0.3 and kind != "places" and o.get("model") not in ("sequence", "joint"):
            o["local"] = None
        return Case("path", o, files)

    def margin(self, draw, rng):
        if draw % 4 == 0:
            return Case("margin", {"problem": "gone.json"} | ({"norm": rng.choice(NORMS)} if rng.random() < 0.5 else {}))
        o, files, _ = self.data(rng, tuple(DATA), ("prompt", "cross", "self", "sequence", "label", "graph"))
        if rng.random() < 0.7:
            o["norm"] = NORMS[draw % len(NORMS)]
        return Case("margin", o, files)

    def cloud(self, verb, rng, more):
        drawn = rng.random() < 0.5
        o = {"n": "3", "d": "2"} if drawn else {"tokens": "x.csv"}
        return Case(verb, o | more, {} if drawn else {"x.csv": "1,0.5\n-0.5,1\n0.25,-1\n"})

    def escape(self, draw, rng):
        more = {"beta": "1", "moves": "100"}
        if draw % 3:
            more["dynamics"] = ("chain", "flow")[draw % 3 - 1]
        return self.cloud("escape", rng, more)

    def threshold(self, draw, rng):
        return self.cloud("threshold", rng, {"steps": "10"})

    def cells(self, draw, rng):
        return self.cloud("cells", rng, {})

    def check(self, draw, rng):
        given = rng.choice(("instance", "tokens", "data"))
        return Case("check", {"claim": "md-thm-1" if given == "data" else "fw-lem-hull", given: {"instance": "gone.h5", "tokens": "gone.csv", "data": "gone.json"}[given]})

    def plot(self, draw, rng):
        kind = rng.choice((KINDS[draw], "auto", "paths", "curve")) if rng.random() < 0.3 else KINDS[draw]
        return Case("plot", {"file": "gone.h5", "kind": kind, "out": rng.choice(("a.svg", "a.gif", "b.pdf"))})

    def values(self, case):
        """But p beside a problem, which may have the norm: it is judged when that has been read."""
        return {name: texts for name, texts in VALUES[case.verb].items() if not ("problem" in case.options and name == "p")}


SUITE = Verbs()
