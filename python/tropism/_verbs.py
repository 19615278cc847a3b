"""The verbs of the command line as functions, and the results that they return.

`flow` makes a flow, which `run`, `step` and `until_converged` move; the others compute at once.
"""

import ctypes as c
import re
import warnings

import numpy as np

from ._cite import note
from ._inspection import Inspection, by_name
from ._library import ConvergenceWarning, Error, as_text, as_whole, check, library, names, text
from ._progress import caller, go, tell
from ._result import Result, tables
from ._setup import Call, Setup, as_word, sampled
from ._training import Fit, Train, train as _train
from ._values import Group, array_at, new_value, plain, power_of_ten, read, short


def _settings(arguments):
    """What was given: None means that an option was not."""
    return {name: value for name, value in arguments.items() if value is not None}


def _run(kind, settings):
    """Makes the job and runs it; what there is comes with an interrupt."""
    progress = settings.pop("progress", None)
    settings = _settings(settings)
    result = kind._start(settings)
    tell(result._handle)
    result.stopped = go(library.trop_job_run, result._handle, progress=progress, result=result, apart=True)
    return result


OF_FILES = ("out", "report", "proof", "checkpoint")  # options that write
SMALL = 1e7  # numbers of a record, or pairs of tokens in tens, that a picture may cost


def _recorded(result):
    """The columns of a record, by name."""
    if result._snapshot is not None:
        return result._snapshot["record"]
    value, columns = new_value(), {}
    with result._handle.lock:
        while name := library.trop_job_record(value, result._handle.address, len(columns)):
            columns[text(name)] = read(value)
    return Group(columns)


# ---- flows ---------------------------------------------------------------------------------------


