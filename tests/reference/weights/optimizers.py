"""optimizers.py -- one step of each optimiser, as an interval for every weight (docs/train.md, docs/gradients.md).

Everything is a flat list of Decimals: W the weights before the step, G the gradient with error bounds E
(layer.py), eta the step. A step returns for each weight (low, high): where a correct program, whose gradient is
off by at most E, may end. Widths: numbers that are divided by a norm are off by E/|G| + |E|/|G| and (count + 8) u
of themselves; a state is off by u of itself for each step; a power, sinh or asinh by 8 u, apart from
what its argument's error makes of it, which is the map at both ends: all maps grow.

Direct: gd, ngd, polyak, steepest, sign, signum, greedy, spectral, muon, adam move W by -eta D.
Dual: mirror, nmirror, square, hypentropy, eg, cosh move U = grad psi(W) by -eta D, W = phi(U).
The state beside W is the means of signum, muon, adam (from G at the recorded weights of all steps
before) and U (from the first weights and the same gradients).

Where the gradient is exactly 0 a tensor makes no step. A coordinate whose sign the bounds leave open
may move either way, or not at all.
"""
import decimal
from decimal import Decimal
from fractions import Fraction

from heads import ONE, ZERO
from powers import asinh, conjugate, norm, over_norm, polar, power, shipped, signed, sinh, u

