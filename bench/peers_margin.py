#!/usr/bin/python3
"""peers_margin.py -- the max-margin problems of bench_margin by other tools, for comparison.

    bench_margin DIR | tee DIR/ours.txt
    peers_margin.py DIR [DIR/ours.txt]

A line per peer and problem: median seconds of processor time over the draws (each the smallest of
several runs, one thread, arrays made beforehand: only the solver's own call is timed) and the
largest relative gap, upper / lower - 1 in plain double from the W and the multipliers that the peer
returns. With the lines of bench_margin, a ratio for each target.

Peers, each in several forms; the fastest counts. OpenBLAS must know the core: Debian's 0.3.21
falls back to SSE3 on newer ones, so this script sets OPENBLAS_CORETYPE and starts itself again.
"""
import glob
import os
import sys
import time

if "OPENBLAS_CORETYPE" not in os.environ:
    with open("/proc/cpuinfo") as file:
        wide = "avx512f" in file.read()
    os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if wide else "Haswell"
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.execv(sys.executable, [sys.executable] + sys.argv)

import cvxopt
import numpy as np
import scipy.linalg
import scipy.optimize
from cvxopt import matrix, solvers, spdiag, spmatrix

solvers.options["show_progress"] = False
# Asked for, until one is reached in every draw: gap (abstol, reltol) and feastol.
TIGHTEST = [(gap, feasible) for gap in (1e-12, 1e-11, 1e-10, 1e-9, 1e-8)
            for feasible in (gap, 1e-10, 1e-9, 1e-8, 1e-7) if feasible >= gap]


class Problem:
    """A_j = left_j right_j', <A_j, W> >= 1. flat: (count, rows columns)."""

    def __init__(self, path):
        numbers = np.fromfile(path)
        m, d, columns = (int(x) for x in numbers[:3])
        self.left = numbers[3 : 3 + m * d].reshape(m, d)
        self.right = numbers[3 + m * d :].reshape(m, columns)
        self.flat = np.einsum("ja,jb->jab", self.left, self.right).reshape(m, d * columns)
        self.gram = (self.left @ self.left.T) * (self.right @ self.right.T)
        self.count, self.rows, self.columns = m, d, columns


def gap_of(problem, w, a, size, dual):
    """upper / lower - 1 of a W and multipliers a, with the norm and its dual."""
    a = np.maximum(a, 0)
    upper = size(w) / (problem.flat @ w).min()
    lower = a.sum() / dual(problem.flat.T @ a)
    return upper / lower - 1


# ---- forms: each prepares, and returns a function without arguments that solves and a function
# ---- of its result that is the gap


def l2(x):
    return np.linalg.norm(x)


def nnls(problem):
    """min |E u - e| over u >= 0, E = [A'; 1'] (Lawson and Hanson 1974, chapter 23)."""
    e = np.vstack([problem.flat.T, np.ones(problem.count)])
    f = np.zeros(len(e))
    f[-1] = 1

    def gap(result):
        u = result[0]
        return gap_of(problem, problem.flat.T @ u, u, l2, l2)

    return lambda: scipy.optimize.nnls(e, f, maxiter=100000), gap


def primal(kkt):
    def form(problem):
        n = problem.flat.shape[1]
        p, q = spmatrix(1.0, range(n), range(n)), matrix(0.0, (n, 1))
        g, h = matrix(-problem.flat), matrix(-1.0, (problem.count, 1))

        def gap(result):
            return gap_of(problem, np.array(result["x"]).ravel(), np.array(result["z"]).ravel(), l2, l2)

        return lambda: solvers.qp(p, q, g, h, kktsolver=kkt), gap

    return form


def dual(kkt):
    def form(problem):
        m = problem.count
        p, q = matrix(problem.gram), matrix(-1.0, (m, 1))
        g, h = spmatrix(-1.0, range(m), range(m)), matrix(0.0, (m, 1))

        def gap(result):
            a = np.array(result["x"]).ravel()
            return gap_of(problem, problem.flat.T @ a, a, l2, l2)

        return lambda: solvers.qp(p, q, g, h, kktsolver=kkt), gap

    return form


