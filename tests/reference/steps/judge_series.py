"""judge_series.py -- what a flow says of several of its states: Lyapunov candidates and their rises, least gaps.

A part of judge_step.Judge. A rise counts when it exceeds the errors of both values, (d + 20) u each, and what the rounding
of tokens can do (docs/flow.md): what is recorded is the rise, or 0 where rounding could have made it.
"""
import math

import measures
from attention import U
from harness import number


class Series:
    def lyapunov(self):
        d = self.setting.d
        centre = measures.mean(self.x[0], self.setting.whole_masses)
        radius = max(abs(v) for row in self.x[0] for v in row)
        series = {"potential": [measures.potential(state) for state in self.states],
                  "spread": [measures.spread(x, centre, radius) for x in self.x]}
        if "dirichlet" in self.record and not any(row.open_set for s in self.states for row in s.rows):
            series["dirichlet"] = [measures.dirichlet(state) for state in self.states]
        for name, values in series.items():
            for t, (value, shift) in enumerate(values):
                allowed = 2 * (d + 20 + self.setting.n / 8) * U * value + (shift if name == "spread" else 0.0)
                self.near("record." + name, value, self.record[name][t], allowed, f"step {t}, allowed {allowed:.3g}")
            self.rises(name, values)
        supports = [measures.support(x) for x in self.x]
        rise = 0.0
        for t in range(len(self.x)):
            if t:
                rise = max([rise] + [b - a for a, b in zip(supports[t - 1], supports[t])])
            self.rise("support_rise", t, rise, 64 * U * self.radius * (1 + self.setting.n / 64))
        energies = [measures.own_energies(state) for state in self.states]
        fall, spare = 0.0, 0.0
        for t in range(len(self.x)):
            if t:
                fall = max([fall] + [a[0] - b[0] for a, b in zip(energies[t - 1], energies[t])])
                spare = max([spare] + [4 * (a[1] + b[1]) for a, b in zip(energies[t - 1], energies[t])])
            self.rise("energy_fall", t, fall, spare)

    def rises(self, name, values):
        rise, spare = 0.0, 0.0
        for t in range(len(values)):
            if t:
                rise = max(rise, values[t][0] - values[t - 1][0])
                spare = max(spare, 2 * (self.setting.d + 20 + self.setting.n / 8) * U *
                            (values[t][0] + values[t - 1][0]) + 16 * (values[t][1] + values[t - 1][1]))
            self.rise(name + "_rise", t, rise, spare)

    def rise(self, name, t, rise, spare):
        """The rise itself, or 0 when rounding could have made it."""
        got = number(self.record[name][t])
        if got == 0 and rise <= spare:
            return
        self.near("record." + name, rise, got, spare, f"step {t}, allowed {spare:.3g}")

    def gap_bounds(self):
        """gap_least_i = min_{s<t} gap_i^s, its bound (max_j J_j^t - J_i^0) / (gamma t), their ratio."""
        n = self.setting.n
        least = [(math.inf, 0.0)] * n
        first = measures.own_energies(self.states[0])
        gamma = float(self.setting.schedule("gamma", 0)[0])
        V = self.setting.V
        if V is not None and "gap_bound" in self.record:  # a number: matrices have no such bound
            gamma = V / (1 + V)
        for t, state in enumerate(self.states):
            value, spare = max(least)[0], max(b for _, b in least)
            self.near("record.gap_least", value, self.record["gap_least"][t], spare, f"step {t}, allowed {spare:.3g}")
            if "gap_bound" in self.record and t and gamma:  # no bound where nothing moves
                energies = measures.own_energies(state)
                top, error = max(j for j, _ in energies), max(b for _, b in energies) + max(b for _, b in first)
                bounds = [(top - j) / (gamma * t) for j, _ in first]
                error = (error + 8 * U * max(abs(top), max(abs(j) for j, _ in first))) / (abs(gamma) * t)
                self.near("record.gap_bound", max(bounds), self.record["gap_bound"][t], error,
                          f"step {t}, allowed {error:.3g}")
                if gamma > 0:  # a bound for no other
                    self.ratio(t, least, bounds, error)
            least = [min(a, b) for a, b in zip(least, measures.gaps(state))]

    def ratio(self, t, least, bounds, error):
        low, high = 0.0, 0.0
        for (gap, spare), bound in zip(least, bounds):
            if bound > 4 * error:
                low = max(low, (gap - spare) / (bound + error))
                high = max(high, (gap + spare) / (bound - error))
            elif gap > 0 or bound < 0 or spare + error > 0 and bound != 0:
                return  # nearly 0/0
        got = number(self.record["gap_ratio"][t])
        if not low - 8 * U <= got <= high * (1 + 8 * U):
            self.say("record.gap_ratio", (low + high) / 2, got, f"step {t}")
