"""Looking for a counterexample: what draw drew is recorded, changed and drawn from again.

draw is given a generator that notes its answers and can be made to give other ones. A start is an
instance; from there answers are changed, inside the range of the call that they answer, and what brings
the worst line nearer to failing is kept. So an instance is always one that draw can make, with whatever
holds in it by construction. A counterexample is shrunk in the same way: fewer and smaller numbers with
fewer digits, as long as the claim is violated and every hypothesis true.
"""

import math
import time
from collections import Counter
from typing import NamedTuple

import numpy as np

from .._library import Error, as_whole
from . import case as cases
from . import workers
from .claim import FAILS, OPEN, VIOLATED, call

STALE = 150  # changes without progress, after which another start is tried
EFFORT = 20_000  # instances that shrinking may judge


class Choice(NamedTuple):
    """One answer of a generator, and the range that it may come from."""

    method: str
    value: object
    low: float
    high: float


def integers(low, high=None, size=None, dtype=None, endpoint=False):
    low, high = (0, low) if high is None else (low, high)
    return np.min(low), np.max(high) - (not endpoint)


def uniform(low=0.0, high=1.0, size=None):
    return np.min(low), np.nextafter(np.max(high), -np.inf)


def random(*arguments, **named):
    return 0.0, np.nextafter(1.0, 0.0)


def real(*arguments, **named):
    return -np.inf, np.inf


def positive(*arguments, **named):
    return 0.0, np.inf


# The range of a method's answers, by its arguments. `choice` asks for integers itself.
RANGES = {
    "integers": integers, "uniform": uniform, "random": random, "normal": real, "standard_normal": real,
    "exponential": positive, "standard_exponential": positive, "gamma": positive, "standard_gamma": positive,
    "chisquare": positive, "lognormal": positive,
}


def fitted(value, drawn, low, high):
    """An answer in the shape and range that is requested now."""
    found, value = np.array(drawn), np.array(value)
    if found.ndim == value.ndim:
        common = tuple(slice(min(a, b)) for a, b in zip(found.shape, value.shape))
        found[common] = np.clip(value[common], low, high)
    return found if found.ndim else found.dtype.type(found) if isinstance(drawn, np.generic) else found.item()


class Recorder(np.random.Generator):
    """A generator that notes its answers, and gives those of a script before its own."""

    def __init__(self, rng, script=()):
        super().__init__(rng.bit_generator)
        self.script, self.made = script, []

    def answer(self, method, arguments, named):
        drawn = getattr(np.random.Generator, method)(self, *arguments, **named)
        if named.get("out") is not None:
            return drawn
        low, high = RANGES[method](*arguments, **named)
        at = len(self.made)
        if at < len(self.script) and self.script[at].method == method:
            drawn = fitted(self.script[at].value, drawn, low, high)
        self.made.append(Choice(method, np.array(drawn), low, high))
        return drawn


def recorded(method):
    return lambda self, *arguments, **named: self.answer(method, arguments, named)


for name in RANGES:
    setattr(Recorder, name, recorded(name))


class Attempt(NamedTuple):
    """An instance, what it was drawn from, and how near it comes to violating the claim."""

    case: dict
    script: list
    trial: object
    score: tuple


def attempt(claim, seed, number, script=()):
    recorder = Recorder(np.random.default_rng([seed, number]), script)
    drawn = cases.as_case(call(claim._draw, {}, "draw", rng=recorder, trial=number), "draw")
    trial, _ = claim.trial(drawn)
    return Attempt(drawn, recorder.made, trial, score(trial))


def tried(claim, seed, number, script):
    """The same of a script that was changed; None: what is made of it is too much for a function,
    such as a division by a 0 that hardly ever is drawn."""
    try:
        with np.errstate(all="ignore"):
            return attempt(claim, seed, number, script)
    except Error:
        return None


