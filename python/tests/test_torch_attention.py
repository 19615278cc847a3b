"""attention_loss and its derivatives, saturated too: against mpmath with hundreds of digits, and
against the library's training.
"""

from __future__ import annotations

import mpmath
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # small tensors: threads would wait for each other

import tropism as tr  # noqa: E402
import tropism.torch as tt  # noqa: E402

F64 = torch.float64
EPS = 2.0**-53
KINDS = [
    ("linear", "logistic"),
    ("linear", "exponential"),
    ("linear", "correlation"),
    ("linear", "log"),
    ("relu", "logistic"),
    ("quadratic", "exponential"),
]
every = pytest.mark.parametrize("head, loss", KINDS, ids=[f"{h}-{k}" for h, k in KINDS])


def drawn(*shape, seed, scale=1.0):
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def problem(head, loss, scale, places=3, tokens=5):
    """query, key, value, decoder, label; a logit is of size scale."""
    query, key = drawn(places, 4, seed=1, scale=scale), drawn(tokens, 4, seed=2)
    value, decoder = drawn(tokens, 3, seed=3), drawn(3, seed=4)
    label = torch.tensor([1.0, -1.0, 1.0], dtype=F64)[:places]
    if head == "relu":
        decoder = drawn(4, 3, seed=4)
    if loss == "log":  # the last token has the label
        value, decoder = torch.eye(tokens, dtype=F64)[:, -1:], torch.ones(1, dtype=F64)
    return query, key, value, decoder, label


# ---- the formulas as they stand, in mpmath --------------------------------------------------------


def vector(x):
    return [mpmath.mpf(t) for t in x]


def dot(x, y):
    return mpmath.fsum(a * b for a, b in zip(x, y))


def reference(args, head, loss, seen=None, penalty=1.0):
    """Of each query: the loss and the derivatives in query, keys, values, decoder (a list of rows),
    and the coefficients of the logits.
    """
    query, key, value, decoder, label = (x.tolist() for x in args)
    key, value = [vector(k) for k in key], [vector(x) for x in value]
    rows = [vector(v) for v in (decoder if head == "relu" else [decoder])]
    found = []
    for place, (q, y) in enumerate(zip(query, label)):
        q, y = vector(q), mpmath.mpf(1 if loss == "log" else y)
        weights = [
            mpmath.exp(dot(k, q)) if seen is None or seen[place][t] else mpmath.mpf(0)
            for t, k in enumerate(key)
        ]
        total = mpmath.fsum(weights)
        s = [w / total for w in weights]
        o = [mpmath.fsum(p * x[c] for p, x in zip(s, value)) for c in range(len(value[0]))]
        on = [1 if head != "relu" or dot(v, o) > 0 else 0 for v in rows]
        f = mpmath.fsum(k * dot(v, o) for k, v in zip(on, rows))
        slope = [mpmath.fsum(k * v[c] for k, v in zip(on, rows)) for c in range(len(o))]
        if head == "quadratic":
            f -= penalty * dot(o, o)
            slope = [h - 2 * penalty * x for h, x in zip(slope, o)]
        f *= y
        told, rate = {
            "logistic": (mpmath.log(1 + mpmath.exp(-f)), -1 / (1 + mpmath.exp(f))),
            "exponential": (mpmath.exp(-f), -mpmath.exp(-f)),
            "correlation": (-f, mpmath.mpf(-1)),
            "log": (-mpmath.log(f) if f > 0 else mpmath.inf, -1 / f if f > 0 else -mpmath.inf),
        }[loss]
        scores = [y * dot(slope, x) for x in value]
        mean = dot(s, scores)
        c = [rate * p * (score - mean) for p, score in zip(s, scores)]
        m = s.index(max(s))  # its own cancels, and all add up to 0
        c[m] = -mpmath.fsum(a for t, a in enumerate(c) if t != m)
        found.append(
            {
                "loss": told,
                "query": [mpmath.fsum(a * k[e] for a, k in zip(c, key)) for e in range(len(q))],
                "key": [[a * e for e in q] for a in c],
                "value": [[rate * y * p * h for h in slope] for p in s],
                "decoder": [[rate * y * k * x for x in o] for k in on],
                "logits": c,
            }
        )
    return found


