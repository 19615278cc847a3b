"""Writes the stubs that editors and type checkers read: python -m tropism._stubs FOLDER.

Names, choices, defaults and meanings come from the option and field tables. The type of a field is
what a few small results have there; a field that is absent in all of them is Any.
"""

import inspect
import pathlib
import sys
import tempfile

import numpy as np

import tropism

from . import _setup, data
from ._stubs_claim import claim_stub
from ._stubs_study import study_stub
from ._values import Group, Table, spelled
from ._verbs import FUNCTIONS, VERBS

HEAD = '''"""{about} Written by tropism._stubs from the library's own tables."""

'''

TYPES = {
    _setup.INT64: "int",
    _setup.SEED: "int",
    _setup.FLAG: "bool",
    _setup.SCHEDULE: "float | str | ArrayLike | Callable[[int], float]",
    _setup.MATRIX: "float | str | ArrayLike",
    _setup.COUNT: "int | float | str",
    _setup.TEXT: "str | PathLike[str]",
}

# Texts that take lists, and those that take arrays or data as well.
LISTS = (
    *"record betas epsilons alphas gammas select relaxed radius decoder_radius axes y set".split(),
    *"ids layers heads measure".split(),
)
OTHERS = {"data": "Dataset | Mapping[str, ArrayLike]", "start": "ArrayLike | Mapping[str, ArrayLike]"}


def literal(choices):
    return f"Literal[{', '.join(repr(choice) for choice in choices)}]"


def option_type(option):
    if option.type == _setup.CHOICE:
        return literal(option.choices)
    if option.type == _setup.DOUBLE:
        return "float" + (f" | {literal(option.choices)}" if option.choices else "")
    found = TYPES[option.type]
    if option.type == _setup.TEXT:
        if option.name in _setup.ARRAYS:
            found += " | ArrayLike"
        if option.name in LISTS or option.name == "beta":
            found += " | Sequence[Any] | NDArray[Any]"
        if option.name in OTHERS:
            found += " | " + OTHERS[option.name]
    return found


# A call whose first argument says that another class is returned.
OVERLOADS = {
    "train": """@overload
def train(
    data: Corpus, *, progress: bool | Callable[[int, int], object] | None = None, **options: Any
) -> Fit:
    \"\"\"Trains attention to classify texts, images or vectors.\"\"\"

@overload
""",
    "inspect": """@overload
def inspect(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    progress: bool | Callable[[int, int], object] | None = None,
    **options: Any,
) -> Inspection:
    \"\"\"Says what heads select, of their queries, keys and values.\"\"\"

@overload
""",
}


def function_stub(verb):
    call, kind = FUNCTIONS[verb].call, VERBS[verb][1].__name__
    rows = [OVERLOADS.get(verb, "") + f"def {verb}("]
    star = False
    for name, parameter in call.signature().parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            rows.append("    *,")
            star = True
        if name == "progress":
            rows.append("    progress: bool | Callable[[int, int], object] | None = None,")
            continue
        option = call.options[name.rstrip("_")]
        default = parameter.default
        rows.append(f"    {name}: {option_type(option)} | None = {default!r},")
    doc = inspect.getdoc(FUNCTIONS[verb]).replace("\\", "\\\\").split("\n")
    rows += [f") -> {kind}:", f'    """{doc[0]}']
    rows += [f"    {line}".rstrip() for line in doc[1:]]
    rows += ['    """', ""]
    return "\n".join(rows)


# ---- fields ----------------------------------------------------------------------------------------


