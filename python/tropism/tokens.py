"""Clouds of tokens, drawn as the command line draws them: the same seed, the same bits."""

import numpy as np
from numpy.typing import NDArray

from ._verbs import FUNCTIONS


def _drawn(init: str, n: int, d: int, seed: int) -> NDArray[np.float64]:
    return FUNCTIONS["flow"](n=n, d=d, init=init, seed=seed).tokens


def gaussian(n: int = 64, d: int = 2, seed: int = 1) -> NDArray[np.float64]:
    """Independent standard normal coordinates, (n, d)."""
    return _drawn("gaussian", n, d, seed)


def uniform(n: int = 64, d: int = 2, seed: int = 1) -> NDArray[np.float64]:
    """Uniform in the cube [-1, 1]^d, (n, d)."""
    return _drawn("uniform", n, d, seed)


def sphere(n: int = 64, d: int = 2, seed: int = 1) -> NDArray[np.float64]:
    """Uniform on the unit sphere, (n, d)."""
    return _drawn("sphere", n, d, seed)


def polygon(n: int = 64, seed: int = 1) -> NDArray[np.float64]:
    """The corners of a regular polygon, (n, 2)."""
    return _drawn("polygon", n, 2, seed)


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = ["gaussian", "polygon", "sphere", "uniform"]