def near(found, exact, bound, what):
    """Off by at most bound times the largest entry."""
    flat = [found] if not isinstance(found, list) else found
    exact = [exact] if not isinstance(exact, list) else exact
    if flat and isinstance(flat[0], list):
        flat, exact = sum(flat, []), sum(exact, [])
    most = max(abs(x) for x in exact)
    off = max(abs(mpmath.mpf(x) - e) for x, e in zip(flat, exact, strict=True))
    assert off <= bound * most, (what, mpmath.nstr(off / most, 3))


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(500):
        yield


# ---- value and gradient --------------------------------------------------------------------------


@every
@pytest.mark.parametrize("scale", [0.3, 30.0, 150.0])
def test_value_and_gradient_are_right_at_any_saturation(head, loss, scale):
    """Logits of up to 450: weights of e^-450. A coefficient is off by (8 |f| + T + 16) u, |f| <= 10,
    sums of keys by as much again, hence 300 u of the largest entry. log f adds its own size, 450 u.
    """
    args = problem(head, loss, scale)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 1, 1], [0, 1, 1, 0, 1]], dtype=torch.bool)
    exact = reference(args, head, loss, mask.tolist())
    for k, one in enumerate(exact):
        inputs = [x.clone().requires_grad_() for x in args[:4]]
        losses = tt.attention_loss(
            *inputs, args[4], head=head, loss=loss, mask=mask, reduction="none"
        )
        near(losses[k].item(), one["loss"], 800 * EPS, "loss")
        query, key, value, decoder = torch.autograd.grad(losses[k], inputs)
        near(query[k].tolist(), one["query"], 800 * EPS, "query")
        near(key.tolist(), one["key"], 800 * EPS, "key")
        if loss != "log":
            near(value.tolist(), one["value"], 800 * EPS, "value")
            rows = decoder.tolist() if head == "relu" else [decoder.tolist()]
            near(rows, one["decoder"], 800 * EPS, "decoder")


@every
@pytest.mark.parametrize("scale", [0.3, 150.0, 1e5])
def test_the_scaled_gradient_does_not_underflow(head, loss, scale):
    """At 1e5 gradients are e^-100000. log_scale is rounded, by u of itself, and what is divided by
    its exponential with it; the direction is not.
    """
    args = problem(head, loss, scale)
    exact = reference(args, head, loss)
    inputs = [args[0].clone().requires_grad_(), args[1].clone().requires_grad_(), *args[2:]]
    total, log_scale = tt.scaled_attention_loss(*inputs, head=head, loss=loss)
    query, key = torch.autograd.grad(total, inputs[:2])
    near(total.item(), mpmath.fsum(one["loss"] for one in exact) / 3, 800 * EPS, "loss")
    best = [(args[0][k] @ args[1].T).argmax().item() for k in range(3)]
    sizes = [abs(c) for m, one in zip(best, exact) for t, c in enumerate(one["logits"]) if t != m]
    near(log_scale.item(), mpmath.log(max(sizes) / 3), 100 * EPS, "log_scale")
    wanted = [[x / max(sizes) for x in one["query"]] for one in exact]
    near(query.tolist(), wanted, 800 * EPS, "query")
    keys = [
        sum((one["key"][t][e] for one in exact), mpmath.mpf(0)) / max(sizes)
        for t in range(5)
        for e in range(4)
    ]
    near(key.flatten().tolist(), keys, 800 * EPS, "key")


@every
def test_second_derivatives_are_right_when_saturated(head, loss):
    """H r against a difference quotient of the exact gradient, whose error is 1e-60 of it. Rounding
    as that of the gradient, for twice as many terms.
    """
    args = problem(head, loss, 40.0)
    query = args[0].clone().requires_grad_()
    along = drawn(3, 4, seed=9)
    told = tt.attention_loss(query, *args[1:], head=head, loss=loss, reduction="sum")
    (gradient,) = torch.autograd.grad(told, query, create_graph=True)
    (found,) = torch.autograd.grad((gradient * along).sum(), query)
    step = mpmath.mpf(10) ** -60

    class Moved:
        def __init__(self, sign):
            self.sign = sign

        def tolist(self):
            return [
                [mpmath.mpf(x) + self.sign * step * mpmath.mpf(r) for x, r in zip(a, b)]
                for a, b in zip(args[0].tolist(), along.tolist())
            ]

    ends = [reference([Moved(sign), *args[1:]], head, loss) for sign in (1, -1)]
    for k in range(3):
        exact = [(x - y) / (2 * step) for x, y in zip(ends[0][k]["query"], ends[1][k]["query"])]
        near(found[k].tolist(), exact, 1600 * EPS, "second")


