"""suite_path.py -- `tropism path`: the least loss over balls (docs/path.md, docs/gradients.md "Regularisation paths").

At every radius the returned weights are read as they are: their norm is within the radius, loss, log_gap, rate, alpha, alignment
<-G, W> / (|G|_q |W|_p), correlation and bregman (p = 2) are computed again with 60 digits (layer.py). What must hold of a least loss:

    the loss falls with the radius, since the ball before is inside of the next and its answer is a start;
    it is at most that of R W_mm / |W_mm|, which is a start too (bracket_upper), and that of 0 and of random points of the ball;
    no rate is below bracket_lower, log((1/N) min_q [l(b_q - g_q sigma(-R/N_mm)) - l(b_q)]) / R, g_q the lead of the best score.

The problem is not convex: that a better point exists somewhere is no fault, unless it is one of those above. Random points are a few directions
of length R, looked at where --starts is 4 at least; only points that are better by more than 1e-9 of L - L* count.

Bounds: W in double moves logits by u |k||W||z|, so that gradients and L - L* are good to (layer.py) that and 64 of these.
"""
import json
import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy

import margins
import train_data
import weights_judge
from harness import Case, Difference, close, equal, number
from heads import ZERO, loss_rise
from layer import U, Layer, best_score
from powers import norm
from suite_train import Problem, flat

AXES = {
    "model": ("prompt", "keys", "cross", "self", "sequence", "causal", "places", "joint", "joint-z", "kq"),
    "loss": ("logistic", "exponential", "correlation"),
    "p": ("1", "1.1", "1.75", "2", "3", "6"),
    "radius": ("0.5", "1,5", "3:9:3", "10,100", "5,1", "1e-3,1000"),
    "starts": ("0", "1", "4"),
    "decoder": ("R", "0.5"),
    "local": (False, True),
    "data": ("drawn", "lattice", "duplicates", "equal", "antipodal", "tiny"),
    "shape": ("1x1x1", "1x2x1", "1x2x2", "2x3x2", "3x2x3", "2x4x2", "1x7x2", "1x8x2", "1x9x2", "7x2x2", "8x2x2", "9x2x2", "1x2x7", "1x2x9"),
}


def radii_of(text):
    """10,20 or 10:100:10."""
    found = []
    for part in text.split(","):
        ends = [float(x) for x in part.split(":")]
        if len(ends) == 1:
            found += ends
        else:
            step = ends[2] if len(ends) > 2 else 1.0
            found += [ends[0] + k * step for k in range(int((ends[1] - ends[0]) / step + 1e-9) + 1)]
    return found


def tail(problem, R, lower):
    """log of the bound of L - L* below, over R; None where no ask has a second token."""
    best = []
    share = 1 / (1 + (Decimal(R) / Decimal(lower)).exp())
    for ask in problem.asks:
        if len(ask.tokens) > 1:
            b, behind = best_score(ask, problem.v)
            drop = sorted(behind)[1] * share
            best.append(loss_rise(problem.o["loss"], b, drop, b - drop))
    return (min(best) / len(problem.asks)).ln() / Decimal(R) if best and min(best) > 0 else None


def judge_gradient(problem, row, layer, p, R, at):
    """alignment and misalignment; joint takes the largest misalignment."""
    found, q = [], p / (p - 1)
    name = problem.names[0]
    G, E = (flat(part) for part in layer.gradient()[name])
    W = flat(layer.weights[name])
    size, off = norm(G, q), norm(E, q)
    length = norm(W, p)
    if not size or not length or off > size / 1000 or row["alignment"] is None:
        return []
    value = -sum((g * w for g, w in zip(G, W)), ZERO) / size / length
    allowed = 4 * float(off / size) + 4 * (len(G) + 16) * U
    found += close("alignment" + at, value, row["alignment"], allowed)
    edge = float(length) >= R * (1 - 1e-12) and row["kind"] != "edge"
    if edge and problem.model != "joint":
        found += close("misalignment" + at, 1 - value, row["misalignment"], allowed + 1e-6 * float(abs(1 - value)))
    if edge and row["kind"] in ("bracketed", "stationary") and 1 - value > 1e-10 + allowed:
        found.append(Difference("kind" + at, "unfinished", row["kind"], f"misalignment {float(1 - value):.3g}"))
    return found


def judge_points(problem, layer, R, p, rng, at):
    """0 and random points of the ball are not better."""
    names = problem.names
    own, _ = layer.gap()
    for k in range(6):
        point = {}
        for name in names:
            rows, columns = problem.shape(name)
            values = [Decimal(rng.gauss(0, 1)) if k else ZERO for _ in range(rows * columns)]
            length = norm(values, p)
            values = [x / length * Decimal(R) for x in values] if length else values
            point[name] = values if name in "pv" else [values[i:i + columns] for i in range(0, len(values), columns)]
        other, error = Layer(problem.asks, point, problem.settings, problem.v).gap()
        if other < own * (1 - Decimal(1e-9) - Decimal(4 * error)):
            return [Difference("loss" + at, float(other), float(own), f"L - L* of {'a random point' if k else '0'}")]
    return []


