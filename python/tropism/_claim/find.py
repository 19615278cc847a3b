"""Where a claim is defined, and how it is found again in another process.

A file of a counterexample names the claim's id, module and source file. Judging it runs that source
file; reading it runs nothing.
"""

import contextlib
import hashlib
import importlib
import inspect
import os
import pathlib
import sys
import types

from .._library import Error

known = {}  # claims by id, the last one of each
_sought = None  # the id that a source file is run for


class Found(BaseException):
    """Ends the run of a source file where its own check would begin."""


def register(claim):
    known[claim.id] = claim


def reached(claim):
    """The claim is about to be checked, so everything about it has been said."""
    if _sought == claim.id:
        raise Found


def name_of(function):
    return getattr(function, "__qualname__", None) or repr(function)


def source(claim):
    """Module, path and checksum of the source file; the path is None at a prompt or in a notebook."""
    function = inspect.unwrap(claim._conclude)
    path = getattr(getattr(function, "__code__", None), "co_filename", None)
    if path is None or not os.path.isfile(path) or "ipykernel_" in path:
        return {"module": function.__module__, "source": None, "sha256": None}
    path = os.path.abspath(path)
    return {"module": function.__module__, "source": path,
            "sha256": hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()}


def _root(module, path):
    """The folder that a module is imported from."""
    path = pathlib.Path(path)
    path = path.parent if path.name == "__init__.py" else path
    return str(path.parents[module.count(".")])


def _run(path, name):
    """Runs a file: a module of a package as such, so that its relative imports work, any other as a
    module of its own, not as __main__."""
    if name and "." in name:
        importlib.reload(sys.modules[name]) if name in sys.modules else importlib.import_module(name)
        return
    module = types.ModuleType("tropism_claim")
    module.__file__ = path
    sys.modules[module.__name__] = module
    arguments, sys.argv = sys.argv, [path]
    try:
        exec(compile(pathlib.Path(path).read_bytes(), path, "exec"), vars(module))
    finally:
        sys.argv = arguments


def load(id, path, module=None):
    """Runs the source file of a claim, up to the claim's own check, and returns the claim."""
    global _sought
    if not os.path.isfile(path):
        raise Error(f"{path}: is not there; --source FILE.py says where {id} is defined now", "io")
    if not path.endswith(".py"):
        raise Error(f"{path}: must end in .py")
    known.pop(id, None)
    before, _sought = list(known), id
    root = _root(module, path) if module and "." in module else os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, root)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints is not the answer
            _run(path, module)
    except Found:
        pass
    except Exception as error:
        from .claim import wrong

        raise wrong(path, error) from error
    except SystemExit as error:
        if id not in known:
            raise Error(f"{path}: ended ({error}) before it came to {id}") from None
    finally:
        _sought = None
        sys.path.remove(root)
    if id not in known:
        there = ", ".join(name for name in known if name not in before)
        raise Error(f"{path}: does not define {id}" + (f"; it has {there}" if there else ""))
    return known[id]
