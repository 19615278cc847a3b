"""Rules: from attention scores to weights, with gradients.

M is the largest score of a row, z = beta s. A weight that a mask takes away, or whose score is
-infinity, is 0; a row with nothing left is all zeros and has a zero gradient. A row whose largest z
is not finite (a score that is NaN or +infinity, or beta s that overflows) is NaN throughout, and so
is its gradient: that is what torch.softmax does with it, and no rule hides it.

    softmax        p_j ~ e^(z_j)
    hardmax        equal on the largest scores (ties "indices"), or all on the first of them
                   ("first")
    localmax       equal on C = {j : s_j >= M - epsilon}
    minp           softmax on C
    soft_localmax  p_j ~ e^(z_j) / (1 + e^(-(s_j - M + epsilon)/tau)): a smooth edge of C. tau -> 0
                   is minp, and then beta = 0 is localmax; epsilon -> infinity is softmax
    topk           softmax on the k largest scores; ties with the k-th are kept
    sparsemax      the point of the simplex nearest to z
    entmax         p_j = [1 - (a-1)(max z - z_j) - delta]_+^(1/(a-1)) with sum 1; a = 1 is softmax,
                   a = 2 sparsemax
    uniform        equal

**Gradients.** softmax, soft_localmax, sparsemax and entmax have their own, exact away from ties (a
score on the edge of the support, or two equal maxima for soft_localmax), and differentiable again.
minp and topk are softmax on a set, which does not move away from ties. hardmax is straight-through:
its weights are hardmax's, its gradient is that of softmax(beta s). localmax and uniform are
constant away from ties: their gradient is zero.

**Decisions.** s_j >= M - epsilon is decided for the real numbers that the scores are: M - s_j is
rounded to a double d, with its rounding error e known exactly (Knuth's two-sum), and M - s_j <=
epsilon exactly when d < epsilon, or d = epsilon and e <= 0, as rounding is monotone.

**Precision.** bfloat16 and float16 scores are computed in float32 and the weights rounded once;
under autocast on a GPU the weights are float32, as torch.softmax's are there.
"""

from __future__ import annotations

import math
from typing import Any, Union
from collections.abc import Callable

import torch
from torch import Tensor

from .entmax import entmax

Beta = Union[float, Tensor]


