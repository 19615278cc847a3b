"""rules.py -- from scores to weights (docs/rules.md), in exact arithmetic.

A row is what one token sees: whole numbers s_j, the score of token j being s_j * unit, and masses m_j,
fractions above 0. M is the largest score. Sets are decided for the real numbers, weights are
fractions, or decimals of DIGITS digits where a rule has exponentials or roots.

    softmax     m_j exp(beta s_j)
    hardmax     all weight where s_j = M; ties points | indices | first
    localmax    by mass on C = { s_j >= M - epsilon }        (threshold() has the four forms)
    minp        softmax on localmax's C
    topk        softmax on the k largest: of mass k at least, ties with the last one are kept
    sparsemax   m_j [beta s_j - tau]_+, tau such that the sum is 1
    entmax      m_j [1 - (a-1) beta (M - s_j) - delta]_+^(1/(a-1)); a = 1 softmax
    uniform     by mass
    confidence  by mass on { |x_j - x_i| <= r }

A negative beta is a positive one with -B: the caller flips the signs of the scores. A token of mass 3
counts as three tokens at its place.
"""
from decimal import Decimal, localcontext
from fractions import Fraction
import math

DIGITS = 36
SETS = ("hardmax", "localmax", "minp", "topk", "confidence")  # rules with a set of their own
OF_BETA = ("softmax", "minp", "topk", "sparsemax", "entmax")  # rules that beta has a part in
LOWEST = Decimal(-1900)  # exp of it is below every double by far


def decimal(value):
    """A fraction with DIGITS digits."""
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def maximisers(s):
    top = max(s)
    return [j for j, value in enumerate(s) if value == top]


def threshold(form, epsilon, top, unit, beta=1):
    """What s_j * unit must reach, a fraction; `top` the largest of the whole numbers.

    The probability form is additive with -log(epsilon)/beta (DIGITS digits). The cosine form is additive
    in cosines: it has no threshold of scores, cosine_slacks() is its own.
    """
    top = top * unit
    if form == "relative":
        return (1 - epsilon) * top
    if form == "probability":
        with localcontext() as context:
            context.prec = DIGITS
            epsilon = Fraction(-decimal(epsilon).ln() / decimal(beta))
    return top - epsilon


