"""groups.py -- groups of tokens, hulls on the line and in the plane, and the constants of docs/escape.md.

Vertices and groups are exact, in fractions; distances and constants are in double.
"""
import math
from fractions import Fraction

import numpy as np

import pieces


def corners(points):
    """Vertices of the hull of points of the line or the plane, in fractions of doubles, counterclockwise."""
    p = sorted(set(tuple(map(Fraction, q)) for q in points))
    if len(p[0]) == 1 or len(p) < 3:
        return [p[0], p[-1]] if len(p) > 1 else p
    turn = lambda a, b, c: (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    halves = []
    for side in (p, p[::-1]):
        half = []
        for q in side:
            while len(half) > 1 and turn(half[-2], half[-1], q) <= 0:
                half.pop()
            half.append(q)
        halves += half[:-1]
    return halves


def away(q, hull):
    """Distance of a point to the hull of a few corners (counterclockwise)."""
    hull = [np.array([float(c) for c in h]) for h in hull]
    if len(hull) == 1:
        return float(np.linalg.norm(q - hull[0]))
    edges = list(zip(hull, hull[1:] + hull[:1])) if len(hull) > 2 else [tuple(hull)]
    if len(hull) > 2 and all((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) >= 0 for a, b in edges):
        return 0.0
    best = math.inf
    for a, b in edges:
        t = min(1.0, max(0.0, float((q - a) @ (b - a) / ((b - a) @ (b - a)))))
        best = min(best, float(np.linalg.norm(q - a - t * (b - a))))
    return best


class Cloud:
    """The groups and constants of a cloud."""

    def __init__(self, rows, B, radius, gamma):
        self.x = x = np.array(rows)
        self.B = np.eye(x.shape[1]) if B is None else np.array(B)
        sets = pieces.top(rows, B, False)
        self.walls = [i for i, s in enumerate(sets) if any(rows[j] != rows[s[0]] for j in s)]
        self.label = [s[0] for s in sets]
        self.places = {}
        for i, l in enumerate(self.label):
            self.places.setdefault(l, []).append(rows[i])
        self.hulls = {l: corners(p) for l, p in self.places.items()}
        v = np.array([[float(c) for c in p] for p in corners(rows)])
        self.kappa, self.groups, self.n = len(v), len(self.places), len(x)
        self.v = v
        s = (v @ self.B.T) @ v.T
        lead = [s[i, i] - s[i, j] for i in range(len(v)) for j in range(len(v)) if i != j]
        self.c0 = min(lead) if lead else math.inf
        self.R = np.sqrt((x * x).sum(axis=1)).max()
        self.diameter = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2)).max()
        far = np.sqrt(((x - x[self.label]) ** 2).sum(axis=1))
        self.rho, self.far = far.max(), far
        self.M = math.ceil(radius / (gamma * self.diameter)) if self.diameter else None
        r = self.rho + radius
        self.lam = self.c0 - 4 * self.R * r - r * r
        self.small = 4 * self.R * r + 2 * r * r - self.c0 / 2
        gaps = [away(np.array(rows[i]), self.hulls[l]) for i in range(self.n) for l in self.hulls if l != self.label[i]]
        self.points = all(len(h) == 1 for h in self.hulls.values())
        self.leaves = gamma * min(gaps) - radius if gaps else -1.0

    def other(self, beta):
        """log(1 - p_i) less its sign: h_i = -log(1 - p_i) for each token."""
        s = beta * (self.x @ self.B.T) @ self.x.T
        h = []
        for i in range(self.n):
            own = [j for j in range(self.n) if self.label[j] == self.label[i]]
            out = [j for j in range(self.n) if self.label[j] != self.label[i]]
            top = max(s[i, j] for j in own)
            odds = sum(math.exp(s[i, j] - top) for j in out) / sum(math.exp(s[i, j] - top) for j in own)
            h.append(math.log1p(odds))
        return h
