"""Steepest descent in norms other than the Euclidean one: steps of length lr, whatever the size of
the gradient.

    SteepestDescent    W - lr sgn(G) (|G| / |G|_q)^(q-1),  q = p/(p-1)                  lp
    SignDescent        W - lr sgn(G); with momentum it is Signum                          linf
    GreedyDescent      the coordinate of the largest |G|, the first of several, by lr     l1
    SpectralDescent    W - lr P, P = U V' for G = U S V'                                  spectral
    Muon               the same of a running mean; exact, or Newton-Schulz as shipped     spectral
    Polyak             W - lr (L - L*) / |G|^2 G                                          l2

Each tensor is a problem of its own, but for Polyak. The map is the identity: a state is kept for
parameters in bfloat16 and float16 alone, where it is the weights in float32. A gradient that is
exactly zero moves nothing, a NaN becomes a NaN.
"""

from __future__ import annotations

import math
from typing import Any
from collections.abc import Callable

import torch
from torch import Tensor
from torch._compile import _disable_dynamo
from torch.optim import Optimizer

from ._base import Closure, DualOptimizer, Group, Params, require
from ._each import Each, Loop, Tensors, cast
from ._powers import inverse, signed_power
from ._shard import as_part, check, local, position, rows, sharded, spread_as, whole
from .mirror import Number, normalised


class _Primal(DualOptimizer):
    """Options that these share."""

    _own: tuple[str, ...] = ()  # options that a class has beside them

    def __init__(
        self,
        params: Params,
        lr: Number = 0.1,
        *,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        nesterov: bool = False,
        maximize: bool = False,
        foreach: bool | None = None,
        **own: Any,
    ) -> None:
        for name in own:
            if name not in self._own:
                hint = ": the step size is lr" if name == "eta" else ""
                raise TypeError(f"{type(self).__name__} has no option {name}{hint}")
        defaults: dict[str, Any] = dict(
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            nesterov=nesterov,
            maximize=maximize,
            foreach=foreach,
            **own,
        )
        super().__init__(params, defaults)


class SteepestDescent(_Primal):
    """Steepest descent in the lp norm, steps of lp length lr.

    Args:
        params: parameters, or groups of them with options of their own.
        lr: length of a step.
        p: exponent, above 1.
        epsilon: added to the dual norm of the gradient.
        momentum, dampening, nesterov, weight_decay, decoupled_weight_decay, maximize, foreach: as
            in MirrorDescent.
    """

    _own = ("p", "epsilon")

    def __init__(
        self,
        params: Params,
        lr: Number = 0.1,
        p: float = 2.0,
        *,
        epsilon: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, p=p, epsilon=epsilon, **options)

    def _check(self, group: Group) -> None:
        require(1 < group["p"] < math.inf, "p", group["p"], "above 1 and finite")
        require(0 <= group["epsilon"] < math.inf, "epsilon", group["epsilon"], "at least 0")

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        units = normalised(gs, us, group["p"], group["epsilon"], False, each)
        return signed_power(units, inverse(group["p"]), each)


class SignDescent(_Primal):
    """Steps of lr along the signs of the gradient, sgn(0) = 0; with momentum it is Signum. The linf
    margin.

    Args:
        params, lr, momentum, dampening, nesterov, weight_decay, decoupled_weight_decay, maximize,
            foreach: as in MirrorDescent.
    """

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        return [torch.where(g.isnan(), g, s) for g, s in zip(gs, each.sign(gs))]


class GreedyDescent(_Primal):
    """The coordinate of the largest gradient of each tensor, the first of several, moves by lr. The
    l1 margin.

    Args:
        params, lr, momentum, dampening, nesterov, weight_decay, decoupled_weight_decay, maximize,
            foreach: as in MirrorDescent.
    """

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        return [_greedy(g) for g in gs]


def _greedy(g: Tensor) -> Tensor:
    if sharded(g) is not None:
        block = position(g)
        return _greedy_part(g, *block) if block else spread_as(_greedy(whole(g)), g)
    flat = g.flatten()
    if flat.numel() == 0:
        return g
    best = flat.abs().argmax().reshape(1)
    value = flat[best]
    step = torch.where(value.isnan(), value, value.sign())
    return torch.zeros_like(flat).index_copy_(0, best, step).reshape(g.shape)


def _greedy_part(g: Tensor, shape: list[int], offset: list[int]) -> Tensor:
    """The same of a tensor whose part is the block at offset. Each process tells the size of its
    first largest entry, the entry, and its place in the whole tensor in the order of a flat one: the
    order in which a block has its entries too. A NaN is the largest.
    """
    flat = local(g).flatten()
    row = torch.tensor([-1.0, 0.0, 0.0], dtype=torch.float64, device=flat.device)  # no entry
    best = torch.zeros(1, dtype=torch.int64, device=flat.device)
    if flat.numel() > 0:
        best = flat.abs().argmax().reshape(1)
        value, left, place, stride = flat[best], best, torch.zeros_like(best), 1
        for k in reversed(range(len(shape))):
            place = place + (left % shape[k] + offset[k]) * stride
            left, stride = left // shape[k], stride * g.shape[k]
        row = torch.cat([value.abs().double(), value.double(), place.double()])
    found = rows(row, g)
    size, lost = found[:, 0], found[:, 0].isnan()
    top = torch.where(lost.any(), lost, size == size.amax())
    first = found[torch.where(top, found[:, 2], math.inf).argmin()]
    step = torch.where(first[1].isnan(), first[1], first[1].sign())
    mine = (row[0] >= 0) | row[0].isnan()
    step = torch.where(mine & (row[2] == first[2]), step, 0.0).to(flat.dtype)
    part = torch.zeros_like(flat)
    if flat.numel() > 0:
        part.index_copy_(0, best, step.reshape(1))
    return as_part(part.reshape(shape), g)


