"""The same questions asked of others: NumPy for a step, SciPy for hulls, scikit-learn for margins.

Tolerances: u = 2^-53. A sum of n products, exponentials within an ulp, differs from another such
sum by at most (n + d + 8) u times the sum of absolute values; hulls and margins say theirs.
"""

import numpy as np
import pytest

import tropism as tr

U = 2.0**-53


def rng(seed):
    return np.random.default_rng(seed)


# ---- a step, by NumPy ----------------------------------------------------------------------------


def softmax_weights(x, beta, B, causal=False):
    scores = beta * (x @ B.T) @ x.T
    if causal:
        scores = np.where(np.tril(np.ones_like(scores, dtype=bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def step_bound(x, beta, B):
    """Scores carry an error of (d + d) u |beta| |Bx||x|, which weights take relatively; the sum and
    its division add n + 8 ulps more. Twice, since both sides round."""
    n, d = x.shape
    scores = np.abs(beta) * (np.abs(x) @ np.abs(B.T)) @ np.abs(x.T)
    return 2 * U * (4 * d * scores.max() + n + 8) * np.abs(x).max()


@pytest.mark.parametrize("beta", [0.0, 1.0, 9.0, -2.0])
@pytest.mark.parametrize("n,d", [(1, 1), (2, 1), (7, 3), (40, 2), (33, 17), (300, 5)])
def test_a_step_of_softmax_is_that_of_numpy(n, d, beta):
    x, B = rng(n + d).normal(size=(n, d)), rng(d).normal(size=(d, d))
    for mask in ("full", "causal"):
        flow = tr.flow(x, beta=beta, key_query=B, gamma=0.25, mask=mask, steps=1, closed_form="never")
        weights = softmax_weights(x, beta, B, mask == "causal")
        bound = step_bound(x, beta, B)
        assert np.abs(flow.weights() - weights).max() <= bound / max(np.abs(x).max(), U)
        flow.run()
        assert np.abs(flow.tokens - (x + 0.25 * (weights @ x - x))).max() <= bound


def test_a_step_of_the_layer_with_a_value_matrix_is_that_of_numpy():
    x, V = rng(3).normal(size=(20, 3)), 0.3 * np.eye(3) + 0.1 * rng(4).normal(size=(3, 3))
    P = np.linalg.solve(np.eye(3) + V, V)
    flow = tr.flow(x, value=V, steps=1).run()
    weights = softmax_weights(x, 1.0, np.eye(3))
    # The solve adds its condition, below 4 here.
    assert np.abs(flow.tokens - (x + (weights @ x - x) @ P.T)).max() <= 40 * step_bound(x, 1.0, np.eye(3))
    residual = tr.flow(x, value=V, dynamics="residual", steps=1).run()
    assert np.abs(residual.tokens - (x + weights @ x @ V.T)).max() <= 4 * step_bound(x, 1.0, np.eye(3))


@pytest.mark.parametrize("rule", ["hardmax", "localmax", "topk", "uniform", "sparsemax"])
def test_other_rules_are_those_of_numpy(rule):
    x = rng(5).normal(size=(25, 3))
    scores = x @ x.T
    top = scores.max(axis=1, keepdims=True)
    if rule == "hardmax":
        chosen = scores == top
    elif rule == "localmax":
        chosen = scores >= top - 0.5
    elif rule == "topk":
        chosen = scores >= np.sort(scores, axis=1)[:, [-4]]
    elif rule == "uniform":
        chosen = np.ones_like(scores, dtype=bool)
    found = tr.flow(x, rule=rule, **dict(localmax=dict(epsilon=0.5), topk=dict(k=4)).get(rule, {})).weights()
    if rule == "sparsemax":
        # The projection on the simplex: max(s - tau, 0) with tau from the sorted scores.
        order = -np.sort(-scores, axis=1)
        sums = np.cumsum(order, axis=1) - 1
        k = np.arange(1, 26)
        support = (order * k > sums).sum(axis=1)
        tau = sums[np.arange(25), support - 1] / support
        wanted = np.maximum(scores - tau[:, None], 0)
        # tau is a sum of up to n scores; both sides round.
        assert np.abs(found - wanted).max() <= 2 * 25 * U * np.abs(scores).sum(axis=1).max()
    elif rule == "topk":
        weights = np.where(chosen, np.exp(scores - top), 0)
        wanted = weights / weights.sum(axis=1, keepdims=True)
        assert np.array_equal(found > 0, chosen)
        assert np.abs(found - wanted).max() <= step_bound(x, 1.0, np.eye(3)) / np.abs(x).max()
    else:
        assert np.abs(found - chosen / chosen.sum(axis=1, keepdims=True)).max() <= 8 * U


# ---- hulls, by SciPy -----------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_hulls_are_those_of_scipy(d, seed):
    spatial = pytest.importorskip("scipy.spatial")
    points = rng(seed).normal(size=(20 + 15 * seed, d))
    wanted, hull = spatial.ConvexHull(points), tr.hull(points)
    assert hull.vertices.tolist() == sorted(wanted.vertices.tolist())
    # Volumes are sums of some facets' determinants, each to d! u of its size: 1e-12 is far above.
    assert hull.volume == pytest.approx(wanted.volume, rel=1e-12)
    assert hull.dimension == d
    pairs = {tuple(sorted((a, b))) for s in wanted.simplices for a in s for b in s if a < b}
    pairs |= {tuple(sorted((a, b))) for s in wanted.simplices for a in s for b in s if a > b}
    assert {tuple(e) for e in hull.edges.tolist()} == pairs  # in general position facets are simplices
    distances = spatial.distance.pdist(points[hull.vertices])
    assert hull.diameter == pytest.approx(distances.max(), rel=4 * d * U)
    direction = rng(seed + 50).normal(size=d)
    value, vertex = hull.support(direction)
    assert vertex == np.argmax(points @ direction)
    assert value == pytest.approx(points[vertex] @ direction, abs=4 * d * U * np.abs(points).max() * d)
    if d == 2:
        outline = hull.outline.tolist()
        turned = wanted.vertices.tolist()
        start = turned.index(outline[0])
        assert outline == turned[start:] + turned[:start]


@pytest.mark.parametrize("d", [2, 3])
def test_sides_are_those_of_a_triangulation(d):
    spatial = pytest.importorskip("scipy.spatial")
    points, queries = rng(7).normal(size=(30, d)), rng(8).normal(size=(60, d))
    inside = spatial.Delaunay(points).find_simplex(queries) >= 0
    hull = tr.hull(points)
    for query, within in zip(queries, inside):
        place = hull.place(query)
        assert place.side == ("inside" if within else "outside")
        assert np.linalg.norm(place.nearest - query) == pytest.approx(place.distance, abs=1e-14)
        assert np.abs(place.weights @ points - place.nearest).max() <= 1e-13
        assert place.lower <= place.distance * (1 + 4 * U)


# ---- margins, by scikit-learn --------------------------------------------------------------------


def separable(seed, n=30, d=3, gap=0.5):
    """Points on both sides of a plane through the origin."""
    w = rng(seed).normal(size=d)
    w /= np.linalg.norm(w)
    x = rng(seed + 100).normal(size=(n, d))
    y = np.where(x @ w > 0, 1.0, -1.0)
    return x + gap * y[:, None] * w, y


@pytest.mark.parametrize("seed", range(5))
def test_label_margins_are_those_of_a_hard_svm(seed):
    optimize = pytest.importorskip("scipy.optimize")
    svm = pytest.importorskip("sklearn.svm")
    x, y = separable(seed)
    margin = tr.margin({"X": x[:, None, :], "y": y}, model="label", select=[0] * len(y))
    assert margin.outcome == "solved" and margin.gap < 1e-9
    # scikit-learn has no hard margin without an intercept but the hinge with a large C, whose
    # solution is the hard one once C exceeds every multiplier.
    big = 10 * max(1.0, np.abs(margin.multipliers).sum() * margin.norm**2)
    fit = svm.LinearSVC(
        C=big, loss="hinge", fit_intercept=False, tol=1e-10, max_iter=10**7, random_state=0
    ).fit(x, y)
    w = fit.coef_.ravel()
    assert np.linalg.norm(w) == pytest.approx(margin.norm, rel=1e-4)  # liblinear's tolerance
    assert np.abs(w - margin.weights.v.ravel()).max() <= 1e-2 * margin.norm
    # Every constraint holds, and those named as support are tight.
    slack = y * (x @ margin.weights.v.ravel()) - 1
    assert slack.min() >= -1e-9
    tight = {i for i, _ in margin.support.tolist()}
    assert tight == set(np.flatnonzero(np.abs(slack) < 1e-7))
    # A quadratic program, by another method altogether.
    done = optimize.minimize(
        lambda v: v @ v / 2, w, jac=lambda v: v, method="SLSQP", options=dict(ftol=1e-15, maxiter=500),
        constraints=dict(type="ineq", fun=lambda v: y * (x @ v) - 1, jac=lambda v: y[:, None] * x),
    )
    assert np.linalg.norm(done.x) == pytest.approx(margin.norm, rel=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_prompt_margins_are_those_of_svc_on_differences(seed):
    svm = pytest.importorskip("sklearn.svm")
    n, T, d = 4, 4, 6
    X = rng(seed).normal(size=(n, T, d))
    chosen = [0, 1, 2, 3]
    margin = tr.margin({"X": X, "y": np.ones(n), "v": np.ones(d)}, model="prompt", select=chosen)
    assert margin.outcome == "solved"
    # min |p|, <x_chosen - x_t, p> >= 1: an SVM on the differences and their opposites.
    rows = np.array([X[i, chosen[i]] - X[i, t] for i in range(n) for t in range(T) if t != chosen[i]])
    both, labels = np.vstack([rows, -rows]), np.repeat([1, -1], len(rows))
    fit = svm.SVC(kernel="linear", C=1e6, tol=1e-10).fit(both, labels)
    assert abs(fit.intercept_[0]) < 1e-6
    assert np.linalg.norm(fit.coef_) == pytest.approx(margin.norm, rel=1e-6)
    assert np.abs(fit.coef_.ravel() - margin.weights.p.ravel()).max() <= 1e-5 * margin.norm


@pytest.mark.parametrize("seed", range(3))
def test_l1_and_linf_margins_are_those_of_a_linear_program(seed):
    optimize = pytest.importorskip("scipy.optimize")
    x, y = separable(seed)
    n, d = x.shape
    rows = y[:, None] * x
    data = {"X": x[:, None, :], "y": y}
    # |v|_1 = sum of v+ and v-.
    one = optimize.linprog(np.ones(2 * d), A_ub=-np.hstack([rows, -rows]), b_ub=-np.ones(n))
    assert tr.margin(data, model="label", select=[0] * len(y), norm="l1").norm == pytest.approx(one.fun, rel=1e-9)
    # |v|_inf = t with -t <= v <= t.
    eye, ones = np.eye(d), np.ones((d, 1))
    above = np.vstack([np.hstack([-rows, np.zeros((n, 1))]), np.hstack([eye, -ones]), np.hstack([-eye, -ones])])
    most = optimize.linprog(
        np.r_[np.zeros(d), 1], A_ub=above, b_ub=np.r_[-np.ones(n), np.zeros(2 * d)],
        bounds=[(None, None)] * d + [(0, None)],
    )
    assert tr.margin(data, model="label", select=[0] * len(y), norm="linf").norm == pytest.approx(most.fun, rel=1e-9)


def test_data_that_cannot_be_separated_are_infeasible():
    x = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    margin = tr.margin({"X": x[:, None, :], "y": np.ones(4)}, model="label", select=[0] * 4)
    assert margin.outcome == "infeasible" and margin.norm == np.inf and margin.margin == 0


# ---- training, by NumPy --------------------------------------------------------------------------


def test_gradient_descent_of_the_prompt_model_is_that_of_numpy():
    n, T, d, eta, steps = 5, 4, 3, 0.3, 20
    X, y, v = rng(1).normal(size=(n, T, d)), np.array([1.0, -1, 1, 1, -1]), rng(2).normal(size=d)
    p = np.zeros(d)
    for _ in range(steps):
        logits = X @ p
        s = np.exp(logits - logits.max(axis=1, keepdims=True))
        s /= s.sum(axis=1, keepdims=True)
        scores = X @ v
        f = y * (s * scores).sum(axis=1)
        # d/dp log(1 + exp(-f)) = -sigma(-f) y X' (diag s - s s') scores
        inner = s * (scores - (s * scores).sum(axis=1, keepdims=True))
        gradient = -(y / (1 + np.exp(f)))[:, None] * np.einsum("itd,it->id", X, inner)
        p = p - eta * gradient.mean(axis=0)
    fit = tr.train({"X": X, "y": y, "v": v}, model="prompt", optimizer="gd", eta=eta, steps=steps)
    # A step's gradient has some n T + d roundings of terms below max |x|^2.
    assert np.abs(fit.weights.p.ravel() - p).max() <= steps * 100 * U * np.abs(X).max() ** 2


# ---- steps and training, by PyTorch --------------------------------------------------------------


def test_a_step_of_softmax_is_that_of_pytorch():
    torch = pytest.importorskip("torch")
    x, B = rng(11).normal(size=(50, 6)), rng(12).normal(size=(6, 6))
    t = torch.from_numpy(x)
    weights = torch.softmax(2.0 * (t @ torch.from_numpy(B).T) @ t.T, dim=1).numpy()
    flow = tr.flow(t, beta=2.0, key_query=torch.from_numpy(B), steps=1, gamma=1.0, closed_form="never")
    bound = step_bound(x, 2.0, B)
    assert np.abs(flow.weights() - weights).max() <= bound / np.abs(x).max()
    assert np.abs(flow.run().tokens - weights @ x).max() <= bound


@pytest.mark.parametrize("optimizer", ["gd", "adam"])
def test_training_of_the_cross_model_is_that_of_pytorch(optimizer):
    torch = pytest.importorskip("torch")
    data, steps, eta = tr.data.attsvm(seed=1), 15, 0.1
    X, y, z, v = (torch.from_numpy(np.array(data.arrays()[k])) for k in "Xyzv")
    W = torch.zeros(10, 10, dtype=torch.float64, requires_grad=True)
    make = dict(gd=torch.optim.SGD, adam=torch.optim.Adam)[optimizer]
    own = optimizer == "adam"
    step = make([W], lr=eta, **(dict(eps=1e-8) if own else {}))
    for _ in range(steps):
        step.zero_grad()
        s = torch.softmax(torch.einsum("itd,de,ie->it", X, W, z), dim=1)
        f = y.reshape(-1) * torch.einsum("it,itd,d->i", s, X, v)
        torch.nn.functional.softplus(-f).mean().backward()
        step.step()
    fit = tr.train(data, optimizer=optimizer, eta=eta, steps=steps, **(dict(adam_epsilon=1e-8) if own else {}))
    wanted = W.detach().numpy()
    # Each step adds the gradient's rounding; Adam divides by its root, at least some 1e-3 here.
    scale = 1e3 if optimizer == "adam" else 1.0
    assert np.abs(fit.weights.W - wanted).max() <= scale * steps * 100 * U * max(1, np.abs(wanted).max())


# ---- training on texts, by PyTorch ----------------------------------------------------------------


class Texts:
    """A corpus of drawn sentences, its tokens, and fits of it."""

    def __init__(self, n=40, words=30, seed=13):
        draw = rng(seed)
        sentences = [" ".join(f"w{k}" for k in draw.integers(0, words, draw.integers(1, 20))) for _ in range(n)]
        labels = np.arange(n) % 2
        self.y = 2.0 * labels - 1
        self.corpus = tr.data.text(sentences, labels)
        self.ids = [np.array(self.corpus.ids[a:b]) for a, b in zip(self.corpus.offsets, self.corpus.offsets[1:])]

    def weights_after(self, epochs, **options):
        """The tensors by name, all items in one batch."""
        fit = tr.train(self.corpus, embed=6, batch=len(self.ids), epochs=epochs, validation=0, test=0, seed=5, start="normal",
                       start_scale=0.5, **options)
        return {k: np.array(w) for k, w in ((k, fit.weights[k]) for k in "EzWvab") if w is not None}


LAYERS, BETA = 3, 1.5


def through_layers(torch, x, weights):
    """Where there is an a, LAYERS of them with beta = BETA."""
    for _ in range(LAYERS if "a" in weights else 0):
        x = (x + weights["a"][0, 0] * (torch.softmax(BETA * x @ x.T, 1) @ x)) / (1 + weights["a"][0, 0])
    return x


def outputs(torch, weights, texts, query, heads):
    """f of every item, one at a time: no padding that could go wrong."""
    E, W, v = weights["E"], weights["W"].reshape(heads, 6, 6), weights["v"].reshape(heads, 6)
    for ids in texts.ids:
        x = through_layers(torch, E[ids], weights)
        z = dict(prompt=lambda: weights["z"], first=lambda: x[:1], each=lambda: x)[query]()
        yield sum((torch.softmax(z @ W[h].T @ x.T, 1) @ x @ v[h]).mean() for h in range(heads)) + (
            weights["b"][0, 0] if "b" in weights else 0)


@pytest.mark.parametrize("query", ["prompt", "first", "each"])
@pytest.mark.parametrize("optimizer,heads,layers", [("gd", 1, 0), ("gd", 2, 0), ("mirror", 1, 0), ("adam", 1, 0), ("gd", 2, LAYERS),
                                                    ("adam", 1, LAYERS)])
def test_epochs_on_texts_are_those_of_pytorch(query, optimizer, heads, layers):
    torch = pytest.importorskip("torch")
    texts, epochs, eta = Texts(), 4, dict(gd=0.5, mirror=0.01, adam=0.01)[optimizer]
    options = dict(query=query, heads=heads, optimizer=optimizer, eta=eta)
    options.update(dict(p=1.5) if optimizer == "mirror" else dict(adam_epsilon=1e-8) if optimizer == "adam" else {})
    options.update(dict(layers=layers, beta=BETA, bias=True) if layers else {})
    start = {k: torch.from_numpy(w).requires_grad_() for k, w in texts.weights_after(0, **options).items()}
    duals = {k: w.detach().sign() * w.detach().abs().sqrt() for k, w in start.items()}
    foreign = torch.optim.Adam(start.values(), lr=eta, eps=1e-8)
    y = torch.from_numpy(texts.y)
    for _ in range(epochs):
        foreign.zero_grad()
        f = torch.stack(list(outputs(torch, start, texts, query, heads)))
        torch.nn.functional.softplus(-y * f).mean().backward()
        with torch.no_grad():
            for k, w in start.items() if optimizer != "adam" else ():
                if optimizer == "gd":
                    w -= eta * w.grad
                else:
                    duals[k] -= eta * w.grad
                    w.copy_(duals[k].sign() * duals[k].square())
        if optimizer == "adam":
            foreign.step()
    found = texts.weights_after(epochs, **options)
    assert sorted(found) == sorted(start)
    for k, w in start.items():
        # Sums of some 400 tokens, and four steps of them; Adam divides by roots of some 1e-3.
        bound = (1e3 if optimizer == "adam" else 1.0) * epochs * 1000 * U
        assert np.abs(found[k] - w.detach().numpy()).max() <= bound, k
