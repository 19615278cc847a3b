"""harness.py -- a differential fuzzer: the program against a second implementation.

A *suite* is a part of the program that this folder implements a second time, from the manual and
the papers alone, in exact fractions or with many digits. It names *axes* (options, kinds of clouds,
sizes) with their values, makes a case for a choice of values, says whether the program must refuse
it, and judges what the program answers:

    name                 of the suite
    axes                 {axis: (value, ...)}
    make(chosen, rng)    -> Case                     chosen: {axis: value}
    refusal(case)        -> None or the reason       from the manual, without running anything
    judge(case, answer)  -> [Difference, ...]        for an accepted case
    smaller(case)        -> cases that are simpler, the simplest first
    silent(case, answer) -> [Difference, ...]        optional: of a refusal that depends on what the run finds
    options              {axis: (option, ...)}       optional: what an axis sets, when it is not the option of its name

An option that does not apply beside the others (applies.py) is taken out of what make() and smaller() give.

Two things are guaranteed. *Pairs*: every pair of values of two axes is run in at least one case that
has both, is accepted and judged; a pair for which no accepted case was found in TRIES attempts is run
as a refusal, and the program must refuse it: by the name of the option, where one does not apply. The table of pairs is printed. *Repetition*: a
case is a function of the seed and its number, whatever the number of workers and the time.

What fails is made smaller while it fails in the same field, and printed as a command line.
"""
import collections
import itertools
import json
import math
import multiprocessing
import os
import random
import shlex
import subprocess
import tempfile
import time

import applies

TRIES = 60  # completions of a pair that are looked at before it counts as refused
PATIENCE = 120  # seconds that a run may take before it counts as hanging


class Case:
    """A command line with its files: names in options are names of files beside it."""

    def __init__(self, verb, options, files=None, chosen=None, given=None):
        self.verb = verb
        self.options = dict(options)  # name -> text; None for a flag
        self.files = dict(files or {})  # name -> text or bytes
        self.chosen = dict(chosen or {})
        self.given = dict(given or {})  # what the judge wants to know beside the command line
        self.kept = set()  # names of options that stay where they do not apply
        self.dropped = set()  # names of those that went

    def changed(self, **parts):
        """A copy with other options, files or given; an option that is Ellipsis goes."""
        case = Case(self.verb, self.options, self.files, self.chosen, self.given)
        case.kept = set(self.kept)
        for part, values in parts.items():
            for name, value in values.items():
                if value is Ellipsis:
                    getattr(case, part).pop(name, None)
                else:
                    getattr(case, part)[name] = value
        return case

    def words(self):
        words = [self.verb]
        for name, value in self.options.items():
            words += ["--" + name] if value is None else ["--" + name, str(value)]
        return words

    def command(self, program="build/tropism"):
        """What a person types to see it."""
        lines = []
        for name, text in self.files.items():
            shown = text if isinstance(text, str) else f"<{len(text)} bytes>"
            lines.append(f"printf -- {shlex.quote(shown).replace(chr(10), chr(92) + 'n')} > {name}")
        lines.append(shlex.join([program] + self.words() + ["--json"]))
        return "\n".join(lines)


class Difference(collections.namedtuple("Difference", "field expected got note")):
    def __str__(self):
        return f"{self.field}: {self.got}, expected {self.expected}" + (f" ({self.note})" if self.note else "")


class Answer:
    """What the program said: the exit status, the JSON object (None when there is none), words."""

    def __init__(self, exit, out, words):
        self.exit, self.words = exit, words
        try:
            self.json = json.loads(out)
        except ValueError:
            self.json = None

    def __getitem__(self, name):
        """A member by its name with dots; None when it is absent."""
        value = self.json
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value


def number(value):
    """A double as the program writes it."""
    return float(value) if isinstance(value, str) else value


