"""Where a claim is defined, and how it is found again in another process.

A file of a counterexample names the claim's id, module and source file. Judging it runs that source
file; reading it runs nothing.
"""

import contextlib
import hashlib
import importlib
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


def place():
    """Module and path of the code that is making a claim; the path is None at a prompt or in a
    notebook."""
    frame = sys._getframe(1)
    while os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame = frame.f_back
    path = frame.f_code.co_filename
    known_by_path = os.path.isfile(path) and "ipykernel_" not in path
    return frame.f_globals.get("__name__"), os.path.abspath(path) if known_by_path else None


def source(claim):
    """Module, path and checksum of the source file, as a file of a counterexample has them."""
    module, path = claim._place
    there = path is not None and os.path.isfile(path)
    return {"module": module, "source": path,
            "sha256": hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() if there else None}


def _root(module, path):
    """The folder that a module of a package is imported from; None: the path is not that of one."""
    parts = (module or "").split(".")
    path = pathlib.Path(path)
    path = path.parent if path.name == "__init__.py" else path.with_suffix("")
    return str(path.parents[len(parts) - 1]) if len(parts) > 1 and list(path.parts[-len(parts) :]) == parts else None


def _import(name):
    """A module of a package, so that its relative imports work."""
    importlib.reload(sys.modules[name]) if name in sys.modules else importlib.import_module(name)


def _run(path):
    """Any other file, as a module of its own, not as __main__."""
    module = types.ModuleType("tropism_claim")
    module.__file__ = path
    sys.modules[module.__name__] = module
    arguments, sys.argv = sys.argv, [path]
    try:
        exec(compile(pathlib.Path(path).read_bytes(), path, "exec"), vars(module))
    finally:
        sys.argv = arguments


def usable(id, path):
    """The path, when it can be that of a source file."""
    if not os.path.isfile(path):
        raise Error(f"{path}: is not there; --source FILE.py says where {id} is defined now", "io")
    if not path.endswith(".py"):
        raise Error(f"{path}: must end in .py")
    return path


def load(id, path, module=None):
    """Runs the source file of a claim, up to the claim's own check, and returns the claim."""
    global _sought
    known.pop(id, None)
    before, _sought = list(known), id
    package = _root(module, path)
    root = package or os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, root)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints is not the answer
            _import(module) if package else _run(path)
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
    found = known[id]._place[1]
    if package and found != path:  # another package of that name
        raise Error(f"{path}: is not where {module} is imported from; that is {found}")
    return known[id]
