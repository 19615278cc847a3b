"""Commands whose proofs are of flows and thresholds, and an independent decision whether a claim is proved: sets
are found from their definition and steps are taken, exactly, beside Q1 and Q2 for all corners one by one."""
import decimal
from fractions import Fraction

from geometry import any_matrix, array, cloud, determinant, dot, form, integers

decimal.getcontext().prec = 80
decimal.getcontext().Emin, decimal.getcontext().Emax = -10**15, 10**15
NEAR = Fraction(1, 10**60)  # of Decimal's functions


def number(text):
    return Fraction(float.fromhex(text))


def decimal_of(value):
    return decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)


class Flow:
    def __init__(self, proof, claim):
        of, witness = claim["of"], claim["witness"]
        self.proof, self.of, self.x = proof, of, array(proof, of["tokens"])
        self.n, self.ode = len(self.x), of["pace"] == "ode"
        self.masses = array(proof, of["masses"]) or [Fraction(1)] * self.n
        self.low, self.high = number(of["epsilon_low"]), number(of["epsilon_high"])
        self.now = self.low if of["epsilon_now"] is None else number(of["epsilon_now"])
        self.gammas = number(of["gamma_low"]), number(of["gamma_high"])
        self.whole = not self.ode and self.gammas[1] == 1
        classes, inside, pairs = [integers(witness[key]) for key in ("classes", "inside", "listens")]
        heard = {}
        for k, g in zip(pairs[::2], pairs[1::2]):
            heard.setdefault(k, []).append(g)
        self.open = [k in heard for k in classes]
        core = lambda k: [j for j in range(self.n) if classes[j] == k and inside[j]]
        self.limit_of = [sorted({j for g in heard.get(k, [k]) for j in core(g)}) for k in classes]
        self.hears = [sorted(set(self.limit_of[i]) | set(core(classes[i]))) for i in range(self.n)]
        self.own = [self.open[i] and bool(inside[i]) for i in range(self.n)]
        self.fellows = [[j for j in range(self.n) if classes[j] == classes[i]] for i in range(self.n)]
        self.closed = len({k for k in classes if k not in heard})
        self.is_sound = all(g not in heard and core(g) for k in heard for g in heard[k])
        self.inside = inside

    def mean(self, x, tokens):
        """By mass, or of distinct points."""
        if self.of["ties"] == "points":
            points = {tuple(x[j]) for j in tokens}
            return [sum(column) / len(points) for column in zip(*points)]
        total = sum(self.masses[j] for j in tokens)
        return [sum(self.masses[j] * x[j][c] for j in tokens) / total for c in range(len(x[0]))]

    def averages(self, x, epsilon):
        made = []
        for token in x:
            y = form(self.proof, self.of, token)
            scores = [dot(y, other) for other in x]
            made.append(self.mean(x, [j for j, s in enumerate(scores) if s >= max(scores) - epsilon]))
        return made

    def steps_agree(self):
        """A few steps by the definition go where the claimed sets say."""
        x = self.x
        for k in range(4):
            gamma = Fraction(1, 3) if self.ode else self.gammas[k % 2]
            left = (1 - self.gammas[0]) ** k
            epsilon = self.high if k == 0 and self.of["epsilon_now"] is None else max(self.low, self.now * left)
            averages = self.averages(x, epsilon)
            if averages != [self.mean(x, self.hears[i]) for i in range(self.n)]:
                return False
            x = [[s + gamma * (t - s) for s, t in zip(*both)] for both in zip(x, averages)]
        return True

    def corners(self, i):
        """Points in whose hull token i stays, and whether it may be no more than near to each."""
        if not self.open[i] and self.inside[i]:
            return [(self.x[j], False) for j in self.hears[i]]
        z = self.mean(self.x, self.limit_of[i])
        return [(self.x[j], False) for j in (self.fellows[i] if self.own[i] else [i])] + [(z, True)]

    def corners_hold(self):
        for i in range(self.n):
            place = self.x[self.hears[i][0]]
            single = all(self.x[j] == place for j in self.hears[i])
            strict = self.high > 0 and self.of["ties"] == "indices"
            if self.whole and not single and not strict and (self.open[i] or not all(self.inside[j] for j in self.fellows[i])):
                return False
            for p, _ in self.corners(i):
                y = form(self.proof, self.of, p)
                inside = [dot(y, q) for j in self.hears[i] for q, _ in self.corners(j)]
                if max(inside) - min(inside) > (self.low if self.open[i] else self.now):
                    return False
                for j in set(range(self.n)) - set(self.hears[i]):
                    for r, far in self.corners(j):
                        lead = min(inside) - dot(y, r) - self.high
                        touch = far and self.high == 0 and (not self.whole or (single and r == place))
                        if lead < 0 or (lead == 0 and not touch):
                            return False
        return True

    def lasts(self):
        if self.ode and not self.high == self.now == 0:
            return False
        ordered = 0 <= self.low <= self.high and 0 <= self.gammas[0] <= self.gammas[1] <= 1
        return (ordered and self.is_sound and min(self.masses) > 0 and self.closed == self.of["groups"] and
                self.corners_hold() and self.steps_agree())


