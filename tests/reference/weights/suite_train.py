"""suite_train.py -- `tropism train`, one step at a time (docs/train.md, docs/gradients.md, docs/data.md).

The run records its weights at every step (--records 1000). From the recorded weights of step t the loss and
the gradient are computed with 60 digits (layer.py), the optimiser makes its step (optimizers.py), and the
weights of step t + 1 must lie in the interval that comes out. Means and dual variables are carried along from the same
gradients. What is said of weights (loss, log_gap, saturation, norm, alpha, margins, and the comparison with the l2
max-margin solution) is computed again from the recorded ones (weights_judge.py). Mini-batches: docs say that they are
taken in a random order, new in every epoch, so that some choice of inputs that the epoch still has must explain the step.
--backtrack: the step is eta / 2^k with a loss that falls, and k is not larger than it must be.
"""
import copy
import itertools
import json
import math
from decimal import Decimal
from fractions import Fraction

import train_data
import weights_judge
from layer import Layer, asks_of
from harness import Case, Difference, equal
from heads import exact
from optimizers import DUAL, NORMED, Optimizer

DEFAULTS = {"model": "auto", "mask": "full", "row": "0", "width": "0", "head": "linear", "lambda": "1",
            "loss": "logistic", "optimizer": "ngd", "p": "2", "eta": "0.1", "eta-schedule": "1", "batch": "0",
            "gradient": "stable", "gradient-epsilon": "0", "momentum": "0.9", "beta1": "0.9", "beta2": "0.999",
            "adam-epsilon": "0", "bend": "1", "start": "zeros", "steps": "1000"}


def factor(schedule, t):
    """What a schedule is at step t (docs/options.md, Schedules)."""
    name, _, rest = schedule.partition(":")
    if name == "harmonic":
        return Decimal(1) / (t + 1)
    if name == "fw":
        return Decimal(2) / (t + 2)
    if name in ("power", "geometric"):
        a, b = (Decimal(float(x)) for x in rest.split(","))
        return a * Decimal(t + 1) ** -b if name == "power" else a * b ** t
    return Decimal(float(name))


def names_of(model, data):
    if model == "kq":
        return ("K", "Q")
    matrix = model in ("cross", "self", "sequence") or model == "joint" and "z" in data
    return ("W" if matrix else "p",) + (("v",) if model == "joint" else ())


class Problem:
    """A case as the judge sees it."""

    def __init__(self, case):
        self.o = {name: case.options.get(name, value) for name, value in DEFAULTS.items()}
        self.data = json.loads(case.files["data.json"])
        self.model = self.o["model"]
        if self.model == "auto":
            z = self.data.get("z")
            each = z is not None and isinstance(z[0][0], list)
            self.model = "sequence" if each else "cross" if z is not None or "E" in self.data else "prompt"
        self.names = names_of(self.model, self.data)
        self.d = len(self.data["E"][0]) if "E" in self.data else len(self.data["X"][0][0])
        self.dk = len(self.data["K"][0][0]) if self.data.get("K") and self.names[0] == "p" else self.d
        self.width = int(self.o["width"]) or self.d
        self.backtrack = "backtrack" in case.options
        self.compare = case.options.get("compare", "all")
        self.polynomial = "polynomial" in case.options
        self.settings = {"head": self.o["head"], "lambda": Decimal(float(self.o["lambda"])), "loss": self.o["loss"]}
        self.asks = asks_of(self.data, self.model, self.o["mask"], int(self.o["row"]))
        if "E" in self.data:
            self.v = [[Decimal(1)]]
        else:
            v = self.data.get("v")
            self.v = None if v is None else exact(v if isinstance(v[0], list) else [v])
        self.known = self.o["head"] == "linear" and self.model != "joint"
        self.naive = self.o["gradient"] != "stable"

    def shape(self, name):
        return {"p": (self.dk, 1), "W": (self.d, self.d), "v": (self.d, 1)}.get(name, (self.d, self.width))

    def tensors(self, flat):
        """Recorded numbers as tensors of Decimals."""
        found, at = {}, 0
        for name in self.names:
            rows, columns = self.shape(name)
            part = exact(flat[at:at + rows * columns])
            at += rows * columns
            found[name] = part if name in "pv" else [part[i * columns:(i + 1) * columns] for i in range(rows)]
        return found if at == len(flat) else None

    def options(self):
        p = self.o["p"]
        return {"name": self.o["optimizer"], "naive": self.naive, "polynomial": self.polynomial, "p": None if p == "inf" else Fraction(p),
                "epsilon": Decimal(float(self.o["gradient-epsilon"])) if self.o["optimizer"] in NORMED else Decimal(0),
                "momentum": Decimal(float(self.o["momentum"])), "beta1": Decimal(float(self.o["beta1"])),
                "beta2": Decimal(float(self.o["beta2"])), "adam_epsilon": Decimal(float(self.o["adam-epsilon"])),
                "bend": Decimal(float(self.o["bend"]))}

    def start(self, case):
        if self.o["start"] == "zeros":
            return [0.0] * sum(r * c for r, c in map(self.shape, self.names))
        given = json.loads(case.files["start.json"])
        return [float(x) for name in self.names for x in
                (given[name] if name in "pv" else itertools.chain(*given[name]))]


