"""margins.py -- max-margin problems a second time: constraints, norms, duality, least l2 norm (docs/margin.md, max-margin.md).

A constraint is (row, right, equal, input, token): <row, W> >= right, or = 0. Rows (x_a - x_t) z' are exact fractions: data have few
bits. For any W that satisfies the constraints and any multipliers, nonnegative on inequalities,

    r'lambda / |A'lambda|_dual  <=  optimal norm  <=  |W| / least margin of W,

so that a pair of these proves an answer without any solver.

min |w|_2 subject to A w >= r is a least distance problem (Lawson and Hanson): with E = (A'; r') and f = (0, ..., 0, 1) let
u >= 0 minimise |E u - f|; then w = (E u)_head / (1 - (E u)_last), and there is none when the residual is 0.
"""
import collections
import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy
import scipy.optimize

import heads
from powers import norm

Row = collections.namedtuple("Row", "row right equal input token")


def whole(x):
    return [whole(y) for y in x] if isinstance(x, list) else Fraction(x)


def outer(a, z):
    return [x * y for x in a for y in z]


def less(a, b):
    return [x - y for x, y in zip(a, b)]


def asks_of(data, model, mask="full", row=0):
    """[(keys, query, scores or None)] in fractions; a query of a prompt is 1."""
    X = whole(data["X"])
    v = whole(data["v"]) if "v" in data else None
    labels = data.get("y") or [1] * len(X)
    found = []
    for i, tokens in enumerate(X):
        def scores(label, upto):
            return [label * sum(a * b for a, b in zip(v, x)) for x in tokens[:upto]] if v else [0] if len(tokens) == 1 else None
        T = len(tokens)
        if model in ("sequence",):
            for k in range(T):
                upto = k + 1 if mask == "causal" else T
                query = whole(data["z"][i][k]) if "z" in data else tokens[k]
                label = labels[i][k] if isinstance(labels[i], list) else labels[i]
                found.append((tokens[:upto], query, scores(label, upto)))
        elif model in ("prompt", "label"):
            keys = whole(data["K"][i]) if "K" in data and model == "prompt" else tokens
            found.append((keys, [Fraction(1)], scores(labels[i], T)))
        else:
            query = tokens[row] if model == "self" else whole(data["z"][i])
            found.append((tokens, query, scores(labels[i], T)))
    return found


