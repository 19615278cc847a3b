"""attention.py -- one state of a token flow: exact scores and sets, averages, and bounds of their errors.

The score of token j in row i is the real number <y_i, x_j>, y_i the double that B x_i was computed to
(docs/rules.md). Tokens and queries are scaled to whole numbers once, so that scores are whole numbers
times 2^-shift. With B a multiple of the identity y_i is known to the last bit; with a matrix it
is when no sum of products of that row can round, and otherwise each coordinate is within
(d + 1) u sum_c |B_rc x_c|, in any order of the sum: what hangs on that is `open` and not judged.

Bounds of an average, for the sum over j of p_j (x_j - x_i), coordinate by coordinate, u = 2^-53:
 * sums: n/8 + 12 additions on the longest way (8 lanes, blocks of 256), 6 roundings of each term, and as many
   again for the exponentials that are taken in double here (of exponents that are exact until then);
 * softmax: weights have the relative error expm1(e_j) + 6u, e_j = |beta| (d + 4) 1.01 u times
   sum_c |y_c| (|x_jc| + |x_lc|), or sum_c |y_c (x_jc - x_lc)| where that matters (rules.md: differences from
   an exact maximiser replace the scores), l a maximiser; both with what is open in y;
 * hardmax: k tied points have a mean that is rounded as a place: (k + 4) u max |x| more;
 * sparsemax and entmax: as functions of brackets [.]_+ that are off by E, twice the largest e_j of the support
   and the rounding of the sum that is solved;
 * underflow: n terms of 2^-1074 and the tokens' distance times 2^-1060.
"""
from fractions import Fraction
import functools
import math
from operator import mul

import numpy as np

import clouds
import rules

U = 2.0 ** -53
MATTERS = 2.0 ** -20  # from here on differences take the place of scores


class Row:
    """What token i sees."""

    def __init__(self, i, s):
        self.i, self.seen, self.s = i, len(s), s
        self.top = max(s)
        self.best = [j for j, value in enumerate(s) if value == self.top]
        self.open_best = self.open_set = False
        self.members = None  # the rule's own set, or that of hardmax
        self.cosines = None  # less the largest, where they are the scores
        self.doubts = None  # what <y, x_j - x_l> may be off by because y is not known, in units of s


