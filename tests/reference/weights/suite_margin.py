"""suite_margin.py -- `tropism margin`: answers proved again, in fractions (docs/margin.md, docs/results.md).

The constraints are built a second time (margins.py). Of a solved problem the weights are read as the doubles that they
are: their least margin is a fraction, and |W| over it an upper bound; the multipliers give a lower bound by weak duality. Both must be what
the program says to 64 u (1 + kappa), which is what it may lose by rounding W. An infeasible problem must name
constraints that contradict each other exactly, and no linear program may find a W.

Support: a margin within 0.9 max(64 u kappa, 1e-11) of its right side is support; one that exceeds it by more than the distance to the
optimum, |A_j| |W| sqrt(2 gap) in l2, or by 1e-6 in the norms without one, is not.
"""
import itertools
import json
import math
from fractions import Fraction

import numpy

import margin_data
import margin_extra
import margins
from harness import Difference, close, equal, number

U = 2.0 ** -53


class Problem:
    def __init__(self, case):
        o = case.options
        self.o, self.data = o, json.loads(case.files["data.json"])
        self.model, self.name = o["model"], o.get("norm", "l2")
        self.p = Fraction(o.get("p", "2"))
        self.winners = None
        self.relaxed = {int(x) for x in o["relaxed"].split(",")} if "relaxed" in o else set()
        if self.model == "graph":
            self.rows, self.columns = margins.graph_rows(self.data), len(self.data["E"][0])
            self.options = [None]
            return
        self.asks = margins.asks_of(self.data, self.model, o.get("mask", "full"), int(o.get("row", 0)))
        self.columns = len(self.asks[0][1])
        self.rivals = None
        if "equal" in o:
            self.rows = margins.equal_sets(self.asks, self.sets(case))
            self.options = [None]
            return
        self.options = self.choices(o.get("select", "optimal"))

    def rough(self):
        """Roundings of the norms: singular values are enclosed after the fact, which costs more."""
        return 1024 if self.name in ("nuclear", "spectral") else 64

    def sets(self, case):
        given = json.loads(case.files[self.o["equal"]])
        return given.get("sets") or [[t for t, w in enumerate(row) if w > 0] for row in given["weights"]]

    def choices(self, select):
        """The selections that may be the answer: products of what each ask allows."""
        if select == "optimal":
            each = [[t for t, s in enumerate(scores) if s == max(scores)] for _, _, scores in self.asks]
        else:
            each = [[int(t) for t in part.split("|")] for part in select.split(",")]
        self.rivals = each
        return list(itertools.product(*each))

    def rows_of(self, alpha):
        if alpha is None:
            return self.rows
        if self.model == "label":
            return margins.label_rows(self.data, self.asks, alpha)
        return margins.constraints(self.asks, alpha, self.relaxed, self.rivals,
                                   len(self.data["X"][0]) if self.model == "sequence" else 1)


def flat(answer):
    weights = answer["weights"] or {}
    for name in ("p", "v"):
        if name in weights:
            return [Fraction(x) for x in weights[name]]
    return [Fraction(x) for row in weights["W"] for x in row] if "W" in weights else None


def judge_solved(problem, rows, answer):
    W = flat(answer)
    upper, lower, kappa = (number(answer[name]) for name in ("upper", "lower", "kappa"))
    if W is None:
        return [Difference("weights", "weights", None, "")]
    found = equal("norm", answer["upper"], answer["norm"])
    share = problem.rough() * U * (1 + kappa)
    norm = float(margins.size(W, problem.columns, problem.name, problem.p))
    if not rows or not any(row.right for row in rows):
        found += close("norm", 0, upper, 0) + close("weights", 0, norm, 0)
        return found
    values = [sum(a * b for a, b in zip(row.row, W)) for row in rows]
    least = min(v for v, row in zip(values, rows) if row.right and not row.equal)
    slack = max((abs(v) for v, row in zip(values, rows) if row.equal), default=Fraction(0))
    if least <= 0:
        return found + [Difference("weights", "a positive margin", float(least), "")]
    for v, row in zip(values, rows):
        if not row.right and not row.equal and v < 0:
            found.append(Difference("weights", "not below 0", float(v), f"relaxed {row.input}, {row.token}"))
    found += close("upper", norm / float(least), upper, share * upper + (float(slack) * 1e3 * norm if slack else 0))
    if slack:
        found += close("equations", 0, float(slack), share, "of the equations")
    wanted = number(answer["tolerance"])
    promise = {"l2": 1e-10, "l1": 1e-9, "linf": 1e-9, "nuclear": 1e-8, "spectral": 1e-8}.get(
        problem.name, 1e-10 if Fraction("1.05") <= problem.p <= 4 else 1e-9 if 4 < problem.p <= 8 else 1e-8)
    found += close("tolerance", max(promise, 8 * U * kappa), wanted, 1e-3 * wanted)
    found += close("gap", upper / lower - 1, answer["gap"], 4 * U)
    if not upper / lower - 1 <= wanted * (1 + 1e-9):
        found.append(Difference("gap", f"at most {wanted}", upper / lower - 1, ""))
    # a W that misses equations by some rounding may be shorter by as much
    if lower > norm / float(least) * (1 + 1e-13 + (1e3 * float(slack) if slack else 0)):
        found.append(Difference("lower", f"at most {norm / float(least)}", lower, "a feasible W is shorter"))
    found += close("margin", 1 / upper, answer["margin"], 4 * U / upper)
    sizes = [float(margins.dual_size(row.row, problem.columns, problem.name, problem.p)) for row in rows]
    found += close("kappa", max(sizes) * norm, kappa, 1e-9 * kappa)
    multipliers = answer["multipliers"]
    if problem.model != "graph" and multipliers is not None:
        found += judge_multipliers(problem, rows, multipliers, lower)
    found += judge_support(problem, rows, values, sizes, answer, norm)
    return found


