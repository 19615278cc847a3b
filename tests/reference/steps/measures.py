"""measures.py -- what a flow records of a state, from its recorded tokens (docs/flow.md, What is recorded).

Each function gives a value and a bound of what double may make of it, u = 2^-53. Values are taken from
exact scores where there are any, and in double otherwise, whose error is in the bound as well:
sums of d squares (d + 4) u, of n terms (n/8 + 12) u; Lyapunov candidates (d + 20) u, as the manual says.
A lead <y, x_j - x_l> has the error 1.01 (d + 4) u sum_c |y_c (x_jc - x_lc)| (docs/rules.md), a difference of rounded scores
(d + 1) u (sum_c |y_c x_jc| + sum_c |y_c x_lc|) beside.
"""
import math
from operator import mul

import numpy as np

import clouds
import rules

U = 2.0 ** -53


def lead_bounds(state, row, l):
    """Of <y, x_j - x_l> in row i, for all j that it sees."""
    x = state.array[:row.seen]
    away = np.abs(x - x[l])
    bound = 1.01 * (state.d + 4) * U * (away @ np.abs(state.y[row.i])) + state.d * 2.0 ** -1074
    return bound + away @ np.array(state.doubt[row.i]) if state.doubt[row.i] else bound


def score_bounds(state, row, l):
    """Of the difference of two rounded scores."""
    x = np.abs(state.array[:row.seen])
    bound = (state.d + 1) * U * ((x + x[l]) @ np.abs(state.y[row.i])) + lead_bounds(state, row, l)
    return bound


def gaps(state):
    """[(gap_i, bound)]: the best score less the own one; of unit vectors where scores are cosines (rules.md)."""
    if state.setting.cosines:
        return [(float(-row.cosines[row.i]), row.band) for row in state.rows]
    return [(float((row.top - row.s[row.i]) * state.unit), float(lead_bounds(state, row, row.best[0])[row.i]))
            for row in state.rows]


def margin(state):
    """(smallest lead of a best score over that of another point, low, high)."""
    least, low, high = math.inf, math.inf, math.inf
    for row in state.rows:
        best = state.points[row.best[0]]
        others = [j for j in range(row.seen) if state.points[j] != best]
        if not others:
            continue
        if state.setting.cosines:
            value, bound = float(-max(row.cosines[j] for j in others)), row.band
            least, low, high = min(least, value), min(low, value - bound), min(high, value + bound)
            continue
        next_ = max(row.s[j] for j in others)
        bounds = score_bounds(state, row, row.best[0])
        bound = max(float(bounds[j]) for j in others if row.s[j] == next_)
        value = float((row.top - next_) * state.unit)
        least, low, high = min(least, value), min(low, value - bound), min(high, value + bound)
    return least, low, high


def own_energies(state):
    """[(J_i, bound)]; of a unit vector 1/2."""
    if state.setting.cosines:
        return [(state.sign * (own != 0) / 2, max(row.band for row in state.rows)) for own in state.own]
    found = []
    for i in range(state.n):
        value = state.own[i] * state.unit / 2
        terms = sum(abs(a * b) for a, b in zip(state.y[i], state.x[i])) / 2
        doubt = state.doubt[i] or [0.0] * state.d
        found.append((float(value), (state.d + 4) * U * terms + state.d * 2.0 ** -1074 +
                      sum(e * abs(c) for e, c in zip(doubt, state.x[i]))))
    return found


def energy(state, energies):
    """Mean of J by mass."""
    masses = [float(m) for m in state.setting.masses]
    total = math.fsum(masses)
    mean = math.fsum(m / total * j for m, (j, _) in zip(masses, energies))
    size = math.fsum(m / total * abs(j) for m, (j, _) in zip(masses, energies))
    return mean, math.fsum(m / total * b for m, (_, b) in zip(masses, energies)) + (state.n / 8 + 12) * U * size


def squares(x):
    """|x_i - x_j|^2 in double."""
    x = np.array(x)
    found = np.zeros((len(x), len(x)))
    for c in range(x.shape[1]):
        found += np.subtract.outer(x[:, c], x[:, c]) ** 2
    return found


def diameter(x):
    """Scaled by a power of two, so that no square leaves double; what underflows then is below u times the rest."""
    x = np.array(x)
    away = max(float((x[:, c].max() - x[:, c].min())) for c in range(x.shape[1]))
    scale = math.ldexp(1.0, -math.frexp(away)[1])
    value = math.sqrt(squares((x * scale).tolist()).max()) / scale
    return value, 2 * (len(x[0]) + 6) * U * value + 2.0 ** -1074


def potential(state):
    """(sum m_i m_j min(|x_i - x_j|^2, r^2), what a shift of all tokens by u R can do)."""
    setting = state.setting
    square = setting.confidence ** 2
    if setting.rule == "localmax":
        square = 2 * setting.schedule("epsilon", state.t)[0]
        if setting.form == "probability":  # the additive epsilon
            square = -2 * rules.threshold("probability", square / 2, 0, 1, state.beta)
    m = np.array([float(v) for v in setting.masses])
    least = np.minimum(squares(state.x), float(square))
    weights = np.outer(m, m)
    radius = np.abs(np.array(state.x)).max()
    shift = 4 * U * radius * float((weights * np.sqrt(least)).sum())
    return float((weights * least).sum()), shift


def dirichlet(state):
    """(sum over i and j in C_i of m_i m_j |x_i - x_j|^2, shift)."""
    m = [float(v) for v in state.setting.masses]
    square = squares(state.x)
    terms, shift = [], 0.0
    radius = float(np.abs(np.array(state.x)).max())
    for row in state.rows:
        for j in row.members:
            terms.append(m[row.i] * m[j] * float(square[row.i, j]))
            shift += 4 * U * radius * m[row.i] * m[j] * math.sqrt(square[row.i, j])
    return math.fsum(terms), shift


def mean(x, masses):
    whole, shift = clouds.scaled(x)
    total = sum(masses) << shift
    return [sum(map(mul, masses, column)) / total for column in zip(*whole)]


def spread(x, centre, radius):
    """(max |x_i - c|, shift): c, a sum of n terms in any order, is off by (n + 8) u of the radius of the first cloud."""
    return max(math.dist(row, centre) for row in x), (len(x) + 8) * U * radius * math.sqrt(len(centre))


def support(x):
    found = []
    for c in range(len(x[0])):
        found += [max(row[c] for row in x), max(-row[c] for row in x)]
    return found
