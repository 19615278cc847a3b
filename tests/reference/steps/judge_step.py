"""judge_step.py -- compares what `tropism flow` recorded of a few steps with what each step must be.

State t + 1 is predicted from the program's own state t, whose doubles are taken as the real numbers
that they are, so that no error is carried on. With u = 2^-53 and A the bound of an average (attention.py):
 * layer: |gamma| A + u |x'| + the schedule's own error; where all weight is on one point and gamma is a
   known double, the bits of fma(gamma, x_l - x, x), of x_l for gamma = 1 (not in a closed form, off by a few u R);
 * with V: |P| A, the rounding of the d products, and the condition of I + V;
 * chain: the bits of fma(gamma, x_j - x, x) for some j of positive probability.
Maximisers, sets, leaders, targets and their switches are compared by equality.
"""
import collections
from fractions import Fraction
import math
import random

import numpy as np

import measures
from attention import State, U
from harness import Difference, close, number
from judge_series import Series

LONG = np.longdouble
ENTRIES = 1500  # weights that are looked at in one state: rows beyond are left out


def fused(gamma, away, x):
    """fma: one rounding."""
    try:
        return float(gamma * Fraction(away) + Fraction(x))
    except OverflowError:
        return math.copysign(math.inf, away)


class Judge(Series):
    def __init__(self, setting, answer):
        self.setting, self.answer = setting, answer
        self.found, self.draws = [], []
        self.record = answer["record"] or {}
        self.x = [[[number(c) for c in row] for row in state] for state in self.record.get("tokens", [])]
        self.closed = answer["method"] == "closed-form"
        self.proved = answer["certificate.step"] if self.closed else None
        self.rng = random.Random(setting.n * 31 + setting.d)

    def say(self, field, expected, got, note=""):
        self.found.append(Difference(field, expected, got, note))

    def near(self, field, expected, got, allowed, note=""):
        if isinstance(expected, LONG):  # rounded to double it may pass a midpoint
            expected, got = expected - LONG(number(got)), 0.0
        self.found += close(field, expected, got, allowed, note)

    def run(self):
        steps = self.answer["steps"]
        if self.answer["outcome"] == "steps" and steps != self.setting.steps or steps > self.setting.steps:
            self.say("steps", self.setting.steps, steps)
        if self.record.get("step") != list(range(steps + 1)) or len(self.x) != steps + 1:
            self.say("record", f"steps 0 to {steps}", self.record.get("step"))
            return self.found
        if self.x[0] != self.setting.tokens:
            self.say("tokens[0]", "the given ones", self.x[0])
        if self.answer["tokens"] != self.record["tokens"][-1]:
            self.say("tokens", "the last recorded ones", self.answer["tokens"])
        self.states = [State(x, self.setting, t) for t, x in enumerate(self.x)]
        if any(self.unfit(state) for state in self.states):
            return [Difference("refusal", "the form does not take this state", "accepted", "")]
        self.radius = max((abs(c) for x in self.x for row in x for c in row), default=0.0)
        for t, state in enumerate(self.states):
            self.averages(t, state)
        self.frequencies()
        self.followers()
        self.numbers()
        self.lyapunov()
        self.gap_bounds()
        return self.found

    @staticmethod
    def unfit(state):
        """The relative form needs M >= 0 in every row, cosines <Bx, x> > 0 for every token but 0."""
        if state.setting.rule not in ("localmax", "minp"):
            return False
        if state.setting.form == "cosine":
            return any(state.sign * v <= 0 and any(x) for v, x in zip(state.own, state.whole))
        # At epsilon 0 the threshold is M itself, whatever its sign.
        return (state.setting.form == "relative" and state.setting.schedule("epsilon", state.t)[0] > 0
                and any(row.top < 0 for row in state.rows))

    # The step

    def averages(self, t, state):
        rows = list(state.rows)
        most = max(2, (ENTRIES // 8 if self.setting.rule == "entmax" else ENTRIES) // max(row.seen for row in rows))
        whole = len(rows) <= most
        if not whole:
            rows = self.rng.sample(rows, most)
        largest, spare, lowest = 0.0, 0.0, 0.0
        for row in rows:
            found = state.average(row)
            if found is None:
                whole = False
                continue
            value, bound, one = found
            extra = self.extra(t, state, row)
            size = math.hypot(*map(float, value))
            error = math.hypot(*bound) + extra + (state.d + 3) * U * size + state.d * 2.0 ** -1074
            largest, spare, lowest = max(largest, size), max(spare, size + error), max(lowest, size - error)
            if t + 1 < len(self.x):
                self.step(t, state, row, value, [b + extra for b in bound], one)
        recorded = [("record.residual", self.record["residual"][t])]
        recorded += [("residual", self.answer["residual"])] if t + 1 == len(self.x) else []
        for field, got in recorded:
            got = number(got)
            if not got >= lowest or whole and not got <= spare:
                self.say(field, largest, got, f"step {t}, from {lowest!r} to {spare if whole else 'any'!r}")

    def extra(self, t, state, row):
        """What the method may add to the error of an average: its own proved bound, or a closed form."""
        error = number(self.answer["attention_error"])
        extra = error * state.farthest(row) if error else 0.0
        if self.proved is not None and t >= self.proved:
            extra += 16 * U * self.radius
        return extra

    def step(self, t, state, row, value, bound, one):
        setting, after, x = self.setting, self.x[t + 1][row.i], state.x[row.i]
        if setting.dynamics == "chain":
            return self.jump(t, state, row, after)
        if setting.dynamics == "residual" or setting.V is not None:
            return self.matrix_step(t, state, row, value, bound)
        gamma, error = setting.schedule("gamma", t)
        formed = self.proved is not None and t >= self.proved
        bits = one is not None and not error and not formed and not self.answer["attention_error"]
        for c in range(state.d):
            expected = LONG(float(gamma)) * LONG(value[c]) + LONG(x[c])
            if bits:
                sure = state.x[one][c] if gamma == 1 else fused(gamma, state.x[one][c] - x[c], x[c])
                if after[c] != sure:
                    self.say("tokens", sure, after[c], f"step {t + 1}, token {row.i}, one point: by bits")
            else:
                allowed = float(gamma) * bound[c] + U * abs(after[c]) + 2.0 ** -1074 + 2.0 ** -62 * abs(x[c]) + \
                    (float(error) + 3 * U * float(gamma)) * abs(value[c])
                if formed:
                    allowed += 16 * U * self.radius
                self.near("tokens", expected, after[c], allowed, f"step {t + 1}, token {row.i}, coordinate {c}, "
                          f"allowed {allowed:.3g}, x = {x[c]!r}")
        return None

    def matrix_step(self, t, state, row, value, bound):
        """x + P (avg - x), or x + V avg = x + V ((avg - x) + x)."""
        P, relative = self.setting.step_matrix
        after, x, v = self.x[t + 1][row.i], np.array(state.x[row.i]), np.array(value)
        residual = self.setting.dynamics == "residual"
        P, A = np.array([[LONG(float(p)) + LONG(float(p - Fraction(float(p)))) for p in line] for line in P]), \
            np.array([[abs(float(p)) for p in line] for line in P])
        whole = v.astype(LONG) + x if residual else v.astype(LONG)
        expected = x + P @ whole
        terms = A @ np.abs(whole).astype(float) + (A @ (np.abs(v) + np.abs(x)) if residual else 0.0)
        allowed = A @ np.array(bound) + (state.d + 4) * U * (terms + np.abs(x)) + 2 * U * np.abs(after) + \
            float(relative) * A.max() * state.d * float(np.abs(whole).max()) + state.d * 2.0 ** -1074
        for c in range(state.d):
            self.near("tokens", expected[c], after[c], allowed[c],
                      f"step {t + 1}, token {row.i}, coordinate {c}, allowed {allowed[c]:.3g}")

    def jump(self, t, state, row, after):
        """Some token of positive probability, and the draws for frequencies()."""
        gamma, error = self.setting.schedule("gamma", t)
        x = state.x[row.i]
        weights, bounds = state.weights(row)
        able = list(weights) if bounds is None else [j for j in range(row.seen) if weights[j] or bounds[j]]
        chances, ways = collections.Counter(), {}
        for j in able:
            chances[state.points[j]] += weights[j] / (sum(weights.values()) if bounds is None else 1.0)
            ways[state.points[j]] = tuple(fused(gamma, b - a, a) for a, b in zip(x, state.x[j]))
        spare = {k: (4 * float(error) * math.dist(way, x) / float(gamma) if error else 0.0) for k, way in ways.items()}
        taken = [k for k, way in ways.items()
                 if all(abs(a - b) <= spare[k] + (2 * U * abs(b) if error else 0.0) for a, b in zip(way, after))]
        if not taken:
            self.say("tokens", "x + gamma (x_j - x) for some j", after, f"step {t + 1}, token {row.i}")
        elif not error and len(set(ways.values())) == len(ways):
            self.draws.append((t, chances, taken[0]))

    def frequencies(self):
        """Draws are independent: by Bernstein's inequality the count of a place is within L/3 + sqrt(L^2/9 + 2 L V) of its
        mean, V its variance, but for a chance of 2 exp(-L) = 1e-10."""
        count, mean, variance = collections.Counter(), collections.Counter(), collections.Counter()
        for t, chances, taken in self.draws:
            count[t, taken] += 1
            for place, chance in chances.items():
                mean[t, place] += float(chance)
                variance[t, place] += float(chance) * (1 - min(float(chance), 1.0))
        L = math.log(2e10)
        for key, expected in mean.items():
            allowed = L / 3 + math.sqrt(L * L / 9 + 2 * L * variance[key]) + 1e-6 * len(self.draws)
            self.near("draws", expected, count[key], allowed, f"step {key[0]}, {len(self.draws)} draws")

    # Who follows whom

    def followers(self):
        """Leaders, targets, switches; `loose` when something open could change them."""
        n = self.setting.n
        leaders, target, switches, last = set(), [None] * n, 0, -1
        loose = False
        kept = self.answer["certificate.step"]
        if kept is None and self.answer["certificate.kind"] == "consensus":
            sizes = [measures.diameter(x)[0] for x in self.x]
            kept = next((t for t, size in enumerate(sizes) if size <= 1e-12 * sizes[0]), None)
        for t, state in enumerate(self.states):
            if kept is not None and t > kept:
                pass  # a proof stands for the rest of the run
            else:
                for row in state.rows:
                    loose = loose or row.open_best or row.open_set
                    if row.members == [row.i]:
                        leaders.add(row.i)
                    same = len({state.points[j] for j in row.best}) == 1
                    old = target[row.i]  # a target stays while it is one of the best; otherwise the first is
                    new = -1 if not same else old if old in row.best else row.best[0]
                    if t and old != new and -1 not in (old, new):  # a tie is no change
                        switches, last = switches + 1, t
                    target[row.i] = new
            if not loose:
                if self.record["leaders"][t] != len(leaders):
                    self.say("record.leaders", len(leaders), self.record["leaders"][t], f"step {t}")
                if self.record["switches"][t] != switches:
                    self.say("record.switches", switches, self.record["switches"][t], f"step {t}")
        if loose:
            return
        if self.answer["leaders"] != sorted(leaders):
            self.say("leaders", sorted(leaders), self.answer["leaders"])
        if self.answer["switches"] != switches:
            self.say("switches", switches, self.answer["switches"])
        if self.answer["last_switch"] != last:
            self.say("last_switch", last, self.answer["last_switch"])
        if self.answer["target"] != target:
            self.say("target", target, self.answer["target"])

    # Numbers of a state

    def numbers(self):
        state = self.states[-1]
        for t, state in enumerate(self.states):
            diameter, bound = measures.diameter(state.x)
            gaps = measures.gaps(state)
            gap, gap_bound = max(g for g, _ in gaps), max(b for _, b in gaps)
            energy, energy_bound = measures.energy(state, measures.own_energies(state))
            for name, field, value, allowed in (("diameter", "diameter", diameter, bound),
                                                ("gap", "gap_max", gap, gap_bound),
                                                ("energy", "energy", energy, energy_bound)):
                self.near("record." + name, value, self.record[name][t], allowed, f"step {t}, allowed {allowed:.3g}")
                if t + 1 == len(self.states):
                    self.near(field, value, self.answer[field], allowed, f"allowed {allowed:.3g}")
            least, low, high = measures.margin(state)
            got = number(self.record["margin"][t])
            if not any(row.open_best for row in state.rows) and not low <= got <= high or \
                    (got == 0) != (least == 0) and not any(row.open_best for row in state.rows):
                self.say("record.margin", least, got, f"step {t}, from {low!r} to {high!r}")
            if [number(v) for v in self.record["support"][t]] != measures.support(state.x):
                self.say("record.support", measures.support(state.x), self.record["support"][t], f"step {t}")
        if self.answer["converged"]:
            first = measures.diameter(self.x[0])[0]
            tolerance = float(self.setting.options.get("tolerance", 1e-12))
            if number(self.answer["residual"]) > tolerance * first * (1 + 64 * U):
                self.say("converged", False, True, f"residual {self.answer['residual']}, diameter {first}")
        ended = bool(self.answer["converged"] and self.setting.options.get("until") == "converged")
        if self.answer["outcome"] == "converged" and not ended or \
                ended and self.answer["outcome"] != "converged" and self.answer["steps"] < self.setting.steps:
            self.say("outcome", "converged only when it did", self.answer["outcome"])