def judge_multipliers(problem, rows, multipliers, lower):
    if len(multipliers) != len(rows):
        return [Difference("multipliers", len(rows), len(multipliers), "how many")]
    exact = [Fraction(x) for x in multipliers]
    found = [Difference("multipliers", "at least 0", float(x), "") for x, row in zip(exact, rows)
             if x < 0 and not row.equal][:1]
    pull = [sum(x * row.row[k] for x, row in zip(exact, rows)) for k in range(len(rows[0].row))]
    size = float(margins.dual_size(pull, problem.columns, problem.name, problem.p))
    # A'lambda cancels: its terms are sum |lambda_j| |A_j|, each good to u.
    terms = sum(float(abs(x)) * float(margins.dual_size(row.row, problem.columns, problem.name, problem.p))
                for x, row in zip(exact, rows) if x)
    off = problem.rough() * U * (1 + terms / size) if size else math.inf
    found += close("multipliers", 1, size, off, "|A'lambda|_dual")
    proved = float(sum(x * row.right for x, row in zip(exact, rows))) / size
    if len(problem.options) > 1 and lower <= proved:
        return found  # the least of the bounds of all selections
    return found + close("lower", proved, lower, (off + 1e-13) * proved)


def judge_support(problem, rows, values, sizes, answer, norm):
    kappa, gap = number(answer["kappa"]), max(number(answer["gap"]), 0.0)
    told = {tuple(pair) for pair in answer["support"] or ()}
    found = []
    sharp = problem.name == "l2" or problem.name == "lp" and problem.p == 2
    for row, value, size in zip(rows, values, sizes):
        if row.equal:
            continue
        away = float(value - row.right)
        if row.right and away <= 0.9 * max(64 * U * kappa, 1e-11) and (row.input, row.token) not in told:
            found.append(Difference("support", f"with {row.input}, {row.token}", sorted(told)[:8], f"{away:.3g} above"))
        far = size * norm * math.sqrt(2 * gap) + 1e-11 + 64 * U * kappa if sharp else 1e-6
        if problem.name != "lp" or sharp:
            if away > 4 * far and (row.input, row.token) in told and problem.model != "graph":
                found.append(Difference("support", f"without {row.input}, {row.token}", sorted(told)[:8],
                                        f"{away:.3g} above"))
    return found[:2] + judge_scores(problem, rows, told, answer)


def judge_scores(problem, rows, told, answer):
    alpha = answer["alpha"]
    if alpha is None or problem.relaxed or problem.model in ("label", "graph") or problem.asks[0][2] is None:
        return []
    gaps = [problem.asks[i][2][alpha[i]] - problem.asks[i][2][t] for i, t in told]
    least = min(gaps, default=None)
    found = []  # tokens in doubt count too, which ones is not told
    if least is None and not answer["support_doubtful"]:
        found += equal("score_gap", math.inf, number(answer["score_gap"]))
    elif least is not None and not answer["support_doubtful"]:
        found += close("score_gap", least, answer["score_gap"], 256 * U * (1 + abs(float(least))))
    if not answer["support_doubtful"]:
        found += equal("locally_optimal", least is None or least > 0, answer["locally_optimal"])
    return found


