"""Studies: a verb at every point of a product of axes, with its results in a folder.

What is asked is the YAML text of the command line; what is computed goes to logs in a folder, the
one that was named or one of the study's own, so that whatever stops a run, a further one goes on.
"""

import ctypes as c
import os
import pathlib
import tempfile
import uuid
import warnings
from collections.abc import Mapping

import numpy as np

from ._library import Error, Handle, as_text, as_whole, check, library, text
from ._progress import caller, go
from ._result import picture
from ._setup import Setup, as_word, is_sequence, options, value_of
from ._study_rows import Points, Rows, dataset, frame
from ._study_text import text_of
from ._values import Group, Table, new_value, read

COUNTS = ("points", "done", "failed", "late", "left", "seconds", "proofs")


def words(settings):
    """Pairs of name and text, NULL-ended."""
    pairs = [as_text(word, name) for name, value in settings.items() if value is not None
             for word in (name, as_word(value))]
    return (c.c_char_p * (len(pairs) + 1))(*pairs)


def names_in(value, what):
    """Names as a list or as a text separated by commas."""
    if value is None or isinstance(value, str):
        return value
    if not is_sequence(value) or not all(isinstance(name, str) for name in value):
        raise Error(f"{what} = {value!r}: must be names")
    return ",".join(value)


class Block:
    """A range of points, first to last - 1, of a study that is shared among workers."""

    __slots__ = ("first", "last")

    def __init__(self, first, last):
        self.first, self.last = as_whole(first, "first", 0), as_whole(last, "last", 0)
        if not self.first < self.last:
            raise Error(f"block {first} to {last}: has no points")

    def __len__(self):
        return self.last - self.first

    def __eq__(self, other):
        return isinstance(other, Block) and (self.first, self.last) == (other.first, other.last)

    def __hash__(self):
        return hash((self.first, self.last))

    def __reduce__(self):
        return Block, (self.first, self.last)

    def __repr__(self):
        return f"Block({self.first}, {self.last})"


