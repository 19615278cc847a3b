"""The options of a verb from Python values, and what the option tables say of them.

Every option is set by text, exactly as on the command line, or by an array in the place of a file:
so a result has the bits of the command line's.
"""

import ctypes as c
import decimal
import functools
import inspect
import os
from collections.abc import Mapping

import numpy as np

from ._library import Error, Handle, as_text, asked_text, check, library, text
from ._values import Group, spelled

INT64, SEED, DOUBLE, CHOICE, FLAG, SCHEDULE, MATRIX, COUNT, ARRAY, TEXT = range(10)

# Texts that name a file of one array; they take the array itself.
ARRAYS = ("tokens", "masses", "query", "direction", "equal", "q", "k", "v")


class Option:
    """An entry of an option table."""

    __slots__ = ("name", "type", "meaning", "choices", "range", "when")

    def __init__(self, entry):
        self.name = text(library.trop_option_name(entry))
        self.type = library.trop_option_type(entry)
        self.meaning = text(library.trop_option_meaning(entry))
        self.range = asked_text(library.trop_option_range, entry)
        self.when = asked_text(library.trop_option_when, entry)
        self.choices = []
        while choice := library.trop_option_choice(entry, len(self.choices)):
            self.choices.append(choice.decode())

    def is_array(self):
        return self.type in (SCHEDULE, MATRIX) or (self.type == TEXT and self.name in ARRAYS)


def table_options(table):
    """Those of one table that texts can set, by name."""
    found, k = {}, 0
    while entry := library.trop_option_at(table, k):
        option, k = Option(entry), k + 1
        if option.type != ARRAY:
            found[option.name] = option
    return found


@functools.cache
def options(verb):
    """The options of a verb that can be set, by name. The tables are read once."""
    found, part = {}, 0
    while table := library.trop_setup_table(verb.encode(), part):
        found, part = {**found, **table_options(table), **found}, part + 1
    return found


# ---- from Python values to the library -----------------------------------------------------------


def as_array(values, name):
    """Numbers as the library takes them: float64, row after row. No copy where it is so already."""
    if np.ma.is_masked(values):
        raise Error(f"{name}: has masked entries: must be numbers throughout")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
            raise TypeError
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    except MemoryError as error:
        raise Error(f"{name}: {error}", "memory") from None
    except (TypeError, ValueError):
        kind = getattr(values, "dtype", type(values).__name__)
        raise Error(f"{name}: {kind}: must be an array of real numbers") from None


def kept(value):
    """A value as it is now: what the caller does to an array or a list later does not change it."""
    if isinstance(value, Mapping):
        return {key: kept(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(kept, value)) if type(value) in (list, tuple) else list(map(kept, value))
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        value = np.asarray(value).copy()
        value.flags.writeable = False
    return value


def shape_words(array):
    return (c.c_int64 * max(array.ndim, 1))(*array.shape)


def is_sequence(value):
    return isinstance(value, (list, tuple, range)) or (hasattr(value, "__array__") and np.ndim(value) > 0)


def as_word(value):
    """One value as text, numbers to the last bit."""
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (int, np.integer)):
        return str(int(value)) if abs(int(value)) < 10**300 else "inf" if value > 0 else "-inf"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if hasattr(value, "__array__") and np.ndim(value) == 0:
        return as_word(np.asarray(value)[()])
    if hasattr(value, "__fspath__"):
        value = os.fspath(value)
    return os.fsdecode(value) if isinstance(value, bytes) else str(value)


def as_list(values):
    """[3, (0, 2), 6] is 3,0|2,6: what is inside is a choice."""
    return ",".join(
        "|".join(map(as_word, value)) if is_sequence(value) else as_word(value) for value in values
    )


MOST_CALLS = 10**6  # of a function of the step


def sampled(verb, settings):
    """The settings with every schedule that is a function as what it gives at steps 0, 1, ..., steps:
    a result keeps numbers, which can be pickled and written to files."""
    known, found = options(verb), dict(settings)
    for name, value in settings.items():
        option = known.get(name.rstrip("_").replace("-", "_"))
        if not (callable(value) and option and option.type == SCHEDULE):
            continue
        if settings.get("dynamics") in ("ode", "sa", "usa", "sa-step"):
            raise Error(f"{name}: a function is asked at whole steps; {settings['dynamics']} goes by time")
        steps = settings.get("steps")
        steps = value_of(known["steps"], Setup(verb, {"steps": steps}).text("steps"))
        if not steps <= MOST_CALLS:
            raise Error(f"{name}: a function is asked at every step; steps = {steps}: must be at most {MOST_CALLS}")
        found[name] = as_array([value(t) for t in range(steps + 1)], name)
        if found[name].ndim != 1:
            raise Error(f"{name}: the function must give a number, not an array")
    return found