class _Constant(torch.autograd.Function):
    """Weights that do not depend on the scores as far as derivatives go: a gradient of zeros, not
    no gradient.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(scores: Tensor, weights: Tensor) -> Tensor:
        return weights.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return torch.zeros_like(grad), None


def _equal_on(inside: Tensor, scores: Tensor, dim: int) -> Tensor:
    """1/|C| on C, with a gradient of zero."""
    count = inside.sum(dim, keepdim=True).clamp_min(1)
    weights: Tensor = _Constant.apply(scores, inside.to(scores.dtype) / count)
    return weights


def _at_most(top: Tensor, s: Tensor, limit: float) -> Tensor:
    """top - s <= limit for the real numbers, in doubles: d + e = top - s exactly."""
    top, s = top.double(), -s.double()
    d = top + s
    back = d - top
    e = (top - (d - back)) + (s - back)
    return (d < limit) | ((d == limit) & ~(e > 0))


def _near_top(s: Tensor, dead: Tensor, dim: int, epsilon: float, form: str, beta: Beta) -> Tensor:
    """The set C of localmax."""
    s = s.detach()
    top = s.masked_fill(dead, -math.inf).amax(dim, keepdim=True)
    if form == "relative":
        inside = (s.double() >= (1 - epsilon) * top.double()) | (s == top)
    else:
        if form == "probability":
            epsilon = (
                math.inf if epsilon == 0 or float(beta) == 0 else -math.log(epsilon) / float(beta)
            )
        inside = _at_most(top, s, epsilon) if epsilon < math.inf else torch.ones_like(dead)
    return inside & ~dead


def _softmax_on(inside: Tensor, z: Tensor, dim: int) -> Tensor:
    """Softmax on a set: zeros where it is empty."""
    empty = ~inside.any(dim, keepdim=True)
    kept = torch.where(inside | empty, z, -math.inf)  # an empty row is softmax of what is there
    return torch.where(inside, torch.softmax(kept, dim), 0.0)


def _top(s: Tensor, dead: Tensor, dim: int, k: int) -> Tensor:
    """The k largest scores and those that equal the k-th."""
    s = s.detach().masked_fill(dead, -math.inf)
    kth = s.topk(min(k, s.shape[dim]), dim).values.narrow(dim, -1, 1) if k < s.shape[dim] else None
    return ~dead if kth is None else (s >= kth) & ~dead


def _hardmax(s: Tensor, z: Tensor, dead: Tensor, dim: int, options: dict[str, Any]) -> Tensor:
    largest = s.detach().masked_fill(dead, -math.inf)
    at_top = (largest == largest.amax(dim, keepdim=True)) & ~dead
    if options["ties"] == "first":
        at_top &= at_top.cumsum(dim) == 1
    hard = at_top.to(z.dtype) / at_top.sum(dim, keepdim=True).clamp_min(1)
    soft = _softmax_on(~dead, z, dim)
    return hard + (soft - soft.detach())  # the bracket is exactly 0


def _soft_localmax(s: Tensor, z: Tensor, dead: Tensor, dim: int, options: dict[str, Any]) -> Tensor:
    if options["tau"] == 0:
        return _minp(s, z, dead, dim, options)
    if options["epsilon"] == math.inf:
        return _softmax_on(~dead, z, dim)
    top = torch.where(dead, -math.inf, s).amax(dim, keepdim=True)
    top = torch.where(dead.all(dim, keepdim=True), torch.zeros_like(top), top)
    gate = torch.nn.functional.logsigmoid((s - top + options["epsilon"]) / options["tau"])
    return _softmax_on(~dead, z + gate, dim)


def _minp(s: Tensor, z: Tensor, dead: Tensor, dim: int, options: dict[str, Any]) -> Tensor:
    return _softmax_on(
        _near_top(s, dead, dim, options["epsilon"], options["form"], options["beta"]), z, dim
    )


def _localmax(s: Tensor, z: Tensor, dead: Tensor, dim: int, options: dict[str, Any]) -> Tensor:
    return _equal_on(
        _near_top(s, dead, dim, options["epsilon"], options["form"], options["beta"]), s, dim
    )


def _entmax(s: Tensor, z: Tensor, dead: Tensor, dim: int, options: dict[str, Any]) -> Tensor:
    return _softmax_on(~dead, z, dim) if options["a"] == 1 else entmax(z, dead, dim, options["a"])


def _lost(x: Tensor, dead: Tensor, dim: int) -> Tensor:
    """Rows that see something whose largest entry is not finite; amax hands a NaN on."""
    top = x.detach().masked_fill(dead, -math.inf).amax(dim, keepdim=True)
    return ~(top.isfinite() | dead.all(dim, keepdim=True))


Rule = Callable[[Tensor, Tensor, Tensor, int, dict[str, Any]], Tensor]

_RULES: dict[str, Rule] = {
    "softmax": lambda s, z, dead, dim, o: _softmax_on(~dead, z, dim),
    "hardmax": _hardmax,
    "localmax": _localmax,
    "minp": _minp,
    "soft_localmax": _soft_localmax,
    "topk": lambda s, z, dead, dim, o: _softmax_on(_top(s, dead, dim, o["k"]), z, dim),
    "sparsemax": lambda s, z, dead, dim, o: entmax(z, dead, dim, 2.0),
    "entmax": _entmax,
    "uniform": lambda s, z, dead, dim, o: _equal_on(~dead, s, dim),
}

RULES = tuple(_RULES)
_FLAT = ("localmax", "uniform")  # weights that do not depend on z

# The options that some rules alone have, and their defaults.
_DEFAULTS = {"epsilon": 0.1, "tau": 0.1, "a": 1.5, "k": 1, "ties": "indices", "form": "additive"}
_OPTIONS = {
    "hardmax": ("ties",),
    "localmax": ("epsilon", "form"),
    "minp": ("epsilon", "form"),
    "soft_localmax": ("epsilon", "tau", "form"),
    "topk": ("k",),
    "entmax": ("a",),
}


def _with_defaults(rule: str, beta: Beta, given: dict[str, Any]) -> dict[str, Any]:
    """Every option; one that was given and that the rule does not have is refused."""
    if rule not in _RULES:
        raise ValueError(f"rule = {rule}: must be one of {', '.join(RULES)}")
    for name, value in given.items():
        if value is not None and name not in _OPTIONS.get(rule, ()):
            having = [other for other in RULES if name in _OPTIONS.get(other, ())]
            raise ValueError(
                f"{name} = {value}: applies with rule {', '.join(having)}, not {rule}"
            )
    set_ = {name: value for name, value in given.items() if value is not None}
    options: dict[str, Any] = {**_DEFAULTS, **set_, "beta": beta}
    options["a"] = float(options["a"])
    return options


def _check(scores: Tensor, rule: str, o: dict[str, Any]) -> None:
    if not isinstance(scores, Tensor):
        kind = type(scores).__name__
        raise TypeError(f"attention_rule: scores are {kind}: must be a tensor (torch.as_tensor)")
    if not scores.is_floating_point():
        raise TypeError(f"attention_rule: scores are {scores.dtype}: must be real floating point")
    tests = [
        ("epsilon", o["epsilon"], o["epsilon"] >= 0, "at least 0"),
        (
            "epsilon",
            o["epsilon"],
            o["form"] == "additive" or o["epsilon"] <= 1,
            "at most 1 for this form",
        ),
        ("tau", o["tau"], 0 <= o["tau"] < math.inf, "at least 0 and finite"),
        ("a", o["a"], 1 <= o["a"] < math.inf, "at least 1 and finite"),
        ("k", o["k"], o["k"] >= 1, "at least 1"),
        ("ties", o["ties"], o["ties"] in ("indices", "first"), "'indices' or 'first'"),
        (
            "form",
            o["form"],
            o["form"] in ("additive", "relative", "probability"),
            "'additive', 'relative' or 'probability'",
        ),
    ]
    if o["form"] == "probability":
        tests.append(
            ("beta", o["beta"], float(o["beta"]) >= 0, "at least 0 for the form 'probability'")
        )
    if rule == "soft_localmax":
        tests.append(("form", o["form"], o["form"] == "additive", "'additive' for soft_localmax"))
    for name, value, good, what in tests:
        if not good:
            raise ValueError(f"{name} = {value}: must be {what}")


def _wide(scores: Tensor) -> tuple[Tensor, torch.dtype]:
    """Scores in float32 at least, and the dtype of the weights."""
    narrow = scores.dtype in (torch.bfloat16, torch.float16)
    wide = scores.float() if narrow else scores
    autocast = (
        narrow and scores.device.type != "cpu" and torch.is_autocast_enabled(scores.device.type)
    )
    return wide, wide.dtype if autocast else scores.dtype


def attention_rule(
    scores: Tensor,
    rule: str = "softmax",
    *,
    dim: int = -1,
    mask: Tensor | None = None,
    beta: Beta = 1.0,
    epsilon: float | None = None,
    tau: float | None = None,
    a: float | None = None,
    k: int | None = None,
    ties: str | None = None,
    form: str | None = None,
) -> Tensor:
    """Attention weights from scores, by one of tropism's rules; differentiable.

    Args:
        scores: any real floating-point tensor.
        rule: softmax, hardmax, localmax, minp, soft_localmax, topk, sparsemax, entmax or uniform.
        dim: the dimension that sums to 1.
        mask: boolean, of a shape that broadcasts to that of scores; True: this token is seen. A row
            that sees nothing gets zeros.
        beta: inverse temperature: a number, or a tensor that broadcasts (and may need a gradient).
        epsilon: of localmax, minp and soft_localmax: how far below the largest score a token still
            counts; 0.1 when not given.
        tau: width of the edge of soft_localmax, 0.1 when not given; 0 is minp.
        a: of entmax: 1 softmax, 1.5 (when not given), 2 sparsemax.
        k: of topk; 1 when not given.
        ties: of hardmax: "indices" (when not given) shares the weight among equal scores, "first"
            gives it to the first.
        form: of epsilon, in localmax and minp: "additive" (when not given; s_j >= M - epsilon), "relative" (s_j >=
            (1 - epsilon) M; the largest scores alone where M < 0) or "probability" (softmax weight
            at least epsilon times the largest).

    Returns:
        Weights of the shape and dtype of scores; float32 for narrow scores under autocast on a GPU.

    An option that the rule does not have is refused (beta applies to all: localmax and uniform do
    not depend on it).

    A row that sees a score of NaN or +infinity is NaN, and so is its gradient; -infinity is a mask.

    Gradients: hardmax has softmax's at the same beta (straight-through), localmax and uniform have
    zeros, the others their own.
    """
    given = {"epsilon": epsilon, "tau": tau, "a": a, "k": k, "ties": ties, "form": form}
    options = _with_defaults(rule, beta, given)
    _check(scores, rule, options)
    s, dtype = _wide(scores)
    if scores.numel() == 0:
        return s.to(dtype) * 1.0
    if scores.ndim == 0:
        raise ValueError("attention_rule: scores have no dimension to sum over")
    hidden = torch.zeros_like(s, dtype=torch.bool)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise TypeError(
                f"attention_rule: the mask is {mask.dtype}: must be bool, "
                "True where a token is seen"
            )
        hidden = ~mask.expand_as(s)
    dead = hidden | (s.detach() == -math.inf)
    lost = _lost(s, dead, dim)
    # Masked scores are 0 from here on, so that no infinity meets a product; each rule leaves them
    # out. In a lost row -infinity stays, for its gradient to be NaN with the others.
    s = torch.where(hidden | (dead & ~lost), 0.0, s)
    scaled = rule not in _FLAT and (isinstance(beta, Tensor) or beta != 1)
    z = (s * beta).to(s.dtype) if scaled else s
    lost = lost | _lost(z, dead, dim)
    # The rule never sees a lost row. Its own z times NaN takes the place of its weights, so that the
    # gradients of scores and beta are NaN; the inner choice keeps that factor from the other rows.
    sound = torch.where(lost, 0.0, s), torch.where(lost, 0.0, z)
    weights = _RULES[rule](sound[0], sound[1], dead, dim, options)
    return torch.where(lost, torch.where(lost, z, 0.0) * math.nan, weights).to(dtype)
