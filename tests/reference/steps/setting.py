"""setting.py -- the options of a flow as numbers: B, V, masses, schedules, and what they do to a step.

layer      x + P (avg - x), P = gamma I, gamma = alpha/(1+alpha), or (I+V)^-1 V
residual   x + V avg = x + V (avg - x) + V x, V = I unless given
chain      x + gamma (x_j - x), j drawn with probability p_ij
"""
from fractions import Fraction
import functools
import itertools

import numpy as np

import clouds
import schedules

U = Fraction(1, 2 ** 53)
DEFAULTS = {"beta": "1", "epsilon": "0.1"}


def table(text):
    return [[float(word) for word in line.split(",")] for line in text.split()]


def solve(matrix, right):
    """matrix^-1 right by elimination in fractions; None when it is singular."""
    n = len(matrix)
    rows = [list(a) + list(b) for a, b in zip(matrix, right)]
    for k in range(n):
        pivot = next((r for r in range(k, n) if rows[r][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for r in range(n):
            if r != k and rows[r][k]:
                rows[r] = [v - rows[r][k] * w for v, w in zip(rows[r], rows[k])]
    return [row[n:] for row in rows]


def norm(matrix):
    return max(sum(abs(v) for v in row) for row in matrix)


class Setting:
    def __init__(self, case):
        self.options, self.files = case.options, case.files
        get = case.options.get
        self.dynamics, self.rule = get("dynamics", "layer"), get("rule", "softmax")
        self.ties, self.form, self.mask = get("ties", "points"), get("form", "additive"), get("mask", "full")
        self.cosines = self.form == "cosine" and self.rule in ("localmax", "minp")
        self.method, self.precision = get("method", "auto"), get("precision", "double")
        self.k, self.a = int(get("k", 1)), Fraction(float(get("a", 1.5)))
        self.confidence = Fraction(float(get("confidence", 1)))
        self.steps = int(get("steps"))
        self.tokens = table(case.files["x.csv"])
        self.n, self.d = len(self.tokens), len(self.tokens[0])
        self.masses = [Fraction(1)] * self.n
        if "masses" in case.options:
            self.masses = [Fraction(row[0]) for row in table(case.files["m.csv"])]
        self.down = down = max(m.denominator for m in self.masses)
        self.whole_masses = [int(m * down) for m in self.masses]
        self.mass_array = np.array([float(m) for m in self.masses])
        self.B, self.V = self.matrix("key-query"), self.matrix("value")

    def matrix(self, name):
        """A number, or rows of doubles; None when it is not given."""
        text = self.options.get(name)
        if text is None:
            return None
        if text in self.files:
            return table(self.files[text])
        return 1.0 if text == "identity" else float(text)

    def schedule(self, name, t):
        """(value, bound of its error) of beta, epsilon or gamma at step t."""
        if name != "gamma":
            return schedules.value(self.options.get(name, DEFAULTS[name]), t, self.files)
        if float(self.options.get("alpha", 0)):
            alpha = Fraction(float(self.options["alpha"]))
            gamma = alpha / (1 + alpha)
            exact = Fraction(float(1 + alpha)) == 1 + alpha
            return (Fraction(float(gamma)), Fraction(0)) if exact else (gamma, 4 * U * gamma)
        return schedules.value(self.options.get("gamma", "0.5"), t, self.files)

    def constant_gamma(self):
        return not isinstance(self.V, list) and ("gamma" not in self.options or
                                                 schedules.constant(self.options["gamma"]))

    def queries(self, tokens):
        """(y, doubt): B x as doubles; for each row bounds of what is not known of them, or None."""
        if not isinstance(self.B, list):
            b = 1.0 if self.B is None else self.B
            return [[b * c for c in row] for row in tokens], [None] * len(tokens)
        B, up = clouds.scaled(self.B)
        whole, shift = clouds.scaled(tokens)
        y, doubt, one = [], [], 1 << (up + shift)
        for x in whole:
            terms = [[b * c for b, c in zip(row, x)] for row in B]
            y.append([sum(row) / one for row in terms])
            bits = 0  # how many zeros all terms end with
            for v in itertools.chain(*terms):
                bits |= v
            sizes = [sum(map(abs, row)) for row in terms]
            if max(sizes) < (bits & -bits) << 53:
                doubt.append(None)  # no sum of these can round
            else:
                doubt.append([v / one * (len(x) + 1) * 2.0 ** -53 for v in sizes])
        return y, doubt

    @functools.cached_property
    def step_matrix(self):
        """(P as fractions, relative bound): of the layer with V, or V of the residual layer.

        Elimination in double is off by a few d^2 u times the condition of I + V, small d.
        """
        d = self.d
        V = self.V if isinstance(self.V, list) else \
            [[(1.0 if self.V is None else self.V) * (r == c) for c in range(d)] for r in range(d)]
        V = [[Fraction(v) for v in row] for row in V]
        if self.dynamics == "residual":
            return V, Fraction(0)
        sum_ = [[v + (r == c) for c, v in enumerate(row)] for r, row in enumerate(V)]
        eye = [[Fraction(int(r == c)) for c in range(d)] for r in range(d)]
        inverse = solve(sum_, eye)
        if inverse is None:
            return None, None
        P = [[sum(a * V[k][c] for k, a in enumerate(row)) for c in range(d)] for row in inverse]
        return P, 8 * (d + 1) ** 2 * U * norm(inverse) * norm(sum_)
