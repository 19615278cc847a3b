"""The loss of a layer of attention, with a gradient that is right when attention is saturated.

    a_t = <key_t, query>,  s = softmax(a),  o = sum_t s_t value_t,  L = mean of l(label h(o)).

Once 1 - s is below the rounding of 1, s_t (score_t - sum_j s_j score_j) is a rounding error, and
autograd of the formulas above follows it. Here everything is a difference to the token m of the
largest logit, as in the library (docs/gradients.md):

    e_t = exp(a_t - a_m),  S = sum_{t != m} e_t,  s_t = e_t / (1 + S),
    o = value_m + sum_{t != m} s_t (value_t - value_m),

whose derivative in a_t, s_t (lead_t - sum_{j != m} s_j lead_j), lead_t = <h'(o), value_t - value_m>,
has nothing that cancels but leads themselves. Autograd takes it from these operations, any number of
times.

Differences of logits and of scores are formed from products in parts. A vector is cut into two parts
of b bits, b = (52 - log2 n)/2, below its largest entry, and a rest: products of parts add up without
error, and what is left out of a difference is 2^-100 of sum |x_c y_c|, however large that is. float32
and narrower tensors are computed with in float64.

Keys are subtracted from each other for each query: L T E numbers.

attention_loss ends where double does: e^-745 is 0. scaled_attention_loss takes the largest
coefficient out before anything is exponentiated.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Union

import torch
from torch import Tensor
from torch._compile import _disable_dynamo

LOSSES = ("logistic", "exponential", "correlation", "log")
HEADS = ("linear", "relu", "quadratic")

_TINY = 1e-290  # coefficients from here on are numbers, below they are their logarithms

Label = Union[float, Tensor]
Parts = list[Tensor]


class ScaledLoss(NamedTuple):
    """A loss whose backward gives exp(-log_scale) times the gradient of query and key."""

    loss: Tensor
    log_scale: Tensor


class _Problem(NamedTuple):
    """The arguments, in float64 and checked."""

    query: Tensor
    key: Tensor
    value: Tensor
    decoder: Tensor
    label: Tensor
    hidden: Tensor
    head: str
    penalty: float
    loss: str


class _Lead(NamedTuple):
    """What is known of the attention of each query: the token m of the largest logit; out, the
    tokens that are hidden, and m itself; how far the logits of others are below, as high + low and
    as one number.
    """

    best: Tensor
    out: Tensor
    high: Tensor
    low: Tensor
    gap: Tensor


# ---- products without error ----------------------------------------------------------------------


def _cut(x: Tensor, bits: int) -> tuple[Tensor, Tensor, Tensor]:
    """x = first + second + rest: multiples of units that are `bits` bits below the largest entry of
    a row, and of what is left.
    """
    top = x.abs().amax(-1, keepdim=True)
    _, power = torch.frexp(torch.where(top.isfinite(), top, 1.0))
    parts = []
    for k in (1, 2):
        # 1.5 2^52 units: what is added to it is rounded to a multiple of the unit.
        large = torch.ldexp(torch.full_like(top, 1.5), power - k * bits + 52)
        first = (x + large) - large
        parts.append(first)
        x = x - first
    return parts[0], parts[1], x


def _products(x: Tensor, y: Tensor) -> Parts:
    """<x_l, y_t> of all rows, as four terms of falling size; the first three have no error."""
    bits = (52 - max(1, math.ceil(math.log2(x.shape[-1])))) // 2
    (a, b, c), (d, e, f) = _cut(x, bits), _cut(y, bits)
    d, e, f = d.mT, e.mT, f.mT
    return [a @ d, a @ e, b @ d, b @ e + (a @ f + c @ d)]


def _below(parts: Parts, best: Tensor) -> tuple[Tensor, Tensor]:
    """The term of best less the others', as high + low."""
    high, *rest = [part.gather(-1, best) - part for part in parts]
    return high, (rest[0] + rest[1]) + rest[2]


def _lead(p: _Problem) -> _Lead:
    parts = _products(p.query, p.key)
    total = sum(reversed(parts[:-1]), parts[-1]).masked_fill(p.hidden, -math.inf)
    best = total.argmax(-1, keepdim=True)
    high, low = _below(parts, best)  # of two that are rounded to the same number, the larger one
    best = (high + low).masked_fill(p.hidden, math.inf).argmin(-1, keepdim=True)
    high, low = _below(parts, best)
    out = p.hidden | torch.zeros_like(p.hidden).scatter(-1, best, True)
    return _Lead(best, out, high, low, high + low)


def _as(exact: Tensor, plain: Tensor) -> Tensor:
    """The values of exact with the derivatives of plain."""
    return plain + (exact - plain.detach())


# ---- the loss ------------------------------------------------------------------------------------