@every
def test_derivatives_agree_with_differences(head, loss):
    args = problem(head, loss, 0.5, places=2, tokens=3)
    inputs = [x.clone().requires_grad_(k < 2 or loss != "log") for k, x in enumerate(args[:4])]

    def told(*inputs):
        return tt.attention_loss(*inputs, args[4], head=head, loss=loss, penalty=0.3)

    assert torch.autograd.gradcheck(told, inputs)
    assert torch.autograd.gradgradcheck(told, inputs)


def test_tokens_of_the_best_score_pull_by_products_of_weights():
    """Logits 0, -40, -90. The second token has the score of the first, 5/8 of other entries: its
    lead is 0, its coefficient -s_1 mean, 5/8 e^-130, beside 5/8 e^-90 of the third. Keys differ in
    one entry each, so that an entry of the gradient is one coefficient: each is right to rounding.
    The last entry is the same in all keys.
    """
    value = torch.tensor([[0.5, 0.25], [0.25, 0.75], [0.0, 0.0]], dtype=F64)
    decoder = torch.tensor([1.0, 0.5], dtype=F64)
    key = torch.tensor([[0.1, 0.3, 0.7], [-39.9, 0.3, 0.7], [0.1, -89.7, 0.7]], dtype=F64)
    steps = [mpmath.mpf(0.1) - mpmath.mpf(-39.9), mpmath.mpf(0.3) - mpmath.mpf(-89.7)]
    given = key, value, decoder
    for away in (1.0, 10.0):  # the gradient is e^-900 then
        query = torch.tensor([[away, away, 1.0]], dtype=F64, requires_grad=True)
        loss, size = tt.scaled_attention_loss(query, *given, loss="correlation")
        (found,) = torch.autograd.grad(loss, query)
        ratio = mpmath.exp(-away * steps[0])
        for x, exact in zip(found[0].tolist(), [steps[0] * ratio, -steps[1], 0]):
            assert abs(x - exact) <= 1e-13 * abs(exact), away
        near(size.item(), mpmath.log(0.625) - away * steps[1], 4 * EPS, "log_scale")
    query = torch.tensor([[1.0, 1.0, 1.0]], dtype=F64, requires_grad=True)
    (found,) = torch.autograd.grad(tt.attention_loss(query, *given, loss="correlation"), query)
    rest = 0.625 * mpmath.exp(-steps[1])
    for x, exact in zip(
        found[0].tolist(), [steps[0] * rest * mpmath.exp(-steps[0]), -steps[1] * rest, 0]
    ):
        assert abs(x - exact) <= 1e-13 * abs(exact)


def test_logits_are_right_where_their_terms_cancel():
    """Terms of 4e5 that leave differences of order 1: rounded terms would be off by 1e-10."""
    big = drawn(4, 1, seed=1, scale=1e6)
    key = torch.cat([big, -3 * big + drawn(4, 1, seed=2)], 1)
    args = torch.tensor([[3 / 7, 1 / 7]], dtype=F64), key, drawn(4, 2, seed=3), drawn(2, seed=4)
    (exact,) = reference([*args, torch.ones(1, dtype=F64)], "linear", "logistic")
    assert max(exact["logits"], key=abs) > 1e-3
    for function in (tt.attention_loss, lambda *a: tt.scaled_attention_loss(*a).loss):
        moved = key.clone().requires_grad_()
        told = function(args[0], moved, *args[2:])
        near(told.item(), exact["loss"], 100 * EPS, "loss")
        (found,) = torch.autograd.grad(told, moved)
        size = abs(found[0, 0].item() / exact["key"][0][0])
        near((found / float(size)).tolist(), exact["key"], 100 * EPS, "key")


def test_sizes_are_compared_before_they_are_rounded():
    """Logits of 3e5 below the winner's, and 1 from each other: coefficients of e^-300000, whose
    logarithms in double would put them off by 1e-11 of each other.
    """
    key = torch.tensor([[0.0, 0], [-1e6 - 0.3, 0.1], [-1e6 - 0.7, 0.2], [-1e6, -1.7]], dtype=F64)
    args = key, drawn(4, 2, seed=3), drawn(2, seed=4)
    query = torch.tensor([[0.3, 1 / 3]], dtype=F64)
    (exact,) = reference([query, *args, torch.ones(1, dtype=F64)], "linear", "logistic")
    moved = key.clone().requires_grad_()
    (found,) = torch.autograd.grad(tt.scaled_attention_loss(query, moved, *args[1:]).loss, moved)
    most = max(abs(c) for c in exact["logits"][1:])
    wanted = [[x / most for x in row] for row in exact["key"]]
    near(found.tolist(), wanted, 100 * EPS, "key")


