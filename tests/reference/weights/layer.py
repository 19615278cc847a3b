"""layer.py -- one trained attention layer with many digits: loss, gradient, and how far doubles may be off.

An *ask* (an input, or a place of it) has keys k_t, tokens x_t, a query z and a label y. With omega = p,
W z or K Q'z and the head h (heads.py),

    a_t = <k_t, omega>,   s = softmax(a),   o = sum s_t x_t,   L = mean of l(y h(o)).

The gradient, derived by hand: d s_t = s_t (d a_t - sum_r s_r d a_r), so

    dL/d omega = mean of sum_t c_t k_t,    c_t = l'(f) y s_t <h'(o), x_t - o>,

and since the c_t add up to 0, sum_t c_t k_t = sum_{t != m} c_t (k_t - k_m) for any m; m is the token of the
largest logit. dL/dW is that times z', dL/dK = (dL/dW) Q, dL/dQ = (dL/dW)' K, dL/dv = mean of l' y o
for a linear head. self_test() checks all of them against central differences with 60 digits.

Error bounds (docs/gradients.md, "Error"; u = 2^-53). A coefficient c_t is off by (8|f| + T + 16) u of its
parts (8|log f| of the loss log: what stands there is the size of log|l'|), by |log c_t - log c_max| u, by 1e-300 of the
largest one (e^(e-M) underflows), and by the error of the logit differences, at most 4 d^2 u 2^-b |k||W||z| with b = 24 to length 16 (we take 20 beyond); <h', x_t - x_m> is a sum of d products, off by (d + 4) u of their
absolute sum. Sums over asks and tokens add (N + T) u of the absolute sum. A plain gradient (--gradient naive)
has coefficients off by (T + d + 16) u of s_t max|gamma|, for the winner too, and logits off by d u |k||W||z|.
"""
from decimal import Decimal

from heads import (ONE, ZERO, dot, exact, head_gradient, head_size, head_value, loss_rise,
                   loss_slope, loss_value)

U = 2.0 ** -53
UNDERFLOW = Decimal("1e-300")  # coefficients this far below the largest one may be 0 in double


class Ask:
    def __init__(self, source, keys, tokens, query, label):
        self.source, self.keys, self.tokens, self.query, self.label = source, keys, tokens, query, label


def asks_of(data, model, mask="full", row=0):
    """The asks of data (members X, y, z, v, K, or E, ids, next) for a model."""
    if "E" in data:
        words = exact(data["E"])
        found = []
        for i, (ids, follows) in enumerate(zip(data["ids"], data["next"])):
            tokens = [words[w] for w in ids]
            marks = [[ONE if w == follows else ZERO] for w in ids]  # f: attention of the next word
            found.append(Ask(i, tokens, marks, tokens[-1], 1))
        return found
    tokens = exact(data["X"])
    n, T = len(tokens), len(tokens[0])
    labels = data.get("y") or [1] * n
    queries = exact(data["z"]) if data.get("z") is not None else None
    each = queries is not None and isinstance(queries[0][0], list)
    prompt = model == "prompt" or model == "joint" and queries is None
    keys = exact(data["K"]) if prompt and data.get("K") is not None else tokens
    found = []
    for i in range(n):
        if model == "sequence":
            for k in range(T):
                upto = k + 1 if mask == "causal" else T
                label = labels[i][k] if isinstance(labels[i], list) else labels[i]
                query = queries[i][k] if each else tokens[i][k]
                found.append(Ask(i, tokens[i][:upto], tokens[i][:upto], query, label))
        elif prompt:
            found.append(Ask(i, keys[i], tokens[i], None, labels[i]))
        elif model == "self" or queries is None:
            found.append(Ask(i, tokens[i], tokens[i], tokens[i][row], labels[i]))
        else:
            found.append(Ask(i, tokens[i], tokens[i], queries[i], labels[i]))
    return found


def times(W, z):
    return [dot(row, z) for row in W]


def transposed(W):
    return [list(column) for column in zip(*W)]


def product(A, B):
    columns = transposed(B)
    return [[dot(row, column) for column in columns] for row in A]


def size(vector):
    return float(sum((x * x for x in vector), ZERO)) ** 0.5


