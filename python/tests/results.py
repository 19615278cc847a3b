"""A result of every kind, for the tests of what results can do."""

import math
import re

import numpy as np

import tropism as tr
from tropism._values import plain

X = np.random.default_rng(2).normal(size=(15, 2))

MAKERS = {
    "flow": lambda: tr.flow(X, rule="localmax", epsilon=0.2, steps=30, record="tokens,energy").run(),
    "first": lambda: tr.flow(X, steps=30),
    "copies": lambda: tr.flow(n=5, copies=4, steps=10).run(),
    "cells": lambda: tr.cells(X),
    "threshold": lambda: tr.threshold(X[:6]),
    "escape": lambda: tr.escape(init="polygon", n=3, beta="2,3", runs=20),
    "margin": lambda: tr.margin("attsvm", n=3, T=3, d=4),
    "train": lambda: tr.train(tr.data.attsvm(seed=1), steps=200),
    "path": lambda: tr.path("mm-fig-1a", radius=[1, 10]),
    "check": lambda: tr.check("lm-thm-t5", trials=1, counterexample="none"),
    "claims": lambda: tr.claims(paper="lm"),
    "doctor": lambda: tr.doctor(),
    "hull": lambda: tr.hull(X),
}


def equal(one, two):
    """Equal values, NaN to NaN."""
    if isinstance(one, dict):
        return isinstance(two, dict) and one.keys() == two.keys() and all(equal(one[k], two[k]) for k in one)
    if isinstance(one, list):
        return isinstance(two, list) and len(one) == len(two) and all(map(equal, one, two))
    if isinstance(one, float) and math.isnan(one):
        return isinstance(two, float) and math.isnan(two)
    return type(one) is type(two) and one == two


def everything(result):
    return {key: plain(value) for key, value in result.to_dict().items() if key != "seconds"}


def less_seconds(text):
    return re.sub(r'"seconds": [^,}\]]*', '"seconds": 0', text.strip())
