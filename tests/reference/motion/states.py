"""states.py -- numbers that describe one state of a flow, in extended precision, with error bounds.

    energy    mean of J_i = <B x_i, x_i>/2 by mass
    gap       max_i (max_j <B x_i, x_j> - <B x_i, x_i>)
    margin    min_i (best score - the next lower score of another point)
    diameter  max |x_i - x_j|
    targets   for each token the index it scores highest, -1: two different points attain it; None: too near
    clusters  components of the graph of pairs at most the linking distance apart; None: too near

(docs/flow.md, docs/results.md.) Decisions are made where the lead exceeds its rounding bound, or the scores are
whole numbers that are exact here; otherwise the answer is None, and nothing is compared.
"""
import numpy as np

from fields import L, U


class State:
    def __init__(self, x, B=None, causal=False):
        self.x = x = np.asarray(x, dtype=L)
        n, d = x.shape
        self.y = x if B is None else x @ np.asarray(B, dtype=L).T
        size = np.abs(x) if B is None else np.abs(x) @ np.abs(np.asarray(B, dtype=L)).T
        self.seen = np.tril(np.ones((n, n), bool)) if causal else np.ones((n, n), bool)
        self.s = self.y @ x.T
        self.slack = (2 * d + 6) * U * (size @ np.abs(x).T) + L(2) ** -1070
        if B is None:
            self.slack = self.slack / 2

    def energy(self, masses):
        own, slack, m = np.diag(self.s), np.diag(self.slack), masses / masses.sum()
        return (m * own).sum() / 2, (m * slack).sum() / 2 + (len(own) + 4) * U * (m * np.abs(own)).sum() / 2

    def gap(self):
        """The gaps are differences <y, x_l - x_i>, as near as their own size allows."""
        best = np.where(self.seen, self.s, -np.inf)
        lead = best.max(axis=1) - np.diag(self.s)
        slack = np.where(self.seen, self.slack, 0).max(axis=1) + np.diag(self.slack)
        return lead.max(), slack.max() * 2

    def margin(self):
        """Least lead over the next point: None where rounding cannot tell points of equal score."""
        x, least, slack = self.x, np.inf, L(0)
        for i in range(len(x)):
            row = np.where(self.seen[i], self.s[i], -np.inf)
            best = int(row.argmax())
            other = self.seen[i] & (x != x[best]).any(axis=1)
            if other.any():
                lead = (self.y[i] * (x[best] - x[other])).sum(axis=1).min()
                least, slack = min(least, lead), max(slack, 2 * self.slack[i].max())
        return least, slack

    def diameter(self):
        apart = self.x[:, None, :] - self.x[None, :, :]
        scale = np.abs(apart).max() or L(1)
        r = np.sqrt(((apart / scale) ** 2).sum(axis=2).max()) * scale
        return r, (self.x.shape[1] + 4) * U * r + L(2) ** -1070

    def targets(self):
        x, found = self.x, []
        for i in range(len(x)):
            row = np.where(self.seen[i], self.s[i], -np.inf)
            best = int(row.argmax())
            same = (x == x[best]).all(axis=1) & self.seen[i]
            lead = (self.y[i] * (x[best] - x)).sum(axis=1)
            near = self.seen[i] & ~same & (lead <= 4 * self.slack[i].max())
            found.append(None if near.any() else int(np.flatnonzero(same)[0]) if same.sum() == 1 else "several")
        return found

    def clusters(self, linking):
        """The number of clusters, or None when a pair is too near the linking distance."""
        x, n = self.x, len(self.x)
        apart = x[:, None, :] - x[None, :, :]
        scale = np.abs(apart).max() or L(1)
        r = np.sqrt(((apart / scale) ** 2).sum(axis=2)) * scale
        if (np.abs(r - linking) <= 64 * U * linking + 8 * U * r)[~np.eye(n, dtype=bool)].any() and linking > 0:
            return None
        parent = list(range(n))

        def root(i):
            while parent[i] != i:
                i = parent[i]
            return i

        for i, j in zip(*np.nonzero(r <= linking)):
            parent[root(int(i))] = root(int(j))
        return len({root(i) for i in range(n)})
