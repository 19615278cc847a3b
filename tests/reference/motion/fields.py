"""fields.py -- velocities of tokens in continuous time, in extended precision, with error bounds.

    ode   dx_i/dt = avg_i - x_i = sum_j p_ij (x_j - x_i)
    sa    dx_i/dt = Proj_x V avg_i on the unit sphere
    sa-step   x <- unit(x + h V avg): Euler's step of Proj_x V avg_i / (1 + h <x_i, V avg_i>), h = .h (0: no step is left)
    usa   dx_i/dt = Proj_x (1/M_i) sum_j m_j exp(beta s_ij) V x_j on it; M_i: the mass that i sees;
          shifted: exp(beta (s_ij - 1))

(docs/flow.md, docs/rules.md). Off the sphere, where the stages of an integrator lie, the field is
(I - x x') V sum_j w_ij (x_j - x_i) for V a multiple of I and (I - x x') V sum_j w_ij x_j otherwise: on the
sphere these are the same.

Arithmetic is numpy's long double, v = 2^-64: its own errors are 2^-11 of what is allowed to the program,
and exponents reach 10^4932. Scores enter as differences from the largest of their row, <y, x_j - x_l>.

error(x, t) bounds what double, u = 2^-53, may do to a coordinate of a velocity:
  exponents  beta s: y = Bx and the score are sums of d products each, so beta (2d + 6) u |y|_1-like sums;
             a weight changes by twice that, relatively
  sums       (n + 24) u of sum_j p_j |x_j - x_i|, with exp within an ulp, the division and the differences
  sparsemax, entmax: an error e of the exponents changes p_j by m_j ((z + 2e)^q - z^q), q = 1/(a-1), at most,
             and what the sum changes by is given back by delta: twice the sum of it
  projection (d + 6) u of the vector, twice.
"""
import numpy as np

L = np.longdouble
U = L(2) ** -53


def schedule(text, table, t):
    """The value of a SCHEDULE at time t (docs/options.md)."""
    t = L(t)
    kind, _, rest = text.partition(":")
    a = [L(v) for v in rest.split(",")] if rest else []
    if text.startswith("@"):
        return L(table[min(int(t), len(table) - 1)])
    if kind == "fw":
        return 2 / (t + 2)
    if kind == "harmonic":
        return 1 / (t + 1)
    if kind == "superexp":
        return 1 - np.exp(-a[0] * (t + 1))
    if kind == "geometric":
        return a[0] * a[1] ** t
    if kind == "power":
        return a[0] * (t + 1) ** -a[1]
    if kind == "cosine":
        return a[0] + a[1] * np.cos(t)
    if kind == "linear":
        return a[0] + a[1] * t
    return L(float(text))


