"""margin_extra.py -- what `tropism margin` tells beside a solution: --enumerate, --direction, and the finite part of --equal.

--enumerate: every selection is solved in l2 (margins.least_l2); it is locally optimal when its selected tokens score strictly higher than the tokens
whose margin is 1. Selections with a margin between 1 + 1e-9 and 1 + 1e-4, or that are nearly infeasible, are left out.
--direction: logits of W are fractions; the token with the largest one is selected, -1 in a tie; margin is the least lead over |W|_2.
--equal with weights: W_fin has the least Frobenius norm under (x_t - x_a)' W z = log(s_t / s_a) inside of each set.
"""
import itertools
import math
from fractions import Fraction

import numpy

import margins
from harness import Difference, close, equal, number


def judge_enumerate(problem, answer):
    counts = [len(keys) for keys, _, _ in problem.asks]
    found = equal("combinations", math.prod(counts), answer["combinations"])
    if problem.name != "l2":
        return found
    sure, open_ones, feasible, doubt = {}, set(), 0, False
    for alpha in itertools.product(*map(range, counts)):
        rows = margins.constraints(problem.asks, alpha)
        if not rows:
            return found
        A = numpy.array([[float(x) for x in row.row] for row in rows])
        W, gap = margins.least_l2(A, numpy.ones(len(rows)))
        if W is None or gap > 1e-8:
            point = margins.feasible(rows)
            doubt |= W is not None or point is not None
            open_ones.add(alpha)
            continue
        feasible += 1
        leads = A @ W - 1
        if ((leads > 1e-9) & (leads < 1e-4)).any():
            open_ones.add(alpha)
            continue
        gaps = [problem.asks[row.input][2][alpha[row.input]] - problem.asks[row.input][2][row.token]
                for row, lead in zip(rows, leads) if lead <= 1e-9]
        if all(g > 0 for g in gaps):
            sure[alpha] = float(numpy.linalg.norm(W))
    told = {tuple(row["alpha"]): row for row in answer["selections"] or ()}
    if not doubt:
        found += equal("feasible", feasible, answer["feasible"])
    for alpha, norm in sure.items():
        if alpha not in told:
            found.append(Difference("selections", f"with {alpha}", sorted(told)[:6], ""))
        else:
            found += close("selections[].norm", norm, told[alpha]["norm"], 1e-7 * norm)
    for alpha in told:
        if alpha not in sure and alpha not in open_ones:
            found.append(Difference("selections", f"without {alpha}", sorted(told)[:6], ""))
    norms = [number(row["norm"]) for row in answer["selections"] or ()]
    return found[:3] + equal("selections[].norm", sorted(norms), norms, "smallest first")


def judge_direction(problem, given, answer):
    flat = [Fraction(x) for x in given["p"]] if "p" in given else [Fraction(x) for row in given["W"] for x in row]
    alpha, leads = [], []
    for i, (keys, query, scores) in enumerate(problem.asks):
        logits = [sum(a * b for a, b in zip(margins.outer(key, query), flat)) for key in keys]
        top = max(logits)
        alpha.append(logits.index(top) if logits.count(top) == 1 else -1)
        leads += [(top - x, i, t) for t, x in enumerate(logits) if t != logits.index(top)]
    found = equal("direction.alpha", alpha, answer["direction.alpha"])
    length = float(margins.size(flat, problem.columns, "l2", Fraction(2)))
    if leads and length and -1 not in alpha:
        least = min(leads)[0]
        found += close("direction.margin", float(least) / length, answer["direction.margin"], 1e-13 * float(least) / length)
        near = [lead for lead in leads if lead[0] == least]
        if not any(least < lead[0] < least * (1 + Fraction(1, 10 ** 9)) for lead in leads):
            found += equal("direction.neighbours", len(near), answer["direction.neighbours"])
            if problem.asks[0][2] is not None:
                lower = all(problem.asks[i][2][t] < problem.asks[i][2][alpha[i]] for _, i, t in near)
                found += equal("direction.optimal", lower, answer["direction.optimal"])
    return found


def judge_finite(problem, weights, answer):
    rows, right = [], []
    for (keys, query, _), s in zip(problem.asks, weights):
        chosen = [t for t, w in enumerate(s) if w > 0]
        for t in chosen[1:]:
            rows.append([float(x) for x in margins.outer(margins.less(keys[t], keys[chosen[0]]), query)])
            right.append(math.log(s[t] / s[chosen[0]]))
    if not rows or answer["finite.outcome"] != "solved":
        return []
    A, b = numpy.array(rows), numpy.array(right)
    values = numpy.linalg.svd(A, compute_uv=False)
    if len(values) < len(rows) or values[-1] <= 1e-6 * values[0]:
        return []
    W = numpy.linalg.lstsq(A, b, rcond=None)[0]
    share = 1e-13 * values[0] / values[-1] * len(rows)
    size = float(numpy.linalg.norm(W))
    got = numpy.array(answer["finite.W"], dtype=float).ravel()
    found = close("finite.norm", size, answer["finite.norm"], 1e-10 * size + share * size)
    return found + close("finite.W", 0, float(abs(got - W).max()), 2e-5 * size + 1e-300)
