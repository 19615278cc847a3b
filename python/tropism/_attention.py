"""What attention says of a text: its words and what each of them gets."""

import contextlib
import html
import os
import sys

import numpy as np

from ._library import Error, Handle, library
from ._corpus import Corpus, as_texts
from ._values import fields, read_field

WIDTH = 79


class Attention:
    """The tokens of one item and their weights: `words`, `weights` (1 in all), the class that is
    `predicted` and its `scores`. It shows itself in a notebook with coloured words, and on a
    terminal with the weights of the words that get at least twice an equal share."""

    __slots__ = ("words", "weights", "predicted", "scores")

    def __init__(self, words, weights, predicted, scores):
        self.words, self.weights = words, weights
        self.predicted, self.scores = predicted, scores

    def __len__(self):
        return len(self.weights)

    def __iter__(self):
        """Pairs of a word and its weight; a token without a name is its number."""
        return zip(range(len(self)) if self.words is None else self.words, self.weights.tolist())

    def __eq__(self, other):
        return (isinstance(other, Attention) and self.words == other.words
                and self.predicted == other.predicted
                and np.array_equal(self.weights, other.weights)
                and np.array_equal(self.scores, other.scores))

    __hash__ = None

    def to_pandas(self):
        """A row for each token, as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(list(self), columns=["word", "attention"])

    def __str__(self):
        lines, line = [], ""
        for word, weight in self:
            mark = f"{word}[{weight:.2f}]" if weight * len(self) >= 2 else str(word)
            if line and len(line) + 1 + len(mark) > WIDTH:
                lines, line = [*lines, line], mark
            else:
                line = f"{line} {mark}" if line else mark
        return "\n".join([*lines, line])

    def __repr__(self):
        return f"{self.predicted}: {self}"

    def _coloured(self):
        """The words, on a ground that is the darker the more of the attention they get."""
        most = float(self.weights.max())
        spans = []
        for word, weight in self:
            share = weight / most if most > 0 else 0.0
            ink = "#fff" if share > 0.6 else "inherit"
            spans.append(
                f'<span title="{weight:.3f}" style="background:rgba(178,24,43,{share:.2f});color:{ink};'
                f'padding:1px 3px;border-radius:3px">{html.escape(str(word))}</span>'
            )
        return " ".join(spans)

    def _repr_html_(self):
        name = html.escape(str(self.predicted))
        return f'<div style="line-height:1.8"><b>{name}</b>&ensp;{self._coloured()}</div>'

    def _repr_pretty_(self, printer, cycle):
        printer.text("Attention(...)" if cycle else self._shaded() if _on_terminal() else repr(self))

    def _shaded(self):
        """The same in the colours of a terminal: grey 255 is white, 237 the darkest."""
        most, words = float(self.weights.max()), []
        for word, weight in self:
            grey = 255 - int(18 * weight / most) if most > 0 else 255
            words.append(f"\033[48;5;{grey}m\033[38;5;{231 if grey < 246 else 232}m{word}\033[0m")
        return f"{self.predicted}: {' '.join(words)}"


def _on_terminal():
    return sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def read_items(job, items, wanted):
    """What the weights of a job say of texts or of a corpus: fields of a reading, by name."""
    held = list(job.kept)
    if isinstance(items, Corpus):
        create, arguments = library.trop_reading_create, (items._handle.address,)
        held.append(items._handle)
    elif isinstance(items, (str, bytes)) or not hasattr(items, "__iter__"):
        raise Error(f"items: {type(items).__name__}: must be a text, a list of texts, or a Corpus")
    else:
        create, arguments = library.trop_reading_create_texts, as_texts(items, "items")
    with contextlib.ExitStack() as stack:
        stack.enter_context(job.lock)
        for handle in sorted(held, key=id):  # a corpus is asked by one thread at a time
            stack.enter_context(handle.lock)
        made = Handle(create, library.trop_reading_free, job.address, *arguments)
    table = fields(library.trop_reading_field_table())
    return {field.name: read_field(field, made.address, made)[0] for field in table
            if field.name in wanted}


def attentions(job, items):
    """An Attention for each item."""
    wanted = "items offsets words classes predicted attention scores".split()
    found, made = read_items(job, items, wanted), []
    for i in range(found["items"]):
        part = slice(found["offsets"][i], found["offsets"][i + 1])
        words = None if found["words"] is None else found["words"][part]
        predicted = found["classes"][found["predicted"][i]]
        made.append(Attention(words, found["attention"][part], predicted, found["scores"][i]))
    return made


__all__ = ["Attention"]
