"""What a check tells: the fields of `tropism check`, and what authors of claims need besides."""

import json
import math
import textwrap
from typing import NamedTuple

from .._result import Result
from .._values import Group, Table, plain
from . import page

COLUMN, WIDTH = 14, 78

MEANINGS = {
    "id": "id of the claim",
    "statement": "statement of the claim, one sentence",
    "verdict": "holds, violated, hypothesis-fails or not-decidable",
    "untested": "true: no spoil of the conclusion was caught, and nothing violated it, so that the check "
                "might say holds of anything; null: a single instance, or a search",
    "trials": "number of instances that were requested; null: a search",
    "applicable": "instances on which every hypothesis was true and the conclusion was decided",
    "attempted": "instances that were judged",
    "violations": "instances that violate it",
    "open": "instances on which every hypothesis was true and the conclusion could not be decided",
    "hypothesis.name": "name of a hypothesis that is false or undecided on the given instance",
    "hypothesis.meaning": "meaning of that hypothesis",
    "hypothesis.line": "the quantity that was measured to decide it",
    "hypothesis.measured": "measured value of that quantity",
    "hypothesis.bound": "value that the hypothesis asks for",
    "evidence": "the tightest line of each name",
    "tightest.name": "the tightest of all",
    "tightest.measured": "measured value of this line",
    "tightest.bound": "bound of this line",
    "tightest.slack": "by how much the line holds; below 0 it fails",
    "tightest.trial": "number of the instance of this line",
    "hypotheses": "the hypotheses, and how many instances each one excludes",
    "spoils": "the spoils, and whether each one was caught",
    "violated": "the line that the first counterexample fails",
    "step": "step at which it does; null: the claim is not about steps",
    "trial": "number of the first counterexample, for NAME.instance(trial, seed); null: none, or given",
    "counterexample": "file of it, for python -m tropism check; null: none",
    "seed": "seed of the instances; null: the instance was given",
    "version": "version of tropism",
}


class _Field(NamedTuple):
    meaning: str


def _columns(rows, names):
    return Table({name: [row[k] for row in rows] for k, name in enumerate(names)}, len(rows))


