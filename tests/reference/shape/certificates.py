"""certificates.py -- what proves that the sets last (docs/quiescence.md), tested again on the tokens of the step of the proof.

Tokens are grouped by their sets. A closed group G has C_i = G for all of its tokens; an open group H has one set N, a union of whole closed
groups, with or without H. With p, q, r the present tokens and the limits of open groups,

    Q1   max_{q in N} <Bp, q> - min_{q in N} <Bp, q> <= epsilon,       Q2   min_{q in N} <Bp, q> - <Bp, r> > epsilon,   r not in N.

For hardmax Q1 is that N is one point. p is a token of the group, or the limit of an open one; r is any token outside of N, or the limit of an
open group there; where r goes to a limit in N, its limit satisfies Q2 with >=. Limits are means by mass, of distinct points for hardmax
with --ties points. Everything is exact here; the limits z are the doubles that are stored.

The closed form is x^t = l + prod (1 - gamma^s) (x^step - l); u = 2^-53, R the radius: a few u R (docs), we allow 16 u R, and
4 u R for each unit of log(1/product), at most 750 u R in all.
"""
from decimal import Decimal, localcontext
from fractions import Fraction

from cells import U, near, show, value
from harness import Difference, equal, number
from rational import dot, minus, root

PROVED = ("consensus", "theorem-4.2", "quiescence", "fixed-point")


def grouped(sets_):
    """(closed groups, open groups as (members, N)); None when a token fits neither description."""
    closed, open_ = [], {}
    for i, own in enumerate(sets_):
        if i in own and all(sets_[j] == own for j in own):
            if own not in closed:
                closed.append(own)
        else:
            open_.setdefault(own, set()).add(i)
    for own, members in open_.items():
        rest = set(own)
        for group in closed:
            if group <= rest:
                rest -= group
        if rest and rest != members:
            return None
    return closed, [(frozenset(members), own) for own, members in open_.items()]


def mean(tokens, members, masses, points):
    if points:
        places = {tuple(tokens[i]) for i in members}
        return [sum(map(Fraction, c)) / len(places) for c in zip(*places)]
    mass = sum(masses[i] for i in members)
    return [sum(masses[i] * Fraction(tokens[i][c]) for i in members) / mass for c in range(len(tokens[0]))]


def limits(tokens, groups, masses, points):
    """The exact limit of every token: the mean of its closed group, or of the closed groups that it listens to."""
    closed, open_ = groups
    found = [None] * len(tokens)
    for members in closed:
        for i in members:
            found[i] = mean(tokens, members, masses, points)
    for members, own in open_:
        for i in members:
            found[i] = mean(tokens, own - members, masses, points)
    return found


def conditions(tokens, groups, stored, B, epsilon):
    """(holds, q1, q2): least slacks over all p, q, r; None where there is nothing to compare."""
    x = [[Fraction(c) for c in row] for row in tokens]
    z = [[Fraction(c) for c in row] for row in stored]
    closed, open_ = groups
    opened = {i for members, _ in open_ for i in members}
    q1 = q2 = None
    holds = True
    for members, own in [(g, g) for g in closed] + open_:
        inner = own - members if members & opened else own
        queries = [x[i] for i in members] + ([z[next(iter(members))]] if members & opened else [])
        for p in queries:
            y = [dot(row, p) for row in B]
            inside = [dot(y, x[q]) for q in own] + [dot(y, z[q]) for q in own if q in opened]
            spread = max(inside) - min(inside)
            q1 = epsilon - spread if q1 is None else min(q1, epsilon - spread)
            holds = holds and spread <= epsilon
            for r in range(len(x)):
                if r in own:
                    continue
                lead = min(inside) - dot(y, x[r]) - epsilon
                q2 = lead if q2 is None else min(q2, lead)
                holds = holds and lead > 0
                if r in opened:
                    lead = min(inside) - dot(y, z[r]) - epsilon
                    into = any(z[r] == x[q] for q in inner)
                    holds = holds and (lead >= 0 if into else lead > 0)
                    q2 = q2 if into else min(q2, lead)
    return holds, q1, q2


def causal_leaders(tokens, sets_, stored, B):
    """Theorem 4.2 under a causal mask: everybody's best is one point that stays, now and where those whom it sees go."""
    x = [[Fraction(c) for c in row] for row in tokens]
    z = [[Fraction(float(c)) for c in row] for row in stored]
    for i, own in enumerate(sets_):
        leader = min(own)
        if any(x[j] != x[leader] for j in own) or sets_[leader] != {leader} or z[i] != x[leader]:
            return False
        for p in (x[i], x[leader]):
            y = [dot(row, p) for row in B]
            top = dot(y, x[leader])
            for r in range(i + 1):
                if (x[r] != x[leader] and dot(y, x[r]) >= top) or (z[r] != x[leader] and dot(y, z[r]) >= top):
                    return False
    return True


def product(gammas):
    """prod (1 - gamma) as a Decimal with 60 digits, and the relative error that the steps' own errors make."""
    with localcontext() as context:
        context.prec = 60
        found, error = Decimal(1), Fraction(0)
        for gamma, off in gammas:
            left = 1 - gamma
            if left == 0:
                return Fraction(0), Fraction(0)
            found *= Decimal(left.numerator) / Decimal(left.denominator)
            error += off / left
        return Fraction(found), error


def closed_form(start, stored, left, error, got, reach):
    """Tokens after the jump against l + left (x - l)."""
    found = []
    allowed = (16 + 4 * min(Fraction(750), abs(Fraction(float(left).hex() and (0 if left == 0 else -log(left)))))) * U * reach
    for i, row in enumerate(start):
        for c, x in enumerate(row):
            l = Fraction(stored[i][c])
            expected = l + left * (Fraction(x) - l)
            found += near(f"tokens[{i}][{c}]", expected, got[i][c], allowed + error * left * abs(Fraction(x) - l))
    return found


def log(left):
    with localcontext() as context:
        context.prec = 30
        return float((Decimal(left.numerator) / Decimal(left.denominator)).ln())


def still(start, stored, step, gamma, bound):
    """The first step from which on (1 - gamma)^(t - step) max |x - l| <= bound, for a constant gamma; (low, high) where rounding decides."""
    far = root(max(dot(e, e) for e in (minus([Fraction(c) for c in a], [Fraction(c) for c in b]) for a, b in zip(start, stored))))
    if far <= bound:
        return step, step + (0 if far < bound * (1 - 64 * U) or not far else 1)
    if gamma == 1:
        return step + 1, step + 1
    if not bound:
        return None
    with localcontext() as context:
        context.prec = 50
        ratio = bound / far
        steps = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln() / (Decimal((1 - gamma).numerator) / Decimal((1 - gamma).denominator)).ln()
        slack = Decimal(1e-12) * (steps + 1)
        return step + int((steps - slack).to_integral_value("ROUND_CEILING")), step + int((steps + slack).to_integral_value("ROUND_CEILING"))