def constraints(asks, winners, relaxed=(), rivals=None, places=1):
    """Rows for one winner of each ask (places: asks of an input); rivals: other tokens that may win too, which
    need not lose."""
    found = []
    for i, ((keys, query, _), a) in enumerate(zip(asks, winners)):
        for t, key in enumerate(keys):
            if t != a and not (rivals and t in rivals[i]):
                found.append(Row(outer(less(keys[a], key), query), 0 if i // places in relaxed else 1, False, i, t))
    return found


def equal_sets(asks, sets):
    """Gen-SVM: equations inside of a set, a lead of 1 over the rest, all against the first of the set."""
    found = []
    for i, ((keys, query, _), chosen) in enumerate(zip(asks, sets)):
        anchor = min(chosen)
        for t, key in enumerate(keys):
            if t != anchor:
                same = t in chosen
                away = less(key, keys[anchor]) if same else less(keys[anchor], key)
                found.append(Row(outer(away, query), 0 if same else 1, same, i, t))
    return found


def label_rows(data, asks, winners):
    labels = data.get("y") or [1] * len(asks)
    return [Row([y * x for x in keys[a]], 1, False, i, a)
            for i, ((keys, _, _), a, y) in enumerate(zip(asks, winners, labels))]


def graph_rows(data):
    """Graph-SVM: edges from the word that follows to the words of the input, one graph for each last word."""
    E = whole(data["E"])
    words, found = len(E), []
    for last in sorted({ids[-1] for ids in data["ids"]}):
        edge = [[False] * words for _ in range(words)]
        for ids, follows in zip(data["ids"], data["next"]):
            if ids[-1] == last:
                for w in ids:
                    edge[follows][w] = True
        reach = [[a == b or edge[a][b] for b in range(words)] for a in range(words)]
        for k in range(words):
            for a in range(words):
                for b in range(words):
                    reach[a][b] |= reach[a][k] and reach[k][b]
        for a in range(words):
            for b in range(words):
                if a != b and edge[a][b]:
                    same = reach[b][a]
                    found.append(Row(outer(less(E[a], E[b]), E[last]), 0 if same else 1, same, last, b))
    return found


def size(flat, columns, name, p):
    """A norm of a flat list of fractions: a Decimal good to 1e-14 of itself at least."""
    with decimal.localcontext(heads.CONTEXT):
        values = [Decimal(x.numerator) / x.denominator if isinstance(x, Fraction) else Decimal(x) for x in flat]
        if name in ("nuclear", "spectral"):
            top = max(map(abs, values), default=Decimal(0))
            if not top:
                return top
            matrix = numpy.array([float(x / top) for x in values]).reshape(-1, columns)
            singular = numpy.linalg.svd(matrix, compute_uv=False)
            return top * Decimal(float(singular.sum() if name == "nuclear" else singular[0]))
        return norm(values, {"l1": Fraction(1), "l2": Fraction(2), "linf": None, "lp": p}[name])


DUAL = {"l1": "linf", "linf": "l1", "l2": "l2", "lp": "lp", "nuclear": "spectral", "spectral": "nuclear"}


def dual_size(flat, columns, name, p):
    return size(flat, columns, DUAL[name], p / (p - 1))


def tied(ask, a, t, v):
    """Tokens of one score, which no linear head tells apart; v: rows of the decoder, None: it does not matter."""
    return v is not None and len(v) == 1 and sum(c * (x - y) for c, x, y in zip(v[0], ask.tokens[a], ask.tokens[t])) == 0


def leads(asks, alpha, matrix_rows=True, v=None):
    """Rows (k_a - k_t) z' of asks of layer.py, flat, as floats; right sides 1. Tokens that are tied need not lose."""
    rows = []
    for ask, a in zip(asks, alpha):
        for t, key in enumerate(ask.keys):
            if t != a and not tied(ask, a, t, v):
                away = numpy.array([float(x - y) for x, y in zip(ask.keys[a], key)])
                query = numpy.array([float(x) for x in ask.query]) if matrix_rows else numpy.ones(1)
                rows.append(numpy.outer(away, query).ravel())
    return numpy.array(rows), numpy.ones(len(rows))


def least_l2(A, r):
    """(w, relative gap proved by its multipliers) or (None, None) when infeasible to rounding; r >= 0."""
    if not len(A):
        return None, None
    scale = numpy.abs(A).max() or 1.0
    A = A / scale
    E = numpy.vstack([A.T, r])
    f = numpy.zeros(len(E))
    f[-1] = 1.0
    try:
        multipliers, residual = scipy.optimize.nnls(E, f, maxiter=50 * E.shape[1])
    except RuntimeError:
        return None, None
    if residual < 1e-7:
        return None, None
    rest = f - E @ multipliers
    w = -rest[:-1] / rest[-1]
    least = min((a / b for a, b in zip(A @ w, r) if b > 0), default=1.0)
    if least <= 0:
        return None, None
    upper = numpy.linalg.norm(w) / least
    pull = A.T @ multipliers
    lower = float(r @ multipliers) / float(numpy.linalg.norm(pull)) if pull.any() else 0.0
    return w / least / scale, upper / lower - 1 if lower > 0 else math.inf


def feasible(rows):
    """A W in fractions that satisfies all constraints, or None where linear programming finds none."""
    if not rows:
        return []
    scale = max((abs(x) for row in rows for x in row.row), default=Fraction(1)) or Fraction(1)
    A = numpy.array([[float(x / scale) for x in row.row] for row in rows])
    right = numpy.array([float(row.right) for row in rows])
    same = numpy.array([row.equal for row in rows])
    done = scipy.optimize.linprog(numpy.zeros(A.shape[1]), A_ub=-A[~same] if (~same).any() else None,
                                  b_ub=-2 * right[~same] if (~same).any() else None,
                                  A_eq=A[same] if same.any() else None, b_eq=right[same] if same.any() else None,
                                  bounds=(None, None), method="highs")
    if done.status != 0:
        return None
    return [Fraction(float(x)) / scale for x in done.x]


def contradiction(rows):
    """Whether sum l_j row_j = 0 with l_j >= 0 on inequalities and sum l_j right_j > 0: exactly, for rows whose
    null space has one dimension; None where it has more."""
    count, width = len(rows), len(rows[0].row)
    matrix = [[rows[j].row[k] for j in range(count)] for k in range(width)]
    pivots, at = [], 0
    for column in range(count):
        pivot = next((i for i in range(at, width) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        lead = matrix[at][column]
        matrix[at] = [x / lead for x in matrix[at]]
        for i in range(width):
            if i != at and matrix[i][column]:
                factor = matrix[i][column]
                matrix[i] = [x - factor * y for x, y in zip(matrix[i], matrix[at])]
        pivots.append(column)
        at += 1
    free = [column for column in range(count) if column not in pivots]
    if len(free) != 1:
        return None if len(free) > 1 else False
    found = [Fraction(0)] * count
    found[free[0]] = Fraction(1)
    for i, column in enumerate(pivots):
        found[column] = -matrix[i][free[0]]
    total = sum(x * row.right for x, row in zip(found, rows))
    if total < 0:
        found, total = [-x for x in found], -total
    return total > 0 and all(row.equal or x >= 0 for x, row in zip(found, rows))
