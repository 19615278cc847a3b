"""A claim against instances: the rules of src/claim/check.c.

    violated           some instance satisfies every hypothesis and fails the conclusion
    holds              the conclusion was true on trials instances with every hypothesis true
    hypothesis-fails   the instance that was given leaves the hypotheses
    not-decidable      everything else: too few instances, or a line within its allowance

A check that catches none of the spoils of its conclusion is untested: it might say holds of anything.
"""

import math
import os
import pathlib
import traceback
import warnings
from typing import NamedTuple

import numpy as np

from .._library import Error, Stopped, as_whole
from .._progress import Bar, caller
from . import case as cases
from . import find, page, workers
from .claim import FAILS, HOLDS, OPEN, VIOLATED
from .judge import Row, tighter
from .result import ClaimCheck

SPOILED = 10  # instances on which a spoil may be caught
DOTS = 5000  # instances that a picture shows


class Evidence(NamedTuple):
    row: Row
    trial: int  # -1: an instance that was given


class Caught:
    """A spoil, and what came of it."""

    def __init__(self, spoil):
        self.spoil, self.tried, self.trial, self.reason = spoil, 0, None, "no instance to try it on"


class Tally:
    """What the instances so far add up to."""

    def __init__(self, claim, trials, seed, single=False, searched=False):
        self.claim, self.trials, self.seed, self.single = claim, trials, seed, single
        self.searched = searched
        self.attempted = self.applicable = self.violations = self.open = 0
        self.failed = [0] * len(claim._hypotheses)  # instances that each one excludes
        self.undecided = [0] * len(claim._hypotheses)
        self.evidence = {}
        self.first = None  # that is violated
        self.failing = None  # of a single instance: hypothesis and line
        self.fine = []  # the first instances on which it holds
        self.spoils = [Caught(spoil) for spoil in claim._spoils]
        self.shown = None  # the case that a picture is of
        self.points = {}  # by name of a line: instance and tightness
        self.written = None
        self.stopped = None

    def count(self, trial, number):
        self.attempted += 1
        if trial.hypothesis is not None:
            (self.failed if trial.verdict == FAILS else self.undecided)[trial.hypothesis] += 1
            if self.single:
                self.failing = trial.hypothesis, trial.reason
            return
        for row in trial.rows:
            dots = self.points.setdefault(row.name, [])
            if len(dots) < DOTS:
                dots.append((number, row.tightness))
            tighter(self.evidence, Evidence(row, number), key=lambda evidence: evidence.row)
        self.applicable += trial.verdict != OPEN
        self.open += trial.verdict == OPEN
        if trial.verdict == HOLDS and len(self.fine) < SPOILED:
            self.fine.append(number)
        if trial.verdict == VIOLATED:
            self.violations += 1
            self.first = self.first or Evidence(trial.reason, number)

    @property
    def verdict(self):
        if self.violations:
            return VIOLATED
        if not self.open and self.applicable >= self.trials and not self.searched:
            return HOLDS
        return FAILS if self.single and self.failing and self.failed[self.failing[0]] else OPEN

    @property
    def untested(self):
        """True where nothing was seen to violate the conclusion, on purpose or not; None where
        that was not asked."""
        if self.single or self.searched:
            return None
        caught = any(c.trial is not None for c in self.spoils if c.spoil.breaks is None)
        return not caught and not self.violations

    @property
    def tightest(self):
        ranked = [e for e in self.evidence.values() if not math.isnan(e.row.tightness)]
        return min(ranked, key=lambda e: e.row.tightness) if ranked else next(iter(self.evidence.values()), None)


class Instances(Bar):
    def words(self, done, total, seconds):
        return super().words(done, total, seconds).replace(" steps", " instances")


# ---- many ------------------------------------------------------------------------------------------


def task_of(claim, seed):
    def task(number):
        try:
            return claim.trial(claim.instance(number, seed))[0]
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too: it is the author's
            sentence = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
            return workers.Failed(sentence, traceback.format_exc(), error.__cause__ or error)

    return task


def first_of(claim, seed):
    """Instance 0; what draw raises names it."""
    try:
        return claim.instance(0, seed)
    except Error as error:
        if claim._draw is None:
            raise
        raise Error(f"{claim.id}: instance 0: {error}") from (error.__cause__ or error)