def _shown(value):
    """A number for JSON, which knows neither NaN nor infinity."""
    if isinstance(value, dict):
        return {name: _shown(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shown(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _values(tally):
    claim, first, tightest = tally.claim, tally.first, tally.tightest
    found = {
        "id": claim.id,
        "statement": claim.statement,
        "verdict": tally.verdict,
        "untested": tally.untested,
        "trials": None if tally.searched else tally.trials,
        "applicable": tally.applicable,
        "attempted": tally.attempted,
        "violations": tally.violations,
        "open": tally.open,
    }
    if tally.failing:
        hypothesis, row = claim._hypotheses[tally.failing[0]], tally.failing[1]
        found |= {"hypothesis.name": hypothesis.name, "hypothesis.meaning": hypothesis.meaning,
                  "hypothesis.line": row and row.name, "hypothesis.measured": row and row.measured,
                  "hypothesis.bound": row and row.bound}
    lines = [(*e.row[:8], e.trial) for e in tally.evidence.values()]
    found["evidence"] = _columns(
        lines, "name measured relation bound slack allowance holds step trial".split())
    if tightest:
        found |= {"tightest.name": tightest.row.name, "tightest.measured": tightest.row.measured,
                  "tightest.bound": tightest.row.bound, "tightest.slack": tightest.row.slack,
                  "tightest.trial": tightest.trial}
    found["hypotheses"] = _columns(
        [(h.name, h.meaning, failed, undecided)
         for h, failed, undecided in zip(claim._hypotheses, tally.failed, tally.undecided)],
        "name meaning failed open".split())
    found["spoils"] = _columns(
        [(c.spoil.meaning, c.spoil.breaks, c.trial is not None, c.tried, c.trial, c.reason or None)
         for c in tally.spoils], "meaning breaks caught tried trial reason".split())
    found |= {
        "violated": first and first.row.name,
        "step": first and first.row.step,
        "trial": first.trial if first and not tally.single and not tally.searched else None,
        "counterexample": tally.written,
        "seed": None if tally.single else tally.seed,
        "version": page.version(),
    }
    return found


class ClaimCheck(Result):
    """A claim of one's own, judged on instances."""

    __slots__ = ("_claim", "_case", "_points")
    _verb = "check"
    _saves = False  # to .h5; to .json it does

    @classmethod
    def _of(cls, tally):
        self = cls.__new__(cls)
        Result.__init__(self, None, {"trials": tally.trials, "seed": tally.seed})
        values = _values(tally)
        words = json.dumps(_shown({k: plain(v) for k, v in _nested(values).items()}), ensure_ascii=False) + "\n"
        self._snapshot = {
            "values": {name: (value, ()) for name, value in values.items()},
            "files": {".json": words.encode()},
            "stopped": tally.stopped,
            "options": {} if tally.single or tally.searched else {"trials": tally.trials, "seed": tally.seed},
        }
        self.stopped = tally.stopped
        self._claim, self._case = tally.claim, tally.shown
        self._points = tally.points
        return self

    @classmethod
    def _all_fields(cls):
        return {name: (_Field(meaning), None) for name, meaning in MEANINGS.items()}

    def _names(self):
        return list(self._snapshot["values"])

    def __getattr__(self, name):
        if name in ("_claim", "_case", "_points"):  # of a result that was pickled: they stay behind
            return None
        return super().__getattr__(name)

    def __getitem__(self, name):
        if name in ("hypothesis", "tightest") and f"{name}.name" not in self._snapshot["values"]:
            return None
        return super().__getitem__(name)

    @property
    def case(self):
        """The first counterexample, or the instance that was given, with what work computed, a dict;
        None: there is none."""
        return None if self._case is None else dict(self._case)

    # ---- words ----

    def _head(self):
        return f"{self.id}: {self.verdict}" + (" (untested)" if self.untested else "")

    def _verdict(self):
        return f"{self._head()}. {self.statement}"

    def __repr__(self):
        return "\n".join(lines_of(self))

    def save(self, path):
        """Writes the result to a file, .json."""
        super()._write(path)

    def to_json(self):
        """The result as the JSON text of `python -m tropism check`."""
        return self._snapshot["files"][".json"].decode().rstrip("\n")

    def plot(self, kind=None, *, ax=None, out=None):
        """The picture of the claim (`@NAME.picture`) of the counterexample or of the instance that
        was given, else of the tightest one. Of a claim without a picture, or with kind="slack": how
        far every line holds on every instance. `ax`: the latter on axes of matplotlib; `out` writes
        .pdf, .svg or .png as well."""
        return page.plot(self, kind, ax, out)

    def report(self, path):
        """Writes the result as one page, .html, that needs no other file."""
        page.report(self, path)

    def _picture_of_itself(self):
        return self._snapshot


def _nested(values):
    """Names with dots as groups."""
    found = {}
    for name, value in values.items():
        first, _, rest = name.partition(".")
        if rest:
            found.setdefault(first, {})[rest] = value
        else:
            found[name] = value
    return {name: Group(value) if isinstance(value, dict) else value for name, value in found.items()}


def lines_of(result):
    """The lines that `python -m tropism check` prints."""

    def told(label, words):
        return textwrap.wrap(str(words), WIDTH, initial_indent=f"{label:<{COLUMN}}",
                             subsequent_indent=" " * COLUMN, break_long_words=False) or [label]

    def number(value):
        return f"{value:.8g}"

    yield result._head()
    yield ""
    yield from told("statement", result.statement)
    asked = f"{result.applicable} of {result.trials} requested satisfy every hypothesis, "
    yield from told("instances", f"{'' if result.trials is None else asked}{result.attempted} judged")
    if result.open:
        yield from told("", f"on {result.open} further ones the conclusion is open")
    if result.violations and result.untested is not None:
        yield from told("violations", result.violations)
    failing = result.hypothesis
    if failing:
        yield from told("hypothesis", f"{failing.name}: {failing.meaning}")
        if failing.line is not None:
            yield from told("", f"{failing.line}: {number(failing.measured)}, should be {number(failing.bound)}")
    else:
        for h in result.hypotheses:
            if h.failed or h.open:
                yield from told("hypothesis", f"{h.name} ({h.meaning}) excludes {h.failed} instances, "
                                              f"undecided on {h.open}")
    if result.untested is not None:
        yield from spoils_of(result, told)
    if result.violated is not None:
        yield from told("violated", result.violated)
        if result.step is not None:
            yield from told("at step", result.step)
        if result.trial is not None:
            yield from told("instance", result.trial)
    if result.counterexample:
        yield from told("written to", result.counterexample)
    if result.stopped:
        yield from told("stopped", result.stopped)
    if len(result.evidence):
        yield ""
        yield f"{'tightest of all instances':<46} {'measured':>13} {'':<8} {'bound':>13} {'allowed':>9}"
        for e in result.evidence:
            end = "" if e.holds else "  open" if e.holds is None else "  fails"
            yield (f"{e.name:<46} {number(e.measured):>13} {e.relation:<8} {number(e.bound):>13} "
                   f"{e.allowance:>9.2g}{end}")


def spoils_of(result, told):
    caught = sum(s.caught for s in result.spoils)
    if result.untested:
        yield from told("untested", "no spoil of the conclusion was caught: the check might say this of anything"
                        if any(s.breaks is None for s in result.spoils) else
                        "there is no spoil of the conclusion (@NAME.spoil): the check might say this of anything")
    if len(result.spoils):
        yield from told("spoils", f"{caught} of {len(result.spoils)} caught")
    for s in result.spoils:
        if not s.caught:
            yield from told("", f"{s.meaning}: {s.reason}")