class Flow(Result):
    """A token flow: its present state by name, and what moves it."""

    __slots__ = ("_judged",)
    _verb = "flow"
    _tables = tables("flow")
    _views = False  # a step moves the tokens

    def __init__(self, handle, settings):
        super().__init__(handle, settings)
        self._judged = False  # whether the fields are those of the present state

    def _flow(self):
        return library.trop_job_result(self._handle.address)

    def _read(self, name):
        if self._snapshot is None and name != "tokens":
            with self._handle.lock:
                if not self._judged or self._handle.busy:
                    check(library.trop_flow_judge(self._flow()))
                    self._judged = not self._handle.busy
        value, axes = super()._read(name)
        if name == "steps" and value is None:  # more than is counted: known by their logarithm
            value = power_of_ten(super()._read("log10_steps")[0])
        return value, axes

    def _write(self, path):
        if self._snapshot is None:
            self._read("steps")  # judged, as whoever reads it would see it
        super()._write(path)

    def _move(self, function, *arguments, progress):
        self._wake()
        self._judged = False
        with self._handle.lock:
            apart = library.trop_flow_stride(self._flow()) == 1  # steps of many milliseconds, or seconds
        stopped = go(function, self._handle, *arguments, progress=self._asked(progress), result=self, apart=apart)
        self._judged = True
        return stopped

    def _wake(self):
        """Rebuilds a flow that was pickled, in the state that it had; one that is done has no
        further steps."""
        if self._snapshot is None:
            return
        settings = {k: v for k, v in self._settings.items() if k not in (*OF_FILES, "resume", "record")}
        words = self._snapshot.get("state")
        if words is None:
            raise Error("a flow that was loaded does not go on; flow(..., resume=FILE) takes up one that was stopped")
        if "resume" in self._settings:
            raise Error("resume: a flow that was resumed and pickled does not go on; resume it again")
        if "record" in self._settings:
            raise Error("record: a flow that was pickled does not go on recording; make a new one")
        fresh = Flow._start(settings)
        check(
            library.trop_flow_state_load(
                fresh._flow(), words.ctypes.data_as(c.POINTER(c.c_int64)), words.size
            )
        )
        self._handle, self._snapshot, self._judged = fresh._handle, None, False

    def _picture_of_itself(self):
        picture = super()._picture_of_itself()
        if self._snapshot is None:
            with self._handle.lock:
                words = np.zeros(library.trop_flow_state_size(self._flow()), dtype=np.int64)
                library.trop_flow_state_save(
                    words.ctypes.data_as(c.POINTER(c.c_int64)), self._flow()
                )
            picture = {**picture, "state": words, "record": self.record}
        return picture

    def run(self, steps=None, *, time=None, progress=None):
        """Steps to the end of the run and judges it. `steps` (or `time`, of flows that go by time)
        moves that end: a run that came to its end goes on, and is as one that was made with it."""
        for name, value in (("steps", steps), ("time", time)):
            if value is not None:
                self._extend(name, value)
        if self._snapshot is not None and self.done:
            return self
        self.stopped = self._move(library.trop_job_run, progress=progress)
        return self

    def step(self, steps=1, *, progress=None):
        """Takes so many further steps, also beyond the `steps` of the run; fewer when the flow has
        converged, or the end of its `time` comes first."""
        steps = as_whole(steps, "steps")
        if self._snapshot is not None and self.done and self._ended():
            return self
        self._wake()
        before = library.trop_flow_moves(self._flow())
        self._move(library.trop_job_step, steps, progress=progress)
        left = steps - (library.trop_flow_moves(self._flow()) - before)
        if left > 0 and self.done and not self._goes_by_time() and not self._ended():
            self._extend("steps", before + steps)
            self._move(library.trop_job_step, left, progress=progress)
        return self

    def _goes_by_time(self):
        return self.options.get("time") is not None

    def _ended(self):
        """Whether it will not move again, whatever steps it is given."""
        return self["outcome"] not in ("running", "steps") or bool(self.options.get("leap"))

    def _extend(self, name, value):
        if self._snapshot is not None and self._ended():
            return
        self._wake()
        words = as_word(value)
        with self._handle.lock:
            check(library.trop_job_extend(self._handle.address, name.encode(), as_text(words, name)))
        self._settings = {**self._settings, name: value}
        self._judged = False

    def until_converged(self, *, progress=None):
        """Steps until a certificate proves that the flow has converged; at most `steps` (`time` of
        an ODE). One that has not warns, a ConvergenceWarning; `run(steps=...)` goes on."""
        if self._settings.get("until") != "converged":
            if self._handle is not None and self._handle.busy:
                raise Error("until_converged: not from the progress function of the same flow")
            if self["steps"] != 0:
                raise Error('until_converged: steps were taken; give until="converged" to flow() instead')
            again = Flow._start({**self._settings, "until": "converged"})
            self._handle, self._settings, self._snapshot = again._handle, again._settings, None
        self.run(progress=progress)
        if self.stopped is None and not self["converged"]:
            end = "run(time=...)" if self._goes_by_time() else "run(steps=...)"
            warnings.warn(f"{self._verdict()}: {end} goes on", ConvergenceWarning, stacklevel=caller())
        return self

    def _verdict(self):
        kind, count, steps = self["certificate"]["kind"], self["clusters"], self["steps"]
        proof = f"converged ({kind})" if self["converged"] else f"not converged, residual {self['residual']:.3g}"
        left = "" if self.done else ", not at its end"
        return f"{count} cluster{'s' * (count != 1)} after {short(steps)} step{'s' * (steps != 1)}, {proof}{left}"

    def plot(self, kind=None, *, ax=None, out=None, **options):
        try:
            return super().plot(kind, ax=ax, out=out, **options)
        except Error as error:
            wanted = re.search("--record ([a-z,]+)", str(error))
            if not wanted or not self._is_small():
                raise
        return self._again(wanted[1]).plot(kind, ax=ax, out=out, **options)

    plot.__doc__ = Result.plot.__doc__ + """

        Of a small flow what the picture needs is recorded by itself; of others, give `record`."""

    def _again(self, record):
        """A small run with its records: it is run again, with the same bits."""
        end = {"time": self["time"]} if self._goes_by_time() else {"steps": self["steps"]}
        again = {k: v for k, v in self._settings.items() if k not in OF_FILES}
        return Flow._start({**again, **end, "until": "steps", "record": record}).run(progress=False)

    def report(self, path):
        if self._snapshot is not None and not {"resume", "record"} & self._settings.keys() and "state" in self._snapshot:
            self._wake()  # of a pickle, which has what the flow is made of
        if self._is_small() and self._snapshot is None and self["steps"]:
            return Result.report(self._again("tokens"), path)
        return super().report(path)

    report.__doc__ = Result.report.__doc__ + """ The tokens of a small flow are recorded for it by
        themselves."""

    def _is_small(self):
        """Whether taking all its steps again, with records, costs no more than a picture."""
        if "resume" in self._settings or "record" in self._settings or self.options.get("leap"):
            return False
        if self._snapshot is not None and "state" not in self._snapshot:  # of a file
            return False
        n, d = self["tokens"].shape
        return (self["steps"] or np.inf) * n * max(d, n / 10) <= SMALL

    @property
    def done(self):
        """Whether the run has come to its end."""
        if self._snapshot is not None:
            return self["outcome"] != "running"
        with self._handle.lock:
            return bool(library.trop_flow_done(self._flow()))

    @property
    def record(self):
        """What was recorded (option `record`): arrays by name, a row for each record."""
        return _recorded(self)

    def weights(self, i=None):
        """The attention weights of token i in the present state, (n); of all tokens, (n, n)."""
        self._wake()
        with self._handle.lock:
            n = self["tokens"].shape[0]
            out = np.empty((n, n) if i is None else (1, n))
            for row, token in enumerate(range(n) if i is None else [as_whole(i, "i")]):
                address = out[row].ctypes.data_as(c.POINTER(c.c_double))
                check(library.trop_flow_weights(address, self._flow(), token))
        return out if i is None else out[0]

    def to_dict(self):
        """Everything as dicts, lists, numbers, texts and None, which json.dumps takes, the record
        included."""
        return {**super().to_dict(), "record": plain(self.record)}

    def to_xarray(self):
        """As of every result, and the record: `record.NAME` along the axis `record`."""
        data = super().to_xarray()
        for name, values in self.record._values.items():
            axes = ("token", "coordinate") if values.ndim == 3 else (f"{name}_axis",)
            data[f"record.{name}"] = (("record", *axes[: values.ndim - 1]), values)
        return data

    def to_pandas(self, name=None):
        """The record as a pandas.DataFrame, its columns of one number; or the list called name."""
        columns = {k: v for k, v in self.record._values.items() if v.ndim == 1}
        if name is not None or not columns:
            return super().to_pandas(name)
        import pandas

        return pandas.DataFrame(columns)


