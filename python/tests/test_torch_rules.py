"""Attention rules for PyTorch: closed forms, gradients, the entmax package, and properties of every
rule.
"""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # small tensors: threads would wait for each other
hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given, settings, strategies as st  # noqa: E402

from tropism.torch import RULES  # noqa: E402
from tropism.torch import attention_rule as strict_rule  # noqa: E402

OF_RULES = {
    "hardmax": {"ties"},
    "localmax": {"epsilon", "form"},
    "minp": {"epsilon", "form"},
    "soft_localmax": {"epsilon", "form", "tau"},
    "topk": {"k"},
    "entmax": {"a"},
}
OF_ALL = {"dim", "mask", "beta"}


def attention_rule(scores, rule="softmax", **options):
    """One set of options for every rule: each takes its own."""
    its = OF_RULES.get(rule, set()) | OF_ALL
    return strict_rule(scores, rule, **{k: v for k, v in options.items() if k in its})


F32, F64, BF16, F16 = torch.float32, torch.float64, torch.bfloat16, torch.float16
SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)


def drawn(*shape, seed=0, dtype=F64, scale=1.0):
    return (
        torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64) * scale
    ).to(dtype)


def scores_of(numbers, dtype=F64):
    return torch.tensor(numbers, dtype=dtype)


rows = st.lists(st.integers(-4000, 4000).map(lambda k: k / 512), min_size=1, max_size=12)
rules = st.sampled_from(RULES)
entmax_a = st.sampled_from([1.0, 1.0001, 1.1, 1.5, 1.9, 2.0, 2.5, 4.0])


# ---- closed forms ---------------------------------------------------------------------------


def test_the_example_of_the_manual():
    """The scores 1, 0.9, 0.5, -1 with beta = 2, epsilon = 0.2, k = 2: the table of docs/rules.md,
    which the C library prints.
    """
    s = scores_of([1, 0.9, 0.5, -1])
    expected = {
        "softmax": [0.4535, 0.3713, 0.1668, 0.0083],
        "hardmax": [1, 0, 0, 0],
        "localmax": [0.5, 0.5, 0, 0],
        "minp": [0.5498, 0.4502, 0, 0],
        "topk": [0.5498, 0.4502, 0, 0],
        "sparsemax": [0.6, 0.4, 0, 0],
        "entmax": [0.5408, 0.4037, 0.0554, 0],
        "uniform": [0.25] * 4,
    }
    for rule, weights in expected.items():
        p = attention_rule(s, rule, beta=2, epsilon=0.2, k=2)
        torch.testing.assert_close(p, scores_of(weights), rtol=0, atol=5.1e-5)


def test_softmax_is_torchs():
    s = drawn(3, 4, 5)
    for dim in (0, 1, -1):
        torch.testing.assert_close(
            attention_rule(s, "softmax", dim=dim, beta=1.7),
            torch.softmax(1.7 * s, dim),
            rtol=0,
            atol=0,
        )


def two_tokens(a, gap):
    """p >= 1/2 with p^c - (1-p)^c = c gap for entmax's c = a - 1, by bisection: the condition of
    optimality for two tokens.
    """
    low, high = 0.5, 1.0
    for _ in range(60):
        mid = (low + high) / 2
        low, high = (
            (mid, high) if mid ** (a - 1) - (1 - mid) ** (a - 1) < (a - 1) * gap else (low, mid)
        )
    return low


@pytest.mark.parametrize("a", [1.0625, 1.1, 1.5, 1.75, 2.0, 2.5, 3.0, 5.0])
@pytest.mark.parametrize("gap", [0.0, 0.125, 0.5, 3.0])
def test_entmax_of_two_tokens(a, gap):
    p = attention_rule(scores_of([0.0, -gap]), "entmax", a=a)
    assert p[0].item() == pytest.approx(two_tokens(a, gap), abs=1e-14)


