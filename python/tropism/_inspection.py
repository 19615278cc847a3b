"""What the heads of a transformer select: the result of `inspect`.

Which fields it has depends on what was measured, and of what; its table is the job's own.
"""

import os

import numpy as np

from ._library import Error, library
from ._result import Result, tables
from ._values import NoField, fresh_fields, read_field


def _plain(value):
    """A tensor of PyTorch, on whatever device, of whatever type, as an array, also inside a list, as
    hooks of several layers leave them; others as they are."""
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if not hasattr(value, "detach"):
        return value
    value = value.detach().cpu()
    return value.resolve_conj().numpy() if value.is_complex() else value.double().numpy()


def _unbatched(value, name):
    """Queries, keys or values of (heads, n, d) a layer: a cache has (1, heads, n, d), a batch of one."""
    value = _plain(value)
    if isinstance(value, list) and value and all(np.ndim(layer) == 4 for layer in value if hasattr(layer, "__array__")):
        batches = {layer.shape[0] for layer in value if hasattr(layer, "__array__")}
    elif hasattr(value, "__array__") and np.ndim(value) == 5:  # (layers, batch, heads, n, d)
        batches = {value.shape[1]}
    else:
        return value
    if batches - {1}:
        raise Error(f"{name}: a batch of {max(batches)}: must be one text at a time, x[:1] of every layer")
    if isinstance(value, list):
        return [layer[0] if hasattr(layer, "__array__") else layer for layer in value]
    return value[:, 0]


def by_name(arguments, options):
    """The arguments of inspect by name: one model, or queries, keys and values."""
    if len(arguments) == 1 and not hasattr(arguments[0], "__array__"):
        names = ("model",)
    elif len(arguments) in (0, 3):
        names = ("q", "k", "v")[: len(arguments)]
    else:
        raise TypeError("inspect() takes one argument without a name, model, or three arrays: q, k and v")
    for name in names:
        if name in options:
            raise TypeError(f"inspect() got two values for {name}")
    options = {**dict(zip(names, arguments)), **options}
    model = options.get("model")
    if model is not None and not isinstance(model, (str, bytes, os.PathLike)):
        raise Error(f"model: {type(model).__name__}: must be a folder or file; a model in memory can be saved "
                    "(save_pretrained), or its q, k and v given")
    return {name: _unbatched(value, name) if name in ("q", "k", "v") else value for name, value in options.items()}


def _finite_mean(values):
    """The mean of what is finite, as the program has it; infinite where nothing is."""
    values = values[np.isfinite(values)]
    return values.mean() if values.size else np.inf


# The columns of the program's table: title, field, width, digits, factor.
COLUMNS = (
    ("distinct", "selected", 8, 0, 1), ("reach", "reachable", 5, 0, 1), ("flip%", "flip_relative", 6, 1, 100),
    ("flip", "flip", 6, 2, 1), ("gap", "gap", 5, 2, 1), ("top", "top_weight", 5, 2, 1),
    ("perpl", "perplexity", 6, 1, 1), ("kappa", "kappa", 6, 1, 1), ("hard", "hard_rows", 5, 2, 1),
    ("keys", "key_only", 5, 2, 1), ("sink", "sinks.share", 5, 2, 1), ("patch", "patch.cosine", 6, 3, 1),
    ("share", "margin.share", 6, 3, 1), ("null", "margin.null_mean", 6, 3, 1),
    ("sets", "hypothetical.sets", 4, 0, 1), ("eps", "hypothetical.epsilon", 5, 2, 1),
    ("flow", "hypothetical.log10_steps", 5, 1, 1),
)


