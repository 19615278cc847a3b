"""suite_time.py -- tokens in continuous time: flow --dynamics ode, sa and usa (docs/flow.md).

Every recorded step is predicted from the recorded state before it. Euler and Runge-Kutta steps: to rounding
(integrators.py has the bounds). dopri5 and cvode: the solution of the ODE over the step, by another method; dopri5 promises a
local error of `--accuracy` times the radius, cvode that of each of its own steps, of which it takes several. The hardmax
ODE: pieces.py. Times: k dt, the last one the end; states on the sphere have unit length. Each recorded number is
judged at its recorded state (states.py).
"""
import math

import numpy as np

import clouds
import integrators
import outcomes
import pieces
from fields import Field, L, U
from harness import Case, Difference, close, equal, number
from states import State

JUMP = ("localmax", "minp", "topk", "confidence")
FIXED = ("euler", "rk4", "cvode")
SCHEDULES = ("4", "harmonic", "fw", "linear:1,2", "geometric:3,0.5", "power:2,1.5", "cosine:2,1", "superexp:0.7")
CVODE_STEPS = 500  # local errors of CVODE's own steps between two restarts that may add up
LOCAL = 8  # of dopri5: its local error is an estimate by the error of order 4, good where steps are short
KINKS = 1000  # and where the field has kinks, which no estimate sees: only what is far off is found


def matrix(kind, d, rng):
    """(text of the option, file or None, entries or None for the identity)."""
    if kind == "none":
        return None, None, None
    if kind in ("2", "-1", "0.3", "0"):
        return kind, None, [[float(kind) * (r == c) for c in range(d)] for r in range(d)]
    rows = [[rng.randint(-8, 8) / 4 for _ in range(d)] for _ in range(d)]
    if kind == "symmetric":
        rows = [[(rows[r][c] + rows[c][r]) / 2 for c in range(d)] for r in range(d)]
    if kind == "gaussian":
        rows = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(d)]
    return "FILE", clouds.text(rows), rows


