"""oracle_bounds.py -- a max-margin problem, norms, and bounds that any W and any lambda prove, with their
rounding errors taken off: what oracle.py judges every solver by."""
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # small matrices; both must stand before numpy loads
os.environ["OPENBLAS_CORETYPE"] = "Haswell"

import json
import math
import sys
import warnings

try:
    import cvxopt
    import cvxopt.solvers
    import numpy as np
    import scipy.optimize
except ImportError as missing:
    sys.exit(f"oracle.py: {missing}: install python3-cvxopt and python3-scipy, they belong to the tests")

LONG = np.longdouble
UNIT = float(np.finfo(LONG).eps)
warnings.filterwarnings("ignore")  # of ill-conditioned systems: bounds are judged, not believed
cvxopt.solvers.options["show_progress"] = False


def aim(tolerance):
    """cvxopt's goal. Past what the arithmetic can give its iterates run away, so goals are tried from
    the modest to the ambitious, and bounds keep the best."""
    cvxopt.solvers.options.update(abstol=tolerance, reltol=tolerance, feastol=tolerance)


class Problem:
    def __init__(self, line):
        given = json.loads(line)
        self.norm, self.p = given["norm"], float(given["p"])
        self.rows, self.columns = given["rows"], given["columns"]
        size = self.rows * self.columns
        A = np.array(given["A"], dtype=float).reshape(-1, size)
        right = np.array(given["right"], dtype=float)
        equal = np.array(given["equal"], dtype=bool)
        # Constraints that are said twice make cvxopt's matrices singular; bounds are the same without.
        kept = np.sort(np.unique(np.column_stack([A, right, equal]), axis=0, return_index=True)[1])
        self.A, self.r, self.equal = A[kept], right[kept], equal[kept]
        if self.norm == "l2":
            self.p = 2.0
        self.q = self.p / (self.p - 1) if self.p > 1 else math.inf

    def scalable(self):
        """Whether t W is feasible for t > 1 when W is."""
        return not np.any(self.r[self.equal]) and np.any(self.r)


# ---- norms and bounds --------------------------------------------------------------------------

# Relative error of the norms below: entrywise ones are made in long double and rounded to double;
# singular values come from LAPACK in double, off by less than 64 u of the largest one at these sizes.
ROUNDED, SINGULAR = 1e-15, 1e-13


def entrywise(v, p):
    """The p-norm, in long double."""
    size = np.abs(np.asarray(v, dtype=LONG))
    top = size.max(initial=LONG(0))
    if top == 0 or p == math.inf:
        return top
    return top * np.sum((size / top) ** LONG(p)) ** (1 / LONG(p))


def norm_up(problem, v, dual):
    """The norm of v, or its dual norm, rounded up."""
    kind = problem.norm
    if kind in ("nuclear", "spectral"):
        sigma = np.linalg.svd(np.asarray(v, dtype=float).reshape(problem.rows, -1), compute_uv=False)
        value = sigma.sum() if (kind == "nuclear") != dual else sigma.max()
        return float(value + sigma.max() * len(sigma) * SINGULAR)
    exponents = {"l2": (2, 2), "lp": (problem.p, problem.q), "l1": (1, math.inf), "linf": (math.inf, 1)}
    return float(entrywise(v, exponents[kind][dual])) * (1 + ROUNDED)


def frobenius_factor(problem):
    """c with |X| <= c |X|_F."""
    size = problem.rows * problem.columns
    if problem.norm == "nuclear":
        return math.sqrt(min(problem.rows, problem.columns))
    if problem.norm == "l1":
        return math.sqrt(size)
    return size ** max(0.0, 1 / problem.p - 0.5) if problem.norm == "lp" else 1.0


def lower_bound(problem, multipliers):
    x = np.array(multipliers, dtype=LONG)
    x[~problem.equal] = np.maximum(x[~problem.equal], 0)
    if not np.all(np.isfinite(x)) or not np.any(x):
        return 0.0
    x /= np.abs(x).max()
    A, r, terms = problem.A.astype(LONG), problem.r.astype(LONG), len(x) + 2
    combined, off = x @ A, UNIT * terms * (np.abs(x) @ np.abs(A))
    top = float(x @ r - UNIT * terms * (np.abs(x) @ np.abs(r))) * (1 - ROUNDED)
    bottom = norm_up(problem, combined, True) + frobenius_dual(problem) * float(entrywise(off, 2))
    return max(0.0, top / bottom * (1 - ROUNDED)) if bottom > 0 else 0.0


def frobenius_dual(problem):
    """c with |X|_dual <= c |X|_F, for a term that is tiny: the crudest of all norms."""
    return math.sqrt(problem.rows * problem.columns)