@pytest.mark.parametrize("a", [1.01, 1.2, 1.5, 1.8, 2.0, 3.0, 6.0])
@pytest.mark.parametrize("dtype", [F64, F32])
def test_entmax_satisfies_its_conditions(a, dtype):
    """The minimum of sum p (p^c - 1)/(c a) - p.z: p^c/c - z is one number on the support and no
    smaller off it. That number is off by no more than t is, a few roundings of the scores' range,
    and sums are off by n roundings.
    """
    eps = torch.finfo(dtype).eps
    for scale in (0.1, 1.0, 10.0):
        s = drawn(200, 33, seed=1, dtype=dtype, scale=scale)
        p = attention_rule(s, "entmax", a=a)
        assert (p.sum(-1) - 1).abs().max().item() <= 40 * eps
        c = a - 1
        level = (p.double() ** c / c) - s.double()
        top = level.gather(-1, p.argmax(-1, keepdim=True))
        inside = p > 1e-3
        size = 1 / c + s.double().abs().amax(-1, keepdim=True)
        off = ((level - top) / size)[inside].abs().max().item()
        assert off <= 16 * eps
        outside = torch.where(p == 0, level - top, 0.0)
        assert outside.min().item() >= -16 * eps * size.max().item()


@pytest.mark.parametrize("rule, a", [("sparsemax", 2.0), ("entmax", 1.5)])
def test_the_exact_supports_agree_with_the_general_method(rule, a):
    """The sorted start and Newton from t = 0 for an a one rounding away."""
    for n in (1, 2, 3, 50):
        s = drawn(300, n, seed=n, scale=3.0)
        near = attention_rule(s, "entmax", a=math.nextafter(a, 9))
        torch.testing.assert_close(attention_rule(s, rule, a=a), near, rtol=0, atol=1e-14)


@pytest.mark.parametrize("a", [1.25, 1.5, 2.0, 3.0])
def test_entmax_of_long_rows_in_float32(a):
    """Equal scores but for roundings: every weight is 1/n to the roundings of t, which a slope of
    p^(2-a) = n^(a-2) carries to the weights; running sums alone would be off by far more. Equal
    scores have 1/n.
    """
    n = 300_000
    assert attention_rule(torch.zeros(n), "entmax", a=a).sub(1 / n).abs().max() <= 4e-7 / n
    s = 1e-7 * drawn(n, seed=18, dtype=F32)
    p = attention_rule(s, "entmax", a=a).double()
    exact = attention_rule(s.double(), "entmax", a=a)
    assert p.isfinite().all() and abs(p.sum().item() - 1) <= 1e-5
    assert (p - exact).abs().max().item() <= 4 * 2.0**-24 * n ** (a - 2) + 4e-7 / n


def test_entmax_of_a_long_row_whose_running_sums_cancel():
    """One score at 0 and n = 3e6 at -2h, h = 0.95: x = 1 - t/2 has x^2 + n (x - h)^2 = 1. Running
    sums of squares, 2.7e6, are rounded to 0.1 in float32, more than what is looked for in them.
    """
    n = 3_000_000
    s = torch.full((n + 1,), -1.9)
    s[0] = 0.0
    h = -s[1].double().item() / 2
    x = (h * n + math.sqrt((h * n) ** 2 - (n + 1) * (h * h * n - 1))) / (n + 1)
    p = attention_rule(s, "entmax", a=1.5).double()
    # x is found to two roundings of 1; the small weights are (x - h)^2, x - h = 1.8e-4.
    assert p[0].item() == pytest.approx(x**2, rel=4 * 2.0**-24)
    assert p[1].item() == pytest.approx((x - h) ** 2, rel=4 * 2.0**-24 / (x - h))


def test_the_entmax_package_agrees():
    theirs = pytest.importorskip("entmax")
    for scale in (0.3, 3.0):
        s = drawn(100, 20, seed=3, scale=scale)
        torch.testing.assert_close(
            attention_rule(s, "sparsemax"), theirs.sparsemax(s), rtol=0, atol=1e-14
        )
        torch.testing.assert_close(
            attention_rule(s, "entmax"), theirs.entmax15(s), rtol=0, atol=1e-14
        )
        for a in (1.2, 1.7, 2.5):
            # Their bisection ends with an interval of 2^-100 and renormalises.
            torch.testing.assert_close(
                attention_rule(s, "entmax", a=a),
                theirs.entmax_bisect(s, a, n_iter=100),
                rtol=0,
                atol=1e-12,
            )
        x, y = s.clone().requires_grad_(), s.clone().requires_grad_()
        g = drawn(100, 20, seed=4)
        attention_rule(x, "entmax").backward(g)
        theirs.entmax15(y).backward(g)
        torch.testing.assert_close(x.grad, y.grad, rtol=0, atol=1e-13)


