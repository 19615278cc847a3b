#!/usr/bin/python3
"""oracle.py PROBLEMS -- max-margin problems solved by other people's solvers.

    min |W|  subject to  <A_j, W> >= r_j  or  <A_j, W> = r_j

PROBLEMS has a JSON object in each line: norm (l2, lp, l1, linf, nuclear, spectral), p, rows, columns,
A (a list of rows of length rows * columns), right, equal. For each one a line goes to stdout:

    LOWER UPPER   bounds of the optimal norm
    infeasible    proved in rational arithmetic: some lambda has A' lambda = 0 and r' lambda > 0
    undecided     neither could be shown

The solvers are SciPy (NNLS for l2, HiGHS for the linear programs) and cvxopt (coneqp, cp, sdp); the
last digits of l2 and lp come from Newton's method on the active constraints. None of them is believed. Any
lambda that is not negative on inequalities and any feasible W are bounds,

    r' lambda / |A' lambda|_dual  <=  optimal norm  <=  |W|,

and both are evaluated here in long double, with the rounding errors of A W and A' lambda added up and
taken off, so a bound that is printed holds for A as it was read.
"""
import copy
import fractions
import math
import sys

sys.dont_write_bytecode = True

# First, for it says what numpy finds in the environment when it loads.
from oracle_bounds import LONG, Bounds, Problem, aim, at_most, coordinates, linear_program, unit_rows

import cvxopt
import cvxopt.solvers
import numpy as np
import scipy.optimize


# ---- l2 ----------------------------------------------------------------------------------------

def l2_by_nnls(problem):
    """Lawson and Hanson's least-distance programming: min |A' u|^2 + (r' u - 1)^2 over u >= 0 leaves the
    residual (W, -1) / (1 + |W|^2), so W is asked for in units in which it is not large. An equality is
    two inequalities. None when no W was found."""
    split = np.concatenate([problem.A, -problem.A[problem.equal]])
    right = np.concatenate([problem.r, -problem.r[problem.equal]])
    scale = np.sqrt(np.sum(split * split, axis=1))
    if np.any(scale == 0):
        return None
    for unit in (1.0, 2.0**12, 2.0**24, 2.0**36):
        system = np.vstack([(split / scale[:, None]).T, right / scale / unit])
        target = np.append(np.zeros(problem.A.shape[1]), 1.0)
        try:
            u, _ = scipy.optimize.nnls(system, target, maxiter=100 * len(right))
        except RuntimeError:
            return None
        residual = system @ u - target
        if residual[-1] < -1e-6:
            break
    else:
        return None
    u = u / scale
    multipliers = u[: len(problem.r)].copy()
    multipliers[problem.equal] -= u[len(problem.r):]
    return residual[:-1] / -residual[-1] * unit, multipliers / -residual[-1] * unit


def l2_by_coneqp(problem):
    size = problem.A.shape[1]
    matrix = cvxopt.matrix
    ineq = ~problem.equal
    extra = {}
    if np.any(problem.equal):
        extra = dict(A=matrix(problem.A[problem.equal]), b=matrix(problem.r[problem.equal]))
    done = cvxopt.solvers.coneqp(matrix(np.eye(size)), matrix(np.zeros(size)), matrix(-problem.A[ineq]),
                                 matrix(-problem.r[ineq]), **extra)
    multipliers = np.zeros(len(problem.r))
    multipliers[ineq] = np.array(done["z"]).ravel()
    if extra:
        multipliers[problem.equal] = -np.array(done["y"]).ravel()
    return np.array(done["x"]).ravel(), multipliers


def least_norm(problem, multipliers):
    """The least W with A_S W = r_S on the active constraints S, and lambda with A_S' lambda = W."""
    scale = np.sqrt(np.sum(problem.A * problem.A, axis=1))
    size = np.abs(multipliers * scale)
    active = problem.equal | (size > 1e-10 * size.max())
    S = problem.A[active] / scale[active, None]
    W = refined(S, problem.r[active] / scale[active])
    full = np.zeros(len(scale), dtype=LONG)
    full[active] = refined(S.T, W) / scale[active]
    return W, full