def power_primal(p):
    """min sum |w|^p, A w >= 1, from the l2 solution."""

    def form(problem):
        n = problem.flat.shape[1]
        start = matrix(scipy.linalg.lstsq(problem.flat, np.ones(problem.count))[0])
        g, h = matrix(-problem.flat), matrix(-1.0, (problem.count, 1))

        def f(x=None, z=None):
            if x is None:
                return 0, start
            size = np.abs(np.array(x).ravel())
            value = (size**p).sum() / p
            first = matrix(np.sign(np.array(x).ravel()) * size ** (p - 1), (1, n))
            if z is None:
                return value, first
            second = (p - 1) * np.maximum(size, 1e-30) ** (p - 2)
            return value, first, spdiag(matrix(z[0] * second))

        def gap(result):
            q = p / (p - 1)
            return gap_of(problem, np.array(result["x"]).ravel(), np.array(result["zl"]).ravel(),
                          lambda w: np.linalg.norm(w, p), lambda w: np.linalg.norm(w, q))

        return lambda: solvers.cp(f, g, h), gap

    return form


def power_dual(p):
    """min sum |A' a|^q / q - 1'a, a >= 0: fewer unknowns, a dense Hessian."""
    q = p / (p - 1)

    def form(problem):
        m, a_t = problem.count, np.ascontiguousarray(problem.flat.T)
        start = matrix(1.0 / m, (m, 1))
        g, h = spmatrix(-1.0, range(m), range(m)), matrix(0.0, (m, 1))

        def f(x=None, z=None):
            if x is None:
                return 0, start
            a = np.array(x).ravel()
            u = a_t @ a
            size = np.abs(u)
            value = (size**q).sum() / q - a.sum()
            first = matrix(problem.flat @ (np.sign(u) * size ** (q - 1)) - 1, (1, m))
            if z is None:
                return value, first
            second = (q - 1) * np.maximum(size, 1e-30) ** (q - 2)
            return value, first, matrix(z[0] * (problem.flat * second) @ a_t)

        def gap(result):
            a = np.array(result["x"]).ravel()
            u = problem.flat.T @ a
            return gap_of(problem, np.sign(u) * np.abs(u) ** (q - 1), a,
                          lambda w: np.linalg.norm(w, p), lambda w: np.linalg.norm(w, q))

        return lambda: solvers.cp(f, g, h), gap

    return form


def primal_sdp(problem):
    """min (tr U + tr V) / 2, [U W; W' V] >= 0, <A_j, W> >= 1: the form that modelling tools write."""
    d, columns, m = problem.rows, problem.columns, problem.count
    k = d + columns
    places = [(i, j) for j in range(k) for i in range(j, k)]  # lower triangle, by columns
    n = len(places)
    # s = -sum_t x_t E_t + 0 >= 0 by columns; only the lower triangle is read.
    gs = [spmatrix(-1.0, [j * k + i for i, j in places], range(n), (k * k, n))]
    hs = [matrix(0.0, (k, k))]
    at = np.zeros((m, n))
    for t, (i, j) in enumerate(places):
        if i >= d > j:
            at[:, t] = problem.left[:, j] * problem.right[:, i - d]
    gl, hl = matrix(-at), matrix(-1.0, (m, 1))
    c = matrix([0.5 if i == j else 0.0 for i, j in places])

    def gap(result):
        x, a = np.array(result["x"]).ravel(), np.maximum(np.array(result["zl"]).ravel(), 0)
        w = np.zeros((d, columns))
        for t, (i, j) in enumerate(places):
            if i >= d > j:
                w[j, i - d] = x[t]
        upper = np.linalg.svd(w)[1].sum() / (problem.flat @ w.ravel()).min()
        lower = a.sum() / np.linalg.norm((problem.flat.T @ a).reshape(d, columns), 2)
        return upper / lower - 1

    return lambda: solvers.sdp(c, gl, hl, gs, hs), gap


primal_sdp.slow = True  # seconds a run: one draw, the tolerance it reaches


def lmi(reduced):
    """max 1'a, |sum a_j A_j|_op <= 1, a >= 0: a linear matrix inequality of order rows + columns.
    reduced: in orthonormal bases of the spans of left and of right."""

    def form(problem):
        left, right = problem.left, problem.right
        if reduced:
            left, right = (x @ scipy.linalg.orth(x.T) for x in (left, right))
        m, d, columns = problem.count, left.shape[1], right.shape[1]
        k = d + columns
        blocks = np.zeros((m, k, k))
        blocks[:, :d, d:] = np.einsum("ja,jb->jab", left, right)
        blocks += blocks.transpose(0, 2, 1)
        gs = [matrix(np.ascontiguousarray(blocks.reshape(m, k * k).T))]
        hs = [matrix(np.eye(k))]
        gl, hl = spmatrix(-1.0, range(m), range(m)), matrix(0.0, (m, 1))
        c = matrix(-1.0, (m, 1))
        flat = np.einsum("ja,jb->jab", left, right).reshape(m, d * columns)

        def gap(result):
            z, a = np.array(result["zs"][0]), np.maximum(np.array(result["x"]).ravel(), 0)
            w = -(z[:d, d:] + z[d:, :d].T).ravel()
            w = w if (flat @ w).sum() > 0 else -w
            upper = np.linalg.svd(w.reshape(d, columns))[1].sum() / (flat @ w).min()
            lower = a.sum() / np.linalg.norm((flat.T @ a).reshape(d, columns), 2)
            return upper / lower - 1

        return lambda: solvers.sdp(c, gl, hl, gs, hs), gap

    return form