class Forward:
    """Attention of one ask: all as differences to the winner."""

    def __init__(self, ask, omega, reach, settings, v, naive):
        self.ask, self.naive = ask, naive
        head, lam, loss = settings["head"], settings["lambda"], settings["loss"]
        self.logits = logits = [dot(k, omega) for k in ask.keys]
        self.top = max(range(len(logits)), key=lambda t: logits[t])
        weights = [(a - logits[self.top]).exp() for a in logits]
        total = sum(weights, ZERO)
        self.s = [w / total for w in weights]
        xm = ask.tokens[self.top]
        away = [[a - b for a, b in zip(x, xm)] for x in ask.tokens]
        d = len(xm)
        self.o = [dot(self.s, column) for column in zip(*ask.tokens)]
        slope = head_gradient(head, v, lam, self.o)
        big = head_size(head, v, lam, self.o)
        self.f = ask.label * head_value(head, v, lam, self.o)
        self.loss, self.slope = loss_value(loss, self.f), loss_slope(loss, self.f)
        delta = [dot(slope, x) for x in away]
        mean = dot(self.s, delta)
        rough = [sum((b * abs(a) for b, a in zip(big, x)), ZERO) for x in away]
        rough_mean = dot(self.s, rough)
        self.c = [self.slope * ask.label * s * (g - mean) for s, g in zip(self.s, delta)]
        # Bounds, in float relative to the common factor |l'|.
        T, dk = len(logits), len(ask.keys[0])
        key = max(size(k) for k in ask.keys)
        whole = max(float(sum((b * abs(a) for b, a in zip(big, x)), ZERO)) for x in ask.tokens)
        if naive:
            self.logit_error = 2 * (dk + 2) * U * key * reach
        else:
            self.logit_error = 4 * max(dk, 2) ** 2 * U * 2.0 ** (-24 if dk <= 16 else -20) * key * reach
        exponent = abs(float(self.f.ln() if loss == "log" else self.f))  # log |l'| is of this size
        relative = min((8 * exponent + T + 16) * U + 2 * self.logit_error, 1.0)
        # At a kink of the relu head rounding decides which side is taken.
        kink = head == "relu" and any(abs(dot(row, self.o)) <= Decimal((d + T + 8) * U * whole) for row in v)
        self.bound, self.floor = [], Decimal("1e-290") if naive else ZERO  # plain exponentials underflow
        for s, g, r in zip(self.s, delta, rough):
            off = Decimal(relative) * (abs(g) + abs(mean)) + Decimal((d + 4) * U) * (r + rough_mean)
            if naive:
                off += Decimal((T + d + 16) * U) * Decimal(whole)
            if kink:
                off += r + rough_mean
            self.bound.append(abs(self.slope) * s * off + self.floor)
        spread = float(dot(self.s, [abs(g) for g in delta]))
        self.f_error = (d + T + 8) * U * whole + (relative + T * U) * spread


def best_score(ask, v):
    """Highest score of an ask, and how far the others are behind (linear heads)."""
    scores = [ask.label * dot(v[0], x) for x in ask.tokens]
    best = max(scores)
    return best, [best - g for g in scores]