def distance_to_equalities(problem, values, off):
    """How far, at most, the nearest W that keeps every equality is, in the Frobenius norm."""
    if not np.any(problem.equal):
        return 0.0
    sigma = np.linalg.svd(problem.A[problem.equal], compute_uv=False)
    least = sigma.min() - sigma.max() * len(problem.r) * SINGULAR
    if len(sigma) < problem.equal.sum() or least <= 0:
        return math.inf
    missed = np.abs(values - problem.r)[problem.equal] + off[problem.equal]
    return float(entrywise(missed, 2)) / least * (1 + 1e-10)


def upper_bound(problem, weights):
    W, A = np.array(weights, dtype=LONG), problem.A.astype(LONG)
    if not np.all(np.isfinite(W)):
        return math.inf
    values, off = A @ W, UNIT * (len(W) + 2) * (np.abs(A) @ np.abs(W))
    far = distance_to_equalities(problem, values, off)
    sure = (values - off - far * np.sqrt(np.sum(A * A, axis=1)))[~problem.equal]
    asked = problem.r[~problem.equal]
    size = norm_up(problem, W, False) + frobenius_factor(problem) * far
    if not math.isfinite(far):
        return math.inf
    if problem.scalable() and np.all(sure[asked == 0] >= 0) and np.all(sure[asked == 1] > 0):
        return size / float(sure[asked == 1].min()) * (1 + ROUNDED)
    return size * (1 + ROUNDED) if np.all(sure >= asked) else math.inf


class Bounds:
    """The best of what was offered."""

    def __init__(self, problem):
        self.problem, self.lower, self.upper, self.inner = problem, 0.0, math.inf, None

    def gap(self):
        return self.upper / self.lower - 1 if self.lower > 0 else math.inf

    def offer(self, weights, multipliers):
        if multipliers is not None:
            self.lower = max(self.lower, lower_bound(self.problem, multipliers))
        if weights is not None:
            self.upper = min(self.upper, upper_bound(self.problem, weights))
            if self.gap() > 1e-11:
                for repaired in self.repair(np.array(weights, dtype=LONG)):
                    self.upper = min(self.upper, upper_bound(self.problem, repaired))

    def repair(self, W):
        """W moved onto the equalities, then a little towards a W with slack everywhere, so that what
        rounding took from a constraint is given back. Scaling does the same where it is allowed, but at a
        high price when a right side is small beside |A_j| |W|."""
        problem = self.problem
        if self.inner is None:
            self.inner = interior(problem, float(np.abs(W).max()))
        W, inner = (keep_equalities(problem, x) for x in (W, self.inner))
        A, asked = problem.A[~problem.equal].astype(LONG), problem.r[~problem.equal]
        have, room = A @ W, A @ inner
        for reserve in (1e-17, 1e-15, 1e-13, 1e-11):
            aim = asked + reserve * (np.abs(A) @ np.abs(W))
            short = have < aim
            if np.any(room[short] <= aim[short]):
                return
            share = np.max((aim - have)[short] / (room - have)[short], initial=LONG(0))
            yield (1 - share) * W + share * inner


def keep_equalities(problem, W):
    E, r = problem.A[problem.equal], problem.r[problem.equal]
    if len(r):
        for _ in range(3):
            missed = (r - E.astype(LONG) @ W).astype(float)
            W = W + np.linalg.lstsq(E, missed, rcond=None)[0]
    return W


def interior(problem, size):
    """A W with as much slack as a box allows, by a linear program."""
    A, r, equal = problem.A, problem.r, problem.equal
    scale = np.abs(A).max(axis=1)
    scale[scale == 0] = 1
    A, r = A / scale[:, None], r / scale
    cost = np.zeros(A.shape[1] + 1)
    cost[-1] = -1
    system = np.column_stack([A, np.where(equal, 0.0, -1.0)])
    wide = 16 * size + 1e-300
    done = linear_program(cost, system[~equal], r[~equal], system[equal], r[equal],
                          [(-wide, wide)] * A.shape[1] + [(None, wide)])
    return done.x[:-1].astype(LONG) if done.x is not None else np.zeros(A.shape[1], dtype=LONG)


def linear_program(cost, at_least, right, equal, value, bounds):
    """min cost' x subject to at_least x >= right, equal x = value."""
    return scipy.optimize.linprog(cost, A_ub=-at_least, b_ub=-right, A_eq=equal, b_eq=value, bounds=bounds,
                                  method="highs", options=dict(primal_feasibility_tolerance=1e-10,
                                                               dual_feasibility_tolerance=1e-10))


def coordinates(A):
    """L with A' L of orthonormal columns when the rows of A are independent, else the identity: nearly
    opposite rows have large multipliers that cancel, and lambda = L mu keeps mu small."""
    R = np.linalg.qr(A.T, mode="r")
    if R.shape[0] < len(A) or np.abs(np.diag(R)).min() < 1e-9:
        return np.eye(len(A))
    return np.linalg.inv(R)


def unit_rows(L):
    return L / np.sqrt(np.sum(L * L, axis=1))[:, None]


def at_most(G, h):
    """G x <= h as cvxopt wants it: no matrix without rows."""
    return (cvxopt.matrix(G), cvxopt.matrix(h)) if len(h) else (None, None)
