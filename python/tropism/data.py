"""Training data: from arrays, files, and the papers' sets by name.

    data = tropism.data.attsvm(n=6, T=8, d=10, seed=1)
    data = tropism.data.Dataset(X=tokens, y=labels, z=queries)
    data = tropism.data.load("folder")
    data = tropism.data.text(["a fine film", "a dull film"], ["pos", "neg"])
    data = tropism.data.sequences("digits", patch=2)
"""

import ctypes as c
import os

import numpy as np

from ._corpus import Corpus, sequences, text_corpus
from ._library import Error, Handle, as_text, as_whole, check, library, names, text as _text
from ._setup import as_array
from ._values import fields, read_field

OWN_SEED = 2**64 - 1


class Dataset:
    """Training data: X (n, T, d) tokens, y labels, z queries, v decoder, K keys; or E, ids and next
    of next-token data. What is absent is None."""

    def __init__(self, **arrays):
        arrays = {key: as_array(a, key) for key, a in arrays.items() if a is not None}
        for key, array in arrays.items():
            if array.ndim > 4:
                raise Error(f"data: {key}: has {array.ndim} dimensions, at most 4 are known")
        count = len(arrays)
        shapes = np.zeros((count, 4), dtype=np.int64)
        for k, array in enumerate(arrays.values()):
            shapes[k, : array.ndim] = array.shape
        self._handle = Handle(
            library.trop_dataset_create_arrays,
            library.trop_dataset_free,
            (c.c_char_p * (count + 1))(*(as_text(key, "data") for key in arrays)),
            (c.c_void_p * count)(*(array.ctypes.data for array in arrays.values())),
            (c.c_int64 * count)(*(array.ndim for array in arrays.values())),
            (c.c_int64 * (4 * count))(*shapes.ravel()),
        )

    @classmethod
    def _named(cls, name, n, T, d, seed):
        made = cls.__new__(cls)
        made._handle = Handle(
            library.trop_dataset_create,
            library.trop_dataset_free,
            as_text(name, "data"),
            *(as_whole(size, key) for key, size in zip("nTd", (n, T, d))),
            as_whole(seed, "seed", 0, OWN_SEED),
        )
        return made

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        for field in fields(library.trop_dataset_field_table()):
            if field.name == name:
                return read_field(field, self._handle.address, self._handle)[0]
        raise AttributeError(f"{name}: a data set has {', '.join(self.keys())}")

    @staticmethod
    def keys():
        return names(library.trop_dataset_keys())

    def arrays(self):
        """Those that are there, by name."""
        found = {key: getattr(self, key) for key in self.keys()}
        return {key: array for key, array in found.items() if array is not None}

    def save(self, path):
        """Writes .json, .h5, or a folder of .npy."""
        check(library.trop_dataset_write(self._handle.address, as_text(path, "path")))

    def __dir__(self):
        return [*super().__dir__(), *self.keys()]

    def __reduce__(self):
        return _made, ({key: np.array(array) for key, array in self.arrays().items()},)

    def __repr__(self):
        shapes = (f"{key} {' x '.join(map(str, a.shape))}" for key, a in self.arrays().items())
        return f"<tropism data: {', '.join(shapes)}>"


def _made(arrays):
    return Dataset(**arrays)


def load(path):
    """Data of a file .json or .h5, a folder of .npy, or the file of a result."""
    path = os.fsdecode(as_text(path, "data"))
    if path in names(library.trop_dataset_names()):
        path = os.path.join(".", path)
    return Dataset._named(path, 0, 0, 0, OWN_SEED)


def sets():
    """The papers' sets: their names and what they are."""
    found = names(library.trop_dataset_names())
    return {name: _text(library.trop_dataset_meaning(name.encode())) for name in found}


def named(name, n=0, T=0, d=0, seed=None):
    """A set of the papers by name; sizes (0: its own) and seed (None: the published one) are for
    those that are drawn."""
    if name not in sets():
        raise Error(f"data = {name}: must be one of {', '.join(sets())}")
    return Dataset._named(name, n, T, d, OWN_SEED if seed is None else seed)


def _function(name, meaning):
    def function(n=0, T=0, d=0, seed=None):
        return named(name, n, T, d, seed)

    function.__name__ = function.__qualname__ = name.replace("-", "_")
    function.__doc__ = f"{meaning}.\n\nSizes that are 0 are the set's own, as is the seed None."
    return function


text = text_corpus

for _name, _meaning in sets().items():
    globals()[_name.replace("-", "_")] = _function(_name, _meaning)

def __dir__():
    return sorted(__all__)


__all__ = ["Corpus", "Dataset", "load", "named", "sequences", "sets", "text", *(name.replace("-", "_") for name in sets())]
