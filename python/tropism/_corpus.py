"""Sequences to learn from: texts, images and vectors, as the library reads them."""

import ctypes as c
import operator
import os

import numpy as np

from ._library import Error, Handle, as_text, as_whole, check, library, text
from ._setup import as_array, as_word
from ._values import array_at, fields, read_field

SPLITS = ("train", "validation", "test")


def as_utf8(value, name):
    """A text of Python's, whatever its language, as bytes that end where it does."""
    if not isinstance(value, str):
        raise Error(f"{name}: {type(value).__name__}: must be a text")
    try:
        words = value.encode()
    except UnicodeEncodeError:
        raise Error(f"{name}: is not text that can be encoded") from None
    if b"\0" in words:
        raise Error(f"{name}: a text must not hold the character 0")
    return words


def as_texts(values, name):
    """A list of texts as the library takes them."""
    if not hasattr(values, "__iter__"):
        raise Error(f"{name}: {type(values).__name__}: must be a list of texts")
    words = [as_utf8(value, f"{name}: item {i}") for i, value in enumerate(values)]
    return (c.c_char_p * (len(words) + 1))(*words), len(words)


def _label(value, i):
    """A class by its name: 3 and "3" are one."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    try:
        return str(operator.index(value))
    except TypeError:
        raise Error(f"labels: item {i}: {value!r}: must be a text or a whole number") from None


def _split(value, i):
    if value in SPLITS:
        return SPLITS.index(value)
    try:
        return operator.index(value)
    except TypeError:
        raise Error(f"splits: item {i}: {value!r}: must be one of {', '.join(SPLITS)}") from None


def _same(values, name, count):
    values = list(values)
    if len(values) != count:
        raise Error(f"{name}: there are {len(values)}, must be {count}, one for each item")
    return values


def _pairs(options):
    words = []
    for name, value in options.items():
        if value is not None:
            words += [as_text(name, "an option"), as_text(as_word(value), name)]
    return (c.c_char_p * (len(words) + 1))(*words)


class Corpus:
    """Items of different lengths with their classes, to learn from: texts, images or vectors.

    `len(corpus)` items with `labels`, numbers of `classes`; their tokens are `ids`, numbers of
    `words`, or `vectors`, those of item i from `offsets[i]` to `offsets[i + 1] - 1`."""

    __slots__ = ("_handle", "_recipe", "__weakref__")

    def __init__(self, handle, recipe):
        self._handle = handle
        self._recipe = recipe  # a function and its arguments that build it

    def _field(self, name):
        for field in fields(library.trop_corpus_field_table()):
            if field.name == name:
                return read_field(field, self._handle.address, self._handle)[0]
        raise AttributeError(name)

    def __len__(self):
        return self._field("items")

    @property
    def name(self):
        """Where it came from: a name, a file, or "texts"."""
        return self._field("name")

    @property
    def classes(self):
        """The names of the classes."""
        found = []
        while (name := library.trop_corpus_class(self._handle.address, len(found))) is not None:
            found.append(text(name))
        return found

    @property
    def words(self):
        """The vocabulary: the word of each id; None when tokens have no names."""
        return self._field("words")

    @property
    def texts(self):
        """The text of every item; None when they are no texts."""
        if library.trop_corpus_text(self._handle.address, 0) is None:
            return None
        return [text(library.trop_corpus_text(self._handle.address, i)) for i in range(len(self))]

    @property
    def ids(self):
        """The words of all items one behind the other, numbers into `words`; None: `vectors`."""
        count = c.c_int64()
        address = library.trop_corpus_ids(c.byref(count), self._handle.address)
        return array_at(address, np.int32, (count.value,), self._handle) if address else None

    @property
    def vectors(self):
        """The tokens of all items one behind the other, (tokens, width); None: `ids`."""
        return self._field("vectors")

    @property
    def offsets(self):
        """Where the tokens of each item begin, and behind the last where they end, (items + 1)."""
        return self._field("offsets")

    @property
    def labels(self):
        """The class of each item, a number into `classes`."""
        return self._field("labels")

    @property
    def splits(self):
        """0 train, 1 validation, 2 test of each item; None: train() draws them."""
        return self._field("splits")

    @property
    def lexicon(self):
        """Of each word: 1 when it is in the lexicon that was named; None: there is none."""
        return self._field("lexicon")

    def _encoded(self, sentence):
        ids, words, count = c.c_void_p(), c.POINTER(c.c_char_p)(), c.c_int64()
        sentence = as_utf8(sentence, "text")
        with self._handle.lock:  # the answer is the corpus's until it is asked again
            check(
                library.trop_corpus_encode(
                    c.byref(ids), c.byref(words), c.byref(count), self._handle.address, sentence
                )
            )
            found = array_at(ids.value, np.int32, (count.value,))
            return found, [text(words[k]) for k in range(count.value)]

    def encode(self, sentence):
        """The tokens of any text, as numbers into `words`; 0 stands for a word that is unknown."""
        return self._encoded(sentence)[0]

    def split(self, sentence):
        """The same tokens as texts, unknown ones as they are written in the text."""
        return self._encoded(sentence)[1]

    def __reduce__(self):
        function, arguments = self._recipe
        return function, arguments

    def __repr__(self):
        words = self.words
        kind = f"{len(words)} words" if words else "words without names" if self.ids is not None else ""
        kind = kind or f"vectors of width {self.vectors.shape[1]}"
        classes = self.classes
        shown = ", ".join(classes[:6]) + (", ..." if len(classes) > 6 else "")
        return (f"<tropism corpus {self.name}: {len(self)} items, {self._field('tokens')} tokens, {kind}, "
                f"classes {shown}>")


def _ragged(items, labels, splits, words):
    """Arrays of items, one behind the other, by the names that they have in files."""
    items = [np.asarray(item) for item in items]
    ranks = {item.ndim for item in items}
    if ranks not in ({1}, {2}):
        raise Error("items: must be arrays of vectors (T, width) each, or of words (T) each")
    if ranks == {2} and len({item.shape[1] for item in items}) > 1:
        raise Error("items: their vectors must have one width")
    if ranks == {1} and any(item.size and item.dtype.kind not in "iu" for item in items):
        raise Error("items: words must be whole numbers")
    arrays = {
        "tokens" if ranks == {2} else "ids": np.concatenate(items),
        "offsets": np.cumsum([0, *map(len, items)]),
        "labels": [as_whole(y, f"labels: item {i}") for i, y in enumerate(_same(labels, "labels", len(items)))],
    }
    if splits is not None:
        arrays["splits"] = [_split(s, i) for i, s in enumerate(_same(splits, "splits", len(items)))]
    if words is not None:
        arrays["words"] = [as_whole(words, "words")]
    return {name: as_array(values, name) for name, values in arrays.items()}


def _of_arrays(arrays, options):
    count = len(arrays)
    shapes = np.zeros((count, 4), dtype=np.int64)
    for k, array in enumerate(arrays.values()):
        shapes[k, : array.ndim] = array.shape
    handle = Handle(
        library.trop_corpus_create_arrays_from,
        library.trop_corpus_free,
        (c.c_char_p * (count + 1))(*(name.encode() for name in arrays)),
        (c.c_void_p * count)(*(array.ctypes.data for array in arrays.values())),
        (c.c_int64 * count)(*(array.ndim for array in arrays.values())),
        (c.c_int64 * (4 * count))(*shapes.ravel()),
        _pairs(options),
    )
    return Corpus(handle, (_of_arrays, (arrays, options)))


def sequences(source, labels=None, splits=None, *, words=None, **options):
    """Sequences of a file or by name: "mr" (film reviews), "digits" (small images), tables of texts
    .tsv and .csv, .zip, images ...-ubyte, ragged arrays .npz and FILE.h5:/group (docs/data.md).

    Or a list of arrays, with a label (a whole number) for each and if need be its split: vectors
    (T, width), or words (T) below `words`; T may differ from one to the next.

    Options are those of train() that are about reading: vocabulary, min_count, max_length,
    tokenizer, wordpiece, patch, lexicon, columns."""
    if not isinstance(source, (str, bytes, os.PathLike)):
        if labels is None or not hasattr(source, "__iter__"):
            raise Error("data: must be a file, a name, or a list of arrays with labels")
        return _of_arrays(_ragged(source, labels, splits, words), options)
    if any(given is not None for given in (labels, splits, words)):
        raise Error("labels, splits and words: those of a file are in the file")
    source = os.fsdecode(as_text(source, "data"))
    handle = Handle(
        library.trop_corpus_create_from, library.trop_corpus_free, os.fsencode(source), _pairs(options)
    )
    return Corpus(handle, (_again, (source, options)))


def _again(source, options):
    return sequences(source, **options)


def text_corpus(texts, labels=None, splits=None, **options):
    """Texts to learn from: a list with a label for each (texts or whole numbers) and, if need be,
    its split ("train", "validation" or "test"); or a file or name, as `sequences` reads it.

    Options are those of train() that are about reading: vocabulary, min_count, max_length,
    tokenizer, wordpiece, lexicon, columns."""
    if isinstance(texts, (str, bytes, os.PathLike)):
        if labels is not None or splits is not None:
            raise Error("labels and splits: those of a file are in the file")
        made = sequences(texts, **options)
        if made.texts is None:
            raise Error(f"{made.name}: has no texts; tropism.data.sequences reads it")
        return made
    words, count = as_texts(texts, "texts")
    if labels is None:
        raise Error("labels: which are the classes of the texts?")
    labels = [_label(value, i) for i, value in enumerate(_same(labels, "labels", count))]
    numbers = None
    if splits is not None:
        splits = [_split(value, i) for i, value in enumerate(_same(splits, "splits", count))]
        numbers = (c.c_int64 * count)(*splits)
    handle = Handle(
        library.trop_corpus_create_labelled_from,
        library.trop_corpus_free,
        words,
        as_texts(labels, "labels")[0],
        numbers,
        count,
        _pairs(options),
    )
    # Kept as bytes of Python's: a list of the caller's may change.
    texts = [word.decode() for word in words[:count]]
    return Corpus(handle, (_with_labels, (texts, labels, splits, options)))


def _with_labels(texts, labels, splits, options):
    return text_corpus(texts, labels, splits, **options)


text_corpus.__name__ = text_corpus.__qualname__ = "text"
