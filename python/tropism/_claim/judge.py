"""Comparisons with their slack: three values, as src/claim/judge.h has them.

A line says that measured should be at most (at least, near) bound, and that rounding may have moved
the two by allowance, which the author of the claim derives. A conclusion is violated when it fails
by more than the allowance. A hypothesis is true only when it holds by at least the allowance, false
when it fails by more, and open in between. NaN is open, and so is an allowance without a bound.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .._library import Error

HYPOTHESIS, CONCLUSION = "hypothesis", "conclusion"
LARGEST = 2**53  # whole numbers up to here are doubles


class Row(NamedTuple):
    """One comparison as it came out; plain numbers, for pipes and tables."""

    name: str
    measured: float
    relation: str
    bound: float
    slack: float
    allowance: float
    holds: "bool | None"  # None: open
    step: "int | None"
    tightness: float
    place: "tuple | None"  # of the entry, where arrays were compared


class Line:
    """measured against bound, of arrays entry by entry: what `at_most` and its kin return."""

    __slots__ = ("relation", "measured", "bound", "allowance", "name", "step")

    def __init__(self, relation, measured, bound, allowance, name, step):
        self.relation, self.name = relation, None if name is None else str(name)
        self.step = None if step is None else int(step)
        parts = number(measured, "measured"), number(bound, "bound"), number(allowance, "allowance")
        if any(isinstance(part, np.ndarray) for part in parts):
            try:
                parts = np.broadcast_arrays(*(np.asarray(as_float(part)) for part in parts))
            except ValueError:
                shapes = ", ".join(str(np.shape(part)) for part in parts)
                raise Error(f"measured, bound, allowance: have shapes {shapes}, which do not go together") from None
        self.measured, self.bound, self.allowance = parts
        if np.any(np.less(as_float(self.allowance), 0)):
            raise Error(f"allowance = {np.min(as_float(self.allowance)):g}: must not be negative")

    def __repr__(self):
        return f"<{self.name or 'line'}: {self.measured} {self.relation} {self.bound}, allowance {self.allowance}>"

    def __bool__(self):
        raise Error("a line has no truth of its own: return it, and what stands there decides")

    def judged(self, side, name):
        """The rows that matter: how many there are, are false and are open, the tightest, and the
        first that is false or else open."""
        name = self.name or name
        if isinstance(self.measured, np.ndarray):
            return self._entries(side, name)
        slack, verdict, tightness = one(self, side)
        row = Row(name, as_float(self.measured), self.relation, as_float(self.bound), slack,
                  as_float(self.allowance), verdict, self.step, tightness, None)
        return 1, int(verdict is False), int(verdict is None), row, row

    def _entries(self, side, name):
        if self.measured.size == 0:
            return 0, 0, 0, None, None
        slack, false, undecided, tightness = entries(self, side)

        def row(k):
            verdict = False if false.flat[k] else None if undecided.flat[k] else True
            return Row(name, float(self.measured.flat[k]), self.relation, float(self.bound.flat[k]),
                       float(slack.flat[k]), float(self.allowance.flat[k]), verdict, self.step,
                       float(tightness.flat[k]), tuple(map(int, np.unravel_index(k, slack.shape))))

        least = 0 if np.isnan(tightness).all() else int(np.nanargmin(tightness))
        first = int(np.argmax(false if false.any() else undecided))
        return slack.size, int(false.sum()), int(undecided.sum()), row(least), row(first)


def number(value, name):
    """A number of Python, exact where it was, or an array of doubles."""
    if isinstance(value, np.ndarray) and value.ndim == 0 or isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float, Fraction)):
        return value
    try:
        array = np.asarray(value)
    except ValueError:
        array = None
    if array is None or array.dtype.kind not in "biuf":
        raise Error(f"{name} = {value!r}: must be a real number or an array of them")
    return array.astype(np.float64) if array.ndim else float(array)


def as_float(value):
    if isinstance(value, np.ndarray):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def one(line, side):
    """Slack, verdict and tightness of one comparison; whole numbers and fractions are exact."""
    parts = [line.measured, line.bound, line.allowance]
    exact = any(isinstance(x, Fraction) or isinstance(x, int) and abs(x) > LARGEST for x in parts)
    if exact and all(not isinstance(x, float) or math.isfinite(x) for x in parts):
        measured, bound, allowance = map(Fraction, parts)
    else:
        measured, bound, allowance = map(as_float, parts)
    difference = 0 if measured == bound else bound - measured  # inf at most inf holds
    if line.relation == "near":
        slack, room, scale = allowance - abs(difference), 0, allowance + abs(difference)
    else:
        slack = difference if line.relation == "at most" else -difference
        room, scale = allowance, abs(measured) + abs(bound)
    if slack != slack or not allowance < math.inf:
        verdict = None
    elif slack < -room:
        verdict = False
    else:
        verdict = None if side == HYPOTHESIS and slack < room else True
    if isinstance(slack, float) and math.isinf(slack):
        return slack, verdict, math.copysign(1.0, slack)
    return as_float(slack), verdict, 0.0 if slack == 0 else as_float(slack / scale)


def entries(line, side):
    """The same of arrays: slack, what is false, what is open, tightness."""
    measured, bound, allowance = line.measured, line.bound, line.allowance
    with np.errstate(all="ignore"):
        difference = np.where(measured == bound, 0.0, bound - measured)
        if line.relation == "near":
            slack, room, scale = allowance - np.abs(difference), 0.0, allowance + np.abs(difference)
        else:
            slack = difference if line.relation == "at most" else -difference
            room, scale = allowance, np.abs(measured) + np.abs(bound)
        undecided = np.isnan(slack) | ~(allowance < np.inf)
        false = ~undecided & (slack < -room)
        if side == HYPOTHESIS:
            undecided |= ~false & (slack < room)
        tightness = np.where(np.isinf(slack), np.sign(slack), np.where(slack == 0, 0.0, slack / scale))
    return slack, false, undecided, tightness


class Judged:
    """What the lines of a hypothesis or of a conclusion say together."""

    def __init__(self, lines, side, name):
        self.count = self.failures = self.open = 0
        self.rows, self.first = {}, None  # the tightest of each name
        for line in flat(lines, name):
            count, failures, undecided, tightest, first = line.judged(side, name)
            if count == 0:
                continue
            if (failures and not self.failures) or (undecided and not self.failures and not self.open):
                self.first = first
            self.count += count
            self.failures += failures
            self.open += undecided
            tighter(self.rows, tightest)

    @property
    def verdict(self):
        """None where no line decides."""
        return False if self.failures else None if self.open or not self.count else True


def tighter(rows, row, key=lambda row: row):
    """Puts a row in the place of the one of its name when it is tighter."""
    name = key(row).name
    old = rows.get(name)
    if old is None or math.isnan(key(old).tightness) or key(row).tightness < key(old).tightness:
        rows[name] = row


def flat(lines, name):
    """What a function returned, as lines."""
    if isinstance(lines, Line):
        yield lines
    elif isinstance(lines, (bool, np.bool_)):
        yield truth(bool(lines))
    elif isinstance(lines, np.ndarray) and lines.dtype == np.bool_:
        yield truth(lines)
    elif isinstance(lines, Iterable) and not isinstance(lines, (str, bytes, dict, np.ndarray)):
        for line in lines:
            yield from flat(line, name)
    else:
        what = "nothing" if lines is None else repr(lines)[:60]
        raise Error(f"returned {what}: must return lines (tr.at_most, ...) or truths")


# ---- for authors ------------------------------------------------------------------------------------


def at_most(measured, bound, allowance, name=None, step=None):
    """A line that says measured <= bound.

    allowance: how much rounding may have moved the two, derived by you; 0 of exact numbers. Arrays
    are compared entry by entry. name: of the quantity, for tables; step: of a run."""
    return Line("at most", measured, bound, allowance, name, step)


def at_least(measured, bound, allowance, name=None, step=None):
    """A line that says measured >= bound; see `at_most`."""
    return Line("at least", measured, bound, allowance, name, step)


def near(measured, bound, allowance, name=None, step=None):
    """A line that says |measured - bound| <= allowance; see `at_most`."""
    return Line("near", measured, bound, allowance, name, step)


def truth(value, name=None, step=None):
    """A line that is true, false, or with None open. A truth that a function returns is this too."""
    if value is None:
        return Line("at least", math.nan, 1, 0, name, step)
    array = np.asarray(value)
    if array.dtype != np.bool_:
        raise Error(f"truth = {value!r}: must be True, False or None")
    return Line("at least", array.astype(np.float64) if array.ndim else int(array), 1, 0, name, step)