class State:
    def __init__(self, tokens, setting, t):
        self.x, self.setting, self.t = tokens, setting, t
        self.n, self.d = len(tokens), len(tokens[0])
        self.array = np.array(tokens)
        self.whole, self.shift = clouds.scaled(tokens)
        places = {}
        self.points = [places.setdefault(tuple(row), len(places)) for row in self.whole]  # equal tokens: one number
        self.beta, self.beta_error = setting.schedule("beta", t)
        self.sign = -1 if setting.rule in rules.OF_BETA and self.beta < 0 else 1
        self.y, self.doubt = setting.queries(tokens)
        if self.sign < 0:
            self.y = [[-c for c in row] for row in self.y]
        self.y_whole, y_shift = clouds.scaled(self.y)
        self.unit = Fraction(1, 1 << (self.shift + y_shift))
        self.own = [sum(map(mul, y, x)) for y, x in zip(self.y_whole, self.whole)]

    @functools.cached_property
    def rows(self):
        return [self.row(i) for i in range(self.n)]

    def row(self, i):
        seen = i + 1 if self.setting.mask == "causal" else self.n
        y = self.y_whole[i]
        row = Row(i, [sum(map(mul, y, x)) for x in self.whole[:seen]])
        if self.doubt[i]:
            away = np.abs(self.array[:seen] - self.array[row.best[0]]) @ np.array(self.doubt[i])
            row.doubts = [math.ceil(Fraction(v * (1 + 1e-9)) / self.unit) for v in away.tolist()]
            row.open_best = any(row.top - row.s[j] <= row.doubts[j] and self.points[j] != self.points[row.best[0]]
                                for j in range(seen))
        self.decide(row)
        return row

    def score_doubt(self, i, j, l):
        """How far <y, x_j - x_l> may be from what is computed here, because y is not known."""
        return sum(e * abs(a - b) for e, a, b in zip(self.doubt[i], self.x[j], self.x[l])) if self.doubt[i] else 0.0

    def decide(self, row):
        """The set of the rule, and whether it is open."""
        setting, n = self.setting, row.seen
        if setting.rule in ("localmax", "minp"):
            self.decide_local(row)
        elif setting.rule == "topk":
            row.members = rules.largest(row.s, setting.whole_masses, setting.k * setting.down)
            if row.doubts:
                last = min(row.s[j] for j in row.members)
                edge = [j for j in range(n) if abs(row.s[j] - last) <= 2 * max(row.doubts)]
                row.open_set = len({self.points[j] for j in edge}) > 1
        elif setting.rule == "confidence":
            x = self.whole[row.i]
            squares = [sum((a - b) ** 2 for a, b in zip(x, z)) for z in self.whole[:n]]
            row.members = rules.nearby(squares, setting.confidence * (1 << self.shift))
        else:
            first = setting.rule == "hardmax" and setting.ties == "first"
            row.members, row.open_set = row.best[:1] if first else row.best, row.open_best

    def decide_local(self, row):
        form = self.setting.form
        epsilon, error = self.setting.schedule("epsilon", self.t)
        if form == "cosine":
            self.decide_cosine(row, epsilon, error)
            return
        limit = rules.threshold(form, epsilon, row.top, self.unit, self.beta)
        row.members = rules.within(row.s, self.unit, limit)
        if form == "probability":  # rounded once; log and the quotient round as well
            error = 4 * Fraction(U) * (row.top * self.unit - limit) + 2 * error / (epsilon * self.beta)
        elif form == "relative":
            error *= abs(row.top * self.unit)
        if error or row.doubts:
            limit, error = limit / self.unit, error / self.unit
            sure = set() if form == "relative" else set(row.best)
            row.open_set = any(abs(row.s[j] - limit) <= error + (row.doubts[j] if row.doubts else 0)
                               for j in range(row.seen) if j not in sure)

    def decide_cosine(self, row, epsilon, error):
        """Unit vectors are rounded, x/|x| and the norm: (2 d + 16) u K^2 around epsilon is open, K the
        largest |Bx| |x| / <Bx, x>, by which the norm of B amplifies. Cosines are the scores then."""
        own = [self.sign * v for v in self.own]  # norms are those of B, also where beta is negative
        slacks = [Fraction(v) for v in rules.cosine_slacks(row.s, own[row.i], own)]
        row.members = [j for j in range(row.seen) if slacks[j] + epsilon >= 0]
        worst = max((math.hypot(*self.y[j]) * math.hypot(*self.x[j]) / float(own[j] * self.unit)
                     for j in range(row.seen) if own[j] > 0), default=1.0)
        band = (2 * self.d + 16) * Fraction(U) * Fraction(worst) ** 2 + error
        row.open_set = any(abs(v + epsilon) <= band for v in slacks) and \
            len({self.points[j] for j in range(row.seen)}) > 1
        row.cosines, row.band = slacks, float(band)
        row.best = [j for j in range(row.seen) if not slacks[j]]
        row.open_best = len({self.points[j] for j in range(row.seen) if slacks[j] + band >= 0}) > 1

    # Averages

    def exponents(self, row):
        """beta (s_j - M) of the whole row, rounded once."""
        if row.cosines:
            return np.array([float(abs(self.beta) * v) for v in row.cosines])
        scale = abs(self.beta) * self.unit
        num, den = scale.numerator, scale.denominator
        low = -(2000 * den) // num if num else 0
        top = row.top
        return np.array([max((v - top), low) * num / den for v in row.s]) if num else np.zeros(row.seen)

    def exponent_errors(self, row, exponents):
        """e_j: what beta (s_j - M) may be off by in double."""
        if row.cosines:
            return np.full(row.seen, min(float(abs(self.beta) + self.beta_error) * row.band + 4 * U * 750, 50.0))
        l, beta, seen = row.s.index(row.top), abs(float(self.beta)), row.seen
        y, x = np.abs(self.y[row.i]), self.array[:seen]
        factor = 1.01 * (self.d + 4) * U * beta
        away = np.abs(x - x[l])
        plain = factor * ((np.abs(x) + np.abs(x[l])) @ y)
        error = np.where(plain > MATTERS, np.maximum(factor * (away @ y), MATTERS), plain)
        if self.doubt[row.i]:
            error += beta * (away @ np.array(self.doubt[row.i]))
        relative = float(self.beta_error / abs(self.beta)) if self.beta_error else 0.0
        return np.minimum(error + (relative + 2 * U) * -exponents, 50.0)

    def weights(self, row):
        """(p, bounds): weights, fractions or doubles, and what each may be off by; None where a set is open.
        Sets by mass have whole numbers in the place of weights, and no bounds of their own."""
        setting, seen = self.setting, row.seen
        if row.open_set and setting.rule in rules.SETS:
            return None
        masses = setting.whole_masses
        if setting.rule == "hardmax":
            p = rules.hardmax(row.s, setting.masses, self.points, setting.ties)
            count = sum(1 for v in p if v)
            if setting.ties == "points":
                return {j: 1 for j, v in enumerate(p) if v}, None
            return {j: masses[j] if count > 1 else 1 for j, v in enumerate(p) if v}, None
        if setting.rule in ("localmax", "confidence", "uniform"):
            return {j: masses[j] for j in (range(seen) if setting.rule == "uniform" else row.members)}, None
        exponents = self.exponents(row)
        errors = self.exponent_errors(row, exponents)
        if setting.rule == "sparsemax" or (setting.rule == "entmax" and setting.a != 1):
            return self.bracket_weights(row, errors)
        m = setting.mass_array[:seen]
        if setting.rule in ("minp", "topk"):
            chosen = np.zeros(seen, bool)
            chosen[row.members] = True
            m = np.where(chosen, m, 0.0)
            exponents = exponents - max(exponents[j] for j in row.members)
        p = m / m.max() * np.exp(exponents)
        p /= p.sum()
        relative = np.expm1(errors) + 6 * U
        return p, np.minimum(1.0, p * (relative + float(p @ relative)))

    def bracket_weights(self, row, errors):
        masses, beta = self.setting.masses[:row.seen], abs(self.beta)
        a = 2 if self.setting.rule == "sparsemax" else self.setting.a
        q = 1 / (float(a) - 1)
        if a == 2:
            p, bases = rules.sparsemax(row.s, self.unit, masses, beta)
        else:
            p, bases, _ = rules.entmax(row.s, self.unit, masses, beta, a)
        p, bases = np.array([float(v) for v in p]), np.array([max(float(b), -1e300) for b in bases])
        m = self.setting.mass_array[:row.seen]
        top = float(max(bases))
        inside = bases > 0
        slope = float((m[inside] * q * bases[inside] ** (q - 1)).sum())
        off = (row.seen / 8 + 12) * U / slope + 16 * U * top
        for _ in range(2):  # a token just outside of the support can come in
            reach = bases > -2 * off
            off = max(off, 2 * float(a - 1) * float(errors[reach].max()) + off)
        low, here, high = (np.maximum(bases + v, 0.0) ** q for v in (-off, 0.0, off))
        bound = np.where(reach, m * (np.maximum(high - here, here - low) + (8 + q) * U * here), 0.0)
        return p, np.minimum(1.0, bound)

    def average(self, row):
        """(avg_i - x_i, bounds of its coordinates, the only point's index or None), or None: a set is open."""
        found = self.weights(row)
        if found is None:
            return None
        p, bounds = found
        i, seen, chain = row.i, row.seen, row.seen / 8 + 18
        away = self.array[:seen] - self.array[i]
        if bounds is None:
            mass = sum(p.values())
            total, own = mass << self.shift, self.whole[i]
            value = [sum(w * (self.whole[j][c] - own[c]) for j, w in p.items()) / total for c in range(self.d)]
            if len(p) == 1 and mass & (mass - 1) == 0:  # a mass that divides without rounding
                return value, [2 * U * abs(v) for v in value], next(iter(p))
            spread = np.array([w / mass for w in p.values()]) @ np.abs(away[list(p)])
            if self.setting.rule == "hardmax":  # the mean of the tied points is a double, whatever the token
                spread += np.abs(self.array[list(p)]).max(axis=0) * (len(p) + 4) / (chain + 1)
            return value, ((chain + 1) * U * spread + seen * 2.0 ** -1074).tolist(), None
        exact = np.longdouble(p) @ away.astype(np.longdouble)
        spread = p @ np.abs(away)
        bound = (chain + 8) * U * spread + bounds @ np.abs(away) + seen * 2.0 ** -1074 + \
            np.abs(away).max(axis=0) * 2.0 ** -1060
        return [float(v) for v in exact], bound.tolist(), None

    def farthest(self, row):
        """max_j |x_j - x_i| over what it sees."""
        return max(math.dist(self.x[j], self.x[row.i]) for j in range(row.seen))