def solve_l2(problem, bounds, start):
    if start is not None:
        bounds.offer(*start)
        bounds.offer(*newton(problem, 2.0, *start))
        bounds.offer(*least_norm(problem, start[1]))
    if bounds.gap() > 1e-10:
        bounds.offer(*l2_by_coneqp(problem))


# ---- lp: cvxopt's cp on the side whose exponent is above 2, then Newton --------------------------

def power(v, e):
    return np.sign(v) * np.abs(v) ** e


def newton(problem, p, W, multipliers):
    """KKT on the active constraints S: |W|^(p-1) sgn W = A_S' lambda, A_S W = r_S. For p < 2 in lambda
    alone, where W = |y|^(q-1) sgn y of y = A_S' lambda is smooth; for p > 2 in both."""
    A, r = problem.A, problem.r
    top = np.abs(multipliers * np.abs(A).max(axis=1)).max()
    active = problem.equal | (multipliers * np.abs(A).max(axis=1) > 1e-7 * top)
    S, x = A[active], multipliers[active].astype(float)
    W, q = W.astype(float), p / (p - 1)
    for _ in range(30):
        if p <= 2:
            y = S.T @ x
            W = power(y, q - 1)
            M = S * np.sqrt((q - 1) * np.abs(y) ** (q - 2))  # not M M', whose condition is squared
            step = solve(M.T, solve(M, r[active] - S @ W))
            x = x + step
        else:
            d = (p - 1) * np.abs(W) ** (p - 2)
            n, m = len(W), len(x)
            system = np.zeros((n + m, n + m))
            system[:n, :n], system[:n, n:], system[n:, :n] = np.diag(d), -S.T, S
            step = solve(system, np.concatenate([S.T @ x - power(W, p - 1), r[active] - S @ W]))
            W, x = W + step[:n], x + step[n:]
        if not np.all(np.isfinite(step)) or np.abs(step).max() <= 1e-16 * max(np.abs(x).max(), 1e-300):
            break
    if p <= 2:
        W = power(S.T @ x, q - 1)
    # A_S W is off by the rounding of W, which is much beside r where |A_j| |W| is large.
    W = W + refined(S, r[active] - S.astype(LONG) @ W)
    full = np.zeros(len(r))
    full[active] = x
    return W, full


def solve(system, right):
    if not (np.all(np.isfinite(system)) and np.all(np.isfinite(right))):
        raise ArithmeticError("an iteration ran away")
    return np.linalg.lstsq(system, right, rcond=1e-15)[0]


def refined(system, right):
    """The same, to the precision of long double."""
    x, wide = np.zeros(system.shape[1], dtype=LONG), system.astype(LONG)
    for _ in range(5):
        x = x + solve(system, (right - wide @ x).astype(float))
    return x


def lp_by_cp(problem, W0, x0):
    """Minimises sum |W|^p / p over A W >= r, or sum |A' lambda|^q / q - r' lambda over lambda >= 0."""
    p, q, A, r, ineq, matrix = problem.p, problem.q, problem.A, problem.r, ~problem.equal, cvxopt.matrix
    primal = p >= 2
    L = np.eye(A.shape[1]) if primal else coordinates(A)
    map_ = L if primal else A.T @ L
    cost, e = (np.zeros(A.shape[1]), p) if primal else (-(r @ L), q)
    start = W0 if primal else np.linalg.solve(L, np.where(ineq, np.maximum(x0, 1e-3 * np.abs(x0).max()), x0))

    calls = iter(range(3000))  # its line search has no end of its own

    def function(x=None, z=None):
        if x is None:
            return 0, matrix(start)
        if next(calls, None) is None:
            raise ArithmeticError("cp does not come to an end")
        y = map_ @ np.array(x).ravel()
        f = np.sum(np.abs(y) ** e) / e + cost @ np.array(x).ravel()
        if not math.isfinite(f):
            raise ArithmeticError("cp ran away")
        gradient = matrix((map_.T @ power(y, e - 1) + cost)[None, :])
        if z is None:
            return matrix(f), gradient
        hessian = (map_.T * ((e - 1) * np.abs(y) ** (e - 2))) @ map_
        hessian += 1e-9 * np.abs(hessian).max() * np.eye(len(hessian))  # entries that are 0 make it singular
        return matrix(f), gradient, matrix(z[0] * hessian)

    extra = {}
    if primal:
        G, h = -A[ineq], -r[ineq]
        if np.any(problem.equal):
            extra = dict(A=matrix(A[problem.equal]), b=matrix(r[problem.equal]))
    else:
        G, h = -unit_rows(L)[ineq], np.zeros(ineq.sum())
    done = cvxopt.solvers.cp(function, *at_most(G, h), **extra)
    x = L @ np.array(done["x"]).ravel()
    if not primal:
        return power(A.T @ x, q - 1), x
    multipliers = np.zeros(len(r))
    multipliers[ineq] = np.array(done["zl"]).ravel()
    if extra:
        multipliers[problem.equal] = -np.array(done["y"]).ravel()
    return x, multipliers