def draws_from_rng_alone(claim, seed):
    """Two draws of one instance are the same, or the result would depend on who draws it."""
    if not cases.same(first_of(claim, seed), first_of(claim, seed)):
        raise Error(f"{claim.id}: two draws of instance 0 differ: draw must take its numbers from rng alone")


def judge_all(tally, pool, bar, count, ask):
    claim, most = tally.claim, 20 * tally.trials + 100
    for number in range(most):
        left = tally.trials - tally.applicable
        if left <= 0:
            return
        found = pool.get(number, min(most, number + max(left, count)))
        if isinstance(found, workers.Failed):
            raise found.error_of(f"{claim.id}: instance {number}")
        tally.count(found, number)
        bar.show(tally.applicable, tally.trials)
        if ask and ask(tally.applicable, tally.trials):
            tally.stopped = f"{claim.id}: stopped after {tally.attempted} instances"
            return


def try_spoils(tally):
    """Every spoil, on the first instances on which the claim holds until it is caught."""
    claim = tally.claim
    for number in tally.fine:
        left = [k for k, caught in enumerate(tally.spoils) if caught.trial is None]
        if not left:
            return
        drawn = claim.instance(number, tally.seed)
        worked = claim.worked(drawn)
        for k in left:
            caught = tally.spoils[k]
            rng = np.random.default_rng([tally.seed, number, 1 + k])
            try:
                caught.reason = claim.spoiled(caught.spoil, drawn, worked, rng)
            except Error as error:
                raise Error(f"{claim.id}: instance {number}: {error}", error.status) from error
            caught.tried += 1
            caught.trial = number if not caught.reason else None


def keep(tally, path):
    """The first counterexample, judged once more and written."""
    if tally.first is None:
        return
    claim, trial = tally.claim, tally.first.trial
    case = claim.instance(trial, tally.seed)
    found, tally.shown = claim.trial(case)
    if found.verdict != VIOLATED:
        raise Error(f"{claim.id}: instance {trial} was violated and then {found.verdict}: what judges it must "
                    "depend on nothing but its entries")
    write(tally, path, case, trial)


def write(tally, path, case, trial):
    """Writes a counterexample; trial: its number, None: a search made it."""
    if path:
        claim = tally.claim
        about = {"version": page.version(), "claim": claim.id, "statement": claim.statement, **find.source(claim),
                 "seed": None if trial is None else tally.seed, "trial": trial, "violated": tally.first.row.name}
        cases.write(path, case, about)
        tally.written = path


def file_of(claim, counterexample):
    """Where the counterexample goes; None: nowhere. What cannot be written is known at once."""
    if counterexample is False or isinstance(counterexample, str) and counterexample == "none":
        return None
    path = os.fspath(f"{claim.id}-counterexample.npz" if counterexample is None else counterexample)
    if not path.endswith(".npz"):
        raise Error(f"counterexample = {path}: must end in .npz, or be none")
    folder = pathlib.Path(path).parent
    if not os.access(folder, os.W_OK):
        raise Error(f"counterexample = {path}: cannot be written to that folder", "io")
    return path


def check(claim, trials, seed, threads, counterexample, progress):
    tally = Tally(claim, as_whole(trials, "trials", 1, 10**9), as_whole(seed, "seed", 0))
    count = min(workers.cores() if threads is None else as_whole(threads, "threads", 1, 4096), tally.trials)
    path = file_of(claim, counterexample)
    draws_from_rng_alone(claim, seed)
    ask = progress if callable(progress) else None
    bar = Instances(None if ask else progress)
    pool = workers.how(count)(task_of(claim, tally.seed), count)
    try:
        judge_all(tally, pool, bar, count, ask)
        pool.close()
        try_spoils(tally)
    except KeyboardInterrupt as error:
        pool.close()
        keep(tally, path)
        tally.stopped = f"{claim.id}: interrupted after {tally.attempted} instances"
        error.result = ClaimCheck._of(tally)
        raise
    finally:
        pool.close()
        bar.end()
    keep(tally, path)
    if tally.stopped:
        warnings.warn(tally.stopped, Stopped, stacklevel=caller())
    return ClaimCheck._of(tally)


# ---- one -------------------------------------------------------------------------------------------


def judge(claim, instance):
    tally = Tally(claim, 1, 0, single=True)
    case = claim.given(instance)
    try:
        found, tally.shown = claim.trial(case)
    except Error as error:
        raise Error(f"{claim.id}: {error}", error.status) from error
    tally.count(found, -1)
    return ClaimCheck._of(tally)
