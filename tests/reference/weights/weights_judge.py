"""weights_judge.py -- what `tropism train` says of recorded weights, computed again from them.

loss, log_gap = log(L - L*), loss_infimum, saturation (mean of the largest weights), alpha (the token with more than half of the
attention, -1 otherwise), norm and log_norm in the optimiser's norm, margins (least logit lead of the selected
tokens over each norm), correlation with the l2 max-margin solution for alpha and, for p = 2, bregman = 1 - correlation.

Bounds: losses as layer.py derives them; a norm of N entries is off by (N + 8) u of itself (singular values: 64 N u); a margin by the
error of the logits, which is d^2 u |k||W||z| at most for plain sums, over the norm; a correlation by the distance of the
two solutions, sqrt(2 gap) for the documented gap 1e-10 of l2, and by that of ours (margins.py).
"""
import math
from decimal import Decimal
from fractions import Fraction

import numpy

import margins
from heads import loss_slope
from layer import U, best_score, product, transposed
from harness import Difference, close, equal, number
from optimizers import OWN_NORM
from powers import norm


def norms(matrix, p):
    """All norms of a matrix of Decimals, as floats."""
    values = [x for row in matrix for x in row]
    top = max((abs(x) for x in values), default=Decimal(0))
    if not top:
        return dict.fromkeys(("l1", "l2", "lp", "linf", "nuclear", "spectral"), Decimal(0))
    scaled = numpy.array([[float(x / top) for x in row] for row in matrix])
    singular = numpy.linalg.svd(scaled, compute_uv=False)
    return {"l1": norm(values, Fraction(1)), "l2": norm(values, Fraction(2)),
            "lp": norm(values, p), "linf": top,
            "nuclear": Decimal(float(singular.sum())) * top, "spectral": Decimal(float(singular[0])) * top}


def matrix_of(weights):
    if "K" in weights:
        return product(weights["K"], transposed(weights["Q"]))
    return weights["W"] if "W" in weights else [[x] for x in weights["p"]]


def judge(problem, record, layer, answer):
    """record: of the history; answer: the whole result where the record is its last."""
    weights = layer.weights
    at = f"[{record['step']}]"
    found = close("loss" + at, layer.loss, record["loss"], 4 * layer.loss_error + 1e-300)
    if problem.known:
        gap, error = layer.gap()
        if gap > 0:
            wanted = gap.ln()
            found += close("log_gap" + at, wanted, record["log_gap"], 4 * error + 16 * U * (1 + abs(float(wanted))))
        else:
            found += equal("log_gap" + at, -math.inf, number(record["log_gap"]))
    else:
        found += equal("log_gap" + at, None, record["log_gap"])
    found += attention_fields(record, layer, at)
    p = problem.options()["p"] if problem.o["optimizer"] in ("mirror", "nmirror", "square", "steepest") else Fraction(2)
    matrix = matrix_of(weights)
    all_norms = norms(matrix, p)
    own = OWN_NORM[problem.o["optimizer"]]
    count = len(matrix) * len(matrix[0])
    share = (64 * count + 64 if own in ("spectral", "nuclear") else count + 16) * U
    product_error = 0.0
    if "K" in weights:  # rounding of K Q'
        sizes = norms([[sum(abs(a * b) for a, b in zip(k, q)) for q in weights["Q"]] for k in weights["K"]], p)
        product_error = (len(weights["K"][0]) + 2) * U * float(sizes[own])
    found += close("norm" + at, all_norms[own], record["norm"], share * float(all_norms[own]) + product_error + 1e-320)
    if all_norms[own] > 0:
        wanted = all_norms[own].ln()
        found += close("log_norm" + at, wanted, record["log_norm"],
                       share + product_error / float(all_norms[own]) + 4 * U * abs(float(wanted)))
    else:
        found += equal("log_norm" + at, -math.inf, number(record["log_norm"]))
    found += selection_fields(problem, record, layer, matrix, all_norms, at)
    if answer is not None:
        for name in ("loss", "log_gap", "alpha", "undecided", "saturation", "norm", "log_norm", "correlation", "bregman",
                     "locally_optimal"):
            found += equal(name, record[name], answer[name], "history and result")
        if problem.known:
            found += close("loss_infimum", layer.infimum(), answer["loss_infimum"], 4 * layer.loss_error
                           + 8 * U * abs(float(layer.infimum())) + 1e-300 + infimum_error(layer))
        else:
            found += equal("loss_infimum", None, answer["loss_infimum"])
    return found