class Study:
    """A verb at every point of a product of axes: `tr.study(...)`."""

    __slots__ = ("_handle", "_text", "_folder", "_own", "_axes", "stopped", "__weakref__")

    def __init__(self, yaml=None, *, path=None):
        """Of YAML text, or of a file or folder of results."""
        if path is None:
            self._handle = Handle(library.trop_study_create, library.trop_study_free, as_text(yaml, "study"), None)
        else:
            self._handle = Handle(library.trop_study_read, library.trop_study_free, as_text(path, "study"))
        self._text = text(library.trop_study_text(self._handle.address))
        self._folder = path if path is not None and os.path.isdir(path) else None
        self._axes = None
        self._own = None  # the folder of a study that was given none, gone with it
        self.stopped = None
        """The sentence of a run that ended before its end; None otherwise."""

    # ---- what is asked ----

    @property
    def text(self):
        """The YAML text of the study, as a file of the command line has it."""
        return self._text

    @property
    def verb(self):
        return text(library.trop_study_verb(self._handle.address))

    @property
    def keep(self):
        """The fields that are kept of every point."""
        found = []
        while name := library.trop_study_keep(self._handle.address, len(found)):
            found.append(text(name))
        return found

    @property
    def fixed(self):
        """The options that are the same at every point."""
        found, words_ = {}, c.c_char_p()
        while name := library.trop_study_fixed(c.byref(words_), self._handle.address, len(found)):
            found[text(name)] = self._value(text(name), text(words_.value))
        return found

    def _value(self, name, words_):
        option = options(self.verb).get(name)
        return value_of(option, words_) if option else words_

    @property
    def axes(self):
        """Every axis: its name or names, and for each name its values."""
        if self._axes is None:
            self._axes = [self._axis(a, count) for a, count in enumerate(self._counts())]
        return self._axes

    def _counts(self):
        found = []
        while count := library.trop_study_axis(self._handle.address, len(found)):
            found.append(count)
        return found

    def _axis(self, axis, count):
        names, address = {}, self._handle.address
        buffer = c.create_string_buffer(4096)
        while name := library.trop_study_axis_name(address, axis, len(names)):
            k, values = len(names), []
            for value in range(count):
                if library.trop_study_axis_text(buffer, len(buffer), address, axis, k, value) >= len(buffer):
                    raise Error(f"{text(name)}: value {value} is a text of more than 4095 characters")
                values.append(buffer.value.decode(errors="backslashreplace"))
            if library.trop_study_axis_numeric(address, axis, k):
                numbers = np.array([float(v) for v in values])
                whole = all(v.lstrip("-").isdigit() for v in values) and np.abs(numbers).max() < 2**53
                names[text(name)] = numbers.astype(np.int64) if whole else numbers
            else:
                names[text(name)] = np.array(values, dtype=object)
        return names

    def __len__(self):
        return library.trop_study_points(self._handle.address)

    def __bool__(self):
        return True

    @property
    def refused(self):
        """How many points have a value that its option refuses, and why: they will be rows that
        failed. None when there is none."""
        return text(library.trop_study_refused(self._handle.address)) or None

    def points(self):
        """The options of every point: `points()[17]` is a dict, `points().to_pandas()` a table."""
        return Points(self.axes, self.fixed, len(self))

    def blocks(self, n):
        """The points in n blocks of (nearly) equal size, fewer when there are fewer points:
        `study.run(block)` computes one, in any process."""
        n, count = min(as_whole(n, "n", 1), len(self)), len(self)
        return [Block(k * count // n, (k + 1) * count // n) for k in range(n)]

    # ---- what is computed ----

    @property
    def folder(self):
        """Where results are: the folder that was named, or one of the study's own."""
        if self._folder is not None:
            return self._folder
        if self._own is None:
            self._own = tempfile.TemporaryDirectory(prefix="tropism-study-")
        return self._own.name

    def run(self, block=None, *, out=None, threads=None, shard=None, extend=False, point_limit=None,
            time_limit=None, proof=False, progress=None):
        """Computes the points that have no result yet, and returns the study.

        Results go to the folder `out`, or to one of the study's own that is gone with it. Ctrl-C, a
        time limit or a kill lose nothing that is in it: run again. shard: "i/n", or (i, n). extend:
        the folder's study may lack points of this one. A point that is refused, fails, or takes
        longer than `point_limit` seconds is a row with its sentence; a warning says how many
        failed, and why the first did. proof: what is proved of each point goes to the folder's
        proof/, for verify/tropism_verify.py; points that have none are computed again.

        With a block (of `blocks(n)`) computes its points alone and returns their Rows, which can be
        pickled: in worker processes call study.run(block), and study.collect(rows) with what they
        give back."""
        if isinstance(block, (str, os.PathLike)) and out is None:
            block, out = None, block
        shard, shards = self._shard(shard)
        before = self._folder
        if out is not None:
            self._move(os.fsdecode(as_text(out, "out")))
        try:
            if block is not None:
                return self._run_block(block, threads=threads, point_limit=point_limit, progress=progress)
            if self.refused:
                warnings.warn(self.refused, stacklevel=caller())
            if seedless := text(library.trop_study_seedless(self._handle.address)):
                warnings.warn(seedless, stacklevel=caller())
            self._go(self.folder, dict(shard=shard, shards=shards, extend=1 if extend else None, threads=threads,
                                       point_limit=point_limit, time_limit=time_limit,
                                       proof=1 if proof else None), progress)
            if failed := text(library.trop_study_failed(self._handle.address, as_text(self.folder, "out"))):
                warnings.warn(failed, stacklevel=caller())
        except Error:
            if not self._is_there():  # a folder that could not be made
                self._folder = before
            raise
        return self

    def _is_there(self):
        return os.path.exists(os.path.join(self.folder, "study.yaml"))

    def _move(self, out):
        if self._folder is None and self._own is not None and out != self._own.name:
            counts = self.status()
            if counts.done or counts.failed:
                raise Error(f"out = {out}: the study has results already, in {self._own.name}; name the "
                            "folder in the first run, or copy that one")
        self._folder = out

    def _shard(self, shard):
        if shard is None:
            return None, None
        parts = shard.split("/") if isinstance(shard, str) else list(shard) if is_sequence(shard) else [shard]
        try:
            i, n = (int(part) for part in parts)
        except (TypeError, ValueError):
            i, n = 0, 0
        if not 0 <= i < n:
            raise Error(f'shard = {shard!r}: must be "i/n" with i from 0 to n - 1')
        return i, n

    def _go(self, folder, settings, progress):
        counts = (c.c_double * len(COUNTS))()
        pairs = words({**settings, "command": "python"})

        def call(study, *rest):
            return library.trop_study_run_from(counts, study, as_text(folder, "out"), pairs, *rest)

        self.stopped = go(call, self._handle, progress=progress, result=self)
        return counted(counts)

    def _run_block(self, block, *, threads, point_limit, progress):
        if not isinstance(block, Block):
            if not is_sequence(block) or len(block) != 2:
                raise Error(f"block = {block!r}: must be one of blocks(n), or (first, last)")
            block = Block(*block)
        if block.last > len(self):
            raise Error(f"{block}: the study has {len(self)} points")
        settings = dict(first=block.first, last=block.last, threads=threads, point_limit=point_limit)
        if self._folder is not None:
            self._go(self._folder, settings, progress)
            return self._rows(self._folder, block.first, block.last)
        with tempfile.TemporaryDirectory(prefix="tropism-block-") as folder:
            self._go(folder, settings, progress)
            rows = self._rows(folder, block.first, block.last)
            rows.logs = [log.read_bytes() for log in sorted(pathlib.Path(folder, "log").glob("*.log"))]
            return rows

    def collect(self, rows):
        """Takes what run(block) gave in other processes: Rows, or a list of them."""
        for part in [rows] if isinstance(rows, Rows) else rows:
            if not isinstance(part, Rows):
                raise Error(f"collect: {type(part).__name__}: must be what run(block) returns")
            if part.text != self._text:
                raise Error("collect: these are rows of another study")
            for log in part.logs:
                self._add(log)
        return self

    def _add(self, log):
        """A log under a name of its own: the same log twice is one file."""
        folder = pathlib.Path(self.folder)
        if not self._is_there():  # no points, but the folder is made
            self._go(self.folder, dict(first=len(self), last=len(self)), False)
        path = folder / "log" / f"{uuid.uuid5(uuid.NAMESPACE_OID, log.hex())}-0.log"
        if not path.exists():
            beside = path.with_suffix(f".{uuid.uuid4().hex}")
            beside.write_bytes(log)
            beside.replace(path)

    def status(self):
        """How many points there are, are done, failed (late ones among them), are left; the
        seconds that runs took; and how many have a proof in the folder."""
        if not self._is_there():
            count = len(self)
            return Group(dict(points=count, done=0, failed=0, late=0, left=count, seconds=0.0, proofs=0))
        counts = (c.c_double * len(COUNTS))()
        check(library.trop_study_count_numbers(counts, as_text(self.folder, "out")))
        return counted(counts)

    def merge(self, *folders):
        """Brings the catalogue (SQLite, and HDF5 of arrays) up to what the logs of the folder, and
        of others with parts of the same study, say; returns the path of the catalogue."""
        others = (c.c_char_p * (len(folders) + 1))(*(as_text(folder, "merge") for folder in folders))
        self._is_begun()

        def call(study, *rest):
            return library.trop_study_merge(as_text(self.folder, "out"), others, *rest)

        go(call, self._handle, progress=None, result=self)
        return os.path.join(self.folder, "catalogue.sqlite")

    def _is_begun(self):
        if not self._is_there():
            raise Error("study: has no results yet; run() computes them")

    # ---- what came of it ----

    def _rows(self, folder, first=0, last=0):
        address = c.c_void_p()
        check(library.trop_study_block_read(c.byref(address), self._handle.address, as_text(folder, "out"),
                                            first, last))
        try:
            return Rows.read(self._text, self.keep, address)
        finally:
            library.trop_study_block_free(address)

    def rows(self):
        """The rows there are: points, states and the values of every field that is kept."""
        if not self._is_there():
            return Rows(self._text, {name: [] for name in self.keep}, np.zeros(0, np.int64), np.zeros(0, np.int64), [])
        return self._rows(self.folder)

    def to_pandas(self):
        """A row for each point that has one: options that vary, `state`, `sentence` and what is kept
        (arrays as objects). The index is the number of the point."""
        return frame(self.points(), self.rows())

    def to_xarray(self):
        """What is kept, along the axes of the study and then those of the field, as an
        xarray.Dataset. Points without a value are NaN, or None; so are the ends of arrays whose
        sizes differ."""
        return dataset(self.axes, self.fixed, self.rows())

    def table(self, by=None, mean=None, deviation=False, where=None):
        """A row for each value of the options `by` with the means of fields over the other points, a
        Table; without `by` a row for each point. where: a condition of SQL on the columns."""
        self._is_begun()
        asked = dict(by=names_in(by, "by"), mean=names_in(mean, "mean"), deviation=1 if deviation else None,
                     where=where)
        made = Handle(library.trop_study_table_create_from, library.trop_study_table_free,
                      as_text(self.folder, "out"), words(asked))
        names = []
        while name := library.trop_study_table_column(made.address, len(names)):
            names.append(text(name))
        count, value = library.trop_study_table_rows(made.address), new_value()
        columns = {name: [] for name in names}
        for row in range(count):
            for k, name in enumerate(names):
                check(library.trop_study_table_cell(value, made.address, row, k))
                columns[name].append(read(value))
        return Table(columns, count)

    def plot(self, kind=None, *, out=None, **settings):
        """A picture of the study by the library: `kind` ("heat", "curves", "bands", "histogram"),
        `x`, `y`, `of` and the other options of `tropism plot`; `out` writes it as well."""
        self._is_begun()
        return picture(self.folder, kind, out, settings, shown=None if self._folder else "this")

    def report(self, path, by=None, mean=None, deviation=False, where=None):
        """Writes the study as one page, .html, that needs no other file: what was swept, how many
        points are done and failed, pictures, and the first rows of the table that the other
        arguments ask for."""
        self._is_begun()
        asked = dict(by=names_in(by, "by"), mean=names_in(mean, "mean"), deviation=True if deviation else None,
                     where=where)
        job = Setup("study", {"action": "table", "file": self.folder, "report": os.fspath(path),
                              **{name: value for name, value in asked.items() if value is not None}}).job()
        go(library.trop_job_run, job, progress=False, result=self)

    # ---- the rest ----

    def __reduce__(self):
        return again, (self._text, self._folder)

    def __repr__(self):
        axes, counts = [], self.status()
        for axis, count in enumerate(self._counts()):
            names = []
            while name := library.trop_study_axis_name(self._handle.address, axis, len(names)):
                names.append(text(name))
            axes.append(f"{'+'.join(names)} ({count})")
        failed = f", {counts.failed} failed" if counts.failed else ""
        return f"<tropism study of {self.verb}: {' x '.join(axes) or 'one point'}, {counts.done} of {counts.points} done{failed}>"


def again(yaml, folder):
    """A study that was pickled: what it asks, and the folder that it was given."""
    made = Study(yaml)
    made._folder = folder
    return made


def counted(counts):
    """Seven numbers of the library, by name; all but the seconds are whole."""
    return Group({name: value if name == "seconds" else int(value) for name, value in zip(COUNTS, counts)})


def study(source=None, /, *, verb=None, **settings):
    """A verb at every point of a product: of a file .yaml, of its text, of a folder with results, or of
    options, `tr.study(verb="flow", epsilon=[0, 0.1], seed=range(1, 101), n=64, keep=["clusters"])`.

    A list, an array of one axis, a range() or a text such as "0:1:0.02" or "1..1000" is an axis;
    anything else is the same at every point. together=["n", "d"] lets lists go side by side;
    points= (a file .csv, a DataFrame, columns by name, or dicts) lists the points one by one; keep
    names the fields that are kept, record.NAME among them."""
    if isinstance(source, Mapping) and verb is None and not settings:
        settings = dict(source)
        source, verb = None, settings.pop("verb", None)
    if source is None:
        if verb is None:
            raise Error("study: which? Name a file, or give verb= and its options")
        return Study(text_of(verb, settings))
    if verb is not None or settings:
        raise Error(f"study: {', '.join(['verb'] * (verb is not None) + list(settings))}: a file has its own")
    if isinstance(source, str) and "\n" in source:
        return Study(source)
    return Study(path=os.fsdecode(as_text(source, "study")))


__all__ = ["Block", "Study", "study"]
