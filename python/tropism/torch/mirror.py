"""lp mirror descent, its normalised form, and mirror descent with half the squared norm.

    MirrorDescent             U = sgn(W)|W|^(p-1),  U <- U - lr G,          W = sgn(U)|U|^(q-1)
    NormalizedMirrorDescent   the same with         U <- U - lr G / |G|_q
    SquaredMirrorDescent      U = sgn(W)|W|^(p-1)|W|_p^(2-p), normalised,
                              W = sgn(U)|U|^(q-1)|U|_q^(2-q)

with q = p/(p-1), q - 1 = 1/(p-1).
(Julistiono, Ataee Tarzanagh, Azizan, "Optimizing attention with mirror descent", 2024.) On problems
that can be separated they maximise the margin in the lp norm.

G / |G|_q is formed from y = G / max|G|, whose norm is between 1 and (number of entries)^(1/q): no
power over- or underflows, however small the gradient. A gradient that is exactly zero moves
nothing. One NaN makes the norm NaN, and with it every weight that is divided by it, as a NaN does
in torch.nn.utils.clip_grad_norm_. Norms are taken in the dtype of the dual: with error E of a power
and n entries their relative error is at most (log2(n) + E)/q + E + 4 units of its roundoff, since
torch sums in pairs.
"""

from __future__ import annotations

import math
from typing import Any, Union

import torch
from torch import Tensor

from . import _native
from ._base import DualOptimizer, Group, Params, require
from ._each import Each, Tensors, cast, gather, spread
from ._powers import dual, inverse, less_one, mirror_master, power_sums, signed_power

Number = Union[float, Tensor]


def nonzero(x: Tensor) -> Tensor:
    """x with 1 in the place of 0: what 0 is divided by."""
    return torch.where(x == 0, 1.0, x)


def scaled(gs: Tensors, dtype: torch.dtype, each: Each) -> tuple[Tensors, Tensor]:
    """y = g / max|g| of each tensor, 0 where g is; and the vector of max|g|."""
    gs = cast(gs, dtype)
    most = gather(each.largest(each.absolute(gs)))
    return each.over(gs, spread(nonzero(most), gs)), most


def share(epsilon: float, most: Tensor) -> float | Tensor:
    """epsilon / most; torch takes the reciprocal of most, infinite where that is subnormal, and 0
    times it is NaN.
    """
    return epsilon / most if epsilon > 0 else 0.0


def normalised(
    gs: Tensors, us: Tensors, p: float, epsilon: float, whole: bool, each: Each
) -> Tensors:
    """g / (|g|_q + epsilon), the norm over each tensor, or over all of them."""
    q = dual(p)
    dtype = us[0].dtype
    for u in us:
        dtype = torch.promote_types(dtype, u.dtype)
    ys, most = scaled(gs, dtype, each)
    sums = gather(power_sums(ys, q, each))
    if whole:
        top = most.max()
        parts = most / nonzero(top)
        norm = (parts ** float(q) * sums).sum() ** (1 / float(q))
        divisors = (norm + share(epsilon, top)) / nonzero(parts)
    else:
        divisors = sums ** (1 / float(q)) + share(epsilon, most)
    return each.over(ys, spread(torch.where(most == 0, 1.0, divisors), ys))