def test_a_key_of_the_winner_again_pulls_nowhere():
    """The second token has the key of the first: its coefficient is of order 1, and its pull 0."""
    key = torch.tensor([[0.5, 0.1], [0.5, 0.1], [-0.5, 0.1]], dtype=F64)
    value = torch.tensor([[1.0], [2.0], [3.0]], dtype=F64)
    query = torch.tensor([[2000.0, 1.0]], dtype=F64, requires_grad=True)
    loss, size = tt.scaled_attention_loss(
        query, key, value, torch.ones(1, dtype=F64), loss="correlation"
    )
    (found,) = torch.autograd.grad(loss, query)
    assert found.tolist() == [[1.0, 0.0]]  # -s_3 (3 - 1.5) (-1), without its size
    near(size.item(), mpmath.log(mpmath.mpf(3) / 4) - 2000, 4 * EPS, "log_scale")


# ---- shapes, masks, dtypes -----------------------------------------------------------------------


def test_batches_are_problems_of_their_own():
    query, key, value = drawn(2, 3, 4, 5, seed=1), drawn(3, 6, 5, seed=2), drawn(2, 1, 6, 2, seed=3)
    decoder, label = drawn(2, seed=4), drawn(2, 3, 4, seed=5).sign()
    told = tt.attention_loss(query, key, value, decoder, label, reduction="none")
    assert told.shape == (2, 3, 4)
    for i in range(2):
        for j in range(3):
            one = tt.attention_loss(
                query[i, j], key[j], value[i, 0], decoder, label[i, j], reduction="none"
            )
            assert torch.allclose(told[i, j], one, rtol=1e-15, atol=0)
    mean = tt.attention_loss(query, key, value, decoder, label)
    total = tt.attention_loss(query, key, value, decoder, label, reduction="sum")
    assert torch.allclose(mean, told.mean()) and torch.allclose(total, told.sum())


@pytest.mark.parametrize("head", ["linear", "relu"])
def test_hidden_tokens_are_not_there(head):
    query, key, value, decoder, label = problem(head, "logistic", 30.0, places=3, tokens=3)
    query, label = query.requires_grad_(), label
    causal = tt.attention_loss(
        query, key, value, decoder, label, head=head, causal=True, reduction="none"
    )
    for k in range(3):
        alone = tt.attention_loss(
            query[k : k + 1], key[: k + 1], value[: k + 1], decoder, label[k], head=head
        )
        assert abs(causal[k].item() - alone.item()) <= 4 * EPS * alone.item()
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    for function in (tt.attention_loss, lambda *a, **o: tt.scaled_attention_loss(*a, **o).loss):
        key[2] = 1e3  # whatever a hidden key is
        blind = function(query, key, value, decoder, label, head=head, mask=mask, reduction="none")
        assert blind[1].item() == float(mpmath.log(2))
        (gradient,) = torch.autograd.grad(blind.sum(), query)
        assert gradient.isfinite().all() and (gradient[1] == 0).all()


def test_narrow_tensors_are_computed_with_in_double():
    args = [x.float() for x in problem("linear", "logistic", 30.0)]
    wide = [x.double().requires_grad_() for x in args]
    narrow = [x.clone().requires_grad_() for x in args]
    told = tt.attention_loss(*narrow)
    assert told.dtype == torch.float32
    assert told.item() == tt.attention_loss(*wide).float().item()
    told.backward()
    tt.attention_loss(*wide).backward()
    for x, y in zip(narrow[:4], wide[:4]):
        assert torch.equal(x.grad, y.grad.float())


