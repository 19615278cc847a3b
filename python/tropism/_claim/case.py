"""The entries of an instance: numbers, texts and arrays by name, in memory and in a file.

The file is a .npz of NumPy without pickles: arrays and numbers under their names, with their bits,
and under `tropism` a text in JSON with everything else (docs/files.md).
"""

import json
import os
import pathlib
import zipfile
import zlib
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from .._library import Error

ABOUT = "tropism"  # the member that says what the others are
FORMAT = "tropism claim case"
PLAIN = {bool: "bool", int: "int", float: "float", str: "text", Fraction: "fraction"}


def entry(value, name):
    """A number, a text, or an array of one's own that nobody can write to."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.generic) and type(value.item()) in PLAIN:
        return value.item()
    try:
        array = np.array(value)
    except ValueError:
        array = None
    if array is None or array.dtype.kind not in "biufc":
        raise Error(f"{name} = {str(value)[:60]}: must be a number, a text or an array of numbers")
    array.setflags(write=False)
    return array


def as_case(values, who):
    """What draw, work or a person gave, checked."""
    if not isinstance(values, Mapping):
        raise Error(f"{who}: returned {type(values).__name__}, must be a dict of numbers and arrays by name")
    for name in values:
        if not isinstance(name, str) or not name.isidentifier() or name == ABOUT:
            raise Error(f"{who}: {name!r} cannot be the name of an entry")
    return {name: entry(value, name) for name, value in values.items()}


def same(one, other):
    """Whether two cases have the same bits."""
    return list(one) == list(other) and all(bits(one[name]) == bits(other[name]) for name in one)


def bits(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return type(value), value.hex() if isinstance(value, float) else value


# ---- files ------------------------------------------------------------------------------------------


def _member(value):
    """Whether it is an array in the file; others are texts in JSON."""
    return isinstance(value, (np.ndarray, float)) or isinstance(value, int) and -(2**63) <= value < 2**63


def write(path, case, about):
    """Writes beside the name and renames: under its name the file is whole."""
    path = pathlib.Path(path)
    entries = {}
    for name, value in case.items():
        kind = "array" if isinstance(value, np.ndarray) else PLAIN[type(value)]
        entries[name] = {"kind": kind} if _member(value) else {"kind": kind, "value": str(value)}
    words = json.dumps({"format": FORMAT, **about, "entries": entries}, indent=1)
    members = {ABOUT: np.array(words)} | {name: np.asarray(v) for name, v in case.items() if _member(v)}
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(beside, "xb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                for name, array in members.items():
                    with archive.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}", "io") from None
    finally:
        beside.unlink(missing_ok=True)


def read(path):
    """The case and what the file says about it. Nothing of the file is run."""
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            head = file.read(4)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}", "io") from None
    if head != b"PK\3\4":
        raise Error(f"{path}: is not a counterexample that Python wrote, a .npz" + _other(path), "io")
    try:
        with np.load(path, allow_pickle=False) as archive:
            about = json.loads(str(archive[ABOUT]))
            if about["format"] != FORMAT:
                raise KeyError("format")
            return {name: _read(archive, name, told) for name, told in about["entries"].items()}, about
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Error(f"{path}: is not a counterexample of a claim, or is damaged", "io") from None
    except (OSError, ValueError, EOFError, MemoryError, ZeroDivisionError, NotImplementedError, RuntimeError,
            zipfile.BadZipFile, zlib.error) as error:
        raise Error(f"{path}: is damaged: {error}", "io") from None


def _other(path):
    return "; 'tropism check ID --instance FILE' judges those of the command line" if path.endswith(".h5") else ""


def _read(archive, name, told):
    kind = told["kind"]
    if "value" in told:
        return {"int": int, "fraction": Fraction, "text": str}[kind](told["value"])
    value = archive[name]
    if not isinstance(value, np.ndarray):  # of a member that is no .npy its bytes
        raise KeyError(name)
    if kind == "array":
        return entry(value, name)
    return {"float": float, "int": int, "bool": bool}[kind](value[()])

