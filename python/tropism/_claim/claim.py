"""A claim, and one instance of it from its draw to its verdict."""

import difflib
import functools
import inspect
import os
import re
import traceback
from typing import NamedTuple

import numpy as np

from .._library import Error, as_whole
from . import case as cases
from . import find
from .judge import CONCLUSION, HYPOTHESIS, Judged

HOLDS, VIOLATED, FAILS, OPEN = "holds", "violated", "hypothesis-fails", "not-decidable"
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
HERE = os.path.dirname(os.path.dirname(__file__))


class Hypothesis(NamedTuple):
    name: str
    meaning: str
    function: "function"


class Spoil(NamedTuple):
    meaning: str
    breaks: "str | None"  # the hypothesis; None: the conclusion
    function: "function"


class Trial(NamedTuple):
    """What one instance came to; plain, so that it goes through a pipe."""

    verdict: str
    hypothesis: "int | None"  # the first that is false, or else open
    failing: "tuple[int, ...]"  # all that are false
    reason: "Row | None"  # of that hypothesis; of a conclusion that is not true
    rows: "tuple[Row, ...]"  # the tightest of each name


@functools.lru_cache(maxsize=256)
def parameters(function):
    """The names that a function must be given, and those that it may be; None: all there are."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise Error(f"{function!r}: must be a function with named parameters") from None
    if any(p.kind is p.POSITIONAL_ONLY for p in found):
        raise Error(f"{find.name_of(function)}: its parameters must have names that can be given")
    named = [p for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    needed = [p.name for p in named if p.default is p.empty]
    return needed, None if any(p.kind is p.VAR_KEYWORD for p in found) else [p.name for p in named]


def call(function, case, who, **more):
    """Calls a function with the entries that its parameters name."""
    needed, taken = parameters(function)
    known = {**case, **more}
    for name in needed:
        if name not in known:
            there = ", ".join(known) or "nothing"
            raise Error(f"{who}: asks for {name}; there is {there}")
    try:
        return function(**(known if taken is None else {name: known[name] for name in taken if name in known}))
    except Error:
        raise
    except Exception as error:
        raise wrong(who, error) from error


def wrong(who, error):
    """What a function of the author raised, with its line."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(HERE)]
    where = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    return Error(f"{who}: {type(error).__name__}: {error}{where}")