def _pulls(p: _Problem, best: Tensor) -> Tensor:
    """<key_m - key_t, query>, made of differences of keys: entries that all keys share have a
    derivative of 0, not of a rounding error whose sign an optimiser would follow.
    """
    key = p.key.expand(*p.hidden.shape[:-2], *p.key.shape[-2:])
    m = key.gather(-2, best.expand(*best.shape[:-1], key.shape[-1]))
    return ((m.unsqueeze(-2) - key.unsqueeze(-3)) @ p.query.unsqueeze(-1)).squeeze(-1)


def _gaps(p: _Problem, lead: _Lead) -> Tensor:
    """a_m - a_t >= 0; infinity: hidden, or m."""
    return _as(lead.gap, _pulls(p, lead.best)).masked_fill(lead.out, math.inf)


def _weights(gap: Tensor) -> tuple[Tensor, Tensor]:
    """s_t of t != m, and their sum over s_m."""
    e = torch.exp(-gap)
    others = e.sum(-1, keepdim=True)
    return e / (1 + others), others


def _score_leads(p: _Problem, best: Tensor) -> tuple[Tensor, Tensor]:
    """The score <decoder, value_m> of each query and how far those of the others are above it."""
    with torch.no_grad():
        parts = _products(p.decoder.reshape(1, -1), p.value)
        exact = [part.expand(p.hidden.shape) for part in parts]
        high, low = _below(exact, best)
    score = (p.value @ p.decoder).unsqueeze(-2).expand(p.hidden.shape)
    top = score.gather(-1, best)
    return top, _as(-(high + low), score - top)


def _output(p: _Problem, s: Tensor, best: Tensor) -> Tensor:
    """o of each query."""
    value = p.value.expand(*p.hidden.shape[:-2], *p.value.shape[-2:])
    top = value.gather(-2, best.expand(*best.shape[:-1], value.shape[-1]))
    return top + (s @ value - s.sum(-1, keepdim=True) * top)


def _head(p: _Problem, o: Tensor) -> Tensor:
    if p.head == "relu":
        return torch.relu(o @ p.decoder.mT).sum(-1)
    return o @ p.decoder - p.penalty * o.square().sum(-1)


def _margin(p: _Problem, gap: Tensor, best: Tensor) -> Tensor:
    """f = label h(o)."""
    s, _ = _weights(gap)
    if p.head == "linear":
        top, lead = _score_leads(p, best)
        f = top.squeeze(-1) + (s * lead).sum(-1)
    else:
        f = _head(p, _output(p, s, best))
    return torch.where(p.hidden.all(-1), 0.0, f) * p.label


def _log_mass(p: _Problem, gap: Tensor, best: Tensor) -> Tensor:
    """log f, f = sum_t s_t score_t with scores >= 0, also where f underflows."""
    s, others = _weights(gap)
    top, lead = _score_leads(p, best)
    found = top > 0
    ahead = torch.where(found, top, 1.0)
    near = ahead.log() + torch.log1p((s * lead / ahead).sum(-1, keepdim=True))
    seen = (top + lead > 0) & ~gap.isposinf()
    size = torch.where(seen, torch.where(seen, top + lead, 1.0).log() - gap, -math.inf)
    size = torch.where(found & ~seen.any(-1, keepdim=True), 0.0, size)  # not taken, but finite
    far = torch.logsumexp(size, -1, keepdim=True) - torch.log1p(others)
    return torch.where(p.hidden.all(-1), -math.inf, torch.where(found, near, far).squeeze(-1))


def _losses(p: _Problem, gap: Tensor, best: Tensor) -> Tensor:
    if p.loss == "log":
        return -_log_mass(p, gap, best)
    f = _margin(p, gap, best)
    if p.loss == "logistic":
        return torch.logaddexp(torch.zeros_like(f), -f)
    return torch.exp(-f) if p.loss == "exponential" else -f


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


# ---- coefficients with their size taken out ------------------------------------------------------


def _leads(p: _Problem, gap: Tensor, best: Tensor) -> Tensor:
    """label <h'(o), value_t - value_m>."""
    if p.head == "linear":
        return _score_leads(p, best)[1] * p.label.unsqueeze(-1)
    o = _output(p, _weights(gap)[0], best)
    if p.head == "relu":
        slope = (o @ p.decoder.mT > 0).to(o.dtype) @ p.decoder
    else:
        slope = p.decoder - 2 * p.penalty * o
    high, low = _below([part.expand(p.hidden.shape) for part in _products(slope, p.value)], best)
    return -(high + low) * p.label.unsqueeze(-1)


def _log_slope(p: _Problem, gap: Tensor, best: Tensor) -> Tensor:
    """log |l'(f)|."""
    if p.loss == "log":
        return -_log_mass(p, gap, best)
    f = _margin(p, gap, best)
    if p.loss == "logistic":
        return -torch.logaddexp(torch.zeros_like(f), f)
    return -f if p.loss == "exponential" else torch.zeros_like(f)