def test_entmax_near_1_is_softmax():
    """The weights move by O(a - 1) times the square of the scores' range."""
    s = drawn(50, 10, seed=5)
    for step in (1e-3, 1e-6, 1e-9, 1e-15):
        a = 1 + step
        off = (attention_rule(s, "entmax", a=a) - torch.softmax(s, -1)).abs().max().item()
        assert off <= 10 * (a - 1) + 1e-15
    assert torch.equal(attention_rule(s, "entmax", a=1), torch.softmax(s, -1))


def test_soft_localmax_has_its_limits():
    s = drawn(40, 9, seed=6)
    same = dict(rtol=0, atol=1e-13)
    minp = attention_rule(s, "minp", beta=1.5, epsilon=0.8)
    # The nearest score to the edge is 3e-4 away; e^-(3e-4/1e-5) = e^-30.
    gaps = ((s.amax(-1, keepdim=True) - s) - 0.8).abs().min().item()
    tau = gaps / 40
    torch.testing.assert_close(
        attention_rule(s, "soft_localmax", beta=1.5, epsilon=0.8, tau=tau), minp, **same
    )
    assert torch.equal(attention_rule(s, "soft_localmax", beta=1.5, epsilon=0.8, tau=0), minp)
    torch.testing.assert_close(
        attention_rule(s, "soft_localmax", beta=0, epsilon=0.8, tau=tau),
        attention_rule(s, "localmax", epsilon=0.8),
        **same,
    )
    torch.testing.assert_close(
        attention_rule(s, "soft_localmax", beta=1.5, epsilon=1e9),
        torch.softmax(1.5 * s, -1),
        **same,
    )
    torch.testing.assert_close(
        attention_rule(s, "soft_localmax", epsilon=math.inf), torch.softmax(s, -1), **same
    )


# ---- ties and exact decisions ---------------------------------------------------------------


def test_ties():
    s = scores_of([1.0, 3.0, 2.0, 3.0])
    assert attention_rule(s, "hardmax").tolist() == [0, 0.5, 0, 0.5]
    assert attention_rule(s, "hardmax", ties="first").tolist() == [0, 1, 0, 0]
    assert attention_rule(s, "localmax", epsilon=1.0).tolist() == pytest.approx(
        [0, 1 / 3, 1 / 3, 1 / 3]
    )
    assert attention_rule(s, "topk", k=1, beta=0).tolist() == [0, 0.5, 0, 0.5]
    assert attention_rule(s, "sparsemax").tolist() == [0, 0.5, 0, 0.5]


def test_epsilon_is_decided_for_real_numbers():
    """1 - (-2^-54) rounds to 1, and is above 1; 1 - 2^-54 rounds to 1, and is below it."""
    tiny = 2.0**-54
    assert attention_rule(scores_of([1.0, -tiny]), "localmax", epsilon=1.0).tolist() == [1, 0]
    assert attention_rule(scores_of([1.0, tiny]), "localmax", epsilon=1.0).tolist() == [0.5, 0.5]
    assert attention_rule(scores_of([1.0, 0.0]), "localmax", epsilon=1.0).tolist() == [0.5, 0.5]
    # In float32: 0.1 is above the double 0.1, so that 0 is not within the double 0.1 of it.
    assert attention_rule(scores_of([0.1, 0.0], F32), "localmax", epsilon=0.1).tolist() == [1, 0]


def test_forms_of_epsilon():
    s = scores_of([2.0, 1.5, 1.0])
    assert attention_rule(s, "localmax", epsilon=0.25, form="relative").tolist() == [0.5, 0.5, 0]
    assert attention_rule(-s, "localmax", epsilon=0.25, form="relative").tolist() == [0, 0, 1]
    # e^(-2 * 0.5) = 0.3679 is at least 0.36, e^(-2) is not.
    assert attention_rule(s, "minp", epsilon=0.36, beta=2, form="probability")[2] == 0
    assert attention_rule(s, "localmax", epsilon=0.36, beta=2, form="probability").tolist() == [
        0.5,
        0.5,
        0,
    ]


# ---- gradients ------------------------------------------------------------------------------

SMOOTH = [
    ("softmax", {}),
    ("minp", {}),
    ("soft_localmax", {}),
    ("soft_localmax", {"tau": 0.5}),
    ("topk", {"k": 2}),
    ("sparsemax", {}),
]
SMOOTH += [("entmax", {"a": a}) for a in (1.05, 1.3, 1.5, 1.9, 2.5)]