class Copies(Result):
    """Many copies of one small flow: an entry for each, and means."""

    __slots__ = ()
    _verb = "flow"
    _tables = tables("copies")
    _views = False

    @property
    def record(self):
        """What was recorded (option `record`): arrays by name, (copies, records). Behind the end of
        a copy that is shorter than others numbers are NaN, whole numbers -1."""
        return _recorded(self)

    def _picture_of_itself(self):
        picture = super()._picture_of_itself()
        return picture if self._snapshot is not None else {**picture, "record": self.record}

    def to_dict(self):
        """Everything as dicts, lists, numbers, texts and None, which json.dumps takes, the record
        included where there is one."""
        record = plain(self.record)
        return {**super().to_dict(), **({"record": record} if record else {})}

    def to_xarray(self):
        """As of every result, and the record: `record.NAME` along the axes `copy` and `record`."""
        data = super().to_xarray()
        for name, values in self.record._values.items():
            axes = ("copy", "record", f"{name}_axis")
            data[f"record.{name}"] = (axes[: values.ndim], values)
        return data

    def to_pandas(self, name=None):
        """A row for each copy as a pandas.DataFrame; or the list called name, such as "means"."""
        if name is not None:
            return super().to_pandas(name)
        import pandas

        read = {name: self._read(name) for name in self._names()}
        own = {name: value for name, (value, axes) in read.items() if axes == ("copy",)}
        return pandas.DataFrame(own, index=pandas.RangeIndex(self["copies"], name="copy"))

    def run(self, *, progress=None):
        """Runs every copy to its end."""
        if self._snapshot is not None:
            raise Error("run: copies that were pickled do not go on; make new ones")
        self.stopped = go(library.trop_job_run, self._handle, progress=self._asked(progress), result=self)
        return self