def score(trial):
    """Greater is worse for the claim: how near the hypotheses are, then by how much a line fails."""
    if trial.hypothesis is not None:
        slack = trial.reason.slack if trial.reason else -math.inf
        return (0, -math.inf if slack != slack else slack, 0.0)
    tight = [row for row in trial.rows if row.tightness == row.tightness]
    if not tight:
        return (1, -math.inf, 0.0)
    worst = min(tight, key=lambda row: (row.tightness, row.slack))
    return (2 if trial.verdict == VIOLATED else 1, -worst.tightness, -worst.slack)


# ---- changes ---------------------------------------------------------------------------------------


def changed(script, rng):
    """The script with one of its answers changed."""
    free = [k for k, choice in enumerate(script) if choice.value.size]
    if not free:
        return None
    k = int(rng.choice(free))
    value, low, high = np.array(script[k].value), script[k].low, script[k].high
    place = np.unravel_index(rng.integers(value.size), value.shape)
    kind = rng.integers(5)
    if kind == 0 and value.size > 1:  # ties: an entry, or a row, is that of another place
        other = np.unravel_index(rng.integers(value.size), value.shape)
        depth = int(rng.integers(1, value.ndim + 1))
        value[place[:depth]] = value[other[:depth]].copy()
    elif value.dtype.kind in "iu":
        value[place] = np.clip(int(value[place]) + int(rng.choice([-3, -2, -1, 1, 2, 3])), low, high)
        if kind == 1:
            value[place] = rng.integers(int(low), int(high), endpoint=True)
    elif kind == 1:
        value[place] = np.round(value[place])
    elif kind == 2:
        value *= 10 ** rng.uniform(-1, 1)
    else:
        where = place if kind == 3 else ...
        scale = 10 ** rng.uniform(-4, 0.5) * (1 if not np.isfinite(high - low) else high - low)
        value[where] += scale * rng.normal(size=np.shape(value[where]))
    return [*script[:k], script[k]._replace(value=np.clip(value, low, high)), *script[k + 1 :]]


def climb(claim, seed, number, until):
    """From one start as far as it goes: the best attempt, how many there were, and which hypotheses
    were not true on them, with the verdict."""
    best, count, stale = attempt(claim, seed, number), 1, 0
    excluded = Counter([(best.trial.verdict, best.trial.hypothesis)])
    rng = np.random.default_rng([seed, number, 0])
    while stale < STALE and best.trial.verdict != VIOLATED and time.monotonic() < until:
        script = changed(best.script, rng)
        if script is None:
            break
        found = tried(claim, seed, number, script)
        count += 1
        if found:
            excluded[found.trial.verdict, found.trial.hypothesis] += 1
        stale = 0 if found and found.score > best.score else stale + 1
        best = found if found and found.score >= best.score else best
    return best, count, excluded


# ---- shrinking -------------------------------------------------------------------------------------


def measure(case):
    """How much there is to read: numbers, then their letters, then their size."""
    numbers = [x for value in case.values() if not isinstance(value, str) for x in np.ravel(value).tolist()]
    letters = sum(len(repr(x).removesuffix(".0")) for x in numbers)
    return len(numbers), letters, float(sum(abs(x) for x in numbers if x == x))


def simpler(choice):
    """Answers to try in the place of one."""
    value, low, high = choice.value, choice.low, choice.high
    least = np.clip(0, low, high)
    yield np.full_like(value, least)
    for row in range(len(value) if value.ndim else 0):  # counted by an answer before: see fewer
        yield np.delete(value, row, axis=0)
    for place in np.ndindex(value.shape):
        old = value[place]
        for new in (least, np.trunc(old / 2), old - np.sign(old), np.floor(old), np.ceil(old), np.round(old, 1),
                    np.round(old, 3)):
            if np.clip(new, low, high) != old:
                simple = np.array(value)
                simple[place] = np.clip(new, low, high)
                yield simple


def fewer(script, k):
    """The script, and where answer k lost a row, the scripts with an earlier whole number less one:
    one of them counts the rows."""
    yield script
    for at in range(k):
        value = script[at].value
        if value.ndim == 0 and value.dtype.kind in "iu" and value > script[at].low:
            yield [*script[:at], script[at]._replace(value=value - 1), *script[at + 1 :]]


