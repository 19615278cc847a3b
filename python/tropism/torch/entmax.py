"""Entmax and sparsemax, forward and backward.

    p_j = E(d_j + t),   E(y) = [1 - c y]_+^(1/c),   c = a - 1,   d_j = max z - z_j >= 0,

t >= 0 such that the weights sum to 1 (Peters, Niculae, Martins 2019; a = 2 is sparsemax, Martins
and Astudillo 2016; a -> 1 is softmax, E(y) = e^-y). E is evaluated as exp(log1p(-c y)/c), which
keeps its precision however near 1 a is.

**Finding t.** F(t) = sum_j E(d_j + t) falls from F(0) >= 1, where the largest score alone gives 1,
to F(t_n) <= 1 at t_n = (1 - n^-c)/c, where equal scores would end. Newton's method runs on

    H(t) = (F(t)^c - 1)/c,

which is linear when all d are equal. For a <= 2, F^c is the l_(1/c) norm of the positive vector [1
- c(d + t)]_+, a convex function of t, so that Newton from the left rises to the root without
passing it; iterations end when no t moves by more than two roundings. For a > 2 the slope is
infinite where a score enters the support, and bisection is used, to the last bit of t.

For a = 1.5 and a = 2 the support is found exactly from sorted scores (with the k largest in the
support t solves a linear or a quadratic equation; the support is the largest k that is consistent),
and Newton's method starts there: it removes the rounding errors of the running sums and ends after
a step or two.

**Error.** t is found to a few roundings of 1 + t. Weights move by s_j = -dE/dy = p_j^(2-a) times
that, which is nothing much for a <= 2 but is large for a > 2 at the edge of the support, where p_j
is small: for a = 6 a weight of 0.01 has s = 10^8. So the little that the weights' sum differs from
1 is given to them in proportion to s_j, which is what a last step of t would do if t had more
digits. The sum is then 1 to n roundings, and the level p_j^c / c - z_j, which is one number on the
support, is met to a few roundings of its size.

**Backward.** dE/dy = -E^(1-c). With s_j = p_j^(2-a) on the support and 0 off it, the gradient of
sum g_j p_j is s_j (g_j - sum s g / sum s). For a < 2 it is continuous at the edge. It is written in
differentiable operations of p and g, so that it can be differentiated again.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch._compile import _disable_dynamo


def _weights(y: Tensor, c: float) -> Tensor:
    """E(y), 0 where c y >= 1 and where y is infinite."""
    if c == 1.0:
        return torch.clamp_min(1 - y, 0.0)
    if c == 0.5:
        return torch.clamp_min(1 - y / 2, 0.0).square()
    return torch.exp(torch.log1p(torch.clamp_min(-c * y, -1.0)) / c)


def _slopes(p: Tensor, a: float) -> Tensor:
    """-dE/dy = p^(2-a) on the support, 0 off it."""
    inside = p > 0
    if a == 2.0:
        return inside.to(p.dtype)
    return torch.where(inside, torch.where(inside, p, 1.0) ** (2.0 - a), 0.0)


def _start_sparsemax(d: Tensor, dim: int) -> Tensor:
    """With the k smallest d in the support, sum (1 - d - t) = 1: t = (k - 1 - sum d)/k."""
    ranks, sums, ordered = _running(d, dim)
    good = (1 - ordered) * ranks > ranks - 1 - sums
    return _last((ranks - 1 - sums) / ranks, good, dim)


def _start_entmax15(d: Tensor, dim: int) -> Tensor:
    """With the k smallest in the support, x = 1 - d/2 and sum (x - T)^2 = 1, T = t/2: T = mean -
    sqrt((1 - k variance)/k).
    """
    ranks, sums, ordered = _running(d / 2, dim)
    squares = torch.where(ordered < math.inf, ordered, 0.0).square().cumsum(dim)
    mean = sums / ranks
    spread = squares - ranks * mean.square()
    half = 1 - mean - torch.sqrt(torch.clamp_min((1 - spread) / ranks, 0.0))
    good = half <= 1 - ordered  # false where spread > 1: half is then 1 - mean
    return 2 * _last(half, good, dim)


def _running(d: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """1, 2, 3, ...; the running sums of d in rising order (those of infinite d mean nothing); and d
    in that order.
    """
    ordered = d.sort(dim).values
    shape = [1] * d.ndim
    shape[dim] = d.shape[dim]
    ranks = torch.arange(1, d.shape[dim] + 1, device=d.device, dtype=d.dtype).reshape(shape)
    return ranks, torch.where(ordered < math.inf, ordered, 0.0).cumsum(dim), ordered


def _last(values: Tensor, good: Tensor, dim: int) -> Tensor:
    """The value at the last place that is good."""
    count = good.sum(dim, keepdim=True).clamp_min(1) - 1
    return values.gather(dim, count).clamp_min(0.0)


def _newton(d: Tensor, dim: int, a: float, t: Tensor) -> Tensor:
    """The root from the left of it, for a <= 2."""
    c = a - 1
    eps = torch.finfo(d.dtype).eps
    for _ in range(100):
        p = _weights(d + t, c)
        total = p.sum(dim, keepdim=True)
        slope = _slopes(p, a).sum(dim, keepdim=True)
        # -H / H', with F^c - 1 by expm1, which keeps it near the root.
        move = torch.expm1(c * total.log()) / (c * total ** (c - 1) * slope)
        t = (t + move).clamp_min(0.0)
        if bool(((move.abs() <= 2 * eps * (1 + t)) | move.isnan()).all()):
            break
    return t


def _bisection(d: Tensor, dim: int, a: float, low: Tensor, high: Tensor) -> Tensor:
    """The root between low and high, whose distance is at most 1."""
    for _ in range(2 - int(math.log2(torch.finfo(d.dtype).eps))):
        mid = (low + high) / 2
        above = _weights(d + mid, a - 1).sum(dim, keepdim=True) >= 1
        low, high = torch.where(above, mid, low), torch.where(above, high, mid)
    return low


def _solve(d: Tensor, dim: int, a: float) -> Tensor:
    """t with sum_j E(d_j + t) = 1 for each row; d = infinity is not there."""
    zero = torch.zeros_like(d.narrow(dim, 0, 1))
    if a > 2:
        last = -math.expm1((1 - a) * math.log(d.shape[dim])) / (a - 1)
        return _bisection(d, dim, a, zero, torch.full_like(zero, last))
    start = {2.0: _start_sparsemax, 1.5: _start_entmax15}.get(a)
    return _newton(d, dim, a, start(d, dim) if start else zero)


def _forward(d: Tensor, dim: int, a: float) -> Tensor:
    """The weights; what their sum lacks is shared in proportion to their slopes, as a last step of
    t would.
    """
    p = _weights(d + _solve(d, dim, a), a - 1)
    slopes = _slopes(p, a)
    lacking = 1 - p.sum(dim, keepdim=True)
    return (p + slopes * (lacking / slopes.sum(dim, keepdim=True))).clamp_min(0.0)


class _Entmax(torch.autograd.Function):
    @staticmethod
    def forward(z: Tensor, dead: Tensor, dim: int, a: float) -> Tensor:
        empty = dead.all(dim, keepdim=True)
        z = torch.where(dead, -math.inf, z)
        top = torch.where(empty, 0.0, z.amax(dim, keepdim=True))
        d = torch.where(empty, 0.0, top - z)
        return torch.where(dead, 0.0, _forward(d, dim, a))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(output)
        _, _, ctx.dim, ctx.a = inputs

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        (p,) = ctx.saved_tensors
        s = _slopes(p, ctx.a)
        total = s.sum(ctx.dim, keepdim=True)
        mean = (s * grad).sum(ctx.dim, keepdim=True) / torch.where(total > 0, total, 1.0)
        return s * (grad - mean), None, None, None

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[Any, ...], z: Tensor, dead: Tensor, dim: int, a: float
    ) -> tuple[Tensor, int]:
        """A mapped dimension is one more dimension of rows; it goes to the front."""
        size = info.batch_size
        zs, deads = (
            x.expand(size, *x.shape) if where is None else x.movedim(where, 0)
            for x, where in zip((z, dead), in_dims)
        )
        return _Entmax.apply(zs, deads, dim % (zs.ndim - 1) + 1, a), 0


@_disable_dynamo  # its search ends where the numbers say: compiled, it would be so again and again
def entmax(z: Tensor, dead: Tensor, dim: int, a: float) -> Tensor:
    """Entmax of z along dim, a > 1, over the entries that are not dead; zeros in rows that have
    none.
    """
    weights: Tensor = _Entmax.apply(z, dead, dim, a)
    return weights