def theorem_4_2(proof, claim):
    flow = Flow(proof, claim)
    return flow.lasts() and all(flow.x[j] == flow.x[hears[0]] for hears in flow.hears for j in hears)


def quiescence(proof, claim):
    flow = Flow(proof, claim)
    return flow.lasts() and all(i in hears for i, hears in enumerate(flow.hears)) and not any(flow.open)


def fixed_point(proof, claim):
    return Flow(proof, claim).lasts()


def closed_form(proof, claim):
    of, flow = claim["of"], Flow(proof, claim)
    later, error, a = array(proof, of["later"]), number(of["error"]), of["step"]
    if of["law"] == "ode":
        left = Fraction((-decimal_of(number(of["time"]))).exp()) if number(of["time"]) < 999 else Fraction(0)
    elif of["steps"] is None:
        left = Fraction(0)
    elif of["steps"] == 0:
        left = Fraction(1)
    elif of["law"] == "constant":
        left = decimal_of(1 - flow.gammas[0]) ** of["steps"] if flow.gammas[0] < 1 else 0
        left = Fraction(left) if left > decimal.Decimal("1e-999") else Fraction(0)
    else:
        b = a + of["steps"]
        left = Fraction(a, b) if of["law"] == "harmonic" else Fraction(a * (a + 1), b * (b + 1))
    if not flow.lasts() or flow.ode != (of["law"] == "ode"):
        return False
    for i, x in enumerate(flow.x):
        z = flow.mean(flow.x, flow.limit_of[i])
        if flow.own[i] and flow.mean(flow.x, flow.fellows[i]) != z:
            return False
        if any(abs(t + left * (s - t) - u) > error + NEAR for s, t, u in zip(x, z, later[i])):
            return False
    return True


def consensus(proof, claim):
    of, most = claim["of"], number(claim["of"]["diameter"])
    x = array(proof, of["tokens"])
    if of["space"] == "sphere":
        lengths = [Fraction(decimal_of(dot(t, t)).sqrt()) for t in x]
        x = [[s / length for s in t] for t, length in zip(x, lengths)]
        return most * most < 2 and all(sum((s - t) ** 2 for s, t in zip(a, b)) <= most**2 + NEAR for a in x for b in x)
    return most >= 0 and all(sum((s - t) ** 2 for s, t in zip(a, b)) <= most**2 for a in x for b in x)


def residual(proof, claim):
    of, x, most = claim["of"], array(proof, claim["of"]["tokens"]), number(claim["of"]["residual"])
    masses = array(proof, of["masses"]) or [Fraction(1)] * len(x)
    for t in x:
        scores = [number(of["beta"]) * dot(form(proof, of, t), u) for u in x]
        weights = [m * Fraction(decimal_of(s - max(scores)).exp()) for m, s in zip(masses, scores)]
        mean = [sum(w * u[c] for w, u in zip(weights, x)) / sum(weights) for c in range(len(t))]
        if sum((a - b) ** 2 for a, b in zip(mean, t)) > most**2 + NEAR:
            return False
    return most >= 0


def is_semidefinite(rows):
    """By all of its principal minors."""
    d = len(rows)
    return all(determinant([[rows[i][j] for j in range(d) if mask >> j & 1] for i in range(d) if mask >> i & 1]) >= 0
               for mask in range(1, 1 << d))


def threshold_bound(proof, claim):
    of, witness, x = claim["of"], claim["witness"], array(proof, claim["of"]["tokens"])
    d = len(x[0])
    unit = [[Fraction(i == j) for j in range(d)] for i in range(d)]
    b = [form(proof, of, row) for row in unit]  # its columns
    a = [[(b[i][j] + b[j][i]) / 2 for j in range(d)] for i in range(d)]
    m = [[witness["share"] * a[i][j] + number(witness["shift"]) * unit[i][j] for j in range(d)] for i in range(d)]
    moves = [[s - t for s, t in zip(p, q)] for p in x for q in x if p is not q]
    return (is_semidefinite(m) and is_semidefinite([[s - t for s, t in zip(*two)] for two in zip(m, a)]) and
            all(dot(u, [dot(row, u) for row in m]) < 2 * number(of["epsilon"]) for u in moves))