class SpectralDescent(_Primal):
    """Steps of lr along the polar factor of the gradient. The spectral margin.

    A tensor is taken as the matrix of its first dimension by the others, a vector as a column.
    Singular values below 8 max(rows, columns) u times the largest are rounding errors and left out,
    u being the unit roundoff.

    Args:
        params, lr, momentum, dampening, nesterov, weight_decay, decoupled_weight_decay, maximize,
            foreach: as in MirrorDescent.
    """

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        wide = cast(gs, us[0].dtype)
        if group.get("polynomial", False):
            return [_of_whole(_newton_schulz, g) for g in wide]
        return [_of_whole(_polar, g) for g in wide]


class Muon(SpectralDescent):
    """Spectral descent along a running mean of the gradient.

    torch.optim.Muon is the polynomial alone, with its own weight decay; here the exact polar factor
    is the default, since the polynomial leaves singular values anywhere between about 0.5 and 1.5
    and so follows no norm's margin.

    Args:
        params, lr: as in MirrorDescent.
        momentum: of the mean.
        polynomial: five Newton-Schulz steps of a Nesterov mean, times sqrt(max(1, rows/columns)),
            instead of the polar factor.
        weight_decay, decoupled_weight_decay, maximize, foreach: as in MirrorDescent.
    """

    _own = ("polynomial",)

    def __init__(
        self,
        params: Params,
        lr: Number = 0.1,
        *,
        momentum: float = 0.9,
        polynomial: bool = False,
        **options: Any,
    ) -> None:
        options.setdefault("nesterov", polynomial)
        super().__init__(params, lr, momentum=momentum, polynomial=polynomial, **options)


def _of_whole(factor: Callable[[Tensor], Tensor], g: Tensor) -> Tensor:
    """factor of g as a matrix; of one that is spread over processes each computes all of it."""
    return spread_as(factor(_matrix(whole(g))).reshape(g.shape), g)


def _matrix(g: Tensor) -> Tensor:
    return g.flatten(1) if g.ndim >= 2 else g.reshape(-1, 1)


def _polar(g: Tensor) -> Tensor:
    """U V' over the singular values that are not rounding errors."""
    if g.numel() == 0:
        return g
    if not bool(g.isfinite().all()):
        return torch.full_like(g, math.nan)
    u, s, vh = torch.linalg.svd(g, full_matrices=False)
    limit = 8 * max(g.shape) * (torch.finfo(g.dtype).eps / 2) * s[0]
    return torch.matmul(u * (s > limit), vh)


def _newton_schulz(g: Tensor) -> Tensor:
    """X <- a X + (b A + c A^2) X, A = X X', five times from X = G / |G|_F; a tall matrix is turned
    first.
    """
    if g.numel() == 0:
        return g
    tall = g.shape[0] > g.shape[1]
    most = g.abs().amax()
    x = g / torch.where(most == 0, torch.ones_like(most), most)
    norm = torch.linalg.matrix_norm(x)
    x = (x.T if tall else x) / torch.where(norm == 0, torch.ones_like(norm), norm)
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    factor = math.sqrt(max(1.0, g.shape[0] / g.shape[1]))
    return factor * (x.T if tall else x)


class Polyak(Optimizer):
    """Gradient descent with Polyak's step (L - infimum) / |G|^2, times lr: for losses whose infimum
    is known.

    ``step`` needs a closure that returns the loss. |G| is over all parameters.

    Args:
        params: parameters.
        lr: multiple of Polyak's step.
        infimum: of the loss.
    """

    def __init__(self, params: Params, lr: Number = 1.0, infimum: float = 0.0) -> None:
        require(float(lr) >= 0, "lr", lr, "at least 0")
        require(math.isfinite(infimum), "infimum", infimum, "finite")
        super().__init__(params, dict(lr=lr, infimum=infimum))

    @_disable_dynamo
    @torch.no_grad()
    def step(self, closure: Closure = None) -> Any:
        """One step. closure computes the loss and the gradients; its value is returned."""
        if closure is None:
            raise ValueError("Polyak: step needs a closure that returns the loss")
        with torch.enable_grad():
            loss = closure()
        pairs = [
            (p, group) for group in self.param_groups for p in group["params"] if p.grad is not None
        ]
        for p, _ in pairs:
            check(p, p.grad, type(self).__name__)
        tops = [float(Loop.largest([p.grad.abs()])[0]) for p, _ in pairs if p.numel()]
        most = math.nan if any(map(math.isnan, tops)) else max(tops, default=0.0)
        if most == 0:
            return loss
        squares = [(p.grad.double() / most).square() for p, _ in pairs]
        length = math.fsum(float(square) for square in Loop.total(squares))
        for p, group in pairs:
            gap = float(loss) - group["infimum"]
            p.add_(p.grad / most, alpha=-float(group["lr"]) * max(gap, 0.0) / most / length)
        return loss