def _flow(settings):
    progress = settings.pop("progress", None)
    settings = sampled("flow", _settings(settings))
    handle = Setup("flow", settings).job()
    tell(handle)
    many = library.trop_job_field_table(handle.address) == library.trop_copies_field_table()
    made = (Copies if many else Flow)(handle, settings)
    made._progress = progress
    # Starts of their own, (m, n, d), say how many copies there are: nothing is left to be said.
    return made.run() if many and not settings.get("copies") else made


# ---- clouds and training -------------------------------------------------------------------------


class _Cloud(Result):
    """What is known of a cloud of tokens."""

    __slots__ = ()

    @property
    def tokens(self):
        """The tokens, (n, d)."""
        if self._snapshot is not None:
            return self._snapshot["tokens"]
        shape = (c.c_int64 * 2)()
        with self._handle.lock:
            address = library.trop_job_tokens(shape, self._handle.address)
        return array_at(address, np.float64, tuple(shape), self._handle)

    def _picture_of_itself(self):
        picture = super()._picture_of_itself()
        return picture if self._snapshot is not None else {**picture, "tokens": np.array(self.tokens)}


class Cells(_Cloud):
    """The cells of hardmax: the points that go to each vertex of the hull."""

    __slots__ = ()
    _verb, _tables = "cells", tables("cells")


class Threshold(_Cloud):
    """An epsilon at which localmax begins to bring a cloud to one point, between two proofs."""

    __slots__ = ()
    _verb, _tables = "threshold", tables("threshold")


class Escape(_Cloud):
    """First exits at finite beta."""

    __slots__ = ()
    _verb, _tables = "escape", tables("escape")


class Margin(Result):
    """The solution of a max-margin problem, with the proof of its gap."""

    __slots__ = ()
    _verb, _tables = "margin", tables("margin")


class Path(Result):
    """A regularisation path."""

    __slots__ = ()
    _verb, _tables = "path", tables("path")


# ---- claims --------------------------------------------------------------------------------------


class _Told(Result):
    """A result without a file."""

    __slots__ = ()
    _saves = False

    def to_json(self):
        if self._snapshot is not None:
            return self._snapshot["json"]
        out = c.c_char_p()
        with self._handle.lock:
            check(library.trop_job_json(c.byref(out), self._handle.address))
            return out.value.decode()

    def plot(self, *arguments, **options):
        raise Error(f"plot: there is no picture of {self._verb}")

    def _picture_of_itself(self):
        picture = super()._picture_of_itself()
        return picture if self._snapshot is not None else {**picture, "json": self.to_json()}


class Check(_Told):
    """A claim of the papers, judged on instances."""

    __slots__ = ()
    _verb, _tables = "check", tables("check")


class Reproduction(_Told):
    """A figure or table of the papers, ours beside the published numbers."""

    __slots__ = ()
    _verb, _tables = "reproduce", tables("reproduction")


class ReproductionOfAll(_Told):
    """Every figure and table of the papers."""

    __slots__ = ()
    _verb, _tables = "reproduce", tables("reproduction", "all")


class Claims(_Told):
    """The theorems and figures of the papers, and what is known of them."""

    __slots__ = ()
    _verb, _tables = "claims", tables("claims", stamp=False)