# ---- commands ----------------------------------------------------------------------------------------------------


def sets(draw):
    """Hardmax and localmax, to a proof or beyond."""
    tokens = cloud(draw, 9, 3)
    words, files = any_matrix(draw, len(tokens[0]))
    rule = draw.choice(["hardmax", "localmax"])
    words += ["--rule", rule, "--steps", draw.choice(["0", "1", "7", "300"])]
    words += ["--gamma", draw.choice(["0.5", "0.1", "1", "fw", "harmonic", "0.9", "power:0.5,2"])]
    if rule == "localmax":
        words += ["--epsilon", draw.choice(["0", "0.1", "1", "3", "20", "geometric:1,0.95", "power:2,1"])]
    elif draw.random() < 0.3:
        words += ["--ties", draw.choice(["indices", "first"])]
    if draw.random() < 0.3:
        files["masses"] = [[float(draw.randint(1, 3))] for _ in tokens]
    return ["flow", *words, "--until", "converged"], {"tokens": tokens, **files}


def far(draw):
    """Leaders along the axes, and tokens that follow them from the first step on."""
    d = draw.randint(1, 3)
    tokens = [[4.0 * sign * (c == k) for c in range(d)] for k in range(d) for sign in (1, -1)]
    tokens += [[draw.gauss(0, 0.5) for _ in range(d)] for _ in range(draw.randint(0, 5))]
    words = ["--steps", draw.choice(["12", "1e15", "inf"]), "--gamma", draw.choice(["0.5", "1e-9", "fw", "harmonic", "1"])]
    return ["flow", "--rule", "hardmax", *words], {"tokens": tokens}


GOLDEN = [  # clouds of the papers, of which much is known, and most is tied
    [[1.0], [0.5]], [[1.0], [-1.0], [0.05]], [[3.0], [-1.0]], [[1.0], [-0.001]],
    [[1.0, 1 / 3], [-1 / 12, 1 / 12], [-1.0, -1.0], [0.0, 0.25], [-0.3, -0.7], [-0.6, -0.9], [0.8, 0.1], [0.6, 0.15]],
    [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0], [-0.5, 0.0], [0.5, 0.0]],
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    [[1.0, 1.0], [0.5, -0.5], [-1.0, -1.0], [0.3, -0.2], [0.1, -0.2], [0.0, 0.0]],
]


def golden(draw):
    words = draw.choice([["--rule", "hardmax"], ["--rule", "hardmax", "--key-query", "-1"]] +
                        [["--rule", "localmax", "--epsilon", e] for e in "0 0.1 0.2 0.3 0.5 1 1.5 2 2.1".split()])
    words += ["--gamma", draw.choice(["0.5", str(1 / 3), "fw"]), "--steps", draw.choice(["0", "1", "10", "400"])]
    return ["flow", *words], {"tokens": draw.choice(GOLDEN)}


def pieces(draw):
    """The hardmax ODE."""
    tokens = cloud(draw, 8, 3)
    return ["flow", "--dynamics", "ode", "--rule", "hardmax", "--time", str(draw.choice([0.5, 3, 40]))], {
        "tokens": tokens}


def meet(draw):
    words = draw.choice([["--rule", "uniform"], ["--rule", "softmax", "--beta", "0.1"],
                         ["--rule", "softmax", "--beta", "1", "--dynamics", "sa", "--time", "200", "--init", "sphere",
                          "--tolerance", "1e-9"]])
    words = [*words, "--n", str(draw.randint(2, 9)), "--d", str(draw.randint(2, 4)), "--seed", str(draw.randint(1, 999)),
             "--until", "converged"]
    return ["flow", *words, *([] if "sa" in words else ["--steps", "2000"])], {}


def metastable(draw):
    words = ["--rule", "softmax", "--beta", str(draw.choice([30, 60, 200])), "--gamma", "0.1", "--steps", "3"]
    return ["flow", "--init", "polygon", "--n", str(draw.randint(2, 5)), *words], {}


def bracket(draw):
    """Few steps leave much to the theorems."""
    tokens = cloud(draw, 7, 3)
    words, files = any_matrix(draw, len(tokens[0]))
    words += ["--steps", draw.choice(["0", "1", "3", "500"]), "--gamma", draw.choice(["0.5", "1", "0.2"])]
    return ["threshold", *words, "--width", draw.choice(["0.1", "1e-4"])], {"tokens": tokens, **files}


COMMANDS = [sets, golden, far, pieces, meet, metastable, bracket]
DECIDE = {"theorem-4.2": theorem_4_2, "quiescence": quiescence, "fixed-point": fixed_point, "closed-form": closed_form,
          "consensus": consensus, "residual": residual, "threshold-bound": threshold_bound}