def judge_cone(problem, options, row, p, at):
    """cone: the divergence of the solution for select from the weights; of l2 it is 1 less their cosine."""
    largest, told = float(options["cone"]), number(row["cone"])
    if told is None:
        return []
    found = [Difference("cone" + at, f"at most {largest}", told, "")] if told > largest * (1 + 1e-12) + 1e-12 else []
    if p != 2 or not any(row["weights"]):
        return found
    A, r = margins.leads(problem.asks, [int(t) for t in options["select"].split(",")], "p" not in problem.names)
    W, gap = margins.least_l2(A, r)
    if gap > 1e-8:
        return found
    w = numpy.array(row["weights"])
    cosine = float(w @ W / numpy.linalg.norm(w) / numpy.linalg.norm(W))
    return found + close("cone" + at, 1 - cosine, told, math.sqrt(2e-10) + math.sqrt(2 * max(gap, 0)))


class Path:
    name = "path"
    axes = AXES

    def make(self, chosen, rng):
        data = train_data.make_data(dict(chosen, head="linear"), rng)
        model = {"keys": "prompt", "causal": "sequence", "places": "sequence", "joint-z": "joint"}.get(
            chosen["model"], chosen["model"])
        o = {"data": "data.json", "model": model, "loss": chosen["loss"], "p": chosen["p"],
             "radius": chosen["radius"], "starts": chosen["starts"], "iterations": "1000"}
        if model == "joint" and chosen["decoder"] != "R":
            o["decoder-radius"] = chosen["decoder"]
        if chosen["local"] and model != "joint":
            places = len(data["X"]) * (len(data["X"][0]) if model == "sequence" else 1)
            T = len(data["X"][0])
            o.update({"local": None, "cone": rng.choice(("0.1", "0.01", "1")),
                      "select": ",".join(str(rng.randrange(k % T + 1 if chosen["model"] == "causal" else T))
                                         for k in range(places))})
        if chosen["model"] == "causal":
            o["mask"] = "causal"
        if model == "self":
            o["row"] = str(rng.randrange(len(data["X"][0])))
        return Case("path", o, {"data.json": json.dumps(data)})

    def refusal(self, case):
        o = case.options
        if o["model"] == "kq":
            return "no path of kq"
        if not 1 < float(o["p"]) <= 1000:
            return "p above 1"
        if o["model"] == "joint" and o["loss"] == "correlation":
            return "the loss of joint must be bounded below"
        if len(json.loads(case.files["data.json"])["X"][0]) == 1:
            return "nothing to select"
        if "local" in o:
            problem = Problem(case)
            A, r = margins.leads(problem.asks, [int(t) for t in o["select"].split(",")], "p" not in problem.names)
            if margins.least_l2(A, r)[0] is None:
                return "no solution for these tokens"
        radii = radii_of(o["radius"])
        if any(a >= b for a, b in zip(radii, radii[1:])):
            return "radii ascend"
        return None

    def judge(self, case, answer):
        problem = Problem(case)
        radii = radii_of(case.options["radius"])
        rows = answer["radii"]
        if rows is None:
            return [Difference("radii", "a list", None, answer.words)]
        found = equal("radii[].radius", radii, [number(row["radius"]) for row in rows])
        if found:
            return found
        p = Fraction(problem.o["p"])
        before = None
        rng = random.Random(case.files["data.json"])
        found += self.judge_solution(problem, answer, p) if "local" not in case.options else \
            equal("solution.alpha", [int(t) for t in case.options["select"].split(",")], answer["solution.alpha"])
        for row, R in zip(rows, radii):
            at = f"[{R:g}]"
            if row["weights"] is None or problem.tensors(row["weights"]) is None:
                return found + [Difference("weights" + at, "numbers", "something else", "")]
            weights = problem.tensors(row["weights"])
            layer = Layer(problem.asks, weights, problem.settings, problem.v)
            if problem.model == "joint":
                found += equal("decoder_radius" + at, float(case.options.get("decoder-radius", R)),
                               number(row["decoder_radius"]))
            found += self.judge_row(problem, row, layer, p, R, at)
            if problem.known:
                gap = layer.gap()
                if before is not None and gap[0] > before[0] * (1 + Decimal(4 * (gap[1] + before[1]) + 1e-9)):
                    found.append(Difference("loss" + at, "not above the radius before", float(gap[0]), float(before[0])))
                before = gap
                found += self.judge_bracket(problem, row, answer, gap, R, at)
                if "local" in case.options:
                    found += judge_cone(problem, case.options, row, p, at)
                elif int(case.options["starts"]) >= 4:
                    found += judge_points(problem, layer, R, p, rng, at)
        return found

    def judge_solution(self, problem, answer, p):
        if not problem.known:
            return equal("loss_infimum", None, answer["loss_infimum"])
        empty = Layer(problem.asks, problem.tensors([0.0] * sum(a * b for a, b in map(problem.shape, problem.names))),
                      problem.settings, problem.v)
        wanted = empty.infimum()
        found = close("loss_infimum", wanted, answer["loss_infimum"],
                      weights_judge.infimum_error(empty) + 16 * U * abs(float(wanted)))
        best = [best_score(ask, problem.v)[1] for ask in problem.asks]
        unique = all(b.count(ZERO) == 1 for b in best)
        found += equal("unique", unique, answer["unique"])
        if unique and answer["solution.alpha"] is not None:
            alpha = [b.index(ZERO) for b in best]
            found += equal("solution.alpha", alpha, answer["solution.alpha"])
            if p == 2:
                A, r = margins.leads(problem.asks, alpha, "p" not in problem.names)
                W, gap = margins.least_l2(A, r)
                if W is not None and gap < 1e-7:
                    length = float(numpy.linalg.norm(W))
                    found += close("solution.norm", length, answer["solution.norm"], (gap + 2e-10) * length)
                    found += close("solution.lower", length, answer["solution.lower"], (gap + 2e-10) * length)
        return found

    def judge_row(self, problem, row, layer, p, R, at):
        found = close("loss" + at, layer.loss, row["loss"], 4 * layer.loss_error + 1e-300)
        W = flat(layer.weights[problem.names[0]])
        length = norm(W, p)
        if float(length) > R * (1 + 1e-13):
            found.append(Difference("norm" + at, f"at most {R}", float(length), ""))
        found += close("norm" + at, length, row["norm"], (len(W) + 16) * U * float(length) + 1e-300)
        if "v" in layer.weights:
            r = number(row["decoder_radius"])
            if float(norm(layer.weights["v"], p)) > r * (1 + 1e-13):
                found.append(Difference("decoder" + at, f"at most {r}", float(norm(layer.weights["v"], p)), ""))
        if problem.known:
            gap, error = layer.gap()
            if gap > 0:
                wanted = gap.ln()
                allowed = 4 * error + 16 * U * (1 + abs(float(wanted)))
                found += close("log_gap" + at, wanted, row["log_gap"], allowed)
                found += close("rate" + at, wanted / Decimal(R), row["rate"], allowed / R + 4 * U * abs(float(wanted)) / R)
        elif layer.loss > 0:
            found += close("log_loss" + at, layer.loss.ln(), row["log_loss"],
                           float(4 * Decimal(layer.loss_error) / layer.loss) + 16 * U * (1 + abs(float(layer.loss.ln()))))
        found += weights_judge.attention_fields(dict(row, saturation=0), layer, at)[:2] \
            if all(len(ask.tokens) for ask in problem.asks) else []
        found = [d for d in found if not d.field.startswith("saturation")]
        return found + judge_gradient(problem, row, layer, p, R, at)

    def judge_bracket(self, problem, row, answer, gap, R, at):
        if row["bracket_lower"] is None:
            return equal("kind" + at, False, row["kind"] == "bracketed", "without a bracket")
        wanted = tail(problem, R, number(answer["solution.lower"]))
        low, high = number(row["bracket_lower"]), number(row["bracket_upper"])
        found = []
        if wanted is not None:
            up = (64 * U * (1 + R * abs(float(wanted))) + 4 * gap[1]) / R
            down = 4e-12 * (1 + R * abs(float(wanted))) / R  # a bound is rounded downwards
            found += close("bracket_lower" + at, float(wanted) - (down - up) / 2, low, (down + up) / 2)
        rate = float(gap[0].ln()) / R if gap[0] > 0 else -math.inf
        slack = (4 * gap[1] + 1e-9) / R + 1e-13 * abs(rate)
        if rate < low - slack:
            found.append(Difference("bracket_lower" + at, f"at most {rate}", low, "the weights have a lower rate"))
        if rate > high + slack:
            found.append(Difference("bracket_upper" + at, f"at least {rate}", high, "a start is better"))
        return found

    def smaller(self, case):
        radii = case.options["radius"].split(",")
        for radius in radii if len(radii) > 1 else ():
            yield case.changed(options={"radius": radius})
        for name, value in (("starts", "0"), ("loss", "logistic"), ("p", "2")):
            if case.options.get(name) != value:
                yield case.changed(options={name: value})
        for small in train_data.smaller(case.changed(options={"steps": "1"}), dict(case.options)):
            yield small.changed(options={"steps": ...})


SUITE = Path()
