"""tropism.torch without the compiled library.

``import tropism`` loads the C library, which a machine that only trains may not have. The subpackage
needs PyTorch alone, so it is loaded from its folder in this repository. An installed tropism is used
where there is one.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load() -> ModuleType:
    try:
        import tropism.torch

        return tropism.torch
    except (ImportError, OSError):
        folder = Path(__file__).resolve().parents[2] / "python" / "tropism" / "torch"
    spec = importlib.util.spec_from_file_location("tropism_torch_only", folder / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