class Claim:
    """A statement that can be checked: `tr.claim(...)` of a function makes one.

    The function is the conclusion: its parameters are names of entries, it returns lines (`at_most`,
    `at_least`, `near`, `truth`) or truths. What else there is to say is attached with `draw`,
    `hypothesis`, `work`, `spoil` and `picture`, each a decorator that leaves its function as it is.
    """

    def __init__(self, id, statement, conclude, inputs=None):
        if not isinstance(id, str) or not ID.fullmatch(id):
            raise Error(f"id = {id!r}: must be letters, digits, dots and hyphens, at most 64")
        if not isinstance(statement, str) or not statement.strip():
            raise Error(f"{id}: needs its statement, a sentence")
        parameters(conclude)
        self.id, self.statement = id, statement.strip()
        self.inputs = dict(inputs or {})
        self._conclude, self._draw, self._work, self._picture = conclude, None, None, None
        self._hypotheses, self._spoils = [], []
        self._place = find.place()  # where it is defined
        functools.update_wrapper(self, conclude, updated=())  # what hangs on another claim is not ours
        find.register(self)

    def __repr__(self):
        return f"<claim {self.id}: {self.statement}>"

    def __call__(self, *arguments, **named):
        """The conclusion, as the function that it is."""
        return self._conclude(*arguments, **named)

    # ---- what it is made of ----

    def draw(self, function):
        """Says how an instance is drawn: function(rng) returns a dict of numbers and arrays. rng is
        numpy.random.default_rng([seed, trial]), and its only source of chance. A parameter `trial`
        is the number of the instance."""
        parameters(function)
        self._draw = function
        return function

    def work(self, function):
        """Says what is computed of an instance, a dict of further entries; not before every
        hypothesis about what was drawn is true."""
        parameters(function)
        self._work = function
        return function

    def hypothesis(self, name, meaning):
        """Adds a hypothesis: the function returns lines or truths, as a conclusion does. One that
        asks for what work computes is judged after it."""
        self._new(name, [h.name for h in self._hypotheses], "hypothesis")

        def add(function):
            parameters(function)
            self._hypotheses.append(Hypothesis(name, str(meaning), function))
            return function

        return add

    def spoil(self, meaning, breaks=None):
        """Adds a way to make an instance wrong, to see that the judge notices: the function returns
        a dict of the entries that it changes.

        Then the conclusion must be violated, or with `breaks` that hypothesis be false, and it
        alone. The conclusion's are applied after work, which is not done again; those of a
        hypothesis before it, unless that is about what work computes."""
        self._new(meaning, [s.meaning for s in self._spoils], "spoil")
        if breaks is not None and breaks not in [h.name for h in self._hypotheses]:
            raise Error(f"{self.id}: breaks = {breaks!r}: is none of its hypotheses"
                        + nearest(breaks, [h.name for h in self._hypotheses]))

        def add(function):
            parameters(function)
            self._spoils.append(Spoil(meaning, breaks, function))
            return function

        return add

    def picture(self, function):
        """Says how an instance is drawn on paper: the function returns a picture (`run.plot()`), a
        figure of matplotlib, or SVG as text."""
        parameters(function)
        self._picture = function
        return function

    def _new(self, name, known, what):
        if not isinstance(name, str) or not name.strip():
            raise Error(f"{self.id}: a {what} needs a text first, not {name!r}")
        if name in known:
            raise Error(f"{self.id}: has a {what} {name!r} already")

    # ---- instances ----

    def instance(self, trial, seed=0):
        """Instance number `trial` as draw makes it, a dict."""
        seed, trial = as_whole(seed, "seed", 0), as_whole(trial, "trial", 0)
        if self._draw is None:
            raise Error(f"{self.id}: has no draw; add one with @NAME.draw, or judge an instance of yours")
        rng = np.random.default_rng([seed, trial])
        return cases.as_case(call(self._draw, {}, "draw", rng=rng, trial=trial), "draw")

    def given(self, instance):
        """An instance of one's own, or of a file."""
        if isinstance(instance, (str, os.PathLike)):
            case, about = cases.read(instance)
            if about.get("claim") != self.id:
                raise Error(f"{os.fspath(instance)}: is an instance of {about.get('claim')}, not of {self.id}")
            return case
        case = cases.as_case(instance, "instance")
        functions = [f for f in (self._conclude, self._work, *(h.function for h in self._hypotheses)) if f]
        taken = [parameters(f)[1] for f in functions]
        known = set(self.inputs).union(*(t or () for t in taken))
        for name in case:
            if name not in known and None not in taken:
                raise Error(f"instance: nothing here asks for {name}" + nearest(name, known - set(case)))
        return case

    def worked(self, case):
        """The case with what work adds."""
        if self._work is None:
            return case
        more = cases.as_case(call(self._work, case, "work"), "work")
        for name in more:
            if name in case:
                raise Error(f"work: returned {name}, which the instance has already")
        return {**case, **more}

    # ---- one instance, to its verdict ----

    def _judge(self, function, case, side, name, who):
        try:
            return Judged(call(function, case, who), side, name)
        except Error as error:
            if str(error).startswith(who):
                raise
            raise Error(f"{who}: {error}", error.status) from error
        except Exception as error:  # of a generator, which runs while it is judged
            raise wrong(who, error) from error

    def _is_late(self, hypothesis, drawn):
        return any(name not in drawn for name in parameters(hypothesis.function)[0])

    def trial(self, case, drawn=None):
        """Judges a case; drawn: its names before work, when that is done."""
        done, names, found = drawn is not None, case if drawn is None else drawn, []

        def assume(late):
            for k, h in enumerate(self._hypotheses):
                if self._is_late(h, names) == late:
                    judged = self._judge(h.function, case, HYPOTHESIS, h.meaning, f"hypothesis {h.name}")
                    if judged.verdict is not True:
                        found.append((judged.verdict is None, k, judged.first))

        assume(False)
        if not done and not found:
            case = self.worked(case)
        if done or not found:
            assume(True)
        if found:
            undecided, k, reason = min(found, key=lambda entry: entry[:2])
            failing = tuple(k for is_open, k, _ in found if not is_open)
            return Trial(OPEN if undecided else FAILS, k, failing, reason, ()), case
        judged = self._judge(self._conclude, case, CONCLUSION, "conclusion", "conclusion")
        verdict = {True: HOLDS, False: VIOLATED, None: OPEN}[judged.verdict]
        return Trial(verdict, None, (), judged.first, tuple(judged.rows.values())), case

    # ---- spoils ----

    def spoiled(self, spoil, drawn, worked, rng):
        """What a spoil does to an instance on which the claim holds: "" when it is caught, else a
        sentence."""
        names = [h.name for h in self._hypotheses]
        target = None if spoil.breaks is None else names.index(spoil.breaks)
        early = target is not None and not self._is_late(self._hypotheses[target], drawn)
        before, who = drawn if early else worked, f"spoil {spoil.meaning!r}"
        changes = cases.as_case(call(spoil.function, before, who, rng=rng), who)
        for name in changes:
            if name not in before:
                raise Error(f"{who}: changes {name}, which is not there" + nearest(name, before))
        trial, _ = self.trial({**before, **changes}, None if early else list(drawn))
        if target is None:
            if trial.verdict == VIOLATED:
                return ""
            left = trial.hypothesis is not None
            return f"leaves {names[trial.hypothesis]}" if left else "the conclusion is not violated"
        if trial.failing == (target,):
            return ""
        if trial.failing:
            return f"breaks {', '.join(names[k] for k in trial.failing)}"
        return f"{spoil.breaks} is open" if trial.hypothesis == target else f"{spoil.breaks} is still true"

    # ---- many ----

    def check(self, trials=100, seed=0, *, threads=None, counterexample=None, progress=None):
        """Judges instances until every hypothesis was true on `trials` of them, and returns the
        result.

        Instances are functions of (seed, trial) and counted in their order: the result does not
        depend on `threads`, the number of workers (None: every core). They are processes where
        that is safe (Linux), and threads elsewhere. `counterexample` names the file of the first
        one, ID-counterexample.npz otherwise; "none": no file. Ctrl-C ends it; what there is so far
        is the attribute `result` of the exception."""
        from . import check

        find.reached(self)
        return check.check(self, trials, seed, threads, counterexample, progress)

    def search(self, seconds=10.0, seed=0, *, threads=None, counterexample=None, progress=None):
        """Looks for a counterexample: from many starts, the answers that draw gets from rng are
        changed so that the worst line comes nearer to failing. One that is found is shrunk: fewer
        and smaller numbers, with fewer digits. Nothing holds because nothing is found."""
        from . import search

        find.reached(self)
        return search.search(self, seconds, seed, threads, counterexample, progress)

    def shrink(self, trial, seed=0, *, counterexample=None):
        """Shrinks the counterexample that is instance number `trial`."""
        from . import search

        find.reached(self)
        return search.shrink(self, trial, seed, counterexample)

    def judge(self, instance):
        """Judges one instance of yours, a dict of its entries, or the file of one."""
        from . import check

        return check.judge(self, instance)


def nearest(word, known):
    found = difflib.get_close_matches(str(word), list(known), 1)
    return f", did you mean {found[0]}?" if found else ""


def claim(id, statement, *, inputs=None):
    """Makes a claim of the function that follows, its conclusion.

        @tr.claim("cauchy", "The square of an inner product is at most the product of the squares.")
        def cauchy(x, y, inner):
            return tr.at_most(inner**2, (x @ x) * (y @ y), 0)  # whole numbers: exact

        @cauchy.draw
        def _(rng):
            return {"x": rng.integers(-9, 10, 3), "y": rng.integers(-9, 10, 3)}

        @cauchy.work
        def _(x, y):
            return {"inner": x @ y}

        @cauchy.spoil("1000 is added to the inner product")
        def _(inner):
            return {"inner": inner + 1000}

        cauchy.check()

    id names it in files; inputs: the meaning of entries by name, for reports."""

    def make(function):
        return Claim(id, statement, function, inputs)

    return make