def judge_rank(problem, answer):
    if problem.columns == 1 and problem.model in ("prompt", "label"):
        return []
    W = flat(answer)
    top = max(map(abs, W), default=0)
    found = []
    if not top and (problem.model == "graph" or len(problem.data["X"][0]) > 1):
        return []
    if not top:
        return equal("rank_upper", 0, answer["rank_upper"]) if problem.name in ("l2", "nuclear") else []
    matrix = numpy.array([float(x / top) for x in W]).reshape(-1, problem.columns)
    values = numpy.linalg.svd(matrix, compute_uv=False)
    if problem.name == "nuclear":
        K, Q = (numpy.array(answer["factors." + name], dtype=float) for name in "KQ")
        found += close("factors", 0, float(abs(K @ Q.T / float(top) - matrix).max()), 1e-13)
        found += equal("rank", K.shape[1], answer["rank"])
    if problem.name == "l2":
        if answer["rank"] > int((values > 1e-12 * values[0]).sum()):
            found.append(Difference("rank", f"at most {int((values > 1e-12 * values[0]).sum())}", answer["rank"], ""))
        if answer["rank"] > answer["rank_upper"]:
            found.append(Difference("rank_upper", f"at least {answer['rank']}", answer["rank_upper"], ""))
    return found


def judge_infeasible(rows, answer):
    found = equal("norm", math.inf, number(answer["norm"])) + equal("upper", math.inf, number(answer["upper"]))
    W = margins.feasible(rows)
    if W is not None and not any(row.equal for row in rows):
        if all(sum(a * b for a, b in zip(row.row, W)) >= row.right for row in rows):
            found.append(Difference("outcome", "feasible", "infeasible", f"W = {[float(x) for x in W]}"[:200]))
    named = answer["certificate.rows"]
    if not named:
        return found + [Difference("certificate.rows", "constraints", named, "")]
    if margins.contradiction([rows[j] for j in named]) is False:
        found.append(Difference("certificate.rows", "a contradiction", named, "exactly"))
    return found


def interior(rows):
    """Whether relaxed rows can be above 0 together: where they force each other to 0 no double satisfies them, and the
    solver stalls with bounds that hold."""
    return margins.feasible([row._replace(right=row.right or Fraction(1, 1024)) for row in rows]) is not None


class Margin:
    name = "margin"
    axes = margin_data.AXES

    def make(self, chosen, rng):
        return margin_data.make(chosen, rng)

    def refusal(self, case):
        return margin_data.refusal(case)

    def judge(self, case, answer):
        problem = Problem(case)
        outcome = answer["outcome"]
        alpha = answer["alpha"]
        found = []
        if problem.options != [None]:
            if alpha is None or tuple(alpha) not in problem.options:
                if outcome == "solved" or len(problem.options) == 1:
                    return [Difference("alpha", problem.options[:4], alpha, "")]
                alpha = problem.options[0]
            if "enumerate" not in case.options:
                found += equal("combinations", len(problem.options), answer["combinations"])
        rows = problem.rows_of(None if problem.options == [None] else tuple(alpha))
        if problem.model != "graph":
            found += equal("constraints", len(rows), answer["constraints"])
        if outcome == "solved":
            found += judge_solved(problem, rows, answer) + judge_rank(problem, answer)
            if len(problem.options) > 1:
                found += self.judge_others(problem, answer)
        elif outcome == "infeasible":
            if problem.model == "graph" or len(problem.options) > 1:
                W = margins.feasible(rows)
                if W is not None and all(row.equal or sum(a * b for a, b in zip(row.row, W)) >= row.right for row in rows) \
                        and not any(row.equal for row in rows):
                    found.append(Difference("outcome", "feasible", outcome, ""))
            else:
                found += judge_infeasible(rows, answer)
        elif not any(row.equal for row in rows) and interior(rows):
            found.append(Difference("outcome", "solved or infeasible", outcome, f"gap {answer['gap']}"))
        return found + self.judge_extra(problem, case, answer)

    def judge_extra(self, problem, case, answer):
        found = []
        if "enumerate" in case.options:
            found += margin_extra.judge_enumerate(problem, answer)
        if "direction" in case.options:
            found += margin_extra.judge_direction(problem, json.loads(case.files["direction.json"]), answer)
        if "equal" in case.options and "weights" in json.loads(case.files["equal.json"]):
            found += margin_extra.judge_finite(problem, json.loads(case.files["equal.json"])["weights"], answer)
        return found

    def judge_others(self, problem, answer):
        """No other selection has a smaller l2 norm."""
        if problem.name != "l2" or problem.relaxed:
            return []
        for alpha in problem.options[:32]:
            rows = problem.rows_of(alpha)
            if not rows:
                continue
            A = numpy.array([[float(x) for x in row.row] for row in rows])
            w, gap = margins.least_l2(A, numpy.ones(len(rows)))
            if w is not None and numpy.linalg.norm(w) < number(answer["lower"]) * (1 - 1e-7):
                return [Difference("norm", float(numpy.linalg.norm(w)), answer["norm"], f"selection {alpha}")]
        return []

    def smaller(self, case):
        return margin_data.smaller(case)


SUITE = Margin()