def small_model(folder):
    """A model of llama2.c with random weights, and its tokenizer: one layer, two heads."""
    vocabulary = ["<unk>", "<s>", "</s>", *(f"<0x{k:02X}>" for k in range(256)), *" abcd"]
    width, hidden, layers, heads, words, length = 4, 8, 1, 2, len(vocabulary), 16
    head = np.array([width, hidden, layers, heads, heads, words, length], dtype="<i4")
    sizes = [words * width, width, *4 * [width**2], width, *3 * [width * hidden], width, length * width // heads]
    weights = np.random.default_rng(1).normal(size=sum(sizes)).astype("<f4")
    path = folder / "model.bin"
    path.write_bytes(head.tobytes() + weights.tobytes())
    parts = [np.array([-k], "<f4").tobytes() + np.array([len(word)], "<i4").tobytes() + word.encode()
             for k, word in enumerate(vocabulary)]
    tokenizer = folder / "tokenizer.bin"
    tokenizer.write_bytes(np.array([6], "<i4").tobytes() + b"".join(parts))
    return {"model": path, "tokenizer": tokenizer}


def samples():
    """Small results of every class, chosen so that few fields are absent."""
    set_ = data.attsvm()
    flow, margin, train = FUNCTIONS["flow"], FUNCTIONS["margin"], FUNCTIONS["train"]
    yield flow(n=12, rule="localmax").until_converged()
    yield flow(n=12, rule="hardmax", steps=20).run()
    yield flow(n=8, dynamics="sa", time=1.0).run()
    yield flow(n=8, copies=4, steps=5).run()
    yield FUNCTIONS["cells"](n=12, eta=0.1, erode=0.01, query=[[0.0, 0.0]])
    yield FUNCTIONS["threshold"](n=12)
    yield FUNCTIONS["escape"](init="polygon", n=3, beta=[2, 4], radius=0.1, runs=20)
    yield margin(set_)
    yield margin(set_, norm="nuclear")
    yield margin("mm-fig-1a")
    yield train(set_, steps=300)
    yield train("mm-fig-1a", steps=300)
    texts = data.text(["a fine film", "a dull film"] * 20, ["pos", "neg"] * 20)
    yield train(texts, embed=2, epochs=1, show=1)
    yield train(texts, embed=2, epochs=1, folds=2)
    yield train("mr", embed=2, epochs=1, vocabulary=50, lexicon="opinion", positions=True)
    yield train(texts, embed=2, epochs=1, model="kq", layers=1, bias=True)
    yield FUNCTIONS["path"]("mm-fig-1a", radius=[1, 2])
    yield FUNCTIONS["inspect"](*np.random.default_rng(1).normal(size=(3, 2, 6, 4)), rows=True)
    with tempfile.TemporaryDirectory() as folder:
        yield FUNCTIONS["inspect"](**small_model(pathlib.Path(folder)), text="a bad cab", inputs=True)
    yield FUNCTIONS["check"]("lm-thm-t1", trials=3, counterexample="none")
    yield from claim_samples()
    yield tropism.claims("lm-thm-t1")
    yield tropism.doctor()
    yield tropism.hull(tropism.tokens.gaussian(n=9, d=3))


def claim_samples():
    """Results of a claim of one's own: it holds, it is violated, an instance leaves its hypotheses."""
    claim = tropism.claim("sample", "A number is at most 2.")(lambda x: tropism.at_most(x, 2.0, 0.0, step=1))
    claim.draw(lambda rng: {"x": rng.uniform()})
    claim.hypothesis("positive", "it is positive")(lambda x: x > 0)
    yield claim.check(2, threads=1)
    claim.draw(lambda rng: {"x": 3.0})
    with tempfile.TemporaryDirectory() as folder:
        yield claim.check(2, threads=1, counterexample=f"{folder}/x.npz")
    yield claim.shrink(0, counterexample="none")
    yield claim.judge({"x": -1.0})


def type_word(value):
    if isinstance(value, Table):
        return "Table"
    if isinstance(value, Group):
        return "Group"
    if isinstance(value, np.ndarray):
        return {"f": "FloatArray", "i": "IntArray", "b": "BoolArray"}[value.dtype.kind]
    if value is None:
        return "None"
    return "list[str]" if isinstance(value, list) else type(value).__name__


def field_types():
    """By class and field the types that were seen, in a fixed order."""
    found = {}
    for result in samples():
        types = found.setdefault(type(result), {})
        for name in dict.fromkeys([*result.keys(), *(key.split(".")[0] for key in result.fields())]):
            types.setdefault(name, set()).add(type_word(result[name]))
    found[tropism.Doctor]["warning"] = {"str", "None"}  # there or not, as the machine is
    return found


def type_union(words):
    known = sorted(words - {"None"})
    if not known:
        return "Any"
    return " | ".join(known + (["None"] if "None" in words else []))


def class_stub(kind, types):
    base = "Result"
    meanings = kind.fields()
    rows = [f"class {kind.__name__}({base}):", f'    """{inspect.getdoc(kind)}"""', ""]
    for name, words in types.items():
        if name in vars(kind):
            continue
        rows.append("    @property")
        rows.append(f"    def {spelled(name)}(self) -> {type_union(words)}:")
        group = [f"{k.split('.', 1)[1]}: {m}" for k, m in meanings.items() if k.startswith(name + ".")]
        meaning = meanings.get(name) or "; ".join(group) or name
        meaning = meaning.replace("\\", "\\\\")
        rows.append(f'        """{meaning}"""')
    rows += method_stubs(kind)
    return "\n".join(rows) + "\n"


SIGNATURES = {
    "Flow.run": "(self, steps: int | float | None = None, *, time: float | None = None,"
    " progress: bool | Callable[[int, int], object] | None = None) -> Self",
    "Train.run": "(self, steps: int | None = None, *,"
    " progress: bool | Callable[[int, int], object] | None = None) -> Self",
    "run": "(self, *, progress: bool | Callable[[int, int], object] | None = None) -> Self",
    "step": "(self, steps: int = 1, *, progress: bool | Callable[[int, int], object] | None = None)"
    " -> Self",
    "until_converged": "(self, *, progress: bool | Callable[[int, int], object] | None = None)"
    " -> Self",
    "weights": "(self, i: int | None = None) -> FloatArray",
    "predict": "(self, items: str | Sequence[str] | Corpus, *, scores: bool = False) -> Any",
    "attention": "(self, items: str | Sequence[str] | Corpus) -> Any",
    "to_pandas": "(self, name: str | None = None) -> Any",
    "array": "(self, name: str) -> FloatArray | IntArray",
    "to_json": "(self) -> str",
    "to_dict": "(self) -> dict[str, Any]",
    "to_xarray": "(self) -> Any",
    "report": "(self, path: str | PathLike[str]) -> None",
    "proof": "(self, path: str | PathLike[str]) -> int",
    "save": "(self, path: str | PathLike[str]) -> None",
    "plot": "(self, *arguments: Any, **options: Any) -> Any",
    "support": "(self, direction: ArrayLike) -> tuple[float, int]",
    "place": "(self, query: ArrayLike) -> Group",
}
PROPERTIES = {"case": "dict[str, Any] | None", "done": "bool", "options": "dict[str, Any]", "record": "Group", "tokens": "FloatArray"}


def method_stubs(kind):
    rows = []
    own = {k: v for base in reversed(kind.__mro__[: kind.__mro__.index(tropism.Result)])
           for k, v in vars(base).items()}
    for name, member in own.items():
        if name.startswith("_") or (name in vars(tropism.Result) and name not in vars(kind)):
            continue
        if isinstance(member, property):
            rows += ["    @property", f"    def {name}(self) -> {PROPERTIES[name]}:"]
        else:
            words = SIGNATURES.get(f"{kind.__name__}.{name}") or SIGNATURES[name]
            rows.append(f"    def {name}{words}:")
        doc = (inspect.getdoc(member) or name).replace("\n", "\n        ")
        rows.append(f'        """{doc}"""')
    return rows


RESULT = '''class Error(ValueError):
    """{error}"""

    status: str

class Stopped(UserWarning):
    """{stopped}"""

class ConvergenceWarning(UserWarning):
    """{convergencewarning}"""

class Group:
    """{group}"""

    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def keys(self) -> list[str]: ...

class Table:
    """{table}"""

    def __getattr__(self, name: str) -> Any: ...
    @overload
    def __getitem__(self, row: int) -> Group: ...
    @overload
    def __getitem__(self, row: slice) -> Table: ...
    @overload
    def __getitem__(self, row: str) -> Any: ...
    def __iter__(self) -> Iterator[Group]: ...
    def __len__(self) -> int: ...
    def keys(self) -> list[str]: ...
    def to_pandas(self) -> Any: ...

class Picture:
    """{picture}"""

    svg: str
    def save(self, path: str | PathLike[str]) -> None: ...

class Attention:
    """{attention}"""

    words: list[str] | None
    weights: FloatArray
    predicted: str
    scores: Any
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[str | int, float]]: ...
    def to_pandas(self) -> Any: ...

class Result:
    """{result}"""

    stopped: str | None
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def given(self) -> dict[str, Any]: ...
    @classmethod
    def fields(cls) -> dict[str, str]: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: object) -> bool: ...
    def keys(self) -> list[str]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_json(self) -> str: ...
    def to_pandas(self, name: str | None = None) -> Any: ...
    def to_xarray(self) -> Any: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def report(self, path: str | PathLike[str]) -> None: ...
    def proof(self, path: str | PathLike[str]) -> int: ...
    def plot(
        self,
        kind: str | None = None,
        *,
        ax: Any = None,
        out: str | PathLike[str] | None = None,
        **options: Any,
    ) -> Any: ...

'''

IMPORTS = '''from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeVar, overload
from typing_extensions import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import data as data
from . import tokens as tokens
from .data import Corpus, Dataset

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

__version__: str

'''

TAIL = '''def claims(
    id: str | None = None, *, paper: str | None = None, status: str | None = None
) -> Claims:
    """{claims}"""

def doctor() -> Doctor:
    """{doctor}"""

def hull(points: ArrayLike, *, threads: int = 0) -> Hull:
    """{hull}"""

def rules() -> list[str]:
    """{rules}"""

def schedule(words: float | str, times: ArrayLike, option: str = "gamma") -> FloatArray:
    """{schedule}"""

def cite() -> list[str]:
    """{cite}"""

def load(path: str | PathLike[str]) -> Any:
    """{load}"""
'''


def package_stub():
    classes = "Error Stopped ConvergenceWarning Group Table Picture Attention Result".split()
    docs = {k.lower(): inspect.getdoc(getattr(tropism, k)) for k in classes}
    tail = {k: inspect.getdoc(getattr(tropism, k)) for k in
            "claims doctor hull rules schedule cite load".split()}
    types = field_types()
    for kind in (tropism.Reproduction, tropism.ReproductionOfAll):
        types[kind] = {name.split(".")[0]: set() for name in kind.fields()}
    parts = [HEAD.format(about="How attention selects tokens."), IMPORTS]
    parts.append(RESULT.format(**{k: v.replace("\n", "\n    ") for k, v in docs.items()}))
    parts += [class_stub(kind, types[kind]) + "\n" for kind in sorted(types, key=lambda k: k.__name__)]
    parts += [function_stub(verb) for verb in FUNCTIONS]
    parts.append(study_stub())
    parts.append(claim_stub())
    parts.append(TAIL.format(**{k: v.replace("\n", "\n    ") for k, v in tail.items()}))
    return "".join(parts)


DATA = '''from collections.abc import Iterable
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Dataset:
    """{dataset}"""

    def __init__(self, **arrays: ArrayLike | None) -> None: ...
{arrays}    @staticmethod
    def keys() -> list[str]: ...
    def arrays(self) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class Corpus:
    """{corpus}"""

{properties}    def __len__(self) -> int: ...
    def encode(self, sentence: str) -> NDArray[np.int32]:
        """{encode}"""
    def split(self, sentence: str) -> list[str]:
        """{split}"""

def text(
    texts: str | PathLike[str] | Iterable[str],
    labels: Iterable[str | int] | None = None,
    splits: Iterable[str | int] | None = None,
    *,
{options}) -> Corpus:
    """{text}"""

def sequences(
    source: str | PathLike[str] | Iterable[ArrayLike],
    labels: Iterable[int] | None = None,
    splits: Iterable[str | int] | None = None,
    *,
    words: int | None = None,
{options}) -> Corpus:
    """{sequences}"""

def load(path: str | PathLike[str]) -> Dataset:
    """{load}"""

def sets() -> dict[str, str]:
    """{sets}"""

def named(name: str, n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """{named}"""
'''


PARTS = {
    "name": "str",
    "classes": "list[str]",
    "words": "list[str] | None",
    "texts": "list[str] | None",
    "ids": "NDArray[np.int32] | None",
    "vectors": "NDArray[np.float64] | None",
    **{name: "NDArray[np.int64]" for name in ("offsets", "labels")},
    **{name: "NDArray[np.int64] | None" for name in ("splits", "lexicon")},
}


def corpus_docs():
    """What the stub of data says of sequences."""
    found = {"properties": "", "options": ""}
    for name, kind in PARTS.items():
        found["properties"] += f"    @property\n    def {name}(self) -> {kind}:\n"
        found["properties"] += f'        """{inspect.getdoc(getattr(data.Corpus, name))}"""\n'
    for name, option in _setup.table_options(data.library.trop_corpus_option_table()).items():
        found["options"] += f"    {name}: {option_type(option)} | None = None,\n"
    for name in ("encode", "split"):
        found[name] = inspect.getdoc(getattr(data.Corpus, name)).replace("\n", "\n        ")
    for name in ("text", "sequences", "Corpus"):
        found[name.lower()] = inspect.getdoc(getattr(data, name)).replace("\n", "\n    ")
    return found


def data_stub():
    from ._library import library
    from ._values import fields

    arrays = ""
    for field in fields(library.trop_dataset_field_table()):
        kind = "int64" if field.name in ("ids", "next") else "float64"
        arrays += f"    @property\n    def {field.name}(self) -> NDArray[np.{kind}] | None:\n"
        arrays += f'        """{field.meaning}"""\n'
    docs = {k: inspect.getdoc(getattr(data, k)).replace("\n", "\n    ") for k in ("load", "sets", "named")}
    docs["dataset"] = inspect.getdoc(data.Dataset).replace("\n", "\n    ")
    docs.update(corpus_docs())
    text = HEAD.format(about="Training data.") + DATA.format(arrays=arrays, **docs)
    for name, meaning in data.sets().items():
        function = name.replace("-", "_")
        text += f"\ndef {function}(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:\n"
        text += f'    """{meaning}"""\n'
    return text


def main(folder):
    folder = pathlib.Path(folder)
    (folder / "__init__.pyi").write_text(package_stub())
    (folder / "data.pyi").write_text(data_stub())


if __name__ == "__main__":
    main(sys.argv[1])
