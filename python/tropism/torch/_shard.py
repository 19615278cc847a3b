"""Parameters that are spread over processes: DTensors, as torch.distributed.fsdp.fully_shard makes
them.

Operations on entries take a DTensor as they take any tensor. What needs all entries of one is found
here, without gathering the tensor where a number of each process is enough:

    largest entry, and where it is     each process looks at its part; the same to the bit
    sums (norms)                       of the sums of the parts, in the order of the processes: off
                                       by roundings from the sum in one process
    polar factors                      the tensor is gathered; the same to the bit

A DTensor is known by its class, which is not loaded before somebody else has: programs in one
process do not pay for it.
"""

from __future__ import annotations

import sys
from typing import Any
from collections.abc import Callable

import torch
from torch import Tensor

_MODULE = "torch.distributed.tensor"


def sharded(x: Tensor) -> Any:
    """x when it is a DTensor, else None."""
    module = sys.modules.get(_MODULE)
    return x if module is not None and isinstance(x, module.DTensor) else None


def local(x: Tensor) -> Tensor:
    """The part of x that this process has: memory of x, or x itself."""
    d = sharded(x)
    part: Tensor = x if d is None else d.to_local()
    return part


def layout(x: Tensor) -> tuple[Any, ...]:
    """What is the same for tensors that are spread in the same way."""
    d = sharded(x)
    return () if d is None else (d.device_mesh, tuple(d.placements))


def whole(x: Tensor) -> Tensor:
    """All of x, in each process."""
    d = sharded(x)
    full: Tensor = x if d is None else d.full_tensor()
    return full


def spread_as(x: Tensor, like: Tensor) -> Tensor:
    """x, which each process has whole, as like is spread."""
    d = sharded(like)
    x = whole(x)
    if d is None:
        return x
    from torch.distributed.tensor import distribute_tensor

    made: Tensor = distribute_tensor(x, d.device_mesh, d.placements, src_data_rank=None)
    return made


def check(p: Tensor, g: Tensor, name: str) -> None:
    """Refuses a gradient that is not spread as its parameter."""
    if layout(p) != layout(g):
        raise RuntimeError(
            f"{name}: a gradient is placed as {layout(g)[1:] or 'a plain tensor'}, its parameter "
            f"as {layout(p)[1:] or 'a plain tensor'}: must be the same; redistribute the gradient"
        )
    d = sharded(p)
    if d is not None and any(part.is_partial() for part in d.placements):
        raise RuntimeError(
            f"{name}: a parameter is a partial sum of each process: must be sharded or replicated"
        )


def rows(row: Tensor, x: Tensor) -> Tensor:
    """The vectors row of all parts of x, in the order of the processes: (parts, len(row))."""
    d = sharded(x)
    found = row[None]
    if d is None:
        return found
    import torch.distributed as dist

    for dim, placement in enumerate(d.placements):
        if not placement.is_replicate():
            group = d.device_mesh.get_group(dim)
            parts = [torch.empty_like(found) for _ in range(dist.get_world_size(group))]
            dist.all_gather(parts, found.contiguous(), group=group)
            found = torch.cat(parts)
    return found


def number(x: Tensor, of: Callable[[Tensor], Tensor]) -> Tensor:
    """of x, of (the vector of) what it is of each part."""
    if sharded(x) is None:
        return of(x)
    return of(rows(of(local(x)).reshape(1), x).flatten())


def agreed(flag: bool, xs: list[Tensor]) -> bool:
    """flag, where it is so in all processes that have a part of xs."""
    for x in xs:
        if sharded(x) is not None:
            flag = bool(rows(torch.tensor([float(flag)], device=x.device), x).all())
    return flag


def position(x: Tensor) -> tuple[list[int], list[int]] | None:
    """Shape and place of the part of this process, when it is a block of x; None: it is not."""
    from torch.distributed.tensor import Replicate, Shard

    d = sharded(x)
    if any(type(part) not in (Replicate, Shard) for part in d.placements):
        return None
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

    shape, offset = compute_local_shape_and_global_offset(x.shape, d.device_mesh, d.placements)
    return list(shape), list(offset)


def as_part(part: Tensor, like: Tensor) -> Tensor:
    """The tensor of which each process has part, spread as like."""
    d = sharded(like)
    made: Tensor = type(d).from_local(
        part, d.device_mesh, d.placements, run_check=False, shape=like.shape, stride=like.stride()
    )
    return made
