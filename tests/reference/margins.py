"""margins.py -- max-margin problems a second time: rows, and the least l2 norm by nonnegative least squares.

min |w| subject to A w >= r is a least distance problem (Lawson and Hanson): with E = (A'; r') and f = (0, ..., 0, 1) let
u >= 0 minimise |E u - f|; then w = (E u)_head / (1 - (E u)_last), and there is none when the residual is 0.
"""
import math

import numpy
import scipy.optimize


def leads(asks, alpha, matrix_rows=True):
    """Rows (k_a - k_t) z' of all asks, flat, as floats; right sides 1."""
    rows = []
    for ask, a in zip(asks, alpha):
        for t, key in enumerate(ask.keys):
            if t != a:
                away = numpy.array([float(x - y) for x, y in zip(ask.keys[a], key)])
                query = numpy.array([float(x) for x in ask.query]) if matrix_rows else numpy.ones(1)
                rows.append(numpy.outer(away, query).ravel())
    return numpy.array(rows), numpy.ones(len(rows))


def least_l2(A, r):
    """(w, relative gap proved by its multipliers) or (None, None) when infeasible to rounding."""
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
    least = (A @ w / r).min() if len(r) else 1.0
    if least <= 0:
        return None, None
    upper = numpy.linalg.norm(w) / least
    pull = A.T @ multipliers
    lower = float(r @ multipliers) / float(numpy.linalg.norm(pull)) if pull.any() else 0.0
    return w / least / scale, upper / lower - 1 if lower > 0 else math.inf
