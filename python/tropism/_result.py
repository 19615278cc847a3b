"""What every result can do: fields as attributes, tables, files, pictures, pickles."""

import base64
import contextlib
import ctypes as c
import html
import os
import pathlib
import tempfile

import numpy as np

from ._library import Error, as_text, check, library, text
from ._setup import Setup, kept, options, sampled, value_of
from ._values import Group, NoField, Table, fields, lines, plain, read_field, short, spelled


class Picture:
    """A picture that shows itself in a notebook; `save` writes it."""

    def __init__(self, svg, draw):
        self.svg = svg
        self._draw = draw

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes .pdf, .svg, .png, or .gif of what moves."""
        self._draw(os.fspath(path))

    def __repr__(self):
        return f"<picture, {len(self.svg)} characters of SVG>"


def picture(file, kind, out, options, shown=None):
    """A picture of a file by the library. file: its path, or what creates and deletes it;
    shown: what errors call it."""

    def draw(path):
        with file() if callable(file) else contextlib.nullcontext(file) as source:
            try:
                Setup("plot", {"file": source, "kind": kind, "out": path, **options}).job()
            except Error as error:  # a file of ours is of no interest
                raise Error(str(error).replace(source, shown or source), error.status) from None

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.svg")
        draw(path)
        svg = pathlib.Path(path).read_text()
    if out is not None:
        draw(os.fspath(out))
    return Picture(svg, draw)


def tables(noun, of="field", stamp=True):
    """The tables of a noun's result, and of what every result carries, each with what it is read
    from: the function of the library that finds that in the job, None: the job itself."""
    own = ((f"trop_{noun}_{of}_table", "trop_job_result"),)
    return own + ((("trop_job_stamp_table", None),) if stamp else ())


class Result:
    """Values by name, computed by the library; `dir(result)` has them, `result.fields()` says what
    they mean."""

    _verb = ""  # of the setup
    _tables = ()  # functions of the library: a table of fields, and the handle's part it is for

    __slots__ = ("_handle", "_settings", "_snapshot", "_progress", "stopped", "__weakref__")

    def __init__(self, handle, settings):
        self._handle = handle
        self._settings = {name: kept(value) for name, value in settings.items()}
        self._snapshot = None
        self._progress = None  # of a flow's moves, unless they are given another
        self.stopped = None
        """The sentence of a computation that ended before its end; None otherwise."""

    def _asked(self, progress):
        return self._progress if progress is None else progress

    @classmethod
    def _start(cls, settings):
        settings = sampled(cls._verb, settings)
        return cls(Setup(cls._verb, settings).job(), settings)

    # ---- fields ----

    @classmethod
    def _all_fields(cls):
        found = {}
        for table, part in cls._tables:
            for field in fields(getattr(library, table)()):
                found.setdefault(field.name, (field, part))
        return found

    @classmethod
    def fields(cls):
        """The meaning of every field, by name."""
        return {name: field.meaning for name, (field, _) in cls._all_fields().items()}

    def _part(self, part):
        """The address that a table's fields are read from."""
        return getattr(library, part)(self._handle.address) if part else self._handle.address

    # Whether arrays may be views of the library's memory: not of what can take another step.
    _views = True

    def _read(self, name):
        if self._snapshot is not None:
            return self._snapshot["values"][name]
        field, part = self._all_fields()[name]
        with self._handle.lock:
            return read_field(field, self._part(part), self._handle if self._views else None)

    def _names(self):
        return list(self._all_fields())

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name.rstrip("_")]

    def __getitem__(self, name):
        names = self._names()
        if name in names:
            return self._read(name)[0]
        inner = [key for key in names if key.startswith(name + ".")]
        if not inner:
            raise NoField(f"{name}: {type(self).__name__} has no such field")
        return Group({key[len(name) + 1 :]: self._read(key)[0] for key in inner})

    def keys(self):
        return list(dict.fromkeys(name.split(".")[0] for name in self._names()))

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return name in self.keys()

    def __bool__(self):
        return True

    def __dir__(self):
        return [*super().__dir__(), *map(spelled, self.keys())]

    @property
    def options(self):
        """The options that have a part in the result: those that were given and the defaults of
        the others, a model that was auto as what it stands for."""
        if self._snapshot is not None:
            return dict(self._snapshot["options"])
        known, words, found = options(self._verb), c.c_char_p(), {}
        with self._handle.lock:
            while name := library.trop_job_option(c.byref(words), self._handle.address, len(found)):
                found[text(name)] = value_of(known[text(name)], text(words.value))
        return found

    @property
    def given(self):
        """The options that were given, as they were given."""
        return dict(self._settings)

    def to_dict(self):
        """Everything as dicts, lists, numbers, texts and None, which json.dumps takes; arrays as
        lists (the arrays themselves are result["NAME"])."""
        return {name: plain(self[name]) for name in self.keys()}

    # ---- showing ----

    def __repr__(self):
        return "\n".join([f"tropism {self._verb}", *("  " + line for line in self._lines())])

    def _lines(self):
        return lines(Group({name: self[name] for name in self.keys()}))

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td><code>{html.escape(name)}</code></td><td>{html.escape(short(self[name]))}</td></tr>"
            for name in self.keys()
            if self[name] is not None
        )
        picture = ""
        try:
            svg = base64.b64encode(self.plot().svg.encode()).decode()
            picture = f'<img src="data:image/svg+xml;base64,{svg}">'
        except Error:
            pass  # there is no picture of this
        table = f"<table>{rows}</table>"
        verdict = self._verdict()
        head = f"<p>{html.escape(verdict)}</p>" if verdict else ""
        return f"<div>{head}{picture}<details><summary>tropism {self._verb}</summary>{table}</details></div>"

    def _verdict(self):
        """What a notebook shows above the picture: one sentence, "" for none."""
        return ""

    # ---- files and pictures ----

    _saves = True  # whether there is a file of it

    def _write(self, path):
        if self._snapshot is not None:
            path = os.fsdecode(as_text(path, "path"))
            ending = pathlib.Path(path).suffix
            if ending not in self._snapshot["files"]:
                what = "pickled" if len(self._snapshot["files"]) > 1 else "loaded"
                raise Error(f"{path}: what was {what} can be saved as {' and '.join(self._snapshot['files'])}")
            pathlib.Path(path).write_bytes(self._snapshot["files"][ending])
            return
        with self._handle.lock:
            check(library.trop_job_save(self._handle.address, as_text(path, "path")))

    def save(self, path):
        """Writes the result to a file, .h5 (everything), .json, or a table of it to .csv (NAME.csv:LIST
        for another list or array), tokens also to .npy, as the command line does with --out."""
        if not self._saves:
            raise Error(f"save: there is no file format for {self._verb}")
        self._write(os.fspath(path))

    def report(self, path):
        """Writes the result as one page, .html, that needs no other file: the answer in words,
        pictures, certificate, every number with its meaning, and what was run."""
        path = os.fspath(path)
        if not os.fsdecode(path).endswith(".html"):
            raise Error(f"report = {os.fsdecode(path)}: must end in .html")
        if self._snapshot is not None:
            raise Error("report: a result that was loaded or pickled has its numbers without the run that "
                        f"the page is of; tropism {self._verb} --from FILE.h5 --report FILE.html runs it again")
        self._write(path)

    def proof(self, path):
        """Writes what is proved of the result with what anyone needs to check it, .json (docs/proofs.md).
        Returns the number of claims; 0: nothing is proved in a form that can be checked, and no file is
        written."""
        claims = c.c_int64(0)
        if self._snapshot is not None:
            raise Error("proof: a result that was loaded or pickled has its numbers without the run that was proved")
        self._read("version")  # judged, as whoever reads it would see it
        with self._handle.lock:
            check(library.trop_job_prove(c.byref(claims), self._handle.address, as_text(os.fspath(path), "path")))
        return claims.value

    def to_json(self):
        """The result as the JSON text of the command line."""
        return self._bytes(".json").decode().rstrip("\n")

    def _bytes(self, ending):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result" + ending)
            self.save(path)
            return pathlib.Path(path).read_bytes()

    def plot(self, kind=None, *, ax=None, out=None, **options):
        """A picture by the library, or on the axes `ax` of matplotlib.

        `kind` and `options` are those of `tropism plot` (title, width, height, x, y, ...); `out`
        writes .pdf, .svg, .png or .gif as well."""
        if ax is not None:
            from . import _draw

            return _draw.draw(self, ax, kind, **options)

        @contextlib.contextmanager
        def written():
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "result.h5")
                self.save(file)
                yield file

        return picture(written, kind, out, options, shown="this")

    # ---- tables of others ----

    def to_pandas(self, name=None):
        """A list of the result as a pandas.DataFrame: the one called name, or its first one that
        has rows. A result without lists is a pandas.Series of its numbers and texts."""
        if name is not None:
            return self[name].to_pandas()
        for key in self._names():
            value = self[key]
            if isinstance(value, Table) and len(value):
                return value.to_pandas()
        import pandas

        simple = {k: self[k] for k in self._names() if not isinstance(self[k], (np.ndarray, Table))}
        return pandas.Series(simple, dtype=object)

    def to_xarray(self):
        """Arrays, with the names of their axes, as an xarray.Dataset; the rest as its attributes.
        The column of a list is an array along an axis of the list's name."""
        import xarray

        arrays, attributes = {}, {}
        for name in self._names():
            value, axes = self._read(name)
            if isinstance(value, np.ndarray):
                # Axes of one name have one length in xarray; that of another length is the field's.
                dims = []
                for k, axis in enumerate(axes):
                    axis = axis or f"{name}_{k}"
                    if axis in self._names():  # xarray would take the field for its coordinate
                        axis += "_axis"
                    known = {d: s for a in arrays.values() for d, s in zip(a[0], a[1].shape)}
                    known |= dict(zip(dims, value.shape))
                    dims.append(axis if known.get(axis, value.shape[k]) == value.shape[k]
                                and axis not in dims else f"{name}_{axis}_{k}")
                arrays[name] = (tuple(dims), np.asarray(value))
            elif isinstance(value, Table):
                for column in value.keys():
                    cells = value[column]
                    if isinstance(cells, np.ndarray):
                        arrays[f"{name}.{column}"] = ((name,), cells)
            elif value is not None:
                attributes[name] = value
        return xarray.Dataset(arrays, attrs=attributes)

    # ---- pickles ----

    def _picture_of_itself(self):
        """Everything there is, without the library: the values and the bytes of the files."""
        if self._snapshot is not None:
            return self._snapshot
        values = {}
        for name in self._names():
            value, axes = self._read(name)
            values[name] = (np.array(value) if isinstance(value, np.ndarray) else value, axes)
        files = {ending: self._bytes(ending) for ending in (".h5", ".json")} if self._saves else {}
        return {"values": values, "files": files, "stopped": self.stopped, "options": self.options}

    def __reduce__(self):
        return _restored, (type(self), self._settings, self._picture_of_itself())


def _restored(kind, settings, snapshot):
    result = kind.__new__(kind)
    Result.__init__(result, None, settings)
    result._snapshot = snapshot
    result.stopped = snapshot["stopped"]
    return result


__all__ = ["Picture", "Result"]