class _Lp(DualOptimizer):
    """Mirror descent with |W|_p^p / p: the map and its precision."""

    def _check(self, group: Group) -> None:
        require(1 < group["p"] < math.inf, "p", group["p"], "above 1 and finite")

    def _shape(self, group: Group) -> float:
        return float(group["p"])

    def _identity(self, group: Group) -> bool:
        return bool(group["p"] == 2)

    def _master(self, group: Group, dtype: torch.dtype) -> torch.dtype:
        return mirror_master(dtype, group["p"])

    def _dual_of(self, group: Group, ws: Tensors, each: Each) -> Tensors:
        return signed_power(ws, less_one(group["p"]), each)

    def _weights_of(self, group: Group, us: Tensors, each: Each) -> Tensors:
        e = inverse(group["p"])
        if e == 1:
            return us
        if all(_native.maps(u, e) for u in us):
            return [_native.power(u, e) for u in us]
        return signed_power(us, e, each)

    # ---- in one go, where the tensors are the library's kind -------------------------------

    def _norms(self, group: Group, gs: Tensors) -> list[float]:
        """What each gradient is divided by; 0: nothing."""
        return [0.0 for _ in gs]

    def _is_native(self, group: Group, p: Tensor) -> bool:
        u = self._dual(p)
        return (
            u is not p
            and p.grad is not None
            and all(_native.whole(x) for x in (p, p.grad))
            and _native.whole(u, (torch.float32, torch.float64))
            and _native.maps(u, inverse(group["p"]))
        )

    def _step_batch(self, group: Group, params: Tensors, each: Each) -> None:
        plain = float(group["lr"]) != 0 and group.get("weight_decay", 0.0) == 0
        if not (plain and all(self._is_native(group, p) for p in params)):
            super()._step_batch(group, params, each)
            return
        gs = self._moving(group, params, [self._dual(p) for p in params], each)
        e = float(inverse(group["p"]))
        for p, g, norm in zip(params, gs, self._norms(group, gs)):
            kept, law = self._kept(group, p, each), (e, float(group["lr"]), norm)
            if _native.step(p, kept, self._dual(p), g, law):  # others changed some of p
                self._adopt(group, p, p == kept, each)
                _native.step(p, kept, self._dual(p), g, law, changed=True)


class MirrorDescent(_Lp):
    """Mirror descent with the potential |W|_p^p / p: stochastic gradient descent at p = 2.

    The dual U = sgn(W)|W|^(p-1) moves by lr times the gradient; W = sgn(U)|U|^(1/(p-1)). U is the
    state that is kept, in float64 where float32 would round W more than W's own dtype does (p < 1.5
    for float32 parameters).

    Args:
        params: parameters, or groups of them with options of their own.
        lr: step size, in the dual.
        p: exponent, above 1.
        momentum, dampening, nesterov: as in torch.optim.SGD, on the gradient that enters the dual.
        weight_decay: adds weight_decay * U to the gradient, the gradient of weight_decay * |W|_p^p
            / p.
        decoupled_weight_decay: multiplies U by 1 - lr * weight_decay instead.
        maximize: climb instead of descend.
        foreach: use torch's foreach kernels; None: on GPUs.
        master_dtype: of U: torch.float32, torch.float64, or None to let p and the parameter decide.
    """

    def __init__(
        self,
        params: Params,
        lr: Number = 0.1,
        p: float = 2.0,
        *,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        nesterov: bool = False,
        maximize: bool = False,
        foreach: bool | None = None,
        master_dtype: torch.dtype | None = None,
    ) -> None:
        defaults: dict[str, Any] = dict(
            lr=lr,
            p=p,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            nesterov=nesterov,
            maximize=maximize,
            foreach=foreach,
            master_dtype=master_dtype,
        )
        super().__init__(params, defaults)


class _Normalised(DualOptimizer):
    """The gradient over its dual norm, with weight decay and momentum inside it."""

    def __init__(
        self,
        params: Params,
        lr: Number = 0.1,
        p: float = 2.0,
        *,
        epsilon: float = 0.0,
        scope: str = "parameter",
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        nesterov: bool = False,
        maximize: bool = False,
        foreach: bool | None = None,
        master_dtype: torch.dtype | None = None,
    ) -> None:
        defaults: dict[str, Any] = dict(
            lr=lr,
            p=p,
            epsilon=epsilon,
            scope=scope,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            nesterov=nesterov,
            maximize=maximize,
            foreach=foreach,
            master_dtype=master_dtype,
        )
        super().__init__(params, defaults)

    def _check(self, group: Group) -> None:
        super()._check(group)
        require(0 <= group["epsilon"] < math.inf, "epsilon", group["epsilon"], "at least 0")
        require(
            group["scope"] in ("parameter", "group"),
            "scope",
            group["scope"],
            "'parameter' or 'group'",
        )

    def _whole(self, group: Group) -> bool:
        return bool(group["scope"] == "group")

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        return normalised(gs, us, group["p"], group["epsilon"], self._whole(group), each)