def within(s, unit, limit):
    """Indices with s_j * unit >= limit, exactly."""
    limit = Fraction(limit) / unit
    least = -((-limit.numerator) // limit.denominator)  # the least whole number that is enough
    return [j for j, value in enumerate(s) if value >= least]


def cosine_slacks(s, own, other):
    """cos_j - max cos + epsilon without epsilon, as decimals: s_j / sqrt(own * other_j) less the largest.

    own = <Bx_i, x_i>, other_j = <Bx_j, x_j>, all above 0 and in the unit of s. A token of length 0 has
    the cosine 0 with all.
    """
    with localcontext() as context:
        context.prec = DIGITS
        cosines = [Decimal(value) / (Decimal(own) * Decimal(o)).sqrt() if own and o else Decimal(0)
                   for value, o in zip(s, other)]
        top = max(cosines)
        return [c - top for c in cosines]


def largest(s, masses, k):
    """The fewest of the largest scores whose mass is at least k, and all that tie with the last of them."""
    order = sorted(range(len(s)), key=lambda j: -s[j])
    mass = 0
    for place, j in enumerate(order):
        mass += masses[j]
        if mass >= k:
            return [i for i in range(len(s)) if s[i] >= s[order[place]]]
    return list(range(len(s)))


def by_mass(members, masses, size):
    total = Fraction(sum(masses[j] for j in members))
    p = [Fraction(0)] * size
    for j in members:
        p[j] = masses[j] / total
    return p


def hardmax(s, masses, points, ties):
    """points: what tells two tokens apart; equal ones are one place."""
    best = maximisers(s)
    if ties == "first":
        best = best[:1]
    if ties == "indices":
        return by_mass(best, masses, len(s))
    places = {}
    for j in best:
        places.setdefault(points[j], j)  # the whole share of a place goes to its first token
    p = [Fraction(0)] * len(s)
    for j in places.values():
        p[j] = Fraction(1, len(places))
    return p


def softmax(s, unit, masses, beta, members=None):
    """Decimals; terms below every double by far are 0."""
    members = range(len(s)) if members is None else members
    top = max(s[j] for j in members)
    p = [Decimal(0)] * len(s)
    with localcontext() as context:
        context.prec = DIGITS
        scale = Fraction(beta) * unit
        num, den = Decimal(scale.numerator), Decimal(scale.denominator)
        for j in members:
            exponent = Decimal(s[j] - top) * num / den
            if exponent > LOWEST:
                p[j] = decimal(masses[j]) * exponent.exp()
        total = sum(p)
        return [value / total for value in p]


def sparsemax(s, unit, masses, beta):
    """(weights, brackets beta s_j - tau), fractions: tau = (sum m z - 1) / sum m over the support.

    The support is a prefix of the sorted scores; whole numbers until it is known.
    """
    scale = Fraction(beta) * unit
    down = math.lcm(*(Fraction(m).denominator for m in masses))
    m = [int(v * down) for v in masses]
    z = [scale.numerator * value for value in s]  # over scale.denominator
    one = down * scale.denominator
    mass, moment, tau = 0, 0, None  # tau = (moment - one) / (mass * denominator)
    for j in sorted(range(len(s)), key=lambda j: -z[j]):
        if tau is not None and z[j] * mass <= moment - one:
            break
        mass, moment = mass + m[j], moment + m[j] * z[j]
        tau = moment - one
    brackets = [Fraction(v * mass - tau, mass * scale.denominator) for v in z]
    return [masses[j] * max(brackets[j], 0) for j in range(len(s))], brackets


def power(base, exponent):
    """base^exponent of a decimal base >= 0; whole and half exponents without logarithms."""
    if base <= 0:
        return Decimal(0)
    if exponent.denominator == 1:
        return base ** exponent.numerator
    if exponent.denominator == 2:
        return base.sqrt() ** exponent.numerator  # also of a negative numerator
    return (decimal(exponent) * base.ln()).exp()


def entmax(s, unit, masses, beta, a):
    """(weights, brackets 1 - (a-1) beta (M - s_j) - delta, delta).

    With t_j = (a-1) beta (M - s_j) the level L = 1 - delta solves sum m_j [L - t_j]_+^q = 1, q = 1/(a-1). The
    support is { t_j < L }: the sum at L = t_j tells whether j is in it. Then Newton within the bracket.
    """
    q = 1 / (Fraction(a) - 1)
    with localcontext() as context:
        context.prec = DIGITS + 24  # brackets are small differences of levels
        top = max(s)
        scale = (Fraction(a) - 1) * Fraction(beta) * unit
        num, den = Decimal(scale.numerator), Decimal(scale.denominator)
        m = [decimal(value) for value in masses]
        t = [Decimal(top - value) * num / den for value in s]
        order = sorted(range(len(s)), key=lambda j: t[j])

        def missing(level, support):
            return sum(m[j] * power(level - t[j], q) for j in support) - 1

        first, last = 1, len(order)  # how many are in the support
        while first < last:
            middle = (first + last) // 2
            if missing(t[order[middle]], order[:middle]) >= 0:
                last = middle
            else:
                first = middle + 1
        support = order[:first]
        low = t[support[-1]]
        high = t[order[first]] if first < len(order) else low + power(1 / m[order[0]], 1 / q)
        high = min(high, power(1 / m[order[0]], 1 / q))
        level = high
        for _ in range(200):
            value = missing(level, support)
            low, high = (level, high) if value < 0 else (low, level)
            slope = q.numerator * sum(m[j] * power(level - t[j], q - 1) for j in support if level > t[j]) / q.denominator
            new = level - value / slope if slope else low
            if slope and abs(new - level) <= level * Decimal(10) ** (3 - DIGITS - 24):
                break
            level = new if low < new < high else (low + high) / 2
        brackets = [level - value for value in t]
        return [m[j] * power(brackets[j], q) for j in range(len(s))], brackets, 1 - level


def nearby(squares, radius):
    """{ j : |x_j - x_i| <= r } from exact squared distances in the unit of radius^2."""
    return [j for j, square in enumerate(squares) if square <= Fraction(radius) ** 2]
