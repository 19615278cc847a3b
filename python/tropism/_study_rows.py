"""Points and rows of a study as tables of others: NumPy, pandas, xarray."""

from collections.abc import Sequence

import numpy as np

from ._library import check, library, text
from ._values import axes_of, new_value, read

STATES = ("done", "failed", "late")


def module(name, what):
    """A module that is wanted here alone."""
    try:
        return __import__(name)
    except ImportError:
        raise ImportError(f"{what} needs {name}; 'pip install {name}' brings it") from None


class Points(Sequence):
    """The options of every point of a study, computed on demand."""

    def __init__(self, axes, fixed, count):
        self._axes, self._fixed, self._count = axes, fixed, count

    def places(self, points):
        """For each axis the index of its value, of an array of points."""
        shape = [len(next(iter(axis.values()))) for axis in self._axes]
        return np.unravel_index(points, shape) if shape else ()

    def columns(self, points):
        """The options that vary, as arrays over some points."""
        found = {}
        for axis, place in zip(self._axes, self.places(points)):
            found |= {name: values[place] for name, values in axis.items()}
        return found

    def __len__(self):
        return self._count

    def __getitem__(self, k):
        if isinstance(k, slice):
            return [self[point] for point in range(*k.indices(self._count))]
        if not -self._count <= k < self._count:
            raise IndexError(f"point {k}: there are {self._count}")
        point = k % self._count
        varying = {name: value.item() if hasattr(value, "item") else value
                   for name, value in self.columns(point).items()}
        return {**self._fixed, **varying}

    def to_pandas(self):
        """The options that vary, a row for each point, as a pandas.DataFrame."""
        pandas = module("pandas", "to_pandas")
        index = pandas.RangeIndex(self._count, name="point")
        return pandas.DataFrame(self.columns(np.arange(self._count)), index=index)

    def __repr__(self):
        return f"<{self._count} points of {', '.join(name for axis in self._axes for name in axis)}>"


class Rows:
    """Results of points of a study: `point`, `state` and `sentence` of each, and a list for each field
    that is kept. They can be pickled."""

    def __init__(self, yaml, values, point, state, sentence, axes=None):
        self.text, self.values = yaml, values
        self.point, self.state, self.sentence = point, state, sentence
        self.axes = axes or {}  # names of the axes of fields that are arrays
        self.logs = []  # what Study.collect takes

    @classmethod
    def read(cls, yaml, keep, block):
        count = library.trop_study_block_rows(block)
        point = np.array([library.trop_study_block_point(block, r) for r in range(count)], dtype=np.int64)
        state = np.array([library.trop_study_block_state(block, r) for r in range(count)], dtype=np.int64)
        sentence = [text(library.trop_study_block_sentence(block, r)) if state[r] else "" for r in range(count)]
        values, axes, value = {}, {}, new_value()
        for k, name in enumerate(keep):
            values[name] = cells = []
            for row in range(count):
                check(library.trop_study_block_value(value, block, row, k))
                cells.append(read(value))
                if isinstance(cells[-1], np.ndarray):
                    axes[name] = axes_of(value)
        return cls(yaml, values, point, state, sentence, axes)

    def __len__(self):
        return len(self.point)

    def __getitem__(self, name):
        return self.values[name]

    def keys(self):
        return list(self.values)

    def __repr__(self):
        failed = int((self.state != 0).sum())
        return f"<{len(self)} rows of {', '.join(self.values)}{f', {failed} failed' if failed else ''}>"


def column(cells):
    """Cells of one field as an array: numbers, truths and whole numbers as such, absent ones of
    numbers as NaN; texts and arrays as objects."""
    kinds = {type(cell) for cell in cells}
    if kinds == {bool}:
        return np.array(cells, dtype=bool)
    if kinds == {int}:
        return np.array(cells, dtype=np.int64)
    if kinds <= {int, float, type(None)}:
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    found = np.empty(len(cells), dtype=object)
    found[:] = cells if not any(isinstance(cell, (np.ndarray, list)) for cell in cells) else [None] * len(cells)
    for k, cell in enumerate(cells):
        found[k] = cell
    return found


def frame(points, rows):
    """A row for each point that has one."""
    pandas = module("pandas", "to_pandas")
    columns = points.columns(rows.point)
    columns["state"] = np.array(STATES, dtype=object)[rows.state]
    columns["sentence"] = np.array(rows.sentence, dtype=object)
    columns |= {name: column(cells) for name, cells in rows.values.items()}
    return pandas.DataFrame(columns, index=pandas.Index(rows.point, name="point"))


def padded(cells):
    """Arrays of one number of axes as one array, a first axis for the cells."""
    arrays = [cell for cell in cells if isinstance(cell, np.ndarray)]
    rank = max(array.ndim for array in arrays)
    shape = tuple(max(array.shape[k] for array in arrays) for k in range(rank))
    full = len(arrays) == len(cells) and all(array.shape == shape for array in arrays)
    kind = arrays[0].dtype if full else np.float64
    found = np.full((len(cells), *shape), np.nan if kind == np.float64 else 0, dtype=kind)
    for row, cell in enumerate(cells):
        if isinstance(cell, np.ndarray):
            found[(row, *map(slice, cell.shape))] = cell
    return found


def along(values, shape, places):
    """Values of some points on the whole grid; what is not there is NaN or None."""
    own = values.shape[1:]
    if len(values) == int(np.prod(shape)):
        grid = np.empty((*shape, *own), dtype=values.dtype)
    elif values.dtype == object:
        grid = np.full((*shape, *own), None, dtype=object)
    else:
        grid = np.full((*shape, *own), np.nan)
    grid[places] = values
    return grid


def dataset(axes, fixed, rows):
    """What is kept along the axes of the study."""
    xarray = module("xarray", "to_xarray")
    dims = ["_".join(axis) for axis in axes]
    shape = tuple(len(next(iter(axis.values()))) for axis in axes)
    places = np.unravel_index(rows.point, shape) if shape else (0,) * 0
    coordinates = {name: (dim, values) for dim, axis in zip(dims, axes) for name, values in axis.items()}
    found = {}
    for name, cells in rows.values.items():
        arrays = any(isinstance(cell, np.ndarray) for cell in cells)
        values = padded(cells) if arrays else column(cells)
        if not shape:
            values = values[0] if len(values) else np.full(values.shape[1:], np.nan)
        else:
            values = along(values, shape, places)
        inner = []
        for k in range(np.ndim(values) - len(dims)):
            axis = (rows.axes.get(name) or ())[k : k + 1]
            inner.append(inner_name(axis[0] if axis and axis[0] else f"{name}_{k}", name, k, np.shape(values)[len(dims) + k],
                                    found, [*dims, *coordinates, *rows.values, *inner]))
        found[name] = ((*dims, *inner), values)
    return xarray.Dataset(found, coords=coordinates, attrs=fixed)


def inner_name(axis, field, k, length, found, taken):
    """Axes of one name have one length in xarray; that of another length is the field's."""
    known = {dim: n for dims, values in found.values() for dim, n in zip(dims, np.shape(values))}
    return axis if axis not in taken and known.get(axis, length) == length else f"{field}_{k}"


__all__ = ["Points", "Rows"]