def flat(tensor):
    return [x for row in tensor for x in row] if isinstance(tensor[0], list) else list(tensor)


def inside(ends, values):
    """Where values are outside of their intervals: (index, low, high) or None."""
    for i, ((low, high), value) in enumerate(zip(ends, values)):
        if not low <= value <= high:
            return i, low, high
    return None


def try_step(problem, makers, before, after, layer, eta, keep):
    """None when the step from before to after is right, or a Difference."""
    gradients = layer.gradient()
    gap = layer.gap() if problem.o["optimizer"] == "polyak" else None
    for name in problem.names:
        G, E = (flat(part) for part in gradients[name])
        maker = makers[name]
        if keep:
            maker.remember(G, E)
        values = flat(after[name])
        options = maker.step(flat(before[name]), G, E, eta, gap, keep)
        misses = [inside(ends, values) for ends in options]
        if misses and all(misses):
            i, low, high = misses[0]
            width = float(high - low)
            return Difference(f"weights.{name}", float((low + high) / 2), float(values[i]),
                              f"entry {i}, interval of width {width:.3g}, off by "
                              f"{float(min(abs(values[i] - low), abs(values[i] - high))):.3g}")
    return None


def falls(problem, old, new):
    """Whether the loss fell, or None where rounding may say either."""
    if problem.known:
        (a, ea), (b, eb) = old.gap(), new.gap()
        slack = Decimal(ea) * a + Decimal(eb) * b
    else:
        a, b = old.loss, new.loss
        slack = Decimal(old.loss_error) + Decimal(new.loss_error)
    return None if abs(a - b) <= 4 * slack else b < a


def moved(problem, makers, before, layer, eta):
    """The middle of where a step leads, or None where it is not one point."""
    gradients, found = layer.gradient(), {}
    gap = layer.gap() if problem.o["optimizer"] == "polyak" else None
    for name in problem.names:
        G, E = (flat(part) for part in gradients[name])
        makers[name].remember(G, E)
        ends = makers[name].step(flat(before[name]), G, E, eta, gap)
        if len(ends) != 1:
            return None
        values = [(a + b) / 2 for a, b in ends[0]]
        columns = problem.shape(name)[1]
        found[name] = values if name in "pv" else [values[i:i + columns] for i in range(0, len(values), columns)]
    return Layer(problem.asks, found, problem.settings, problem.v)


def judge_backtrack(problem, makers, before, after, layer, eta, then, last):
    """(k, None) where the step is eta / 2^k: the loss falls there, and, where k is more than at the step
    before, does not fall at eta / 2^(k-1). (k, Difference) otherwise."""
    first = None
    for k in range(64):
        trial = copy.deepcopy(makers)
        miss = try_step(problem, trial, before, after, layer, eta / 2 ** k, True)
        first = first or miss
        if miss is not None:
            continue
        makers.update(trial)
        if before == after or problem.naive:
            return k, None
        if falls(problem, layer, then) is False:
            return k, Difference("backtrack", "a lower loss", "a higher one", f"eta / 2^{k}")
        if k > last:
            longer = moved(problem, copy.deepcopy(makers), before, layer, eta / 2 ** (k - 1)) \
                if problem.o["optimizer"] not in ("signum", "muon", "adam") + DUAL else None
            if longer is not None and falls(problem, layer, longer):
                return k, Difference("backtrack", f"eta / 2^{k - 1}", f"eta / 2^{k}", "the loss falls there too")
        return k, None
    return 0, None if problem.naive or before == after else first