class Doctor(_Told):
    """What this build and this machine can do, after small flows with known answers."""

    __slots__ = ()
    _verb, _tables = "doctor", tables("doctor", stamp=False)


def _reproduce(settings):
    kind = ReproductionOfAll if settings.get("claim") == "all" else Reproduction
    return _run(kind, settings)


def claims(id=None, *, paper=None, status=None):
    """The claims of the papers: the one called id, or those of a paper ("fw", "lm", "afz", "mm",
    "tf", "md", "sp") and with a status ("proved", "conjectured", "false-as-printed", "artifact",
    "needs-data", "measured")."""
    return _run(Claims, {"claim": id, "paper": paper, "status": status})


def doctor():
    """Looks around and runs small flows with known answers on every kernel."""
    return _run(Doctor, {})


# ---- the functions -------------------------------------------------------------------------------

VERBS = {
    # verb: first argument, result, what makes it, what it says of itself
    "flow": ("tokens", Flow, _flow,
             "A token flow, at its first state: call run(), step() or until_converged(). Of tokens of\n"
             "shape (m, n, d): m flows in bulk, run to their ends, Copies."),
    "cells": ("tokens", Cells, None, "Hull and cells of a cloud of tokens."),
    "threshold": ("tokens", Threshold, None,
                  "Brackets an epsilon at which localmax begins to bring a cloud to one point."),
    "escape": ("tokens", Escape, None, "First exits from the cells at finite beta."),
    "margin": ("data", Margin, None, "Solves a max-margin problem to a proved gap."),
    "train": ("data", Train, _train,
              "Trains attention and compares it with max-margin solutions; on texts, images and\n"
              "vectors (a Corpus, its file or name) it learns to classify them."),
    "path": ("data", Path, None, "Follows a regularisation path."),
    "inspect": ("model", Inspection, None,
                "Says what the heads of a trained transformer select, and how firmly: of a model and a\n"
                "text, or of queries, keys and values, inspect(q, k, v), arrays or tensors of the shape\n"
                "(layers, heads, n, d), (heads, n, d) or (n, d)."),
    "check": ("claim", Check, None,
              "Judges a claim of the papers on instances."),
    "reproduce": ("claim", Reproduction, _reproduce,
                  "Computes a figure or table of the papers, ours beside the published numbers."),
}


def _function(verb):
    first, kind, make, head = VERBS[verb]
    call = Call(verb, first)

    def function(*arguments, **options):
        if verb == "inspect":
            options, arguments = by_name(arguments, options), ()
        if len(arguments) > 1:
            raise TypeError(f"{verb}() takes one argument without a name, {first}")
        if arguments:
            if first in options:
                raise TypeError(f"{verb}() got two values for {first}")
            if arguments[0] is None:
                raise Error(f"{first}: is None; leave it out for the default")
            options = {first: arguments[0], **options}
        note(verb, options)
        # An unknown name goes to the library, which knows the nearest one.
        return make(dict(options)) if make else _run(kind, dict(options))

    function.__name__ = function.__qualname__ = verb
    function.__module__ = "tropism"
    function.__signature__ = call.signature()
    function.__doc__ = call.docstring(head)
    function.call = call
    return function


FUNCTIONS = {verb: _function(verb) for verb in VERBS}


def rules():
    """The names of the attention rules."""
    return names(library.trop_rule_names())


def schedule(words, times, option="gamma"):
    """A schedule, such as "fw" or "geometric:1,0.5", at these times."""
    setup = Setup("flow", {option: words})
    found = library.trop_setup_schedule(setup.handle.address, option.encode())
    if not found:
        raise Error(f"{option}: {words}: is not a schedule")
    times = np.asarray(times, dtype=np.float64)
    values = [library.trop_schedule_at(found, float(t)) for t in times.ravel()]
    return np.array(values).reshape(times.shape)


__all__ = [*VERBS, "claims", "doctor", "rules", "schedule"]