class NormalizedMirrorDescent(_Normalised, _Lp):
    """Mirror descent with |W|_p^p / p and the gradient divided by its dual norm |G|_q, q = p/(p-1).
    At p = 2 it is normalised gradient descent.

    What is divided is the gradient after weight decay and momentum. A zero gradient moves nothing.
    |W|_p grows as (lr k)^(1/(p-1)) after k steps.

    Args:
        params: parameters, or groups of them with options of their own.
        lr: length of a step, in the norm |.|_q of the dual.
        p: exponent, above 1.
        epsilon: added to the norm.
        scope: "parameter": each tensor is divided by its own norm; "group": by that of its group.
        momentum, dampening, nesterov, weight_decay, decoupled_weight_decay, maximize, foreach,
            master_dtype: as in MirrorDescent.
    """

    def _norms(self, group: Group, gs: Tensors) -> list[float]:
        q = dual(group["p"])
        norms = [_native.norm(g, q) for g in gs]
        if self._whole(group):
            norms = [_native.norm_of(norms, q)] * len(gs)
        # A zero gradient moves nothing, whatever it is divided by.
        return [norm + group["epsilon"] if norm != 0 else math.inf for norm in norms]


class SquaredMirrorDescent(_Normalised):
    """Mirror descent with |W|_p^2 / 2 and a normalised gradient; p from 1 to infinity.

    It has the direction map of NormalizedMirrorDescent, but norms stay: |W|_p = |U|_q, so that
    nothing overflows for p near 1. As p goes to infinity W = |U|_1 sgn(U), as p goes to 1 W has
    max|U| on the entries of the largest |U|, shared equally: p = math.inf and p = 1 mean these
    limits.

    The options are those of NormalizedMirrorDescent.
    """

    _separable = False

    def _check(self, group: Group) -> None:
        super()._check(group)
        require(group["p"] >= 1, "p", group["p"], "at least 1")
        require(
            group["scope"] == "parameter",
            "scope",
            group["scope"],
            "'parameter' for SquaredMirrorDescent",
        )

    def _shape(self, group: Group) -> float:
        return float(group["p"])

    def _identity(self, group: Group) -> bool:
        return bool(group["p"] == 2)

    def _master(self, group: Group, dtype: torch.dtype) -> torch.dtype:
        p = group["p"]
        return torch.float64 if p == 1 or math.isinf(p) else mirror_master(dtype, p)

    def _dual_of(self, group: Group, ws: Tensors, each: Each) -> Tensors:
        return [_square_map(w, float(group["p"]), each) for w in ws]

    def _weights_of(self, group: Group, us: Tensors, each: Each) -> Tensors:
        if group["p"] == 2:
            return us
        return [_square_map(u, _conjugate(group["p"]), each) for u in us]

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        p = group["p"]
        if 1 < p < math.inf:
            return super()._direction(group, gs, us, each)
        ys, most = scaled(gs, us[0].dtype, each)
        norms = gather(each.total(each.absolute(ys))) if math.isinf(p) else torch.ones_like(most)
        divisors = norms + share(group["epsilon"], most)
        return each.over(ys, spread(torch.where(most == 0, 1.0, divisors), ys))


def _conjugate(p: float) -> float:
    return math.inf if p == 1 else 1.0 if math.isinf(p) else float(dual(p))


def _square_map(x: Tensor, e: float, each: Each) -> Tensor:
    """sgn(x) (|x| / |x|_e)^(e-1) |x|_e, with e = 1 and infinity as limits."""
    if x.numel() == 0:
        return x.clone()
    size = x.abs()
    (most,) = each.largest([size])
    if math.isinf(e):
        at_top = ~(size < most)  # all of them, where one is NaN
        (count,) = each.total([at_top.to(torch.int64)])
        return torch.where(at_top, x.sign() * (most / count), torch.zeros_like(x))
    if e == 1:
        return x.sign() * each.total([size])[0]
    y = x / torch.where(most == 0, torch.ones_like(most), most)
    norm = each.total([y.abs().pow(e)])[0] ** (1 / e)
    unit = y / torch.where(norm == 0, torch.ones_like(norm), norm)
    return signed_power([unit], less_one(e), each)[0] * (norm * most)