def test_wrong_arguments_are_named():
    query, key, value, decoder, label = problem("linear", "logistic", 1.0)
    for change, kind, sentence in [
        ({"head": "cubic"}, ValueError, "head = cubic: must be one of linear, relu, quadratic"),
        ({"loss": "hinge"}, ValueError, "loss = hinge: must be one of logistic"),
        ({"reduction": "max"}, ValueError, "reduction = max: must be one of mean, sum, none"),
        ({"loss": "log", "head": "relu"}, ValueError, "head = relu: must be linear with the loss"),
        ({"head": "relu"}, ValueError, "must be \\(any number, 3\\) for the head relu"),
        ({"mask": torch.ones(3, 5)}, TypeError, "the mask is torch.float32: must be bool"),
        ({"query": query.long()}, TypeError, "query is torch.int64"),
        ({"query": query[0]}, ValueError, "query has shape \\(4,\\): must have rows"),
        ({"query": query[:, :3]}, ValueError, "a query has 3 entries, a key 4"),
        ({"value": value[:4]}, ValueError, "there are 5 keys and 4 values"),
    ]:
        given = dict(query=query, key=key, value=value, decoder=decoder, label=label)
        for function in (tt.attention_loss, tt.scaled_attention_loss):
            with pytest.raises(kind, match=sentence):
                function(**{**given, **change})


# ---- training ------------------------------------------------------------------------------------


def data(head):
    """Four inputs of five unit tokens in six dimensions."""
    x, z = drawn(4, 5, 6, seed=1), drawn(4, 6, seed=2)
    v = drawn(*((2, 6) if head == "relu" else (6,)), seed=3)
    x, z, v = (t / t.norm(dim=-1, keepdim=True) for t in (x, z, v))
    return x, z, v, torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=F64)


def plain_loss(query, x, _, v, y):
    """As a program in PyTorch has it."""
    s = torch.softmax(query @ x.mT, -1)
    return torch.nn.functional.softplus(-y * (s @ x @ v)).mean()


def trained(told, head, steps, lr=1.0):
    x, z, v, y = data(head)
    w = torch.zeros(6, 6, dtype=F64, requires_grad=True)
    optimizer = tt.NormalizedMirrorDescent([w], lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        told((z @ w.T)[:, None], x, x, v, y[:, None]).backward()
        optimizer.step()
    return w.detach()


def by_the_library(head, loss, steps, lr=1.0):
    x, z, v, y = data(head)
    arrays = {"X": x.numpy(), "z": z.numpy(), "v": v.numpy(), "y": y.numpy()}
    own = {"lambda": 0.3} if head == "quadratic" else {}
    run = tr.train(
        arrays, model="cross", optimizer="ngd", eta=lr, steps=steps, compare="none", head=head,
        loss=loss, **own,
    )  # fmt: skip
    return torch.tensor(run.weights.W, dtype=F64)


def off(some, other):
    return ((some - other).norm() / other.norm()).item()


def test_plain_pytorch_drifts_where_this_is_exact():
    """Each step is of length 1. A gradient is off by 1e-13 of itself at the most, and 300 steps of
    that along a path that turns to one direction are 1e-13 of |W|; measured: 5e-16.
    """
    expected = by_the_library("linear", "logistic", 300)
    assert off(trained(plain_loss, "linear", 300), expected) > 0.4
    assert off(trained(tt.attention_loss, "linear", 300), expected) < 1e-13


@pytest.mark.parametrize(
    "head, loss, steps",
    [
        ("linear", "logistic", 1200),
        ("linear", "exponential", 300),
        ("linear", "correlation", 300),
        ("relu", "logistic", 300),
        ("quadratic", "logistic", 300),
    ],
)
def test_scaled_training_is_the_librarys(head, loss, steps):
    """1,200 steps of length 1 end at |W| = 1,198, where gradients are below e^-745."""

    def told(*args):
        return tt.scaled_attention_loss(*args, head=head, loss=loss, penalty=0.3).loss

    expected = by_the_library(head, loss, steps)
    if head == "linear":
        assert expected.norm() > steps / 4
    assert off(trained(told, head, steps), expected) < 1e-12


def test_shapes_and_labels_that_would_mean_something_else_are_refused() -> None:
    keys, queries, v = torch.ones(4, 5, 3), torch.ones(4, 3), torch.ones(3)
    y = torch.tensor([1.0, -1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="query.unsqueeze"):
        tt.attention_loss(queries, keys, keys, v, y)
    with pytest.raises(ValueError, match=r"must broadcast to \(\.\.\., L\) = \(4, 1\)"):
        tt.attention_loss(queries[:, None], keys, keys, v, y)
    with pytest.raises(ValueError, match="a label is not -1 or 1"):
        tt.attention_loss(queries[:, None], keys, keys, v, (y[:, None] + 1) / 2)
    tt.attention_loss(queries[:, None], keys, keys, v, y[:, None])
    tt.attention_loss(queries[:1], keys, keys, v)  # one query of all inputs
