"""powers.py -- norms, powers and polar factors with many digits, for optimisers and margins.

p and q = p / (p - 1) are Fractions, None is infinity. A division by a norm is off by E/|G| + |E|/|G| and (count + 8) u of itself, where
E bounds the error of G. The polar factor U V' of G = U S V' moves by at most 3 |E| over the least singular value that
is not 0.
"""
from decimal import Decimal
from fractions import Fraction

import numpy

from heads import ONE, ZERO
from layer import U as ROUND

u = Decimal(ROUND)


def power(x, exponent):
    """|x|^exponent for a Fraction, 0^0 being 1."""
    if not x:
        return ONE if exponent == 0 else ZERO
    if exponent.denominator == 1:
        return abs(x) ** int(exponent)
    return (Decimal(exponent.numerator) / exponent.denominator * abs(x).ln()).exp()


def signed(x, exponent):
    return power(x, exponent).copy_sign(x) if x else ZERO


def norm(values, q):
    """|values|_q; q a Fraction or None for infinity."""
    top = max((abs(x) for x in values), default=ZERO)
    if q is None or not top:
        return top
    if q == 1:
        return sum((abs(x) for x in values), ZERO)
    if q == 2:
        return sum((x * x for x in values), ZERO).sqrt()
    return top * power(sum((power(x / top, q) for x in values if x), ZERO), 1 / q)


def sinh(x):
    """To 40 digits of itself: the series where e^x - e^-x cancels."""
    if abs(x) > Decimal("1e-8"):
        return (x.exp() - (-x).exp()) / 2
    return x * (1 + x * x / 6 * (1 + x * x / 20))


def asinh(x):
    if abs(x) > Decimal("1e-8"):
        return (abs(x) + (x * x + 1).sqrt()).ln().copy_sign(x)
    return x * (1 - x * x / 6 * (1 - 9 * x * x / 20))


def conjugate(p):
    """q = p / (p - 1); None stands for infinity on both sides."""
    return Fraction(1) if p is None else None if p == 1 else p / (p - 1)


def over_norm(G, E, q, epsilon):
    """(D, its bound) for D = G / (|G|_q + epsilon)."""
    length, off = norm(G, q), norm(E, q)
    whole = length + epsilon
    share = off / whole + (len(G) + 8) * u
    return [g / whole for g in G], [e / whole + abs(g) / whole * share for g, e in zip(G, E)]


def polar(M, E, shape):
    """(U V' of M = U S V', bound for all entries); the bound is None where the rank is in doubt."""
    top = max((abs(x) for x in M), default=ZERO)
    matrix = numpy.array([float(x / top) for x in M]).reshape(shape)
    left, values, right = numpy.linalg.svd(matrix, full_matrices=False)
    off = float(norm(E, Fraction(2)) / top) + 64 * ROUND * len(M) * values[0]
    rank = int((values > 1e-6 * values[0]).sum())
    # Rounding of a matrix of lower rank has all of it: where the gradient is noisier than a few u, a program
    # cannot know which singular values are 0, and U V' is anything in these directions.
    noise = float(norm(E, Fraction(2)) / top)
    if rank < len(values) and (values[rank] > max(4 * off, 1e-15 * values[0]) or noise > 256 * ROUND * values[0]) \
            or off > 0.01 * values[rank - 1]:
        return None, None
    # A change D of M moves the factor of its rank by at most 3 |D| / (least singular value), and the
    # decomposition in numpy is as good as 64 u times its size.
    bound = 3 * off / values[rank - 1] + 64 * ROUND
    found = left[:, :rank] @ right[:rank]
    return [Decimal(float(x)) for x in found.ravel()], Decimal(bound)


def shipped(M, E, shape):
    """Muon's polynomial: five rounds of a X + b X X'X + c X X'X X'X on M over its length, then times sqrt(rows/columns)
    of a tall matrix. A round multiplies a relative change by at most 3.4445 in the largest singular value."""
    length = norm(M, Fraction(2))
    X = numpy.array([float(x / length) for x in M]).reshape(shape)
    tall = X.shape[0] > X.shape[1]
    X = X.T if tall else X
    for _ in range(5):
        A = X @ X.T
        X = 3.4445 * X + (-4.7750 * A + 2.0315 * A @ A) @ X
    X = X.T * (shape[0] / shape[1]) ** 0.5 if tall else X
    off = float(norm(E, Fraction(2)) / length) + 16 * len(M) * ROUND
    return [Decimal(float(x)) for x in X.ravel()], Decimal(3.4445 ** 5 * off * max(1.0, shape[0] / shape[1]) ** 0.5) if off < 1e-6 else None