TINY = Decimal(2.0 ** -1021)  # a power that leaves the normal numbers may lose its bits
SHORT = decimal.Context(prec=50, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
DUAL = ("mirror", "nmirror", "square", "hypentropy", "eg", "cosh")
NORMED = ("ngd", "nmirror", "square", "steepest", "hypentropy", "eg", "cosh")  # divide by a norm
OWN_NORM = {"gd": "l2", "ngd": "l2", "polyak": "l2", "mirror": "lp", "nmirror": "lp", "square": "lp", "steepest": "lp",
            "sign": "linf", "signum": "linf", "greedy": "l1", "spectral": "spectral", "muon": "spectral",
            "adam": "linf", "hypentropy": "l1", "eg": "l1", "cosh": "linf"}


class Optimizer:
    """Steps of one tensor. options: name, p (Fraction or None for infinity), epsilon, momentum, beta1, beta2,
    adam_epsilon, bend, polynomial; shape of the tensor."""

    def __init__(self, options, W, shape):
        self.o, self.shape, self.count, self.lost = options, shape, 0, False
        with decimal.localcontext(SHORT):
            self.mean = [ZERO] * len(W)
            self.mean_error = [ZERO] * len(W)
            self.square = [(ZERO, ZERO)] * len(W)
            self.dual = self.up(W) if options["name"] in DUAL else None
            # The state that the program made of W is off by a few u of itself; that of the square map by
            # |p - 2| times the error of the norm, which enters as |W|_p^(2-p).
            share = 8 * u
            if options["name"] == "square" and options["p"] is not None:
                share *= 1 + abs(Decimal(float(options["p"])) - 2)
            self.dual_error = [share * abs(x) for x in self.dual] if self.dual else None

    def up(self, W):
        """grad psi."""
        name, p = self.o["name"], self.o["p"]
        if name in ("mirror", "nmirror"):
            return [signed(w, p - 1) for w in W]
        if name == "square":
            length = norm(W, p)
            if not length:
                return list(W)
            return [signed(w / length, p - 1) * length for w in W]
        if name == "cosh":
            return [sinh(w) for w in W]
        b = self.bend()
        return [asinh(w / b) for w in W]

    def bend(self):
        return self.o["bend"] * (2 if self.o["name"] == "eg" else 1)

    def down(self, U, length):
        """phi of U; length: |U|_q, of the square map."""
        name, p = self.o["name"], self.o["p"]
        if name in ("mirror", "nmirror"):
            return [signed(x, 1 / (p - 1)) for x in U]
        if name == "square":
            q = conjugate(p)
            return [signed(x / length, q - 1) * length if length else ZERO for x in U]
        if name == "cosh":
            return [asinh(x) for x in U]
        return [self.bend() * sinh(x) for x in U]

    def remember(self, G, E):
        """Takes a gradient into the means."""
        with decimal.localcontext(SHORT):
            self.count += 1
            beta = self.o["beta1"] if self.o["name"] == "adam" else self.o["momentum"]
            self.mean = [beta * m + (1 - beta) * g for m, g in zip(self.mean, G)]
            self.mean_error = [beta * a + (1 - beta) * e + 4 * u * ((1 - beta) * abs(g) + abs(m))
                               for a, e, g, m in zip(self.mean_error, E, G, self.mean)]
            beta = self.o["beta2"]
            self.square = [(beta * a + (1 - beta) * max(ZERO, abs(g) - e) ** 2 * (1 - 8 * u),
                            beta * b + (1 - beta) * (abs(g) + e) ** 2 * (1 + 8 * u))
                           for (a, b), g, e in zip(self.square, G, E)]

    def direction(self, G, E, gap):
        """(D, bound) with a bound of None where a coordinate is free in [-1, 1]."""
        name, p = self.o["name"], self.o["p"]
        epsilon = self.o["epsilon"]
        if name in ("gd", "mirror"):
            return G, E
        if name == "ngd":
            return over_norm(G, E, Fraction(2), epsilon)
        if name in ("nmirror", "square"):
            return over_norm(G, E, conjugate(p), epsilon)
        if name in ("hypentropy", "eg"):
            return over_norm(G, E, None, epsilon)
        if name == "cosh":
            return over_norm(G, E, Fraction(1), epsilon)
        if name == "polyak":
            length, off = norm(G, Fraction(2)), norm(E, Fraction(2))
            factor = gap[0] / length ** 2
            share = Decimal(gap[1]) + 2 * off / length + (len(G) + 16) * u
            share += 4 * u * (abs(gap[0].ln()) + 2 * abs(length.ln()) if gap[0] else ZERO)  # from logarithms
            return [factor * g for g in G], [factor * (e + abs(g) * share) for g, e in zip(G, E)]
        if name == "steepest":
            r = conjugate(p) - 1
            D, e = over_norm(G, E, conjugate(p), epsilon)
            ends = [(signed(d - b, r), signed(d + b, r)) for d, b in zip(D, e)]
            return ([signed(d, r) for d in D],
                    [max(hi - signed(d, r), signed(d, r) - lo) + 8 * (1 + Decimal(float(r))) * u * power(d, r)
                     for d, (lo, hi) in zip(D, ends)])
        if name in ("sign", "signum"):
            if name == "signum":
                G, E = self.mean, self.mean_error
            return ([ONE.copy_sign(g) if g else ZERO for g in G],
                    [None if e >= abs(g) and e > 0 else ZERO for g, e in zip(G, E)])
        if name in ("spectral", "muon"):
            M, F = (self.mean, self.mean_error) if name == "muon" else (G, E)
            if self.o["polynomial"]:  # of the mean that looks one step ahead
                beta = self.o["momentum"]
                M = [(1 - beta) * g + beta * m for g, m in zip(G, M)]
                F = [(1 - beta) * a + beta * b for a, b in zip(E, F)]
                D, bound = shipped(M, F, self.shape)
                return (None, None) if bound is None else (D, [bound] * len(D))
            if 1 in self.shape:
                return over_norm(M, F, Fraction(2), ZERO)
            D, bound = polar(M, F, self.shape)
            return (None, None) if D is None else (D, [bound] * len(D))
        if name == "adam":
            return self.adam()
        raise ValueError(name)

    def adam(self):
        first = 1 - self.o["beta1"] ** self.count
        second = 1 - self.o["beta2"] ** self.count
        D, bound = [], []
        for m, e, (low, high) in zip(self.mean, self.mean_error, self.square):
            floor = (low / second).sqrt() + self.o["adam_epsilon"]
            roof = (high / second).sqrt() + self.o["adam_epsilon"]
            m, e = m / first, e / first
            if not roof:
                D.append(ZERO), bound.append(ZERO)
            elif not floor:
                D.append(ZERO), bound.append(None)
            else:
                ends = [x / y for x in (m - e, m + e) for y in (floor, roof)]
                D.append((max(ends) + min(ends)) / 2)
                bound.append((max(ends) - min(ends)) / 2 + 16 * u * max(map(abs, ends)))
        return D, bound

    def greedy(self, W, G, E, eta):
        """The coordinates that may be the largest, each with its two ends."""
        least = max(abs(g) - e for g, e in zip(G, E))
        found = []
        for j, (g, e) in enumerate(zip(G, E)):
            if g and abs(g) + e >= least:
                moved = list(W)
                moved[j] -= eta.copy_sign(g)
                found.append([(w - 2 * u * (abs(w) + eta), w + 2 * u * (abs(w) + eta)) if i == j else (w, w)
                              for i, w in enumerate(moved)])
        return found

    def step(self, W, G, E, eta, gap=None, keep=True):
        """Lists of (low, high): alternatives; [] when nothing can be said. remember() comes first."""
        with decimal.localcontext(SHORT):
            name = self.o["name"]
            still = not any(self.mean) if name in ("signum", "muon", "adam") else not any(G)
            if still and self.o["naive"] and any(E):
                self.lost = True
                return []
            if still:
                return [[(w, w) for w in W]]
            if name == "greedy" and not self.o["naive"]:
                return self.greedy(W, G, E, eta)
            rough = 100 * norm(E, Fraction(2)) > norm(G, Fraction(2)) + self.o["epsilon"]
            if rough and (self.o["naive"] and name not in ("gd", "mirror") or name in NORMED + ("polyak",)):
                self.lost = True  # a gradient that is rounding: nothing can be said of its direction
            if self.lost:
                return []
            if name == "greedy":
                return self.greedy(W, G, E, eta)
            D, bound = self.direction(G, E, gap)
            if D is None:
                return []
            if name not in DUAL:
                out = []
                for w, d, b in zip(W, D, bound):
                    far = eta * b if b is not None else eta * (1 + abs(d)) * 100
                    far += 4 * u * (abs(w) + eta * abs(d)) + TINY
                    out.append((w - eta * d - far, w - eta * d + far))
                return [out]
            U = [x - eta * d for x, d in zip(self.dual, D)]
            F = [f + eta * b + 4 * u * (abs(x) + eta * abs(d))
                 for f, b, x, d in zip(self.dual_error, bound, U, D)]
            if keep:
                self.dual, self.dual_error = U, F
            return [self.ends(U, F)]

    def ends(self, U, F):
        p = self.o["p"]
        if self.o["name"] == "square" and (p is None or p == 1):
            return self.limits(U, F)
        length = off = None
        if self.o["name"] == "square":
            length, off = norm(U, conjugate(p)), norm(F, conjugate(p))
        low = self.down([x - f for x, f in zip(U, F)], length)
        high = self.down([x + f for x, f in zip(U, F)], length)
        slack = 8 * u
        if length:  # |U|_q^(2-q)
            slack += abs(2 - Decimal(float(conjugate(p)))) * (off / length + (len(U) + 8) * u)
        return [(a - slack * abs(a) - TINY, b + slack * abs(b) + TINY) for a, b in zip(low, high)]

    def limits(self, U, F):
        """Square with p = inf: |U|_1 sgn(U); with p = 1: the largest coordinate alone."""
        out = []
        if self.o["p"] is None:
            length = norm(U, Fraction(1))
            off = sum(F) + (len(U) + 4) * u * length
            for x, f in zip(U, F):
                low = -length - off if f >= abs(x) and f else (length.copy_sign(x) if x else ZERO) - off
                high = length + off if f >= abs(x) and f else (length.copy_sign(x) if x else ZERO) + off
                out.append((low, high))
            return out
        top = max(abs(x) - f for x, f in zip(U, F))
        many = sum(abs(x) + f >= top for x, f in zip(U, F)) > 1
        for x, f in zip(U, F):
            if abs(x) + f < top:
                out.append((ZERO, ZERO))
            elif many:
                out.append((min(ZERO, x - f), max(ZERO, x + f)))
            else:
                out.append((x - f, x + f))
        return out