@pytest.mark.parametrize("rule, options", SMOOTH)
def test_gradients_are_those_of_differences(rule, options):
    s = drawn(3, 5, seed=7).requires_grad_()
    beta = torch.tensor(1.3, dtype=F64, requires_grad=True)
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[0, 1] = mask[2, 4] = False

    def weights(x, b):
        return attention_rule(x, rule, beta=b, epsilon=0.7, mask=mask, **options)

    # Away from ties: no score is within 1e-4 of the edge of its support.
    assert torch.autograd.gradcheck(weights, (s, beta))
    assert torch.autograd.gradgradcheck(weights, (s, beta))


def test_hardmax_is_straight_through():
    """Weights of hardmax, gradient of softmax at the same beta."""
    for beta in (0.5, 1.0, 8.0):
        x, y = (drawn(20, 7, seed=8).requires_grad_() for _ in range(2))
        g = drawn(20, 7, seed=9)
        p = attention_rule(x, "hardmax", beta=beta)
        assert torch.equal(p.detach().sort(-1).values[:, -1], torch.ones(20, dtype=F64))
        p.backward(g)
        torch.softmax(beta * y, -1).backward(g)
        assert (x.grad - y.grad).abs().max().item() <= 1e-12


@pytest.mark.parametrize("rule", ["localmax", "uniform"])
def test_constant_rules_have_a_gradient_of_zeros(rule):
    x = drawn(4, 6).requires_grad_()
    attention_rule(x, rule, epsilon=0.5).square().sum().backward()
    assert torch.equal(x.grad, torch.zeros_like(x))


@pytest.mark.parametrize("rule", RULES)
def test_transforms_of_torch_func(rule):
    """Jacobians by torch.func are those by autograd, and vmap maps rows."""
    s = drawn(3, 4, seed=17)

    def weights(x):
        return attention_rule(x, rule, epsilon=0.7, a=1.3, k=2)

    assert torch.equal(torch.func.vmap(weights)(s), weights(s))
    ours = torch.func.vmap(torch.func.jacrev(weights))(s)
    theirs = torch.stack([torch.autograd.functional.jacobian(weights, row) for row in s])
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-15)


# ---- masks, shapes and dtypes ---------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_a_masked_row_is_the_row_without_the_token(rule):
    s = drawn(4, 6, seed=10)
    keep = torch.tensor([True, False, True, True, False, True])
    short = attention_rule(s[:, keep], rule, epsilon=0.6, k=2)
    x = s.clone().requires_grad_()
    p = attention_rule(x, rule, epsilon=0.6, k=2, mask=keep)
    torch.testing.assert_close(p[:, keep].detach(), short, rtol=0, atol=1e-15)
    assert (p[:, ~keep] == 0).all()
    (p * drawn(4, 6, seed=11)).sum().backward()
    assert (x.grad[:, ~keep] == 0).all() and x.grad.isfinite().all()
    by_infinity = attention_rule(s.masked_fill(~keep, -math.inf), rule, epsilon=0.6, k=2)
    assert torch.equal(by_infinity, p)


@pytest.mark.parametrize("rule", RULES)
def test_a_row_that_sees_nothing_is_zeros(rule):
    x = drawn(3, 4, seed=12).requires_grad_()
    mask = torch.ones(3, 4, dtype=torch.bool)
    mask[1] = False
    p = attention_rule(x, rule, mask=mask)
    assert (p[1] == 0).all()
    torch.testing.assert_close(p.sum(-1).detach(), torch.tensor([1.0, 0.0, 1.0], dtype=F64))
    p.square().sum().backward()
    assert (x.grad[1] == 0).all() and x.grad.isfinite().all()


@pytest.mark.parametrize("rule", RULES)
def test_shapes(rule):
    assert attention_rule(drawn(3, 1), rule).tolist() == [[1.0]] * 3
    assert attention_rule(torch.zeros(0, 4), rule).shape == (0, 4)
    assert attention_rule(torch.zeros(3, 0), rule).shape == (3, 0)
    s = drawn(2, 3, 4, 5, seed=13)
    whole = attention_rule(s, rule, dim=1, epsilon=0.5, a=1.3)
    rows_of = attention_rule(s.movedim(1, -1), rule, epsilon=0.5, a=1.3).movedim(-1, 1)
    torch.testing.assert_close(whole, rows_of, rtol=0, atol=4e-16)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [BF16, F16])