def smaller(claim, start, best, k, counted):
    """A counterexample with a simpler answer k; None: there is none."""
    for value in simpler(best.script[k]):
        script = [*best.script[:k], best.script[k]._replace(value=value), *best.script[k + 1 :]]
        for variant in fewer(script, k) if value.shape != best.script[k].value.shape else [script]:
            counted.append(1)
            found = tried(claim, *start, variant)
            if found and found.trial.verdict == VIOLATED and measure(found.case) < measure(best.case):
                return found
    return None


def shrunk(claim, start, best):
    """A counterexample that cannot be made smaller one answer at a time, and how many instances
    that took."""
    counted, k, since = [], 0, 0
    while since < len(best.script) and len(counted) < EFFORT:
        k %= len(best.script)
        found = smaller(claim, start, best, k, counted)
        if found:
            best, since = found, 0  # the same answer again
        else:
            k, since = k + 1, since + 1
    return best, len(counted)


# ---- what a person calls ---------------------------------------------------------------------------


def told(claim, seed, start, best, count, excluded, path):
    """The result of a search: what was found is judged, and written."""
    from .check import Tally, write

    tally = Tally(claim, 1, seed, searched=True)
    tally.count(best.trial, start)
    tally.attempted = count
    for hypothesis in range(len(tally.failed)):
        tally.failed[hypothesis] = excluded[FAILS, hypothesis]
        tally.undecided[hypothesis] = excluded[OPEN, hypothesis]
    if best.trial.verdict == VIOLATED:
        found, tally.shown = claim.trial(best.case)
        if found != best.trial:
            raise Error(f"{claim.id}: an instance was judged twice and differently: what judges it must depend on "
                        "nothing but its entries")
        write(tally, path, best.case, None)
    return tally


def search(claim, seconds, seed, threads, counterexample, progress):
    from .check import Instances, file_of, first_of
    from .result import ClaimCheck

    seed, path = as_whole(seed, "seed", 0), file_of(claim, counterexample)
    count = workers.cores() if threads is None else as_whole(threads, "threads", 1, 4096)
    if not 0 < seconds < math.inf:
        raise Error(f"seconds = {seconds}: must be above 0")
    first_of(claim, seed)  # whatever is wrong with draw shows by itself
    until = time.monotonic() + seconds

    def task(number):
        try:
            return climb(claim, seed, number, until)
        except Error as error:
            return workers.Failed(str(error), "", error.__cause__ or error)

    pool, bar, best, total, start = workers.how(count)(task, count), Instances(progress), None, 0, 0
    excluded = Counter()
    try:
        number = 0
        while best is None or best.trial.verdict != VIOLATED and time.monotonic() < until:
            found = pool.get(number, number + 2 * count)
            if isinstance(found, workers.Failed):
                raise found.error_of(f"{claim.id}: start {number}")
            total += found[1]
            excluded += found[2]
            if best is None or found[0].score > best.score:
                best, start = found[0], number
            number += 1
            bar.show(number, 0)
        pool.close()
        if best.trial.verdict == VIOLATED:
            best, more = shrunk(claim, (seed, start), best)
            total += more
    except KeyboardInterrupt as error:
        error.result = best and ClaimCheck._of(told(claim, seed, start, best, total, excluded, path))
        raise
    finally:
        pool.close()
        bar.end()
    return ClaimCheck._of(told(claim, seed, start, best, total, excluded, path))


def shrink(claim, trial, seed, counterexample):
    from .check import file_of
    from .result import ClaimCheck

    start, path = (as_whole(seed, "seed", 0), as_whole(trial, "trial", 0)), file_of(claim, counterexample)
    claim.instance(trial, seed)
    best = attempt(claim, *start)
    if best.trial.verdict != VIOLATED:
        raise Error(f"{claim.id}: instance {trial} is no counterexample: {best.trial.verdict}")
    best, count = shrunk(claim, start, best)
    return ClaimCheck._of(told(claim, seed, trial, best, count + 1, Counter(), path))
