"""The part of the stubs that is about claims of one's own; python -m tropism._stubs writes it."""

import inspect

import tropism

CLAIM = '''_Function = TypeVar("_Function", bound=Callable[..., Any])

class _Line: ...

class Claim:
    """{Claim}"""

    id: str
    statement: str
    inputs: dict[str, str]
    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """{__call__}"""
    def draw(self, function: _Function) -> _Function:
        """{draw}"""
    def work(self, function: _Function) -> _Function:
        """{work}"""
    def hypothesis(self, name: str, meaning: str) -> Callable[[_Function], _Function]:
        """{hypothesis}"""
    def spoil(self, meaning: str, breaks: str | None = None) -> Callable[[_Function], _Function]:
        """{spoil}"""
    def picture(self, function: _Function) -> _Function:
        """{picture}"""
    def instance(self, trial: int, seed: int = 0) -> dict[str, Any]:
        """{instance}"""
    def check(
        self,
        trials: int = 100,
        seed: int = 0,
        *,
        threads: int | None = None,
        counterexample: str | PathLike[str] | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> ClaimCheck:
        """{check}"""
    def search(
        self,
        seconds: float = 10.0,
        seed: int = 0,
        *,
        threads: int | None = None,
        counterexample: str | PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> ClaimCheck:
        """{search}"""
    def shrink(
        self, trial: int, seed: int = 0, *, counterexample: str | PathLike[str] | None = None
    ) -> ClaimCheck:
        """{shrink}"""
    def judge(self, instance: Mapping[str, Any] | str | PathLike[str]) -> ClaimCheck:
        """{judge}"""

def claim(
    id: str, statement: str, *, inputs: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Any]], Claim]:
    """{claim}"""

'''

LINE = '''def {name}(
    measured: Any, bound: Any, allowance: Any, name: str | None = None, step: int | None = None
) -> _Line:
    """{doc}"""

'''

TRUTH = '''def truth(value: Any, name: str | None = None, step: int | None = None) -> _Line:
    """{doc}"""

'''


def doc(member, indent):
    text, blanks = inspect.getdoc(member).replace("\\", "\\\\"), " " * indent
    return text.replace("\n", "\n" + blanks).replace(blanks + "\n", "\n")


def claim_stub():
    kind = tropism.Claim
    methods = "__call__ draw work hypothesis spoil picture instance check search shrink judge".split()
    docs = {name: doc(getattr(kind, name), 8) for name in methods}
    found = CLAIM.format(Claim=doc(kind, 4), claim=doc(tropism.claim, 4), **docs)
    for name in ("at_most", "at_least", "near"):
        found += LINE.format(name=name, doc=doc(getattr(tropism, name), 4))
    return found + TRUTH.format(doc=doc(tropism.truth, 4))