def infimum_error(layer):
    worst = 0.0
    for ask in layer.asks:
        sizes = [abs(a) for a in layer.v[0]]
        rough = max(float(sum(a * abs(b) for a, b in zip(sizes, x))) for x in ask.tokens)
        slope = abs(float(loss_slope(layer.settings["loss"], best_score(ask, layer.v)[0])))
        worst = max(worst, (len(sizes) + 4) * U * rough * slope)
    return worst + len(layer.asks) * U * abs(float(layer.infimum()))


def attention_fields(record, layer, at):
    half = Decimal("0.5")
    alpha, sure = [], True
    for run in layer.runs:
        top = max(run.s)
        alpha.append(run.s.index(top) if top > half else -1)
        sure &= top == half or abs(top - half) > Decimal(2 * run.logit_error + 8 * U)
    found = []
    if sure:
        found += equal("alpha" + at, alpha, record["alpha"])
        found += equal("undecided" + at, alpha.count(-1), record["undecided"])
    mean = sum((max(run.s) for run in layer.runs), Decimal(0)) / len(layer.runs)
    off = max(len(run.s) * U + 2 * run.logit_error for run in layer.runs)
    return found + close("saturation" + at, mean, record["saturation"], off + (len(layer.runs) + 8) * U)


def selection_fields(problem, record, layer, matrix, all_norms, at):
    alpha = record["alpha"]
    if alpha is None or -1 in alpha:
        return [] if "E" in problem.data else equal("margin_l2" + at, None, record["margin_l2"], "undecided") + equal("correlation" + at, None,
                                                                                      record["correlation"])
    leads = [run.logits[a] - x for run, a in zip(layer.runs, alpha) for t, x in enumerate(run.logits) if t != a]
    if not leads:
        return []
    least = min(leads)
    off = max(margin_error(run, matrix, problem) for run in layer.runs)
    found = []
    for name, size in all_norms.items():
        if size > 0:
            wanted = float(least / size)
            found += close(f"margin_{name}{at}", wanted, record["margin_" + name],
                           off / float(size) + (64 * len(matrix) ** 2 + 64) * U * abs(wanted))
    if "E" in problem.data or problem.compare == "none":
        return found  # next-token data are compared with the solution of their graph
    v = None if layer.settings["head"] == "quadratic" else layer.v
    rows, right = margins.leads(layer.asks, alpha, "p" not in problem.names, v)
    W, gap = margins.least_l2(rows, right)
    if W is None or gap > 1e-7:
        return found
    w = numpy.array([float(x / all_norms["linf"]) for row in matrix for x in row])
    cosine = float(w @ W / numpy.linalg.norm(w) / numpy.linalg.norm(W))
    far = math.sqrt(2e-10) + math.sqrt(2 * max(gap, 0.0)) + 1e-14
    if record["correlation"] is None:
        return found + [Difference("correlation" + at, cosine, None, "the selection has a solution")]
    found += close("correlation" + at, cosine, record["correlation"], far)
    p = problem.o["p"] if problem.o["optimizer"] in ("mirror", "nmirror", "square", "steepest") else "2"
    if p == "2":
        found += close("bregman" + at, 1 - cosine, record["bregman"], far)
        found += local_field(problem, record, layer, alpha, rows @ W - 1, at)
    return found


def local_field(problem, record, layer, alpha, leads, at):
    """locally_optimal of l2, for scores y v'x: where every margin is clearly 1 or clearly above."""
    if not problem.known or ((leads > 1e-9) & (leads < 1e-4)).any() or leads.max(initial=0) > 1e6:
        return []
    behind, place = [], 0
    for run, a in zip(layer.runs, alpha):
        gaps = best_score(run.ask, layer.v)[1]
        for t in range(len(gaps)):
            if t != a and not margins.tied(run.ask, a, t, None if layer.settings["head"] == "quadratic" else layer.v):
                if leads[place] <= 1e-9:
                    behind.append(gaps[t] - gaps[a])
                place += 1
    return equal("locally_optimal" + at, all(g > 0 for g in behind), record["locally_optimal"])


def margin_error(run, matrix, problem):
    key = max(float(sum(x * x for x in k)) ** 0.5 for k in run.ask.keys)
    size = float(norm([x for row in matrix for x in row], Fraction(2)))
    query = float(sum(x * x for x in run.ask.query)) ** 0.5 if run.ask.query and "p" not in problem.names else 1.0
    rank = 1 + (problem.width if "K" in problem.names else 0)
    return 2 * len(matrix) ** 2 * rank * U * key * size * query
