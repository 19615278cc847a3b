"""Entmax and sparsemax, forward and backward.

    p_j = E(d_j + t),   E(y) = [1 - c y]_+^(1/c),   c = a - 1,   d_j = max z - z_j >= 0,

t >= 0 such that the weights sum to 1 (Peters, Niculae, Martins 2019; a = 2 is sparsemax, Martins and Astudillo 2016; a -> 1 is softmax, E(y) = e^-y). E
is evaluated as exp(log1p(-c y)/c), which keeps its precision however near 1 a is.

**Finding t.** F(t) = sum_j E(d_j + t) falls from F(0) >= 1, where the largest score alone gives 1, to F(t_n) <= 1 at t_n = (1 - n^-c)/c, where equal scores
would end. Newton's method runs on

    H(t) = (F(t)^c - 1)/c,

which is linear when all d are equal. For a <= 2, F^c is the l_(1/c) norm of the positive vector [1 - c(d + t)]_+, a convex function of t, so that Newton from the left
rises to the root without passing it. For a > 2 there are kinks of infinite slope where a score enters the support, and each step is kept inside a bracket
of the root and replaced by bisection where it leaves it. Iterations end when no t moves by more than two roundings, or after 60 that halve.

For a = 1.5 and a = 2 the support is found exactly from sorted scores (with the k largest in the support t solves a linear or a quadratic equation;
the support is the largest k that is consistent), and Newton's method starts there: it removes the rounding errors of the running sums and ends after a step or two.

**Error.** t is found to a few roundings of 1 + t, and E has relative error (2 + |y| / (1 - c y)) roundings: weights are precise to a few units of the largest weight, and
relatively so away from the edge of the support.

**Backward.** dE/dy = -E^(1-c). With s_j = p_j^(2-a) on the support and 0 off it, the gradient of sum g_j p_j is s_j (g_j - sum s g / sum s). For a < 2 it is
continuous at the edge. It is written in differentiable operations of p and g, so that it can be differentiated again.
"""

from __future__ import annotations

import math
from typing import Any, Tuple

import torch
from torch import Tensor


def _weights(y: Tensor, c: float) -> Tensor:
    """E(y), 0 where c y >= 1 and where y is infinite."""
    return torch.exp(torch.log1p(torch.clamp_min(-c * y, -1.0)) / c)


def _slopes(p: Tensor, a: float) -> Tensor:
    """-dE/dy = p^(2-a) on the support, 0 off it."""
    inside = p > 0
    return torch.where(inside, torch.where(inside, p, 1.0) ** (2.0 - a), 0.0)


def _start_sparsemax(d: Tensor, dim: int) -> Tensor:
    """With the k smallest d in the support, sum (1 - d - t) = 1: t = (k - 1 - sum d)/k."""
    ranks, sums, ordered = _running(d, dim)
    good = (1 - ordered) * ranks > ranks - 1 - sums
    return _last((ranks - 1 - sums) / ranks, good, dim)


def _start_entmax15(d: Tensor, dim: int) -> Tensor:
    """With the k smallest in the support, x = 1 - d/2 and sum (x - T)^2 = 1, T = t/2: T = mean - sqrt((1 - k variance)/k)."""
    ranks, sums, ordered = _running(d / 2, dim)
    squares = torch.where(ordered < math.inf, ordered, 0.0).square().cumsum(dim)
    mean = sums / ranks
    spread = squares - ranks * mean.square()
    half = 1 - mean - torch.sqrt(torch.clamp_min((1 - spread) / ranks, 0.0))
    good = (half <= 1 - ordered) & (spread <= 1)
    return 2 * _last(half, good, dim)


def _running(d: Tensor, dim: int) -> Tuple[Tensor, Tensor, Tensor]:
    """1, 2, 3, ...; the running sums of d in rising order (those of infinite d mean nothing); and d in that order."""
    ordered = d.sort(dim).values
    shape = [1] * d.ndim
    shape[dim] = d.shape[dim]
    ranks = torch.arange(1, d.shape[dim] + 1, device=d.device, dtype=d.dtype).reshape(shape)
    return ranks, torch.where(ordered < math.inf, ordered, 0.0).cumsum(dim), ordered


def _last(values: Tensor, good: Tensor, dim: int) -> Tensor:
    """The value at the last place that is good."""
    count = good.sum(dim, keepdim=True).clamp_min(1) - 1
    return values.gather(dim, count).clamp_min(0.0)


def _solve(d: Tensor, dim: int, a: float) -> Tensor:
    """t with sum_j E(d_j + t) = 1 for each row; d = infinity is not there."""
    c = a - 1
    n = d.shape[dim]
    eps = torch.finfo(d.dtype).eps
    low = torch.zeros_like(d.narrow(dim, 0, 1))
    high = torch.full_like(low, -math.expm1(-c * math.log(n)) / c)
    start = {2.0: _start_sparsemax, 1.5: _start_entmax15}.get(a)
    t = torch.minimum(start(d, dim), high) if start else low
    for _ in range(200):
        p = _weights(d + t, c)
        total = p.sum(dim, keepdim=True)
        slope = _slopes(p, a).sum(dim, keepdim=True)
        low = torch.where(total >= 1, t, low)
        high = torch.where(total <= 1, t, high)
        # H / -H' with F^c - 1 by expm1, which keeps it near the root.
        move = torch.expm1(c * total.log()) / (c * total ** (c - 1) * slope)
        newton = t + move
        inside = (newton >= low) & (newton <= high)
        following = torch.where(inside, newton, (low + high) / 2)
        still = (following - t).abs() <= 2 * eps * (1 + t)
        t = following
        if bool((still | t.isnan()).all()):
            break
    return t


class _Entmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, dead: Tensor, dim: int, a: float) -> Tensor:  # type: ignore[override]
        empty = dead.all(dim, keepdim=True)
        z = torch.where(dead, -math.inf, z)
        top = torch.where(empty, torch.zeros_like(z.narrow(dim, 0, 1)), z.amax(dim, keepdim=True))
        d = torch.where(empty, 0.0, top - z)
        p = torch.where(dead, 0.0, _weights(d + _solve(d, dim, a), a - 1))
        ctx.save_for_backward(p)
        ctx.dim, ctx.a = dim, a
        return p

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tuple[Tensor, None, None, None]:  # type: ignore[override]
        (p,) = ctx.saved_tensors
        s = _slopes(p, ctx.a)
        total = s.sum(ctx.dim, keepdim=True)
        mean = (s * grad).sum(ctx.dim, keepdim=True) / torch.where(total > 0, total, 1.0)
        return s * (grad - mean), None, None, None


def entmax(z: Tensor, dead: Tensor, dim: int, a: float) -> Tensor:
    """Entmax of z along dim, a > 1, over the entries that are not dead; zeros in rows that have none."""
    return _Entmax.apply(z, dead, dim, a)
