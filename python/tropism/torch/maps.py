"""Mirror descent with potentials of fixed shape, gradients normalised by the dual norm of their
horizon (Pesme et al. 2024).

    Hypentropy              U = asinh(W / b),  U <- U - lr G / |G|_inf,  W = b sinh(U)    (l1)
    ExponentiatedGradient   W = w+ - w-, both multiplied by exp(-+ lr G / |G|_inf); it is the same
                            with 2 b, where w+ = w- = b at W = 0                          (l1)
    CoshDescent             U = sinh(W),       U <- U - lr G / |G|_1,    W = asinh(U)     (linf)

In brackets is the norm whose margin they maximise.

**Precision.** For W = b sinh(U), dW/W = U coth(U) dU/U, at most max(1, |U|) + 1/3 times dU/U:
float32 parameters end at |U| = 89 + log(1/b), so that a float32 dual could cost six bits, and
float64 is used, which is also the faster sinh on a CPU. bfloat16 has bits to spare: 90 * 2^-24 is
far below 2^-8. For W = asinh(U) the factor is tanh(W)/W, at most 1, and float32 serves. W leaves
float32 at |U| = 89, W = asinh(U) at |W| = 89.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from ._base import DualOptimizer, Group, Params, require
from ._each import Each, Tensors, gather, spread
from ._powers import master_dtype
from .mirror import Number, scaled, share


class _Mapped(DualOptimizer):
    """Options that the maps share."""

    def __init__(
        self,
        params: Params,
        lr: Number = 0.1,
        *,
        normalize: bool = True,
        epsilon: float = 0.0,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        nesterov: bool = False,
        maximize: bool = False,
        foreach: bool | None = None,
        master_dtype: torch.dtype | None = None,
        **own: Any,
    ) -> None:
        defaults: dict[str, Any] = dict(
            lr=lr,
            normalize=normalize,
            epsilon=epsilon,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            nesterov=nesterov,
            maximize=maximize,
            foreach=foreach,
            master_dtype=master_dtype,
            **own,
        )
        super().__init__(params, defaults)

    def _check(self, group: Group) -> None:
        require(0 <= group["epsilon"] < math.inf, "epsilon", group["epsilon"], "at least 0")

    def _identity(self, group: Group) -> bool:
        return False

    def _norms(self, ys: Tensors, each: Each) -> float | torch.Tensor:
        """Of y = G / max|G|, each."""
        raise NotImplementedError

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        if not group["normalize"]:
            return gs
        ys, most = scaled(gs, us[0].dtype, each)
        divisors = self._norms(ys, each) + share(group["epsilon"], most)
        return each.over(ys, spread(torch.where(most == 0, 1.0, divisors), ys))


class Hypentropy(_Mapped):
    """Mirror descent with W = width sinh(U): the l1 margin, by weights that grow exponentially once
    they are beyond width.

    Args:
        params: parameters, or groups of them with options of their own.
        lr: step size: with normalize the largest change of an entry of U.
        width: the size at which weights begin to grow exponentially, above 0.
        normalize: divide the gradient by its largest entry, plus epsilon.
        momentum, dampening, nesterov, weight_decay, decoupled_weight_decay, maximize, foreach,
            master_dtype: as in MirrorDescent.
    """

    _factor = 1.0

    def __init__(
        self, params: Params, lr: Number = 0.1, width: float = 1.0, **options: Any
    ) -> None:
        super().__init__(params, lr, width=width, **options)

    def _check(self, group: Group) -> None:
        super()._check(group)
        require(0 < group["width"] < math.inf, "width", group["width"], "above 0")

    def _shape(self, group: Group) -> float:
        return float(group["width"])

    def _master(self, group: Group, dtype: torch.dtype) -> torch.dtype:
        return master_dtype(dtype, 90.0)

    def _dual_of(self, group: Group, ws: Tensors, each: Each) -> Tensors:
        return [torch.asinh(w / (self._factor * group["width"])) for w in ws]

    def _weights_of(self, group: Group, us: Tensors, each: Each) -> Tensors:
        return each.scale_(each.sinh(us), self._factor * group["width"])

    def _norms(self, ys: Tensors, each: Each) -> float | torch.Tensor:
        return 1.0


class ExponentiatedGradient(Hypentropy):
    """Exponentiated gradient: W = w+ - w-, both multiplied by exp(-+ lr G / |G|_inf), w+ = w- =
    width at W = 0. It is Hypentropy with twice the width, and has its options.
    """

    _factor = 2.0


class CoshDescent(_Mapped):
    """Mirror descent with W = asinh(U): the linf margin.

    Args:
        params: parameters, or groups of them with options of their own.
        lr: step size: with normalize the sum of the changes of U.
        normalize: divide the gradient by the sum of its entries' sizes, plus epsilon.
        momentum, dampening, nesterov, weight_decay, decoupled_weight_decay, maximize, foreach,
            master_dtype: as in MirrorDescent.
    """

    def _dual_of(self, group: Group, ws: Tensors, each: Each) -> Tensors:
        return [torch.sinh(w) for w in ws]

    def _weights_of(self, group: Group, us: Tensors, each: Each) -> Tensors:
        return [torch.asinh(u) for u in us]

    def _norms(self, ys: Tensors, each: Each) -> float | torch.Tensor:
        return gather(each.total(each.absolute(ys)))