def solve_lp(problem, bounds, start):
    W, x = start if start is not None else l2_by_coneqp(problem)
    bounds.offer(W, x)
    # In units in which rows have length 1 and the largest entries of W and of A' lambda are 1.
    unit, scale = 1.0, np.sqrt(np.sum(problem.A * problem.A, axis=1))
    scaled, x = copy.copy(problem), x * scale
    scaled.A = problem.A / scale[:, None]
    for scaled.p in exponents(problem.p):
        scaled.q = scaled.p / (scaled.p - 1)
        top = float(np.abs(W).max())
        unit, W = unit * top, (W / top).astype(float)
        scaled.r = problem.r / scale / unit
        W, x = lp_by_cp(scaled, W, x / max(np.abs(scaled.A.T @ x).max(), 1e-300))
        if scaled.p == problem.p:
            bounds.offer(W * unit, x / scale)
        W, x = newton(scaled, scaled.p, W, x)
    bounds.offer(W * LONG(unit), x / scale)


def exponents(p):
    """From 2 to p, in steps that the solver of the one before can start from."""
    e = max(p, p / (p - 1))
    path = [f for f in (6, 12, 20, 34, 58) if 1.2 * f < e]
    return [f if p > 2 else f / (f - 1) for f in path] + [p]


# ---- l1, linf ----------------------------------------------------------------------------------

def solve_linear(problem, bounds, start):
    A, r, equal, size = problem.A, problem.r, problem.equal, problem.A.shape[1]
    # Units are powers of two: no entry is rounded.
    unit = binade(np.abs(start[0]).max()) if start is not None else 1.0
    scale = binade(np.abs(A).max(axis=1))
    A, r = A / scale[:, None], r / scale / unit
    if problem.norm == "l1":
        cost, wide = np.ones(2 * size), np.column_stack([A, -A])
        extra, limits = np.zeros((0, 2 * size)), [(0, None)] * (2 * size)
    else:  # t >= W_a and t >= -W_a
        one = np.ones((size, 1))
        cost, wide = np.concatenate([np.zeros(size), [1]]), np.column_stack([A, np.zeros(len(r))])
        extra = np.vstack([np.hstack([-np.eye(size), one]), np.hstack([np.eye(size), one])])
        limits = [(None, None)] * (size + 1)
    done = linear_program(cost, np.vstack([wide[~equal], extra]),
                          np.concatenate([r[~equal], np.zeros(len(extra))]), wide[equal], r[equal], limits)
    if done.x is None:
        return
    W = done.x[:size] - done.x[size:] if problem.norm == "l1" else done.x[:size]
    multipliers = np.zeros(len(r))
    multipliers[~equal] = -done.ineqlin.marginals[: (~equal).sum()]
    multipliers[equal] = done.eqlin.marginals
    bounds.offer(W * unit, multipliers / scale)
    W, multipliers = basic(problem.norm, A, r, W, multipliers)
    bounds.offer(W * unit, multipliers / scale)


def binade(x):
    return np.ldexp(1.0, np.frexp(x)[1])