class Inspection(Result):
    """The heads of a transformer on a text or on many: what each selects, and how firmly."""

    __slots__ = ("_own", "_lists")
    _verb, _tables = "inspect", tables("inspect")

    def __init__(self, handle, settings):
        super().__init__(handle, settings)
        self._own = None
        self._lists = {}  # tables that were read, which no longer change: some thousand cells

    def _its_fields(self):
        if self._own is None:
            found = {name: pair for name, pair in self._all_fields().items() if pair[1] is None}
            table = library.trop_job_field_table(self._handle.address)
            own = {field.name: (field, "trop_job_result") for field in fresh_fields(table)}
            self._own = {**own, **found}
        return self._own

    def _names(self):
        return list(self._its_fields() if self._snapshot is None else self._snapshot["values"])

    def _read(self, name):
        if self._snapshot is not None:
            return super()._read(name)
        if name not in self._lists:
            field, part = self._its_fields()[name]
            with self._handle.lock:
                value, axes = read_field(field, self._part(part))
            if not field.columns:
                return value, axes
            for cells in value._columns.values():
                for cell in cells:
                    if isinstance(cell, np.ndarray):
                        cell.flags.writeable = False
            self._lists[name] = value, axes
        return self._lists[name]

    def __getitem__(self, name):
        """A field; None where this result has none of that name, and another one would."""
        if name not in self._names() and name in self._all_fields():
            return None
        return super().__getitem__(name)

    def _lines(self):
        """What the program prints: a line for each head; of rows their mean, of kappa the median."""
        heads = self["heads"]
        lines = [f"{'layer':>5} {'head':>4}"] + [f"{l:5} {h:4}" for l, h in zip(heads["layer"], heads["head"])]
        for title, name, width, digits, times in COLUMNS:
            name = name if name in heads.keys() else name + ".mean"
            if name not in heads.keys() or (title == "flip" and "flip%" in lines[0]):
                continue
            mean = np.median if title == "kappa" else _finite_mean
            cells = [None if x is None else mean(x) if isinstance(x, np.ndarray) else x for x in heads[name]]
            words = ["-" if x is None or np.isnan(x) else f"{times * x:.{digits}f}" for x in cells]
            lines = [f"{line} {word:>{width}}" for line, word in zip(lines, [title, *words])]
        return [*super()._lines(), "", *lines]

    def array(self, name):
        """A number of every head, (layers, heads), or of its rows, (layers, heads, tokens), or q, k
        and v, (layers, heads, tokens, d): of those that were looked at, in their order; NaN where
        there is none."""
        heads = self["heads"]
        layers, places = (np.unique(heads[key]) for key in ("layer", "head"))
        cells = [None if cell is None else np.asarray(cell) for cell in heads[name]]
        kinds = {cell.dtype.kind for cell in cells if cell is not None}
        shapes = {cell.shape for cell in cells if cell is not None}
        if not kinds <= set("if") or len(shapes) > 1:
            raise NoField(f"{name}: is not a number of each head, nor numbers of one length")
        whole = kinds == {"i"} and all(cell is not None for cell in cells)
        shape = shapes.pop() if shapes else ()
        out = np.full((layers.size, places.size, *shape), 0 if whole else np.nan, int if whole else float)
        for layer, place, cell in zip(heads["layer"], heads["head"], cells):
            if cell is not None:
                out[np.searchsorted(layers, layer), np.searchsorted(places, place)] = cell
        return out

    def to_xarray(self):
        """The numbers of heads along (layer, head), those of their rows along (layer, head, token),
        the residual stream's along (stream) as `layers.NAME`, the last hidden states along (token,
        channel); the rest as attributes."""
        import xarray

        heads, data = self["heads"], {}
        for name in heads.keys():
            try:
                values = self.array(name) if name not in ("layer", "head") else None
            except NoField:  # texts, and lists of different lengths
                values = None
            if values is not None:
                data[name] = (("layer", "head", *heads._axes.get(name, ())), values)
        places = {key: np.unique(heads[key]) for key in ("layer", "head")}
        streams = self["layers"]
        if streams is not None and len(streams):
            places["stream"] = streams["layer"]
            for key in streams.keys():
                if key != "layer":
                    data[f"layers.{key}"] = (("stream", *streams._axes.get(key, ())), np.stack(streams[key]))
        if "hidden" in self:
            data["hidden"] = self._read("hidden")[::-1]
        rest = {key: self[key] for key in self._names() if key not in ("heads", "layers", "hidden")}
        rest = {key: value for key, value in rest.items() if value is not None}
        return xarray.Dataset(data, coords=places, attrs=rest)