class Field:
    """dynamics, rule, B, V (None: identity), masses, causal, beta (text, table), a, shifted; kind: of the numbers."""

    def __init__(self, kind=L, **given):
        self.__dict__.update(given)
        self.given, self.kind = given, kind
        self.m = np.asarray(self.masses, dtype=kind)
        self.B = None if self.B is None else np.asarray(self.B, dtype=kind)
        self.V = None if self.V is None else np.asarray(self.V, dtype=kind)
        n = len(self.m)
        self.seen = np.tril(np.ones((n, n), bool)) if self.causal else np.ones((n, n), bool)
        self.h = L(0)
        self.sphere = self.dynamics != "ode"
        self.plain = self.V is None or (self.V == self.V[0][0] * np.eye(len(self.V))).all()

    def at(self, t):
        """(|beta|, its sign): a negative beta is a positive one with -B."""
        beta = self.kind(schedule(*self.beta, t))
        return abs(beta), (-1 if beta < 0 else 1)

    def query(self, x):
        return x if self.B is None else x @ self.B.T

    def leads(self, x, t):
        """beta (s_ij - max), and a bound of the error of it in double."""
        beta, sign = self.at(t)
        y = sign * self.query(x)
        s = np.where(self.seen, y @ x.T, -np.inf)
        best = s.argmax(axis=1)
        lead = np.einsum("ic,ijc->ij", y, x[None, :, :] - x[best][:, None, :])
        yabs = np.abs(x) if self.B is None else np.abs(x) @ np.abs(self.B).T
        size = yabs @ np.abs(x).T
        d = x.shape[1]
        slack = beta * (2 * d + 6) * U * (size + size[np.arange(len(x)), best][:, None])
        return np.where(self.seen, beta * lead, -np.inf), slack, beta * np.where(self.seen, s, 0)

    def weights(self, x, t):
        """(w, bound of the absolute error of w)."""
        n = len(x)
        if self.rule == "uniform":
            w = self.seen * self.m
            w = w / w.sum(axis=1, keepdims=True)
            return w, (n + 8) * U * w
        z, slack, s = self.leads(x, t)
        z = z - z.max(axis=1, keepdims=True)
        if self.dynamics == "usa":
            mass = (self.seen * self.m).sum(axis=1, keepdims=True)
            e = s - (self.at(t)[0] * self.at(t)[1] if self.shifted else 0)
            with np.errstate(over="ignore"):
                w = self.seen * self.m * np.exp(e) / mass
            return w, w * ((n + 24) * U + 2 * slack + 4 * U * np.abs(e))
        a = self.kind({"softmax": 1, "sparsemax": 2}.get(self.rule, self.a))
        if a == 1:
            w = self.m * np.exp(z)
            w = w / w.sum(axis=1, keepdims=True)
            spread = np.where(w > 0, np.abs(np.where(self.seen, z, 0)), 0)
            rel = 2 * np.minimum(slack + 4 * U * spread, 1)
            off = w * ((n + 24) * U + rel)
            return w, off + w * off.sum(axis=1, keepdims=True)
        q = 1 / (a - 1)
        z = 1 + (a - 1) * z
        level = z - self.delta(z, q, a)
        w = self.m * np.maximum(level, 0) ** q
        w = w / w.sum(axis=1, keepdims=True)
        e = (a - 1) * slack + 8 * U * (1 + np.where(self.seen, np.abs(z), 0))
        e = np.where(self.seen, e, 0).max(axis=1, keepdims=True)
        top = np.maximum(level + 2 * e, 0)
        off = np.where(self.seen, self.m * (top ** q - np.maximum(level - 2 * e, 0) ** q), 0)
        off = off + (n + 24) * (1 + q) * U * w
        return w, off + w * off.sum(axis=1, keepdims=True) * 2

    def delta(self, z, q, a):
        """delta with sum_j m_j [z_j - delta]_+^q = 1 for every row: by Newton's method from the left where the sum is
        convex (q >= 1), which does not overshoot, else by bisection."""
        best = (z == 1).argmax(axis=1)
        low = (1 - (1 / self.m[best]) ** (a - 1))[:, None]
        if q >= 1:
            for _ in range(200):
                over = np.maximum(z - low, 0)
                slope = q * (self.m * np.where(over > 0, over, 0) ** (q - 1) * (over > 0)).sum(axis=1, keepdims=True)
                next = low + ((self.m * over ** q).sum(axis=1, keepdims=True) - 1) / slope
                if not (next > low).any():
                    break
                low = np.maximum(low, next)
            return low
        high = np.ones((len(z), 1), dtype=z.dtype)
        for _ in range(90):
            mid = (low + high) / 2
            over = (self.m * np.maximum(z - mid, 0) ** q).sum(axis=1, keepdims=True) >= 1
            low, high = np.where(over, mid, low), np.where(over, high, mid)
        return (low + high) / 2

    def double(self):
        """The same in double."""
        return Field(kind=float, **self.given)

    def parts(self, x, t):
        x = np.asarray(x, dtype=self.kind)
        w, off = self.weights(x, t)
        apart = x[None, :, :] - x[:, None, :]
        n, d = x.shape
        if not self.sphere or self.plain:
            f = np.einsum("ij,ijc->ic", w, apart)
            e = np.einsum("ij,ijc->ic", off + 2 * U * w, np.abs(apart))
        else:
            f, e = w @ x, (off + 2 * U * w) @ np.abs(x)
        e = e + L(2) ** -1070 * (n + 8)
        if self.sphere:
            if self.V is not None:
                e = e @ np.abs(self.V).T + (d + 4) * U * np.abs(f) @ np.abs(self.V).T
                f = f @ self.V.T
            along = np.einsum("ic,ic->i", f, x)[:, None]
            size = np.einsum("ic,ic->i", np.abs(f), np.abs(x))[:, None]
            e = e + np.abs(x) * (np.einsum("ic,ic->i", e, np.abs(x))[:, None] + (d + 6) * U * size) + 4 * U * np.abs(f)
            f = f - along * x
            if self.dynamics == "sa-step":
                a = along if not self.plain else along + (1 if self.V is None else L(self.V[0][0])) * (x * x).sum(axis=1, keepdims=True)
                rest = 1 + self.h * a
                slip = self.h * (np.einsum("ic,ic->i", e, np.abs(x))[:, None] + (d + 6) * U * (size + 2)) + 8 * U * (1 + np.abs(rest))
                e = e / np.abs(rest) + np.abs(f) * slip / rest ** 2
                f = f / rest
        return f, e

    def __call__(self, x, t):
        return self.parts(x, t)[0]

    def error(self, x, t):
        return self.parts(x, t)[1]

    def lipschitz(self, x, t):
        """By how much, at most, a displacement of all tokens by 1 changes a velocity (a bound near x)."""
        x = np.asarray(x, dtype=L)
        beta = self.at(t)[0]
        r = np.sqrt((x * x).sum(axis=1)).max()
        d = min(2 * r, np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)).max())
        b = 1 if self.B is None else np.linalg.norm(np.asarray(self.B, dtype=float))
        sharp = 0 if self.rule == "uniform" else beta * b * (d + 2 * r) * d
        if self.rule in ("sparsemax", "entmax"):
            sharp = sharp * np.sqrt(len(x)) * self.m.max()
        v, total = 1, 1
        if self.sphere:
            v = 1 if self.V is None else np.linalg.norm(np.asarray(self.V, dtype=float))
            if self.dynamics == "usa":
                total = self.weights(x, t)[0].sum(axis=1).max()
                sharp = beta * b * 4 * r * r
            return total * v * (2 + sharp + 3 * r * r) * max(1, r * r)
        return 2 + sharp