def test_narrow_scores_are_computed_in_float32(rule, dtype):
    x = drawn(8, 16, seed=14, dtype=dtype).requires_grad_()
    p = attention_rule(x, rule)
    assert p.dtype == dtype
    assert torch.equal(p, attention_rule(x.float(), rule).to(dtype))
    p.sum().backward()
    assert x.grad.dtype == dtype
    with torch.autocast("cpu", dtype=BF16):
        wide = attention_rule(x, rule)
        assert wide.dtype == torch.softmax(x, -1).dtype
        assert (wide @ drawn(16, 2, dtype=dtype)).dtype == BF16


LOST = [
    [0.5, math.nan, 1.0, -0.5],
    [math.inf, 0.5, 1.0, -0.5],
    [math.inf, math.inf, math.nan, math.inf],
    [-math.inf, math.nan, -math.inf, 0.5],
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("row", LOST)
@pytest.mark.parametrize("dtype", [F64, F32, BF16])
def test_not_a_number_and_infinity_are_passed_on_in_their_row(rule, row, dtype):
    """As torch.softmax does it: the row is NaN, and so is its gradient; other rows see nothing."""
    sound = drawn(2, 4, seed=15, dtype=dtype)
    s = torch.stack([sound[0], torch.tensor(row, dtype=dtype), sound[1]]).requires_grad_()
    torch.softmax(s, -1)[1].sum().backward()
    assert s.grad[1].isnan().all()
    s.grad = None
    p = attention_rule(s, rule, beta=2.0, k=2)
    assert p[1].isnan().all()
    assert torch.equal(p[[0, 2]], attention_rule(sound, rule, beta=2.0, k=2))
    (p * drawn(3, 4, seed=16, dtype=dtype)).sum().backward()
    assert s.grad[1].isnan().all() and s.grad[[0, 2]].isfinite().all()
    s.grad = None
    attention_rule(s, rule, beta=2.0, k=2)[[0, 2]].sum().backward()  # the lost row goes unused
    assert s.grad[[0, 2]].isfinite().all()


@pytest.mark.parametrize("rule", RULES)
def test_a_mask_hides_what_is_not_finite(rule):
    s = scores_of([[0.5, math.nan, 1.0], [0.5, math.inf, 1.0], [math.nan, 0.5, 1.0]])
    s.requires_grad_()
    mask = torch.tensor([True, False, True])
    p = attention_rule(s, rule, mask=mask)
    assert torch.equal(p[:2, [0, 2]], attention_rule(scores_of([[0.5, 1.0]] * 2), rule))
    assert p[:2, 1].eq(0).all() and p[2].isnan().all()
    p.sum().backward()
    assert s.grad[:2].isfinite().all() and s.grad[2, [0, 2]].isnan().all()
    assert s.grad[2, 1] == 0  # as that of masked_fill
    none = attention_rule(s.detach(), rule, mask=torch.zeros(3, dtype=torch.bool))
    assert none.eq(0).all()


@pytest.mark.parametrize("rule", [r for r in RULES if r not in ("localmax", "uniform")])
@pytest.mark.parametrize("row", [[1e300, 0.0], [-1e300, -1e300], [math.nan, 0.0], [math.inf, 0.0]])
def test_beta_has_its_part_in_a_lost_row(rule, row):
    """beta s overflows, or is not a number: the gradient of beta is no number either."""
    s = scores_of([row]).requires_grad_()
    beta = torch.tensor(1e300, dtype=F64, requires_grad=True)
    p = attention_rule(s, rule, beta=beta)
    p.sum().backward()
    assert p.isnan().all() and s.grad.isnan().all() and beta.grad.isnan()


@pytest.mark.parametrize("rule", RULES)
def test_infinity_is_no_number_at_any_beta(rule):
    s = scores_of([[math.inf, 0.0, 1.0]])
    for beta in (0.0, -1.0, torch.zeros(1, 1, dtype=F64)):
        assert attention_rule(s, rule, beta=beta).isnan().all()


@pytest.mark.parametrize("rule", RULES)
def test_huge_scores(rule):
    s = scores_of([[1e300, -1e300, 0.0], [-1e300, -1e300, -1e300], [1e-300, 0.0, -1e-300]])
    p = attention_rule(s, rule)
    torch.testing.assert_close(p.sum(-1), torch.ones(3, dtype=F64), rtol=0, atol=1e-15)
    if rule != "uniform":
        assert p[0, 0] == 1


def test_refusals_name_the_culprit():
    s = torch.zeros(3)
    for options, words in [
        ({"rule": "softmin"}, "rule = softmin: must be one of softmax"),
        ({"epsilon": -1.0, "rule": "minp"}, "epsilon = -1.0: must be at least 0"),
        ({"epsilon": math.nan, "rule": "minp"}, "epsilon = nan"),
        ({"tau": -1.0, "rule": "soft_localmax"}, "tau = -1.0"),
        ({"a": 0.5, "rule": "entmax"}, "a = 0.5: must be at least 1"),
        ({"k": 0, "rule": "topk"}, "k = 0"),
        ({"ties": "points", "rule": "hardmax"}, "ties = points"),
        ({"form": "cosine", "rule": "minp"}, "form = cosine"),
        ({"form": "relative", "epsilon": 2.0, "rule": "minp"}, "epsilon = 2.0: must be at most 1"),
        ({"form": "probability", "beta": -1.0, "rule": "minp"}, "beta = -1.0: must be at least 0"),
        (
            {"form": "relative", "rule": "soft_localmax"},
            "form = relative: must be 'additive' for soft_localmax",
        ),
    ]:
        with pytest.raises(ValueError, match=words):
            strict_rule(s, **options)
    with pytest.raises(TypeError, match="int64"):
        strict_rule(torch.zeros(3, dtype=torch.int64))
    with pytest.raises(TypeError, match="must be bool"):
        strict_rule(s, mask=torch.ones(3))
    with pytest.raises(TypeError, match="scores are ndarray: must be a tensor"):
        strict_rule(s.numpy())


def test_an_option_that_a_rule_does_not_have_is_refused():
    s = torch.zeros(3)
    values = {"epsilon": 0.1, "tau": 0.1, "a": 1.5, "k": 1, "ties": "indices", "form": "additive"}
    for rule in RULES:
        for name, value in values.items():
            if name in OF_RULES.get(rule, ()):
                assert torch.equal(strict_rule(s, rule, **{name: value}), strict_rule(s, rule))
            else:
                with pytest.raises(ValueError, match=f"{name} = {value}: applies with rule .*, not {rule}"):
                    strict_rule(s, rule, **{name: value})


# ---- properties -----------------------------------------------------------------------------


@SETTINGS
@given(rows, rules, entmax_a, st.floats(0.01, 30))
def test_weights_are_positive_and_sum_to_1(row, rule, a, beta):
    p = attention_rule(scores_of(row), rule, a=a, beta=beta)
    assert (p >= 0).all() and abs(p.sum().item() - 1) <= 16 * len(row) * 2.0**-53


@SETTINGS
@given(rows, rules, entmax_a, st.randoms(use_true_random=False))
def test_a_permutation_of_the_scores_permutes_the_weights(row, rule, a, random):
    order = list(range(len(row)))
    random.shuffle(order)
    s = scores_of(row)
    torch.testing.assert_close(
        attention_rule(s[order], rule, a=a), attention_rule(s, rule, a=a)[order], rtol=0, atol=1e-14
    )


@SETTINGS
@given(rows, rules, entmax_a, st.integers(-(2**20), 2**20))
def test_a_shift_of_the_scores_changes_nothing(row, rule, a, shift):
    """Scores are multiples of 2^-9, so that the shift is exact."""
    s = scores_of(row)
    torch.testing.assert_close(
        attention_rule(s + shift, rule, a=a, epsilon=0.25),
        attention_rule(s, rule, a=a, epsilon=0.25),
        rtol=0,
        atol=1e-13,
    )


@SETTINGS
@given(rows)
def test_supports_are_nested(row):
    """The larger a, the smaller the support; sparsemax's is within localmax's at epsilon = 1,
    a-entmax's within that at 1/(a - 1); hardmax's is in all.
    """
    s = scores_of(row)
    supports = [attention_rule(s, "entmax", a=a) > 0 for a in (1.25, 1.5, 2.0, 3.0)]
    for wide, narrow in zip(supports, supports[1:]):
        assert (wide | ~narrow).all()
    for a, support in zip((1.25, 1.5, 2.0, 3.0), supports):
        near = attention_rule(s, "localmax", epsilon=1 / (a - 1)) > 0
        assert (near | ~support).all()
        assert (support | ~(attention_rule(s, "hardmax") > 0)).all()


@SETTINGS
@given(rows, rules, entmax_a)
def test_larger_scores_get_no_less_weight(row, rule, a):
    p = attention_rule(scores_of(sorted(row)), rule, a=a)
    assert (p.diff() >= -1e-15).all()
