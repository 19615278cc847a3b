"""Clouds of tokens, drawn as the command line draws them: the same seed, the same bits."""

from ._verbs import FUNCTIONS


def _drawn(init, n, d, seed):
    return FUNCTIONS["flow"](n=n, d=d, init=init, seed=seed).tokens


def gaussian(n=64, d=2, seed=1):
    """Independent standard normal coordinates, (n, d)."""
    return _drawn("gaussian", n, d, seed)


def uniform(n=64, d=2, seed=1):
    """Uniform in the cube [-1, 1]^d, (n, d)."""
    return _drawn("uniform", n, d, seed)


def sphere(n=64, d=2, seed=1):
    """Uniform on the unit sphere, (n, d)."""
    return _drawn("sphere", n, d, seed)


def polygon(n=64, seed=1):
    """The corners of a regular polygon, (n, 2)."""
    return _drawn("polygon", n, 2, seed)


__all__ = ["gaussian", "polygon", "sphere", "uniform"]
