"""What is trained: attention on tokens, and on sequences, that can be stopped and go on."""

import ctypes as c
import os

import numpy as np

from ._attention import Attention, attentions, read_items
from ._library import Error, as_whole, check, library
from ._progress import go, tell
from ._result import Result, tables
from ._setup import Setup, sampled


class _Training(Result):
    """What is trained; stopped, it can go on."""

    __slots__ = ("_ended",)
    _verb = "train"

    def __init__(self, handle, settings):
        super().__init__(handle, settings)
        self._ended = False

    @property
    def _views(self):
        return self._ended  # one that was stopped can go on

    def run(self, *, progress=None):
        """Goes on to the end of a run that was stopped."""
        if self._snapshot is not None:
            self._wake()
        self.stopped = go(library.trop_job_run, self._handle, progress=self._asked(progress), result=self, apart=True)
        self._ended = self.stopped is None
        return self

    def _wake(self):
        raise Error("run: a training that was pickled does not go on; train it again, or resume its file")


class Train(_Training):
    """Attention that was trained, compared with max-margin solutions."""

    __slots__ = ()
    _tables = tables("train")

    def run(self, steps=None, *, progress=None):
        """Goes on to the end of a run that was stopped. `steps` moves that end: a run that came to
        its end goes on, and is as one that was made with it."""
        if steps is None:
            return super().run(progress=progress)
        if as_whole(steps, "steps") <= self["steps"]:
            raise Error(f"steps = {steps}: must be beyond {self['steps']}, where the training is")
        if self._snapshot is not None or "resume" in self._settings:
            raise Error('run: a training that was pickled, loaded or resumed takes no other steps; '
                        'train(resume="FILE.h5", steps=...) goes on from its file')
        words = self._state()
        self._settings = {**self._settings, "steps": steps}
        self._rebuild(words)
        super().run(progress=progress)
        if "out" in self._settings:
            self._write(os.fspath(self._settings["out"]))
        return self

    def _state(self):
        with self._handle.lock:
            train = library.trop_job_result(self._handle.address)
            words = np.zeros(library.trop_train_state_size(train), dtype=np.int64)
            library.trop_train_state_save(words.ctypes.data_as(c.POINTER(c.c_int64)), train)
        return words

    def _rebuild(self, words):
        files = ("out", "checkpoint", "report")
        fresh = Train._start({k: v for k, v in self._settings.items() if k not in files})
        check(
            library.trop_train_state_load(
                library.trop_job_result(fresh._handle.address),
                words.ctypes.data_as(c.POINTER(c.c_int64)),
                words.size,
            )
        )
        self._handle, self._snapshot, self._ended = fresh._handle, None, False

    def _wake(self):
        """Rebuilds a run that was stopped and pickled, in the state that it had."""
        words = self._snapshot.get("state")
        if words is None or "resume" in self._settings:
            super()._wake()
        self._rebuild(words)

    def _picture_of_itself(self):
        picture = super()._picture_of_itself()
        if self._snapshot is None and self.stopped is not None:
            picture = {**picture, "state": self._state()}
        return picture


class Fit(_Training):
    """Attention that learnt to classify texts, images or vectors, and what it attends to."""

    __slots__ = ()
    _tables = tables("fit")

    def _live(self, what):
        if self._snapshot is not None:
            raise Error(f"{what}: a fit that was pickled has its numbers alone; train it again")
        return self._handle

    def predict(self, items, *, scores=False):
        """The class of a text, or of each of a list of texts or of the items of a Corpus, by name.

        scores=True gives numbers instead: of two classes one, above 0 for the second class; else
        one for each class, the largest wins."""
        one = isinstance(items, str)
        wanted = ("scores",) if scores else ("classes", "predicted")
        found = read_items(self._live("predict"), [items] if one else items, wanted)
        values = found["scores"] if scores else [found["classes"][k] for k in found["predicted"]]
        return values[0] if one else values

    def attention(self, items):
        """The words of a text with their weights, an Attention; a list of them for a list of texts
        or a Corpus."""
        one = isinstance(items, str)
        made = attentions(self._live("attention"), [items] if one else items)
        return made[0] if one else made

    def _repr_html_(self):
        """The items of `show`, their words coloured, above the fields."""
        names = self["classes"]["name"]
        items = [Attention(row.text and row.text.split(" "), row.attention, names[row.predicted], None)
                 for row in self.shown]
        return "".join(item._repr_html_() for item in items) + super()._repr_html_()


def train(settings):
    """What is learnt from decides what the result is."""
    progress = settings.pop("progress", None)
    settings = sampled("train", {name: value for name, value in settings.items() if value is not None})
    handle = Setup("train", settings).job()
    tell(handle)
    of_fit = library.trop_job_field_table(handle.address) == library.trop_fit_field_table()
    return (Fit if of_fit else Train)(handle, settings).run(progress=progress)
