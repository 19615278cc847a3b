"""The file of a study from Python values: what a call asks is written as the YAML text that the
library reads, so that a study has one reader."""

import numbers
import os
import re
from collections.abc import Mapping

import numpy as np

from ._library import Error
from ._setup import as_word, is_sequence

PLAIN = re.compile(r"[A-Za-z0-9_.+/-][A-Za-z0-9_.+/:-]*")


def scalar(value, name):
    """One value as YAML, quoted where it has to be."""
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    is_array = hasattr(value, "__array__") and np.ndim(value) == 0
    if not (isinstance(value, (str, numbers.Number, np.generic)) or hasattr(value, "__fspath__") or is_array
            or callable(value)):
        raise Error(f"{name}: {type(value).__name__}: a study takes numbers, texts and names of files")
    if callable(value):
        raise Error(f"{name}: a function: a study takes schedules by their names, or in files (@FILE)")
    words = as_word(value)
    if "\0" in words:
        raise Error(f"{name}: a text must not hold the character 0")
    if PLAIN.fullmatch(words) and not words.endswith(":"):
        return words
    quoted = words.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else rf"\U{ord(c):08x}" for c in quoted) + '"'


def whole_range(value):
    """range(1, 1001) is 1..1000 and range(0, 10, 3) is 0:9:3; of nothing there is no range."""
    if len(value) < 2:
        return None
    first, last, step = value[0], value[-1], value.step
    return f"{first}..{last}" if step == 1 else f"{first}:{last}:{step}" if step > 0 else None


def one(value, name):
    """What stands behind the name of an option: a value, a range, a list, or a list of lists."""
    if isinstance(value, range) and whole_range(value):
        return whole_range(value)
    if not is_sequence(value):
        return scalar(value, name)
    if np.ndim(value) > 1 and hasattr(value, "__array__"):
        raise Error(f"{name}: an array of shape {np.shape(value)}: a study takes files; numpy.save writes one")
    values = value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "iufb" else list(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        values = [float(x) for x in value]
    if not values:
        raise Error(f"{name}: is empty: a list of a study has at least one value")
    return "[" + ", ".join(one(v, name) if is_sequence(v) else scalar(v, name) for v in values) + "]"


def columns_of(points):
    """Explicit points: a dict of columns, a DataFrame, a Table, or a list of dicts."""
    if hasattr(points, "to_dict") and hasattr(points, "columns"):
        return {str(name): list(points[name]) for name in points.columns}
    if isinstance(points, Mapping):
        return {str(name): list(column) for name, column in points.items()}
    rows = list(points)
    if not rows or not all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows):
        raise Error("points: must be a file .csv, columns by name, a DataFrame, or dicts of the same names")
    return {str(name): [row[name] for row in rows] for name in rows[0]}


def text_of(verb, options):
    """The YAML text of a study."""
    options = {name.rstrip("_"): value for name, value in options.items() if value is not None}
    points, together = options.pop("points", None), options.pop("together", None)
    keep = options.pop("keep", None)
    groups = [] if together is None else [together] if all(isinstance(t, str) for t in together) else list(together)
    if points is not None and not isinstance(points, (str, os.PathLike)):
        columns = columns_of(points)
        lengths = {len(column) for column in columns.values()}
        if len(lengths) != 1 or lengths == {0}:
            raise Error("points: the columns must have one length, of at least 1")
        twice = [name for name in columns if name in options]
        if twice:
            raise Error(f"points: {twice[0]} is given beside them as well")
        options, points = {**columns, **options}, None
        if len(columns) > 1 and lengths != {1}:
            groups.append(list(columns))
    rows = [f"verb: {scalar(verb, 'verb')}"]
    rows += [f"{name}: {one(value, name)}" for name, value in options.items()]
    if points is not None:
        rows.append(f"points: {scalar(points, 'points')}")
    if groups:
        inside = [one(list(group), "together") for group in groups]
        rows.append(f"together: {inside[0] if len(inside) == 1 else '[' + ', '.join(inside) + ']'}")
    if keep is not None:
        rows.append(f"keep: {one([keep] if isinstance(keep, str) else keep, 'keep')}")
    return "\n".join(rows) + "\n"