class Layer:
    """Loss and gradient of a model at weights {"p" | "W" | "K", "Q", and "v"}: Decimals."""

    def __init__(self, asks, weights, settings, v, naive=False, chosen=None):
        self.settings, self.naive, self.weights = settings, naive, weights
        self.v = [weights["v"]] if "v" in weights else v
        self.asks = [ask for ask in asks if chosen is None or ask.source in chosen]
        W = weights.get("W")
        if "K" in weights:
            W = product(weights["K"], transposed(weights["Q"]))
        self.W = W
        length = size([x for row in W for x in row]) if W else size(weights["p"])
        if "K" in weights:  # the bits of K Q'z are those of K and of Q
            length = size([x for row in weights["K"] for x in row]) * size([x for row in weights["Q"] for x in row])
        self.runs, self.found = [], None
        for ask in self.asks:
            omega = times(W, ask.query) if W else weights["p"]
            self.runs.append(Forward(ask, omega, length * (size(ask.query) if W else 1), settings, self.v, naive))
        count = len(self.runs)
        losses = [abs(float(run.loss)) for run in self.runs]  # inf where the loss leaves double
        self.loss = sum((run.loss for run in self.runs), ZERO) / count
        self.loss_error = sum(abs(float(run.slope)) * run.f_error + (8 + count) * U * x
                              for run, x in zip(self.runs, losses)) / count

    def omega_gradient(self):
        """dL/d omega times z' with its error bounds; a vector is one column."""
        count, d = len(self.runs), len(self.runs[0].ask.keys[0])
        width = len(self.runs[0].ask.query) if self.W else 1
        G, rough, E = ([[ZERO] * width for _ in range(d)] for _ in range(3))
        # The largest coefficient of a term that is not 0 for its query or its key.
        top = max((abs(c) for run in self.runs if not self.W or any(run.ask.query)
                   for c, key in zip(run.c, run.ask.keys) if key != run.ask.keys[run.top]), default=ZERO)
        for run in self.runs:
            km, z = run.ask.keys[run.top], run.ask.query if self.W else [ONE]
            column, sizes, bounds = [ZERO] * d, [ZERO] * d, [ZERO] * d
            for t, (c, bound) in enumerate(zip(run.c, run.bound)):
                if not run.naive and t == run.top:
                    continue
                bound += top * UNDERFLOW
                if c and top and run.ask.keys[t] != km:
                    bound += abs(c) * Decimal(U) * abs((abs(c) / top).ln())
                for k in range(d):
                    away = run.ask.keys[t][k] - km[k]
                    column[k] += c * away
                    away = abs(run.ask.keys[t][k]) if run.naive else abs(away)
                    sizes[k] += abs(c) * away
                    bounds[k] += bound * away
            for k in range(d):
                for j in range(width):
                    G[k][j] += column[k] * z[j] / count
                    rough[k][j] += sizes[k] * abs(z[j]) / count
                    E[k][j] += bounds[k] * abs(z[j]) / count
        slack = Decimal((count + len(self.runs[0].c) + 8) * U)
        return G, [[e + slack * r for e, r in zip(*rows)] for rows in zip(E, rough)]

    def gradient(self):
        """{tensor: (rows of values, rows of error bounds)}."""
        if self.found is None:
            self.found = self.new_gradient()
        return self.found

    def new_gradient(self):
        G, E = self.omega_gradient()
        found = {}
        if "K" in self.weights:
            K, Q = self.weights["K"], self.weights["Q"]
            sizes = [[abs(x) for x in row] for row in G]
            for name, A, B, S, F in (("K", G, Q, sizes, E),
                                     ("Q", transposed(G), K, transposed(sizes), transposed(E))):
                bigger = [[e + Decimal((len(G) + 4) * U) * s for e, s in zip(*rows)] for rows in zip(F, S)]
                found[name] = (product(A, B), product(bigger, [[abs(x) for x in row] for row in B]))
        else:
            found["W" if self.W else "p"] = (G, E)
        if "v" in self.weights:
            found["v"] = self.decoder_gradient()
        return found

    def decoder_gradient(self):
        values, bounds = [], []
        count = len(self.runs)
        for k in range(len(self.weights["v"])):
            terms = [run.slope * run.ask.label * run.o[k] / count for run in self.runs]
            off = ZERO
            for run in self.runs:
                share = (len(run.s) + 16 + 8 * abs(float(run.f))) * U + run.f_error + run.logit_error
                off += (abs(run.slope) * Decimal(share) + run.floor) / count * max(abs(x[k]) for x in run.ask.tokens)
            values.append([sum(terms, ZERO)])
            bounds.append([off + Decimal((count + 4) * U) * sum(map(abs, terms))])
        return values, bounds

    def gap(self):
        """(L - L*, its relative error), for linear heads and a fixed decoder."""
        total, worst = ZERO, 0.0
        sizes = [abs(a) for a in self.v[0]]
        for run in self.runs:
            best, behind = best_score(run.ask, self.v)
            drop = dot(run.s, behind)
            total += loss_rise(self.settings["loss"], best, drop, run.f)
            T, d = len(run.s), len(run.ask.tokens[0])
            winner = run.ask.tokens[behind.index(ZERO)]
            rough = max((float(dot(sizes, [abs(a - b) for a, b in zip(x, winner)]) / g)
                         for x, g in zip(run.ask.tokens, behind) if g), default=1.0)
            worst = max(worst, (T + 24 + 8 * abs(float(best)) + 8 * float(drop)) * U + 2 * run.logit_error
                        + (d + 4) * U * rough)
        return total / len(self.runs), worst

    def infimum(self):
        return sum((loss_value(self.settings["loss"], best_score(ask, self.v)[0]) for ask in self.asks),
                   ZERO) / len(self.asks)


def self_test(seed=1):
    """The largest error of gradients against central differences with a step of 1e-20."""
    import random
    rng = random.Random(seed)

    def draw(*shape):
        return [draw(*shape[1:]) for _ in range(shape[0])] if shape else rng.gauss(0, 1)

    step, worst = Decimal("1e-20"), ZERO
    for model in ("prompt", "cross", "self", "sequence", "kq", "joint"):
        for head in ("linear", "relu", "quadratic"):
            for loss in ("logistic", "exponential", "correlation"):
                if model == "joint" and head == "relu":
                    continue
                data = {"X": draw(2, 3, 3), "z": draw(2, 3), "y": [1, -1]}
                settings = {"head": head, "lambda": Decimal("0.3"), "loss": loss}
                asks = asks_of(data, model, "causal", 1)
                weights = {"p": draw(3)} if model == "prompt" else {"K": draw(3, 2), "Q": draw(3, 2)} \
                    if model == "kq" else {"W": draw(3, 3)}
                if model == "joint":
                    weights["v"] = draw(3)
                weights = {name: exact(value) for name, value in weights.items()}
                v = exact(draw(2 if head == "relu" else 1, 3))
                for name, (rows, _) in Layer(asks, weights, settings, v).gradient().items():
                    for i, row in enumerate(rows):
                        for j, value in enumerate(row):
                            ends = []
                            for sign in (1, -1):
                                moved = {k: exact(w) for k, w in weights.items()}
                                if isinstance(moved[name][i], list):
                                    moved[name][i][j] += sign * step
                                else:
                                    moved[name][i] += sign * step
                                ends.append(Layer(asks, moved, settings, v).loss)
                            worst = max(worst, abs((ends[0] - ends[1]) / (2 * step) - value))
    return worst


if __name__ == "__main__":
    error = self_test()
    print(f"gradient against central differences: {float(error):.2e}")
    assert error < Decimal("1e-33")