class Setup:
    """The options of a verb, gathered."""

    def __init__(self, verb, settings):
        self.handle = Handle(library.trop_setup_create, library.trop_setup_free, verb.encode())
        self.verb, self.known = verb, options(verb)
        self.kept = []  # data that must live as long as the setup
        for name, value in settings.items():
            if value is not None:
                self.set(name.rstrip("_"), value)

    def set(self, name, value):
        option = self.known.get(name.replace("-", "_"))
        if isinstance(value, Group):  # such as the weights of a result
            value = {key: value[key] for key in value if value[key] is not None}
        if name == "direction" and isinstance(value, Mapping):
            if len(value) != 1:
                raise Error(f"direction: has {', '.join(value) or 'nothing'}: must be one array")
            (value,) = value.values()
        if name == "start" and (isinstance(value, Mapping) or is_sequence(value)):
            self._start(value)
        elif name == "data" and option and not isinstance(value, (str, os.PathLike)):
            self._data(value)
        elif name == "text" and option and is_sequence(value):
            self._texts(value)
        elif option and option.is_array() and is_sequence(value):
            self.array(name, value)
        else:
            words = as_list(value) if is_sequence(value) else as_word(value)
            words = as_text(words, name)
            check(library.trop_setup_set(self.handle.address, as_text(name, "an option"), words))

    def array(self, name, values):
        if self.verb == "check":
            raise Error(f"{name}: check takes files; write the array (numpy.save) and name its file")
        array = as_array(values, name)
        check(
            library.trop_setup_array(
                self.handle.address, as_text(name, "an option"), array.ctypes.data, array.ndim, shape_words(array)
            )
        )

    def _texts(self, values):
        wrong = [type(value).__name__ for value in values if not isinstance(value, (str, bytes))]
        if wrong:
            raise Error(f"text: {wrong[0]}: must be a text or a list of texts")
        words = [as_text(value, "text") for value in values]
        texts = (c.c_char_p * max(len(words), 1))(*words)
        check(library.trop_setup_texts(self.handle.address, b"text", texts, len(words)))

    def _start(self, value):
        if not isinstance(value, Mapping):
            value = {"p" if np.ndim(value) == 1 else "W": value}
        for key, tensor in value.items():
            self.array(f"start.{key}", tensor)

    def _data(self, value):
        from .data import Corpus, Dataset

        if isinstance(value, Corpus):
            self.kept.append(value._handle)
            check(library.trop_setup_sequences(self.handle.address, value._handle.address))
            return
        if not isinstance(value, (Dataset, Mapping)):
            kind = type(value).__name__
            raise Error(f"data: {kind}: must be a Dataset, a Corpus, arrays by name, a file, or a set's name")
        data = value if isinstance(value, Dataset) else Dataset(**{str(k): v for k, v in value.items()})
        self.kept.append(data)
        check(library.trop_setup_data(self.handle.address, data._handle.address))

    def job(self):
        """What the verb computes, made but not run."""
        made = Handle(library.trop_job_create, library.trop_job_free, self.handle.address)
        made.kept = tuple(self.kept)
        return made

    def text(self, name):
        return asked_text(library.trop_setup_text, self.handle.address, name.encode())


# ---- what editors and help() see ------------------------------------------------------------------


def value_of(option, words):
    """The text of an option as a Python value."""
    if not words or words == "unset":
        return None
    if option.type in (INT64, SEED):
        return int(words)
    if option.type == FLAG:
        return words not in ("0", "no", "false")
    if option.type in (CHOICE, TEXT):
        return words
    try:
        number = float(words)
    except ValueError:
        return words
    if number != number:  # NaN stands for what was not given
        return None
    if option.type == COUNT and words != "inf":
        whole = decimal.Decimal(words)  # 1e+30 is 10^30, which no double is
        return int(whole) if whole == whole.to_integral_value() else number
    return number


# What the tables say of files, and what Python takes in their place.
FILES = (
    (" or - (standard input)", ""),
    (": .npy, .csv, FILE.h5:/path", ": an array, or a file .npy, .csv, FILE.h5:/path"),
    ("or one array: .npy, ", "or an array, a tensor, or a file .npy, "),
    (": .npy, ", ": an array, a tensor, or a file .npy, "),
    ("or a .npy or .csv file, - for standard input", "an array (d, d), or a .npy or .csv file"),
    ("zeros, normal, uniform, or a .json", "zeros, normal, uniform, a dict of arrays, a result's weights, or a .json"),
    ("looked at: .json", "looked at: a result's weights, or .json"),
    ("selected sets of tokens (Gen-SVM): .json", "selected sets of tokens (Gen-SVM): weights (n, T), above 0 where selected, or .json"),
    ("or @FILE", "a list of its values at steps 0, 1, ..., a function of the step, or @FILE"),
    ("training data: ", "a Dataset, a dict of arrays, or "),
    ("separated by commas", "as a list or a text separated by commas"),
)


def in_python(option, verb):
    """The meaning and the range of an option, as Python takes it; check takes files alone."""
    meaning, limits = option.meaning, option.range
    for file, array in FILES if verb != "check" else FILES[:1]:
        meaning, limits = meaning.replace(file, array), limits.replace(file, array)
    return meaning, limits


class Call:
    """What the tables say of the call of a verb: names, defaults, meanings."""

    def __init__(self, verb, first, hidden=()):
        self.verb, self.first = verb, first
        setup = Setup(verb, {})
        self.options = {k: o for k, o in setup.known.items() if k not in hidden}
        self.defaults = {
            name: value_of(option, setup.text(name)) for name, option in self.options.items()
        }

    def signature(self):
        kinds = inspect.Parameter
        order = sorted(self.options, key=lambda name: name != self.first)
        parameters = [
            kinds(
                spelled(name),
                kinds.POSITIONAL_OR_KEYWORD if name == self.first else kinds.KEYWORD_ONLY,
                default=self.defaults[name],
            )
            for name in order
        ]
        parameters.append(kinds("progress", kinds.KEYWORD_ONLY, default=None))
        return inspect.Signature(parameters)

    def docstring(self, head):
        rows = [head.strip(), "", "Parameters", "----------"]
        for name in self.signature().parameters:
            if name == "progress":
                rows += ["progress", "    True or False: whether a bar is shown (None: when it takes long);",
                         "    or a function of (done, total), called between steps: a true answer stops."]
                continue
            option = self.options[name.rstrip("_")]
            meaning, limits = in_python(option, self.verb)
            rows += [name, f"    {meaning}"]
            if limits:
                rows[-1] += f" [{limits}]"
            if option.when:
                rows[-1] += f"; {option.when}"
        return "\n".join(rows)