def basic(norm, A, r, W, multipliers):
    """The vertex again, from which constraints are tight and which entries are 0 (l1) or at +-t (linf):
    HiGHS stops at 1e-10 of absolute error, which is much beside a small right side."""
    tight = np.abs(multipliers) > 1e-12 * np.abs(multipliers).max()
    size = np.abs(W)
    free = size > 1e-12 * size.max() if norm == "l1" else size < (1 - 1e-9) * size.max()
    basis = A[tight][:, free]
    cost = np.sign(W[free]) if norm == "l1" else np.zeros(free.sum())
    if norm == "linf":  # the last unknown is t
        basis = np.column_stack([basis, A[tight][:, ~free] @ np.sign(W[~free])])
        cost = np.append(cost, 1)
    found = refined(basis, r[tight])
    out = np.zeros(len(W), dtype=LONG) if norm == "l1" else np.sign(W) * found[-1]
    out[free] = found[: free.sum()]
    full = np.zeros(len(r), dtype=LONG)
    full[tight] = refined(basis.T, cost)
    return out, full


# ---- nuclear, spectral -------------------------------------------------------------------------

def blocks(problem, matrices):
    """[0 M; M' 0] of each M, as the columns cvxopt wants."""
    order = problem.rows + problem.columns
    out = np.zeros((order * order, len(matrices)))
    for k, M in enumerate(matrices):
        whole = np.zeros((order, order))
        whole[: problem.rows, problem.rows:] = M.reshape(problem.rows, -1)
        out[:, k] = (whole + whole.T).ravel()
    return out


def solve_nuclear(problem, bounds, start):
    """max r' lambda subject to [I Y; Y' I] >= 0 of Y = A' lambda; W is a block of the multiplier."""
    matrix, ineq = cvxopt.matrix, ~problem.equal
    unit = np.linalg.norm(start[0].reshape(problem.rows, -1), "nuc") if start is not None else 1.0
    scale = np.sqrt(np.sum(problem.A * problem.A, axis=1))
    A, r = problem.A / scale[:, None], problem.r / scale / unit
    L = coordinates(A)
    sign = unit_rows(L)[ineq]
    done = cvxopt.solvers.sdp(matrix(-(r @ L)), *at_most(-sign, np.zeros(len(sign))),
                              [matrix(-blocks(problem, L.T @ A))],
                              [matrix(np.eye(problem.rows + problem.columns))])
    multipliers = None if done["x"] is None else L @ np.array(done["x"]).ravel() / scale
    bounds.offer(weights_of(problem, done, unit), multipliers)


def solve_spectral(problem, bounds, start):
    """max r' lambda subject to [X Y; Y' Z] >= 0 of Y = A' lambda, tr X + tr Z = 2: half that trace bounds
    the nuclear norm of Y. The multiplier of the cone is [t I  -W; -W' t I]."""
    matrix, ineq = cvxopt.matrix, ~problem.equal
    unit = np.linalg.norm(start[0].reshape(problem.rows, -1), 2) if start is not None else 1.0
    scale = np.sqrt(np.sum(problem.A * problem.A, axis=1))
    A, r = problem.A / scale[:, None], problem.r / scale / unit
    L = coordinates(A)
    sign = unit_rows(L)[ineq]
    cone, trace = squares(problem)
    extra = cone.shape[1]
    done = cvxopt.solvers.sdp(matrix(np.append(-(r @ L), np.zeros(extra))),
                              *at_most(np.column_stack([-sign, np.zeros((len(sign), extra))]),
                                       np.zeros(len(sign))),
                              [matrix(-np.column_stack([blocks(problem, L.T @ A), cone]))],
                              [matrix(np.zeros((problem.rows + problem.columns,) * 2))],
                              A=matrix(np.append(np.zeros(len(r)), trace)[None, :]), b=matrix([2.0]))
    multipliers = None if done["x"] is None else L @ np.array(done["x"]).ravel()[: len(r)] / scale
    bounds.offer(weights_of(problem, done, unit), multipliers)


def weights_of(problem, done, unit):
    if done["zs"] is None:
        return None
    return -2 * unit * np.array(done["zs"][0])[problem.rows:, : problem.rows].T.ravel()


def squares(problem):
    """The symmetric matrices X and Z at the corners, entry by entry, and their traces."""
    order, columns, trace = problem.rows + problem.columns, [], []
    for a in range(order):
        for b in range(a + 1):
            if (a < problem.rows) == (b < problem.rows):
                M = np.zeros((order, order))
                M[a, b] = M[b, a] = 1
                columns.append(M.ravel())
                trace.append(float(a == b))
    return np.column_stack(columns), np.array(trace)


