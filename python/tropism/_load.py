"""Results from the files that `save`, or --out of the command line, wrote."""

import ctypes as c
import os
import pathlib

import numpy as np

from ._inspection import Inspection
from ._library import Error, Handle, as_text, check, library, text
from ._result import _restored
from ._setup import options, value_of
from ._training import Fit, Train
from ._values import Group, Table, axes_of, new_value, read
from ._verbs import Cells, Copies, Escape, Flow, Margin, Path, Threshold

KINDS = {
    "flow run": Flow,
    "flow copies": Copies,
    "cells": Cells,
    "threshold": Threshold,
    "escape": Escape,
    "margin": Margin,
    "train": Train,
    "fit": Fit,
    "path": Path,
    "inspect": Inspection,
}


class _File:
    """The datasets of a file by their paths."""

    def __init__(self, path):
        self.handle = Handle(library.trop_result_open, library.trop_result_free, as_text(path, "path"))
        self.format = text(library.trop_result_format(self.handle.address)).removeprefix("tropism ")
        self.names, k = {}, 0
        while name := library.trop_result_name(self.handle.address, k):
            self.names[text(name)] = None
            k += 1

    def read(self, name):
        """A value and the names of its axes; None where there is none."""
        if name not in self.names:
            return None, ()
        value = new_value()
        check(library.trop_result_value(value, self.handle.address, name.encode()))
        return read(value), axes_of(value)

    def attribute(self, group, name):
        words = library.trop_result_text(self.handle.address, group.encode(), name.encode())
        return words and text(words)

    # ---- lists: a dataset for each column (docs/files.md) ----

    def column(self, path):
        """The cells of a column, and the axes of arrays in them."""
        values, axes = self.read(path)
        if isinstance(values, np.ndarray) and path + "_offsets" in self.names:
            ends = self.read(path + "_offsets")[0]
            return [values[a:b] for a, b in zip(ends[:-1], ends[1:])], axes
        if isinstance(values, np.ndarray) and values.ndim > 1:
            return [row.copy() for row in values], axes[1:]
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            kind = {"truth": bool, "integer": int}.get(self.attribute("/" + path, "kind"), float)
            return [None if cell != cell else kind(cell) for cell in values.tolist()], ()
        return (values.tolist() if isinstance(values, np.ndarray) else values or []), ()

    def below(self, path):
        """The names of what is in a group, but for the offsets of columns."""
        inside = [name for name in self.names if name.startswith(path + "/")]
        own = [name for name in inside
               if not (name.endswith("_offsets") and name.removesuffix("_offsets") in self.names)]
        return [name.removeprefix(path + "/").replace("/", ".") for name in own]

    def table(self, path, columns):
        found, axes = {}, {}
        names = [column.name for column in columns]
        for name in names + [name for name in self.below(path) if name not in names]:
            place = f"{path}/{name.replace('.', '/')}"
            if place in self.names:
                found[name], inner = self.column(place)
                if inner and found[name] and isinstance(found[name][0], np.ndarray):
                    axes[name] = inner
        rows = max(map(len, found.values()), default=0)
        return Table(found, rows, axes) if found else None

    def field(self, field):
        path = "result/" + field.name.replace(".", "/")
        if field.columns:
            table = self.table(path, field.columns)
            return table, () if table is None else (field.name,)
        return self.read(path)


def _values(file, kind):
    values = {name: file.field(field) for name, (field, part) in kind._all_fields().items() if part}
    stamp = {
        "version": file.attribute("/", "version"),
        "seed": int(file.attribute("/options", "seed") or 0),
        "standing": file.read("result/standing")[0],
        "seconds": file.read("clock/seconds")[0],
    }
    told = {name: (value, ()) for name, value in stamp.items() if name in kind._all_fields()}
    return {name: {**values, **told}[name] for name in kind._all_fields()}


def load(path):
    """The result in a file .h5: fields, options, arrays, record and pictures as it had when it was
    saved. It does not go on: `tr.flow(..., resume=path)` and `--from` do."""
    path = os.fsdecode(as_text(path, "path"))
    if not path.endswith((".h5", ".hdf5")):
        raise Error(f"{path}: must end in .h5, the file that has everything of a result")
    file = _File(path)
    kind = KINDS.get(file.format)
    if kind is None:
        raise Error(f"{path}: is a file of '{file.format}', not a result", "io")
    values = _values(file, kind)
    if kind is Inspection:  # which fields it has depends on what was measured
        fields = kind._all_fields()
        values = {name: pair for name, pair in values.items() if pair[0] is not None or not fields[name][1]}
        lists = tuple(name + "." for name, pair in values.items() if isinstance(pair[0], Table))
        for name in file.below("result"):
            if name not in values and not name.startswith(lists):
                values[name] = file.read("result/" + name.replace(".", "/"))
    known, given = options(kind._verb), {}
    words, k = c.c_char_p(), 0
    while name := library.trop_result_option(c.byref(words), file.handle.address, k):
        given[text(name)], k = value_of(known[text(name)], text(words.value)), k + 1
    record = [name for name in file.names if name.startswith("record/")]
    snapshot = {
        "values": values,
        "files": {".h5": pathlib.Path(path).read_bytes()},
        "stopped": None,
        "options": given,
        "record": Group({name.removeprefix("record/"): file.read(name)[0] for name in record}),
    }
    if "input/tokens" in file.names:
        snapshot["tokens"] = file.read("input/tokens")[0]
    return _restored(kind, {}, snapshot)


__all__ = ["load"]