FORMS = {
    "p": [("cvxopt-qp", primal("chol2")), ("cvxopt-qp", primal("chol")), ("cvxopt-dual", dual("chol2")),
          ("scipy-nnls", nnls)],
    "p-close": [("cvxopt-qp", primal("chol2")), ("scipy-nnls", nnls)],
    "W": [("cvxopt-dual", dual("chol2")), ("cvxopt-dual", dual("chol")), ("scipy-nnls", nnls)],
    "l1.75": [("cvxopt-cp", power_primal(1.75)), ("cvxopt-cp", power_dual(1.75))],
    "l3": [("cvxopt-cp", power_primal(3)), ("cvxopt-cp", power_dual(3))],
    "nuclear": [("cvxopt-sdp", primal_sdp), ("cvxopt-lmi", lmi(False)),
                ("cvxopt-lmi-reduced", lmi(True))],
}
# Wanted ratios, for the lines 'ratio'. cvxopt-sdp is the form as it is written down, cvxopt-lmi its
# dual (16 unknowns instead of 820), which only who knows takes, and -reduced in bases of the spans.
TARGETS = {("p", "cvxopt-qp"): 20, ("p", "scipy-nnls"): 3, ("W", "cvxopt-dual"): 5,
           ("l1.75", "cvxopt-cp"): 20, ("l3", "cvxopt-cp"): 20, ("nuclear", "cvxopt-sdp"): 50}


def attempt(form, problem, asked):
    """Seconds and gap at one tolerance; None: it broke down, or gave up."""
    solvers.options.update(abstol=asked[0], reltol=asked[0], feastol=asked[1], maxiters=100)
    solve, gap = form(problem)
    best, total, result = np.inf, 0, None
    for run in range(1 if getattr(form, "slow", False) else 20):
        start = time.process_time()
        try:
            result = solve()
        except (ArithmeticError, ValueError):
            return None
        seconds = time.process_time() - start
        best, total = min(best, seconds), total + seconds
        if (run >= 2 and total > 0.3) or total > 2:
            break
    if isinstance(result, dict) and result["status"] != "optimal":
        return None
    return best, gap(result)


def tightest(form, problems):
    """The tightest tolerance that is reached in every draw: (asked, median seconds, largest gap)."""
    slow = getattr(form, "slow", False)
    problems = problems[:1] if slow else problems
    for asked in [(1e-8, 1e-8)] if slow else TIGHTEST:
        found = []
        for problem in problems:
            one = attempt(form, problem, asked)
            if one is None:
                break
            found.append(one)
        if len(found) == len(problems):
            return asked, float(np.median([s for s, _ in found])), max(g for _, g in found)
    return None


def seconds_of_ours(path):
    ours = {}
    with open(path) as file:
        for line in file:
            words = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if line.startswith("margin problem="):
                ours[words["problem"]] = (float(words["seconds"]), float(words["gap"]))
    return ours


def main():
    folder = sys.argv[1]
    ours = seconds_of_ours(sys.argv[2]) if len(sys.argv) > 2 else {}
    for name, forms in FORMS.items():
        problems = [Problem(path) for path in sorted(glob.glob(f"{folder}/{name}-[0-9]*.bin"))]
        fastest = {}
        for peer, form in forms:
            found = tightest(form, problems)
            if found is None:
                print(f"{peer} problem={name} failed", flush=True)
                continue
            asked, seconds, gap = found
            print(f"{peer} problem={name} form={form.__qualname__.split('.')[0]} seeds={len(problems)} "
                  f"asked={asked[0]:.0e} feasible={asked[1]:.0e} seconds={seconds:.3e} gap={gap:.1e}", flush=True)
            fastest[peer] = min(fastest.get(peer, np.inf), seconds)
        for peer, seconds in fastest.items():
            if name in ours:
                target = TARGETS.get((name, peer))
                print(f"ratio problem={name} peer={peer} ratio={seconds / ours[name][0]:.2f}"
                      + (f" target={target}" if target else ""), flush=True)


if __name__ == "__main__":
    main()
