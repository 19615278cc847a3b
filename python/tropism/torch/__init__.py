"""tropism for PyTorch: mirror descent and other optimisers whose implicit bias is known, and
attention rules with gradients.

    from tropism.torch import MirrorDescent, attention_rule

    optimizer = MirrorDescent(model.parameters(), lr=0.05, p=1.1)
    weights = attention_rule(scores, "sparsemax")

Needs PyTorch; nothing else of tropism is loaded.
"""

from __future__ import annotations

from typing import Any, Dict, Type

try:
    import torch as _torch
except ModuleNotFoundError as error:
    raise ImportError("tropism.torch needs PyTorch; 'pip install torch' brings it") from error

from ._base import DualOptimizer, Params
from .attention import ScaledLoss, attention_loss, scaled_attention_loss
from .maps import CoshDescent, ExponentiatedGradient, Hypentropy
from .mirror import MirrorDescent, NormalizedMirrorDescent, SquaredMirrorDescent
from .rules import RULES, attention_rule
from .steepest import GreedyDescent, Muon, Polyak, SignDescent, SpectralDescent, SteepestDescent

#: The optimisers by the names of ``tropism train --optimizer``; gd and adam are torch's own.
OPTIMIZERS: dict[str, type[_torch.optim.Optimizer]] = {
    "gd": _torch.optim.SGD,
    "ngd": NormalizedMirrorDescent,
    "polyak": Polyak,
    "mirror": MirrorDescent,
    "nmirror": NormalizedMirrorDescent,
    "square": SquaredMirrorDescent,
    "steepest": SteepestDescent,
    "sign": SignDescent,
    "signum": SignDescent,
    "greedy": GreedyDescent,
    "spectral": SpectralDescent,
    "muon": Muon,
    "adam": _torch.optim.Adam,
    "eg": ExponentiatedGradient,
    "hypentropy": Hypentropy,
    "cosh": CoshDescent,
}

_PRESETS: dict[str, dict[str, Any]] = {"ngd": {"p": 2.0}, "signum": {"momentum": 0.9}}


def optimizer(name: str, params: Params, **options: Any) -> _torch.optim.Optimizer:
    """The optimiser that ``tropism train`` calls by this name, with options of its class."""
    if name not in OPTIMIZERS:
        raise ValueError(f"optimizer = {name}: must be one of {', '.join(OPTIMIZERS)}")
    if "eta" in options:
        raise TypeError(f"optimizer = {name}: has no option eta: the step size is lr")
    return OPTIMIZERS[name](params, **{**_PRESETS.get(name, {}), **options})


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "CoshDescent",
    "DualOptimizer",
    "ExponentiatedGradient",
    "GreedyDescent",
    "Hypentropy",
    "MirrorDescent",
    "Muon",
    "NormalizedMirrorDescent",
    "OPTIMIZERS",
    "Polyak",
    "RULES",
    "ScaledLoss",
    "SignDescent",
    "SpectralDescent",
    "SquaredMirrorDescent",
    "SteepestDescent",
    "attention_loss",
    "attention_rule",
    "optimizer",
    "scaled_attention_loss",
]