class Time:
    name = "time"
    axes = {
        "dynamics": ("ode", "sa", "usa"),
        "rule": ("softmax", "hardmax", "sparsemax", "entmax", "uniform", "jump"),  # jump: one of JUMP
        "integrator": ("auto", "euler", "rk4", "dopri5", "cvode", "exact"),
        "dt": ("0.01", "0.1", "0.25", "1", "2.5"),
        "time": ("0", "0.05", "0.3", "1", "7"),
        "accuracy": ("1e-3", "1e-6", "1e-9", "1e-12"),
        "mask": ("full", "causal"),
        "B": ("none", "2", "-1", "0.3", "0", "dyadic", "symmetric", "gaussian"),
        "V": ("none", "2", "-1", "dyadic", "gaussian"),
        "masses": ("none", "whole", "eighths", "light"),
        "usa": ("survey", "shifted"),
        "beta": ("1", "0", "50", "-2", "linear:-1,4", "@beta.csv", "schedule"),  # schedule: one of SCHEDULES
        "a": ("1", "1.25", "1.5", "2", "3"),
        "ties": ("points", "indices", "first"),
        "tolerance": ("none", "0.3", "1"),
        "cloud": clouds.KINDS,
        "n": (1, 2, 3, 7, 8, 9, 17, 33, 65),
        "d": (1, 2, 3, 8, 9),
    }
    options = {"B": ("key-query",), "V": ("value",)}

    def make(self, chosen, rng):
        n, d = chosen["n"], chosen["d"]
        rule = rng.choice(JUMP) if chosen["rule"] == "jump" else chosen["rule"]
        beta = rng.choice(SCHEDULES) if chosen["beta"] == "schedule" else chosen["beta"]
        options = {"tokens": "x.csv", "dynamics": chosen["dynamics"], "rule": rule,
                   "integrator": chosen["integrator"], "dt": chosen["dt"], "time": chosen["time"],
                   "accuracy": chosen["accuracy"], "mask": chosen["mask"], "beta": beta, "steps": "12",
                   "a": chosen["a"], "ties": chosen["ties"],
                   "record": "time,residual,diameter,energy,gap,margin,clusters,tokens"}
        files = {"x.csv": clouds.text(clouds.make(chosen["cloud"], n, d, rng))}
        if chosen["tolerance"] != "none":
            options["tolerance"] = chosen["tolerance"]
        if n > 40:
            options["steps"] = "3"
        if chosen["dynamics"] == "usa":
            options["usa"] = chosen["usa"]
        if chosen["dynamics"] == "sa-step":
            del options["integrator"], options["accuracy"]
        given = {}
        for name, option in (("B", "key-query"), ("V", "value")):
            text, file, rows = matrix(chosen[name], d, rng)
            given[name] = rows
            if text is not None:
                options[option] = name + ".csv" if text == "FILE" else text
                if file:
                    files[name + ".csv"] = file
        if chosen["masses"] != "none":
            draw = {"whole": lambda: rng.randint(1, 4), "eighths": lambda: rng.randint(1, 24) / 8,
                    "light": lambda: rng.randint(1, 7) / 64}[chosen["masses"]]
            files["m.csv"] = clouds.text([[float(draw())] for _ in range(n)])
            options["masses"] = "m.csv"
        if beta.startswith("@"):
            files["beta.csv"] = "1\n3\n0.5\n"
        case = Case("flow", options, files, chosen, given)
        if chosen["dynamics"] == "usa" and chosen["integrator"] in ("auto", "dopri5", "cvode"):
            self.gentle(case)
        return case

    def gentle(self, case):
        """USA can be as fast as e^(beta |B|): steps and times to suit, so that CVODE can do it in its steps."""
        field, o = self.field(case), case.options
        x = np.array([row if any(row) else [1.0] * len(row) for row in self.rows(case)], dtype=L)
        x = integrators.unit(x / np.abs(x).max(axis=1, keepdims=True))
        speed = max(1e-3, *(float(field.lipschitz(x, t)) for t in np.linspace(0, float(o["time"]), 9)))
        if o["integrator"] == "cvode":
            o["time"] = repr(min(float(o["time"]), 100 / speed))
            o["dt"] = repr(min(float(o["dt"]), 20 / speed))

    def refusal(self, case):
        o = case.options
        dynamics, rule, integrator = o["dynamics"], o["rule"], o.get("integrator", "auto")
        if rule in JUMP or (rule == "hardmax" and dynamics != "ode"):
            return f"{rule} jumps: no classical ODE"
        if dynamics == "usa" and rule != "softmax":
            return "usa has weights of its own: softmax's exponentials"
        if (integrator == "exact") != (rule == "hardmax") and integrator != "auto":
            return "the hardmax ODE is solved exactly, and it alone"
        if dynamics != "ode" and any(not any(row) for row in self.rows(case)):
            return "the origin cannot be brought to unit length"
        if dynamics == "usa" and self.overflows(case):
            return "weights of usa leave double"
        if dynamics == "sa-step" and self.passes(case):
            return "a step passes the origin"
        return None

    def passes(self, case):
        """Whether <x, x + h V avg> is 0 or less for a token of some state."""
        field, o = self.field(case), case.options
        x = integrators.unit(np.array(self.rows(case), dtype=L) / np.abs(self.rows(case)).max())
        t, end = L(0), L(float(o["time"]))
        for _ in range(min(int(o["steps"]), math.ceil(end / L(float(o["dt"])))) + 1):
            field.h = min(L(float(o["dt"])), end - t)
            w = field.weights(x, t)[0]
            avg = w @ x if field.V is None else (w @ x) @ field.V.T
            if ((x * (x + field.h * avg)).sum(axis=1) <= 0).any():
                return True
            x, t = integrators.unit(x + field.h * avg), t + field.h
        return False

    def overflows(self, case):
        """Whether exp(beta s) does, at the start or at a stage of a Runge-Kutta step of unit length."""
        field, o = self.field(case), case.options
        x = integrators.unit(np.array(self.rows(case), dtype=L) / np.abs(self.rows(case)).max())
        t, end, h = L(0), L(float(o["time"])), L(float(o["dt"]))
        most = L(np.finfo(float).max)
        if o.get("integrator") != "rk4":
            times = np.linspace(0, float(end), 9) if o.get("integrator") == "euler" else [0.0]
            return any(field.weights(x, s)[0].max() > most / 64 for s in times)
        for _ in range(min(int(o["steps"]), math.ceil(end / h))):
            y = x
            for part in (0, L(0.5), L(0.5), 1):
                y = x + part * h * field(y, t + part * h) if part else x
                if not field.weights(y, t + part * h)[0].max() <= most / 64:
                    return True
            x, t = integrators.rk4(field, x, t, min(h, end - t))[0], min(t + h, end)
        return False

    @staticmethod
    def rows(case):
        return [[float(c) for c in line.split(",")] for line in case.files["x.csv"].split()]

    def field(self, case):
        o, n = case.options, len(self.rows(case))
        table = [float(v) for v in case.files["beta.csv"].split()] if "beta.csv" in case.files else None
        masses = [float(v) for v in case.files["m.csv"].split()] if "masses" in o else [1.0] * n
        return Field(dynamics=o["dynamics"], rule=o["rule"], B=case.given["B"] if "key-query" in o else None,
                     V=case.given["V"] if "value" in o else None, masses=masses, causal=o.get("mask") == "causal",
                     beta=(o.get("beta", "1"), table), a=L(o.get("a", "1.5")), shifted=o.get("usa") == "shifted")

    def silent(self, case, answer):
        """CVODE may give up (too many steps for the accuracy), and the sentence says so."""
        given_up = case.options.get("integrator") == "cvode" and "CVODE failed" in answer.words
        return [] if given_up else [Difference("exit", 0, answer.exit, answer.words[-300:])]

    def judge(self, case, answer):
        record = answer["record"]
        field = self.field(case)
        states = [[[number(c) for c in row] for row in state] for state in record["tokens"]]
        times = [number(t) for t in record["time"]]
        found = self.start(case, field, states[0])
        found += equal("tokens", states[-1], [[number(c) for c in row] for row in answer["tokens"]], "the last record")
        found += equal("time", times[-1], number(answer["time"]))
        found += equal("steps", len(times) - 1, answer["steps"])
        if case.options["rule"] == "hardmax":
            found += pieces.judge(case, answer, states, times)
        else:
            found += equal("outcome", "steps", answer["outcome"])
            found += self.clock(case, times)
            found += self.moves(case, field, states, times)
        views = [self.view(case, field, state, t) for state, t in zip(states, times)]
        for k, view in enumerate(views):
            found += self.numbers(case, field, record, view, states, times[k], k)
        if case.options["rule"] != "hardmax" and "tolerance" not in case.options:
            found += outcomes.followed(answer, views)
        return found + outcomes.converged(case, field, answer, views)

    @staticmethod
    def view(case, field, state, t):
        """The state with the matrix of its scores: -B where beta is negative."""
        B = field.B
        if case.options["rule"] in ("softmax", "sparsemax", "entmax") and field.at(t)[1] < 0:
            B = -np.eye(len(state[0]), dtype=L) if B is None else -B
        return State(state, B, field.causal)

    @staticmethod
    def start(case, field, state):
        """The first state: the tokens, on the sphere at unit length, within (d + 4)/2 u and an ulp."""
        rows = np.array(Time.rows(case), dtype=L)
        if not field.sphere:
            return equal("tokens[0]", Time.rows(case), state)
        rows = integrators.unit(rows / np.abs(rows).max(axis=1, keepdims=True))
        off = np.abs(rows - np.array(state, dtype=L)).max()
        return [] if off <= (rows.shape[1] + 8) / 2 * U else [Difference("tokens[0]", "unit length", float(off), "")]

    @staticmethod
    def fixed(o):
        return o["dynamics"] == "sa-step" or o.get("integrator", "auto") in FIXED

    def clock(self, case, times):
        """k dt, and at last the end."""
        o = case.options
        end, dt = float(o["time"]), float(o["dt"])
        if self.fixed(o):
            count = min(math.ceil(end / dt - 1e-9), int(o["steps"]))
            found = equal("steps", count, len(times) - 1, "ceil(time / dt)")
            for k, t in enumerate(times):
                want = end if k * dt > end * (1 - 1e-12) else k * dt
                found += close(f"time[{k}]", want, t, 2 * (k + 1) * float(U) * max(want, dt) if want != end else 0)
            return found
        found = [Difference("time", "later", t, "") for s, t in zip(times, times[1:]) if not s < t]
        if len(times) <= int(o["steps"]) and times[-1] != end:
            found.append(Difference("time", end, times[-1], "the run did not end"))
        return found

    def moves(self, case, field, states, times):
        o = case.options
        method = "euler" if o["dynamics"] == "sa-step" else o.get("integrator", "auto")
        found, whole = [], range(len(states) - 1)
        if method in ("euler", "rk4"):
            step = getattr(integrators, method)
            for k in list(whole)[:6]:
                last = times[k + 1] == float(o["time"])
                h = L(times[k + 1]) - L(times[k]) if last else L(float(o["dt"]))
                field.h = h
                end, allowed = step(field, states[k], times[k], h)
                found += self.compare(f"step {k + 1}", end, states[k + 1], allowed)
            return found
        for k in list(whole)[:: max(1, len(whole) // 3)]:
            rough = float(field.lipschitz(states[k], times[k])) * (times[k + 1] - times[k])
            if rough > 200 or (o["rule"] == "entmax" and float(o.get("a", "1.5")) > 2):
                continue  # stiff, or not Lipschitz: the solution magnifies what the method may do
            radius = float(np.abs(np.array(states[k])).max()) * math.sqrt(len(states[k][0]))
            accuracy = float(o["accuracy"])
            fine = max(1e-13, accuracy / 1000)
            end = integrators.flow(field, states[k], times[k], L(times[k + 1]) - L(times[k]), fine, 3000 if len(states[k]) < 20 else 300)
            if end is None:
                continue
            factor = CVODE_STEPS if method == "cvode" else KINKS if self.kinked(o) else LOCAL
            allowed = (accuracy * factor + 10 * fine * (1 + rough)) * radius
            found += self.compare(f"{method} step {k + 1}", end, states[k + 1], np.full_like(end, allowed, dtype=L))
        return found

    @staticmethod
    def kinked(o):
        """The field is continuous only: an estimate of local errors does not see its kinks."""
        return o["rule"] == "sparsemax" or (o["rule"] == "entmax" and float(o.get("a", "1.5")) > 1) or o.get("beta", "").startswith("@")

    @staticmethod
    def compare(what, end, got, allowed):
        off = np.abs(end - np.array(got, dtype=L))
        bad = ~(off <= allowed)
        if not bad.any():
            return []
        i, c = [int(v) for v in np.argwhere(bad)[0]]
        worst = float((off / allowed).max())
        return [Difference(what.split(" step")[0] if "step" in what else what, float(end[i][c]), float(got[i][c]),
                           f"{what}, token {i}: off by {float(off[i][c]):.3g}, allowed {float(allowed[i][c]):.3g}, worst {worst:.3g}")]

    def numbers(self, case, field, record, state, states, t, k):
        """What is recorded of state k."""
        found = []
        if case.options["rule"] != "hardmax":
            field.h = min(L(float(case.options["dt"])), L(float(case.options["time"])) - L(t))
            f, e = field.parts(states[k], t)
            speed = np.sqrt((f * f).sum(axis=1))
            slack = np.sqrt((e * e).sum(axis=1)) + (len(f[0]) + 4) * U * speed
            found += close(f"residual", speed.max(), record["residual"][k], slack.max())
        for name in ("energy", "gap", "margin", "diameter"):
            value, slack = getattr(state, name)(*([field.m] if name == "energy" else []))
            found += close(name, value, record[name][k], slack)
        first, _ = State(states[0]).diameter()
        count = state.clusters(first * L(1e-6))
        if count is not None:
            found += equal("clusters", count, record["clusters"][k])
        return found

    def smaller(self, case):
        return clouds.smaller(case, self.rows(case), ("masses", "key-query", "value", "beta", "mask", "ties", "a", "usa"), ("1", "2", "4"))


SUITE = Time()
