"""The part of the stubs that is about studies; python -m tropism._stubs writes it."""

import inspect

from . import _study

STUDY = '''class Block:
    """{block}"""

    first: int
    last: int
    def __init__(self, first: int, last: int) -> None: ...
    def __len__(self) -> int: ...

class Points(Sequence[dict[str, Any]]):
    """{points}"""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, k: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, k: slice) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any:
        """{points_to_pandas}"""

class Rows:
    """{rows}"""

    point: IntArray
    state: IntArray
    sentence: list[str]
    values: dict[str, list[Any]]
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> list[Any]: ...
    def keys(self) -> list[str]: ...

class Study:
    """{study}"""

    stopped: str | None
    text: str
    verb: str
    folder: str
    keep: list[str]
    fixed: dict[str, Any]
    refused: str | None
    axes: list[dict[str, NDArray[Any]]]
    def __len__(self) -> int: ...
    def points(self) -> Points:
        """{study_points}"""
    def blocks(self, n: int) -> list[Block]:
        """{study_blocks}"""
    @overload
    def run(
        self,
        block: Block | tuple[int, int],
        *,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        point_limit: float | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> Rows: ...
    @overload
    def run(
        self,
        block: str | PathLike[str] | None = None,
        *,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        shard: str | tuple[int, int] | None = None,
        extend: bool = False,
        point_limit: float | None = None,
        time_limit: float | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> Self:
        """{study_run}"""
    def collect(self, rows: Rows | Iterable[Rows]) -> Self:
        """{study_collect}"""
    def status(self) -> Group:
        """{study_status}"""
    def merge(self, *folders: str | PathLike[str]) -> str:
        """{study_merge}"""
    def rows(self) -> Rows:
        """{study_rows}"""
    def to_pandas(self) -> Any:
        """{study_to_pandas}"""
    def to_xarray(self) -> Any:
        """{study_to_xarray}"""
    def table(
        self,
        by: str | Sequence[str] | None = None,
        mean: str | Sequence[str] | None = None,
        deviation: bool = False,
        where: str | None = None,
    ) -> Table:
        """{study_table}"""
    def plot(
        self, kind: str | None = None, *, out: str | PathLike[str] | None = None, **settings: Any
    ) -> Picture:
        """{study_plot}"""
    def report(
        self,
        path: str | PathLike[str],
        by: str | Sequence[str] | None = None,
        mean: str | Sequence[str] | None = None,
        deviation: bool = False,
        where: str | None = None,
    ) -> None:
        """{study_report}"""

@overload
def study(source: str | PathLike[str], /) -> Study: ...
@overload
def study(*, verb: str, **settings: Any) -> Study:
    """{function}"""

'''


def study_stub():
    made = {"block": _study.Block, "points": _study.Points, "rows": _study.Rows, "study": _study.Study,
            "points_to_pandas": _study.Points.to_pandas, "function": _study.study}
    docs = {name: inspect.getdoc(thing).replace("\n", "\n    ") for name, thing in made.items()}
    for name in "points blocks run collect status merge rows to_pandas to_xarray table plot report".split():
        docs[f"study_{name}"] = inspect.getdoc(getattr(_study.Study, name)).replace("\n", "\n        ")
    return STUDY.format(**docs)