# ---- infeasibility -----------------------------------------------------------------------------

def null_vectors(matrix):
    """A basis of the null space of an integer matrix, by fraction-free elimination."""
    rows, pivots, last = [list(row) for row in matrix], [], 1
    columns = len(rows[0])
    for c in range(columns):
        k = next((i for i in range(len(pivots), len(rows)) if rows[i][c]), None)
        if k is None:
            continue
        at = len(pivots)
        rows[at], rows[k] = rows[k], rows[at]
        for i in range(len(rows)):
            if i != at:
                factor, pivot = rows[i][c], rows[at][c]
                rows[i] = [(pivot * a - factor * b) // last for a, b in zip(rows[i], rows[at])]
        last = rows[at][c]
        pivots.append(c)
    basis = []
    for free in (c for c in range(columns) if c not in pivots):
        vector = [fractions.Fraction(0)] * columns
        vector[free] = fractions.Fraction(1)
        for at, c in enumerate(pivots):
            vector[c] = fractions.Fraction(-rows[at][free], rows[at][c])
        basis.append(vector)
    return basis


def is_refuted(problem, multipliers, least):
    """Whether the constraints with multipliers above least have an exact A' lambda = 0, r' lambda > 0,
    lambda > 0 on the inequalities. A double is an integer times a power of two."""
    chosen = [j for j in range(len(problem.r)) if abs(multipliers[j]) > least]
    if not chosen:
        return False
    exact = [[fractions.Fraction(a) for a in problem.A[j]] for j in chosen]
    common = max(a.denominator for row in exact for a in row)
    integers = [[int(row[a] * common) for row in exact] for a in range(problem.A.shape[1])]
    for vector in null_vectors(integers):
        total = sum(x * fractions.Fraction(problem.r[j]) for x, j in zip(vector, chosen))
        if total < 0:
            vector = [-x for x in vector]
        if total != 0 and all(x >= 0 or problem.equal[j] for x, j in zip(vector, chosen)):
            return True
    return False


def is_infeasible(problem):
    """A vertex of {A' lambda = 0, r' lambda = 1} by linear programming, then exactly."""
    scale = np.abs(problem.A).max(axis=1)
    if np.any((scale == 0) & (np.where(problem.equal, np.abs(problem.r), problem.r) > 0)):
        return True  # 0 >= 1, or 0 = r
    scale[scale == 0] = 1
    A, r = problem.A / scale[:, None], problem.r / scale
    limits = [(None, None) if equal else (0, None) for equal in problem.equal]
    done = linear_program(np.where(problem.equal, 0.0, 1.0), np.zeros((0, len(r))), np.zeros(0),
                          np.vstack([A.T, r]), np.concatenate([np.zeros(A.shape[1]), [1]]), limits)
    if done.x is None:
        return False
    top = np.abs(done.x).max()
    return any(is_refuted(problem, done.x, least * top) for least in (1e-9, 1e-6, 1e-12))


SOLVERS = dict(l2=solve_l2, lp=solve_lp, l1=solve_linear, linf=solve_linear, nuclear=solve_nuclear,
               spectral=solve_spectral)
# Gaps at which a further try is not worth its time.
GOOD = dict(l2=1e-10, lp=1e-9, l1=1e-10, linf=1e-10, nuclear=1e-8, spectral=1e-8)


def answer(problem):
    bounds = Bounds(problem)
    start = l2_by_nnls(problem)
    if start is None and is_infeasible(problem):
        return "infeasible"
    for goal in (1e-8, 1e-9, 1e-10, 1e-11):
        aim(goal)
        try:
            SOLVERS[problem.norm](problem, bounds, start)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            pass  # of cvxopt, on a singular system: what was offered so far stands
        if bounds.gap() <= GOOD[problem.norm]:
            break
    if math.isfinite(bounds.upper):
        return f"{bounds.lower!r} {bounds.upper!r}"
    return "infeasible" if is_infeasible(problem) else "undecided"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: oracle.py PROBLEMS")
    with open(sys.argv[1], encoding="ascii") as lines:
        for line in lines:
            print(answer(Problem(line)))


if __name__ == "__main__":
    main()