def _idle(p: _Problem, lead: _Lead) -> Tensor:
    """Tokens that pull nowhere: m, what is hidden, and tokens whose key is that of m."""
    idle = lead.out.clone()
    near = (~lead.out & (lead.gap == 0)).nonzero(as_tuple=True)
    key = p.key.expand(*lead.out.shape[:-2], *p.key.shape[-2:])
    m = lead.best.squeeze(-1)[near[:-1]]
    idle[near] = (key[(*near[:-2], near[-1])] == key[(*near[:-2], m)]).all(-1)
    return idle


@_disable_dynamo  # how many tokens are idle is a shape
def _coefficients(p: _Problem, lead: _Lead) -> tuple[Tensor, Tensor]:
    """dl/da_t of each query, t != m, divided by exp of the number that is returned."""
    gap = lead.gap.masked_fill(lead.out, math.inf)
    s, others = _weights(gap)
    more = _leads(p, gap, lead.best)
    terms = more.abs().log() - gap  # log |s_t lead_t|, but for 1 + S
    most = terms.amax(-1, keepdim=True).clamp_min(-1e308)
    total = (more.sign() * torch.exp(terms - most)).nan_to_num().sum(-1, keepdim=True)
    log_mean = total.abs().log() + most - torch.log1p(others)
    difference = more - total.sign() * torch.exp(log_mean)
    small = difference.abs() < _TINY
    sign = torch.where(small, -total.sign(), difference.sign())
    rest = torch.where(small, log_mean, difference.abs().log()) - torch.log1p(others)
    rest = rest + _log_slope(p, gap, lead.best).unsqueeze(-1)
    # size = rest - gap: differences of gaps first, so that nothing is rounded at the size of a gap.
    size = (rest - gap).masked_fill(_idle(p, lead) | (sign == 0), -math.inf)
    top = size.flatten().argmax()
    log_scale = size.flatten()[top]
    at = [x.expand(size.shape).flatten()[top] for x in (lead.high, lead.low, rest)]
    less = ((at[0] - lead.high) + (at[1] - lead.low)) + (rest - at[2])
    return -sign * torch.where(size.isneginf(), 0.0, torch.exp(less)), log_scale


# ---- what is called ------------------------------------------------------------------------------


def _check(
    query: Tensor, key: Tensor, value: Tensor, decoder: Tensor, o: dict[str, object]
) -> None:
    for name, x in (("query", query), ("key", key), ("value", value), ("decoder", decoder)):
        if not x.is_floating_point():
            raise TypeError(f"attention_loss: {name} is {x.dtype}: must be real floating point")
    for name, among in (
        ("head", HEADS),
        ("loss", LOSSES),
        ("reduction", ("mean", "sum", "none")),
    ):
        if o[name] not in among:
            raise ValueError(f"{name} = {o[name]}: must be one of {', '.join(among)}")
    if o["loss"] == "log" and o["head"] != "linear":
        raise ValueError(f"head = {o['head']}: must be linear with the loss log")
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.ndim < 2:
            raise ValueError(f"attention_loss: {name} has shape {tuple(x.shape)}: must have rows")
    if query.ndim == key.ndim - 1 and query.shape[-2] == key.shape[-3] > 1:
        raise ValueError(
            f"attention_loss: the query has shape {tuple(query.shape)}, the keys "
            f"{tuple(key.shape)}: must be (..., L, d), query.unsqueeze(-2) for one query of each "
            "input, query.unsqueeze(0) for the same queries of all"
        )
    if query.shape[-1] != key.shape[-1] or key.shape[-1] == 0:
        raise ValueError(
            f"attention_loss: a query has {query.shape[-1]} entries, a key {key.shape[-1]}: "
            "must be as many, and one at least"
        )
    if value.shape[-2] != key.shape[-2] or key.shape[-2] == 0:
        raise ValueError(
            f"attention_loss: there are {key.shape[-2]} keys and {value.shape[-2]} values: "
            "must be as many, and one at least"
        )
    rows = 2 if o["head"] == "relu" else 1
    if decoder.ndim != rows or decoder.shape[-1] != value.shape[-1]:
        what = "(any number, " if rows == 2 else "("
        raise ValueError(
            f"attention_loss: the decoder has shape {tuple(decoder.shape)}: must be "
            f"{what}{value.shape[-1]}) for the head {o['head']}"
        )