def run(case, program):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files.items():
            with open(os.path.join(folder, name), "w" if isinstance(text, str) else "wb") as file:
                file.write(text)
        try:
            done = subprocess.run([program] + case.words() + ["--json"], cwd=folder, text=True,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return Answer(None, "", f"no answer within {PATIENCE} s")
    return Answer(done.returncode, done.stdout, done.stderr.strip())


def refusal(suite, case):
    """None or the reason: of the suite, else the options that do not apply, which the sentence has to name."""
    reason = suite.refusal(case)
    return reason if reason is not None else applies.idle(case) or None


def refused(reason, answer):
    """What is wrong with a refusal for this reason."""
    if answer.exit == 0:
        return [Difference("refusal", reason, "accepted", "")]
    if not answer.words:
        return [Difference("refusal", "a sentence", "silence", reason)]
    if isinstance(reason, list) and (answer.exit != 2 or not any(applies.is_named(name, answer.words) for name in reason)):
        return [Difference("refusal", f"2, a sentence on {' or '.join(reason)}", answer.exit, answer.words[:300])]
    return []


def look(suite, case, program):
    """Runs a case: ('judged' or 'refused', differences). A judge may run more by suite.program."""
    suite.program = program
    reason = refusal(suite, case)
    answer = run(case, program)
    if answer.exit is None or answer.exit < 0 or answer.exit > 2:
        return "judged", [Difference("exit", "an answer", answer.exit, answer.words[-300:])]
    if reason is not None:
        return "refused", refused(reason, answer)
    if answer.json is None and answer.exit and hasattr(suite, "silent"):
        return "refused", suite.silent(case, answer)
    if answer.json is None:
        return "judged", [Difference("exit", 0, answer.exit, answer.words[-300:])]
    return "judged", suite.judge(case, answer)


def shrink(suite, case, program, differences, seconds=60):
    """The smallest case found that still differs in one of the same fields."""
    fields = {difference.field for difference in differences}
    end = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in map(applies.settled, suite.smaller(case)):
            if time.monotonic() > end:
                break
            try:
                found = look(suite, candidate, program)[1]
            except (ArithmeticError, ValueError, KeyError, IndexError, TypeError):
                continue
            if any(difference.field in fields for difference in found):
                case, differences, progress = candidate, found, True
                break
    return case, differences


class Plan:
    """Choices of values: first such that every pair is met, then at random."""

    def __init__(self, suite, seed):
        self.suite, self.seed = suite, seed
        self.rng = random.Random(f"{seed} {suite.name}")
        self.names = sorted(suite.axes)
        self.state = {}  # pair -> 'open', 'judged', 'refused'
        for a, b in itertools.combinations(self.names, 2):
            for pair in itertools.product(suite.axes[a], suite.axes[b]):
                self.state[(a, pair[0], b, pair[1])] = "open"
        self.open = dict.fromkeys(self.state)
        self.count = 0

    def sets(self, axis):
        """The options that an axis sets."""
        return getattr(self.suite, "options", {}).get(axis, (axis,))

    def pairs(self, case):
        """Those of which nothing was dropped."""
        names = [name for name in self.names if case.dropped.isdisjoint(self.sets(name))]
        for a, b in itertools.combinations(names, 2):
            yield (a, case.chosen[a], b, case.chosen[b])

    def plan(self, case):
        for pair in self.pairs(case):
            self.open.pop(pair, None)

    def meet(self, case, status):
        """What became of a case."""
        for pair in self.pairs(case):
            if self.state[pair] != "judged":
                self.state[pair] = status

    def complete(self, pair, greedy):
        """The other axes: by most open pairs, or at random."""
        chosen = {pair[0]: pair[1], pair[2]: pair[3]}
        rest = [name for name in self.names if name not in chosen]
        self.rng.shuffle(rest)
        for name in rest:
            values = list(self.suite.axes[name])
            self.rng.shuffle(values)
            if greedy:
                def fresh(value):
                    return sum(((name, value, other, chosen[other]) if name < other else
                                (other, chosen[other], name, value)) in self.open for other in chosen)
                chosen[name] = max(values, key=fresh)
            else:
                chosen[name] = values[0]
        return chosen

    def make(self, chosen, index, kept=()):
        case = self.suite.make(chosen, random.Random(f"{self.seed} {self.suite.name} {index}"))
        case.chosen = chosen
        case.kept.update(kept)
        return applies.settled(case)

    def next(self):
        """The next case: of a pair that is still to be met, as long as there is one."""
        self.count += 1
        if not self.open:
            chosen = {name: self.rng.choice(self.suite.axes[name]) for name in self.names}
            return self.make(chosen, self.count)
        pair = next(iter(self.open))
        case = spare = None
        for attempt in range(TRIES):
            case = self.make(self.complete(pair, attempt < TRIES // 3), self.count)
            if refusal(self.suite, case) is None:
                if pair in self.pairs(case):
                    self.plan(case)
                    return case
                spare = spare or case
        self.open.pop(pair)
        return self.make((spare or case).chosen, self.count, self.sets(pair[0]) + self.sets(pair[2]))

    def table(self):
        """Lines that say, for each axis, how its pairs with all others were met."""
        lines = [f"{self.suite.name}: {len(self.state)} pairs of {len(self.names)} axes, "
                 f"{sum(s == 'judged' for s in self.state.values())} compared, "
                 f"{sum(s == 'refused' for s in self.state.values())} refused by both, "
                 f"{sum(s == 'open' for s in self.state.values())} not met"]
        for name in self.names:
            counts = []
            for value in self.suite.axes[name]:
                met = collections.Counter(state for pair, state in self.state.items()
                                          if (name, value) in (pair[:2], pair[2:]))
                counts.append(f"{value} {met['judged']}/{sum(met.values())}")
            lines.append(f"  {name:14} " + ", ".join(counts))
        return lines


def work(task):
    suite, whole, program = task
    case = whole
    try:
        status, differences = look(suite, case, program)
        if differences:
            case, differences = shrink(suite, case, program, differences)
    except Exception as error:  # a fault of the reference is a failure of the case too
        status, differences = "judged", [Difference("reference", "an answer", repr(error), "")]
    return status, whole, case, differences


def fuzz(suites, program, seconds, seed, jobs, pairs=True, say=print, most=20):
    """Goes on until `seconds` are over, and pairs True: until every pair of every suite is met, which comes
    first in any case. Returns the number of cases and the failures."""
    plans = {suite.name: Plan(suite, seed) for suite in suites}
    end = time.monotonic() + seconds
    counts = collections.Counter()
    failures = []

    def tasks():
        for plan in itertools.cycle(plans.values()):
            over = time.monotonic() > end
            if len(failures) >= most or (over and not (pairs and any(p.open for p in plans.values()))):
                return
            if plan.open or not over:
                yield plan.suite, plan.next(), program

    # A bounded number of cases is under way, so that the end of the time is the end of the work.
    with multiprocessing.Pool(jobs) as pool:
        source, waiting = tasks(), collections.deque()
        for task in itertools.chain(source, [None] * (2 * jobs)):
            if task is not None:
                waiting.append((task[0].name, pool.apply_async(work, (task,))))
                if len(waiting) < 2 * jobs:
                    continue
            if waiting:
                name, result = waiting.popleft()
                status, met, case, differences = result.get()
                counts[(name, status)] += 1
                plans[name].meet(met, status)
                if differences:
                    failures.append((name, case, differences))
                    say(f"\n{name}:")
                    say(case.command())
                    for difference in differences[:6]:
                        say(f"    {difference}")
    for plan in plans.values():
        for line in plan.table():
            say(line)
        say(f"  {counts[(plan.suite.name, 'judged')]} cases compared, "
            f"{counts[(plan.suite.name, 'refused')]} refusals")
    return sum(counts.values()), failures


def close(field, expected, got, allowed, note=""):
    """[] when |got - expected| <= allowed; NaN never is."""
    got = number(got)
    if got is None or not abs(float(got) - float(expected)) <= allowed:
        if isinstance(got, float) and math.isinf(got) and got == float(expected):
            return []
        return [Difference(field, float(expected), got, note or f"allowed {float(allowed):.3g}")]
    return []


def equal(field, expected, got, note=""):
    return [] if got == expected else [Difference(field, expected, got, note)]
