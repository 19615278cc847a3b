"""The arithmetic of the optimisers on lists of tensors, in two ways.

``Loop`` calls an operation for each tensor, ``Foreach`` calls torch's ``_foreach`` operations,
which on a GPU are one kernel for the whole list. The optimisers are written once, against either.
On a CPU torch runs a ``_foreach`` operation as a loop over the same kernels, so both give the same
bits; on a GPU the two kernels of a power may differ in its last bit.

A name that ends in ``_`` changes its first argument.
"""

from __future__ import annotations

from typing import Union
from collections.abc import Sequence

import torch
from torch import Tensor

from ._shard import local, number

Tensors = list[Tensor]


def _most(x: Tensor) -> Tensor:
    return x.amax() if x.numel() else x.new_zeros(())


class Loop:
    """One operation for each tensor."""

    @staticmethod
    def absolute(xs: Tensors) -> Tensors:
        return [x.abs() for x in xs]

    @staticmethod
    def sign(xs: Tensors) -> Tensors:
        return [x.sign() for x in xs]

    @staticmethod
    def negative(xs: Tensors) -> Tensors:
        return [x.neg() for x in xs]

    @staticmethod
    def clone(xs: Tensors) -> Tensors:
        return [x.clone(memory_format=torch.preserve_format) for x in xs]

    @staticmethod
    def sqrt_(xs: Tensors) -> Tensors:
        return [x.sqrt_() for x in xs]

    @staticmethod
    def sinh(xs: Tensors) -> Tensors:
        return [x.sinh() for x in xs]

    @staticmethod
    def pow_(xs: Tensors, e: float) -> Tensors:
        return [x.pow_(e) for x in xs]

    @staticmethod
    def scale_(xs: Tensors, factor: float) -> Tensors:
        return [x.mul_(factor) for x in xs]

    @staticmethod
    def times_(xs: Tensors, ys: Tensors) -> Tensors:
        return [x.mul_(y) for x, y in zip(xs, ys)]

    @staticmethod
    def over(xs: Tensors, ys: Tensors) -> Tensors:
        return [x.div(y) for x, y in zip(xs, ys)]

    @staticmethod
    def plus(xs: Tensors, ys: Tensors, factor: float) -> Tensors:
        return [x.add(y, alpha=factor) for x, y in zip(xs, ys)]

    @staticmethod
    def plus_(xs: Tensors, ys: Tensors, factor: float) -> Tensors:
        return [x.add_(y, alpha=factor) for x, y in zip(xs, ys)]

    @staticmethod
    def largest(xs: Tensors) -> Tensors:
        """Of tensors that are at least 0."""
        return [number(x, _most) for x in xs]

    @staticmethod
    def total(xs: Tensors) -> Tensors:
        """Of tensors that are at least 0."""
        return [number(x, torch.sum) for x in xs]

    @staticmethod
    def equal(xs: Tensors, ys: Tensors) -> bool:
        """In this process."""
        return all(torch.equal(local(x), local(y)) for x, y in zip(xs, ys))

    @staticmethod
    def copy_(xs: Tensors, ys: Tensors) -> None:
        for x, y in zip(xs, ys):
            x.copy_(y)


class Foreach:
    """One operation for all tensors."""

    @staticmethod
    def absolute(xs: Tensors) -> Tensors:
        return list(torch._foreach_abs(xs))

    @staticmethod
    def sign(xs: Tensors) -> Tensors:
        return list(torch._foreach_sign(xs))

    @staticmethod
    def negative(xs: Tensors) -> Tensors:
        return list(torch._foreach_neg(xs))

    @staticmethod
    def clone(xs: Tensors) -> Tensors:
        return list(torch._foreach_mul(xs, 1.0))

    @staticmethod
    def sqrt_(xs: Tensors) -> Tensors:
        torch._foreach_sqrt_(xs)
        return xs

    @staticmethod
    def sinh(xs: Tensors) -> Tensors:
        return list(torch._foreach_sinh(xs))

    @staticmethod
    def pow_(xs: Tensors, e: float) -> Tensors:
        torch._foreach_pow_(xs, e)
        return xs

    @staticmethod
    def scale_(xs: Tensors, factor: float) -> Tensors:
        torch._foreach_mul_(xs, factor)
        return xs

    @staticmethod
    def times_(xs: Tensors, ys: Tensors) -> Tensors:
        torch._foreach_mul_(xs, ys)
        return xs

    @staticmethod
    def over(xs: Tensors, ys: Tensors) -> Tensors:
        return Loop.over(
            xs, ys
        )  # tensors by numbers on the device: there is no kernel for the list

    @staticmethod
    def plus(xs: Tensors, ys: Tensors, factor: float) -> Tensors:
        return list(torch._foreach_add(xs, ys, alpha=factor))

    @staticmethod
    def plus_(xs: Tensors, ys: Tensors, factor: float) -> Tensors:
        torch._foreach_add_(xs, ys, alpha=factor)
        return xs

    @staticmethod
    def largest(xs: Tensors) -> Tensors:
        # _foreach_max refuses a tensor without elements.
        return list(torch._foreach_max(xs)) if all(x.numel() for x in xs) else Loop.largest(xs)

    @staticmethod
    def total(xs: Tensors) -> Tensors:
        return list(torch._foreach_norm(xs, 1)) if xs[0].is_cuda else Loop.total(xs)

    @staticmethod
    def equal(xs: Tensors, ys: Tensors) -> bool:
        # One answer for the list: to ask a device is to wait for it. NaN and infinity are not equal
        # to themselves here, which costs a look at their entries.
        if not xs:
            return True
        return not bool(gather(list(torch._foreach_norm(torch._foreach_sub(xs, ys), 1))).any())

    @staticmethod
    def copy_(xs: Tensors, ys: Tensors) -> None:
        torch._foreach_copy_(xs, ys)


Each = Union[type[Loop], type[Foreach]]


def cast(xs: Sequence[Tensor], dtype: torch.dtype) -> Tensors:
    """The tensors in dtype: themselves where they have it."""
    return [x.to(dtype) for x in xs]


def gather(numbers: Tensors) -> Tensor:
    """Numbers on devices as one vector: what follows is one kernel and not one for each."""
    return torch.stack([x.to(numbers[0].device) for x in numbers])


def spread(vector: Tensor, like: Tensors) -> Tensors:
    """The entries of a vector, each on the device of the tensor it goes with."""
    return [v.to(x.device) for v, x in zip(vector.unbind(), like)]
