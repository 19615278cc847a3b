"""Steps of lp mirror descent by the library: dense float32 tensors on a CPU, in one go over each.

PyTorch's operations go over a tensor once for each of them. The library compares, moves and maps
by blocks that stay in the first cache (src/kernel/kernel_mirror.h). Sums and products have
PyTorch's bits; roots are the nearest numbers, which PyTorch's need not be (MKL's roots of float32
are off by a unit in one of six); other powers of float32 are within .51 units in the last place.
The map alone is also taken of what a process has of a sharded dual, so that its bits are the same.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence

import torch
from torch import Tensor

from .._library import library
from ._powers import Exponent
from ._shard import local

PLAIN = (Tensor, torch.nn.Parameter)  # no subclass, of which nobody knows what it holds


def whole(x: Tensor, dtypes: Sequence[torch.dtype] = (torch.float32,)) -> bool:
    """Numbers of these types, one after the other, in the memory of this process."""
    return (
        type(x) in PLAIN
        and x.device.type == "cpu"
        and x.dtype in dtypes
        and x.layout == torch.strided
        and x.is_contiguous()
        and not x.is_neg()
    )


def maps(u: Tensor, e: Exponent) -> bool:
    """The library has the map of u: with double u where e is a multiple of 1/2."""
    exact = e <= 64 and 2 * e == int(2 * e)
    return whole(local(u), (torch.float32, torch.float64) if exact else (torch.float32,))


def power(u: Tensor, e: Exponent) -> Tensor:
    """sgn(u)|u|^e, where maps(u, e)."""
    out = torch.empty_like(u)
    to, own, wide = local(out), local(u), int(u.dtype == torch.float64)
    library.trop_mirror_map(to.data_ptr(), own.data_ptr(), wide, own.numel(), float(e))
    return out


def norm(g: Tensor, q: Exponent) -> float:
    """|g|_q; NaN where an entry is not finite."""
    threads = torch.get_num_threads()
    return float(library.trop_mirror_norm(g.data_ptr(), g.numel(), float(q), threads))


def norm_of(parts: Sequence[float], q: Exponent) -> float:
    """|.|_q of what consists of parts with these norms."""
    top = max(parts)
    if not 0 < top < math.inf or any(math.isnan(part) for part in parts):
        return math.nan if any(math.isnan(part) for part in parts) else top
    share = math.fsum((part / top) ** float(q) for part in parts)
    return float(top * share ** (1 / float(q)))


def step(
    w: Tensor,
    kept: Tensor,
    u: Tensor,
    g: Tensor,
    law: tuple[float, float, float],
    changed: bool = False,
) -> bool:
    """Steps what of w is as it was kept, or the rest; tells whether it left anything. law: the
    exponent of the map, lr, and the norm that g is divided by, 0: none."""
    left = library.trop_mirror_step(
        w.data_ptr(),
        kept.data_ptr(),
        u.data_ptr(),
        int(u.dtype == torch.float64),
        g.data_ptr(),
        w.numel(),
        (ctypes.c_double * 3)(*law),
        int(changed),
        torch.get_num_threads(),
    )
    return bool(left)