def _labels(label: Label, hidden: Tensor) -> Tensor:
    y = torch.as_tensor(label, dtype=torch.float64, device=hidden.device)
    shape = hidden.shape[:-1]
    if y.ndim > len(shape) or any(a not in (1, b) for a, b in zip(y.shape[::-1], shape[::-1])):
        raise ValueError(
            f"attention_loss: label has shape {tuple(y.shape)}: must broadcast to (..., L) = "
            f"{tuple(shape)}, label.unsqueeze(-1) where there is one for each input"
        )
    if not torch.compiler.is_compiling() and not bool((y.abs() == 1).all()):
        raise ValueError("attention_loss: a label is not -1 or 1")
    return y.expand(shape)


def _problem(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decoder: Tensor,
    label: Label,
    head: str,
    penalty: float,
    loss: str,
    mask: Tensor | None,
    causal: bool,
    reduction: str,
) -> _Problem:
    _check(query, key, value, decoder, dict(head=head, loss=loss, reduction=reduction))
    places, tokens = query.shape[-2], key.shape[-2]
    batches = [x.shape[:-2] for x in (query, key, value)]
    before = torch.broadcast_shapes(*batches)  # type: ignore[no-untyped-call]
    hidden = torch.zeros(*before, places, tokens, dtype=torch.bool, device=query.device)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise TypeError(
                f"attention_loss: the mask is {mask.dtype}: must be bool, True where a token is "
                "seen"
            )
        hidden = hidden | ~mask
    if causal:
        seen = torch.ones(places, tokens, dtype=torch.bool, device=query.device).tril()
        hidden = hidden | ~seen
    y = _labels(1.0 if loss == "log" else label, hidden)
    wide = [x.to(torch.float64) for x in (query, key, value, decoder)]
    return _Problem(wide[0], wide[1], wide[2], wide[3], y, hidden, head, penalty, loss)


def attention_loss(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decoder: Tensor,
    label: Label = 1.0,
    *,
    head: str = "linear",
    penalty: float = 1.0,
    loss: str = "logistic",
    mask: Tensor | None = None,
    causal: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """The loss of attention read by a head, with derivatives that are exact when it is saturated.

    Args:
        query: (..., L, E); W z of ``tropism train``, or p for all inputs. Logits are not divided by
            anything.
        key: (..., T, E).
        value: (..., T, D): the tokens x_t.
        decoder: v, (D,); for the head relu (any number, D).
        label: y, a number or a tensor that broadcasts to (..., L).
        head: h(o): linear (v'o), relu (sum of max(0, v_k'o)) or quadratic (v'o - penalty |o|^2).
        penalty: of the quadratic head.
        loss: of f = y h(o): logistic, exponential, correlation (-f), or log (-log f; with scores
            v'x_t of 1 for the tokens of the label and 0 for others f is the attention that the label
            receives, and y is not used).
        mask: boolean, of a shape that broadcasts to (..., L, T); True: this token is seen. A query
            that sees nothing has o = 0.
        causal: a query sees the tokens up to its own place.
        reduction: "mean" over all queries, "sum", or "none": (..., L).

    Returns:
        The loss, in the dtype of query; it is computed in float64, and can be differentiated any
        number of times.
    """
    p = _problem(query, key, value, decoder, label, head, penalty, loss, mask, causal, reduction)
    with torch.no_grad():
        lead = _lead(p)
    return _reduced(_losses(p, _gaps(p, lead), lead.best), reduction).to(query.dtype)


def scaled_attention_loss(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decoder: Tensor,
    label: Label = 1.0,
    *,
    head: str = "linear",
    penalty: float = 1.0,
    loss: str = "logistic",
    mask: Tensor | None = None,
    causal: bool = False,
    reduction: str = "mean",
) -> ScaledLoss:
    """attention_loss whose gradient does not underflow, for optimisers that normalise it.

    backward gives query and key their gradient divided by exp(log_scale), the size of the largest
    coefficient of a logit, which is 1 then: its direction is right where the gradient itself is
    e^-1000000. value and decoder get their gradients as they are. Once differentiable.

    Args:
        query, key, value, decoder, label, head, penalty, loss, mask, causal, reduction: as in
            attention_loss.

    Returns:
        loss and log_scale; -infinity: the gradient is 0.
    """
    p = _problem(query, key, value, decoder, label, head, penalty, loss, mask, causal, reduction)
    with torch.no_grad():
        lead = _lead(p)
        c, log_scale = _coefficients(p, lead)
    fixed = p._replace(query=p.query.detach(), key=p.key.detach())
    losses = _losses(fixed, _gaps(fixed, lead), lead.best)
    pull = -(c * _pulls(p, lead.best)).sum(-1)
    pull = pull - pull.detach()
    if reduction == "mean":
        log_scale = log_scale - math.log(losses.numel())
        total = losses.mean() + pull.sum()
    else:
        total = _reduced(losses + pull, reduction)
    return ScaledLoss(total.to(query.dtype), log_scale)