def judge_steps(problem, states, layers):
    makers = {name: Optimizer(problem.options(), flat(states[0][name]), problem.shape(name))
              for name in problem.names}
    n = len(problem.data.get("ids") or problem.data["X"])
    batch = int(problem.o["batch"]) or n
    paths, last = [(makers, frozenset(range(n)))], 0
    for t in range(len(states) - 1):
        eta = Decimal(float(problem.o["eta"])) * factor(problem.o["eta-schedule"], t)
        if problem.backtrack:
            last, miss = judge_backtrack(problem, makers, states[t], states[t + 1], layers[t], eta, layers[t + 1], last)
            if miss:
                return [miss._replace(note=f"step {t}: {miss.note}")]
            continue
        found, miss = [], None
        for makers, left in paths:
            for chosen in itertools.combinations(sorted(left), min(batch, len(left))):
                layer = layers[t] if batch == n else Layer(problem.asks, states[t], problem.settings, problem.v,
                                                           problem.naive, set(chosen))
                trial = makers if batch == n else copy.deepcopy(makers)
                lost = try_step(problem, trial, states[t], states[t + 1], layer, eta, True)
                if lost is None:
                    rest = left - set(chosen)
                    found.append((trial, rest or frozenset(range(n))))
                miss = miss or lost
        if not found:
            return [miss._replace(note=f"step {t}: {miss.note}")]
        paths = found[:6]
    return []


def leaves_double(problem, case):
    """Whether sinh w (cosh) or |w|^(p-1) (mirror, nmirror) of an entry of the start is beyond 1.8e308."""
    top = max(map(abs, problem.start(case)), default=0.0)
    if problem.o["optimizer"] == "cosh":
        return top > 710.47
    return problem.o["optimizer"] in ("mirror", "nmirror") and top > 0 and \
        (float(problem.o["p"]) - 1) * math.log(top) > 709.78


class Train:
    name = "train"
    axes = train_data.AXES

    def make(self, chosen, rng):
        return train_data.make(chosen, rng)

    def refusal(self, case):
        problem = Problem(case)
        o, model = problem.o, problem.model
        n = len(problem.data.get("ids") or problem.data["X"])
        T = len((problem.data.get("ids") or problem.data["X"])[0])
        if "E" in problem.data and (model not in ("cross", "kq") or o["head"] != "linear"):
            return "next-token data are for cross and kq with a linear head"
        if "E" not in problem.data and o["loss"] == "log":
            return "the loss log is for next-token data"
        if problem.v is not None and len(problem.v) > 1 and o["head"] != "relu":
            return "several rows of v are for relu"
        if model == "joint" and o["head"] == "relu":
            return "joint trains one decoder"
        p = float(o["p"])
        if o["optimizer"] in ("mirror", "nmirror", "steepest") and not 1 < p <= 1000:
            return "p above 1"
        if o["optimizer"] == "polyak" and not problem.known:
            return "the infimum is not known"
        if model == "kq" and (o["start"] == "zeros" or not any(problem.start(case))):
            return "zeros never move"
        if o["start"] != "zeros" and leaves_double(problem, case):
            return "the dual of the start leaves double"
        if int(o["batch"]) > n:
            return "more inputs in a batch than there are"
        if int(o["row"]) >= T and model == "self":
            return "no such token"
        if any(y == 0 for y in flat(problem.data.get("y") or [1])):
            return "labels are -1 or 1"
        return None

    def silent(self, case, answer):
        """Polyak's steps are as long as e^(margin) where another token than the best one has won: the run ends (train.md)."""
        if case.options.get("optimizer") == "polyak" and answer.exit == 1 and "double can carry" in answer.words:
            return []
        return [Difference("exit", 0, answer.exit, answer.words[-300:])]

    def judge(self, case, answer):
        problem = Problem(case)
        steps = int(problem.o["steps"])
        records = answer["history"]
        if records is None:
            return [Difference("history", "a list", None, answer.words)]
        differences = equal("steps", steps, answer["steps"])
        differences += equal("history[].step", list(range(steps + 1)), [record["step"] for record in records])
        if differences:
            return differences
        if any(record["weights"] is None or problem.tensors(record["weights"]) is None
               or not all(isinstance(x, (int, float)) for x in record["weights"]) for record in records):
            return [Difference("history[].weights", "finite numbers", "something else", "")]
        differences += equal("start", problem.start(case), records[0]["weights"])
        if any(abs(x) > (1e8 if problem.model == "kq" else 1e15) for record in records for x in record["weights"]):
            return differences  # far beyond what the bounds are made for
        if any(weights_judge.number(record["log_norm"]) > 690 for record in records):
            return differences  # unit directions
        states = [problem.tensors(record["weights"]) for record in records]
        layers = [Layer(problem.asks, state, problem.settings, problem.v, problem.naive) for state in states]
        differences += judge_steps(problem, states, layers)
        for record, layer in {record["step"]: (record, layer) for record, layer in
                              ((records[0], layers[0]), (records[-1], layers[-1]))}.values():
            differences += weights_judge.judge(problem, record, layer, answer if record is records[-1] else None)
        return differences

    def smaller(self, case):
        return train_data.smaller(case, DEFAULTS)


SUITE = Train()
