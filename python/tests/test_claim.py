"""Claims of one's own: comparisons, verdicts, spoils, workers. Expected values are by hand."""

import math
import os
import signal
import sys
from fractions import Fraction

import numpy as np
import pytest

import tropism as tr
from tropism._claim import workers
from tropism._claim.judge import CONCLUSION, HYPOTHESIS, Judged

INF, NAN = math.inf, math.nan


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def verdict(line, side):
    return Judged(line, side, "a line").verdict


# ---- three values --------------------------------------------------------------------------------

# relation, measured, bound, allowance, as a hypothesis, as a conclusion
CASES = [
    ("at_most", 1.0, 2.0, 0.5, True, True),
    ("at_most", 1.5, 2.0, 0.5, True, True),  # holds by exactly the allowance
    ("at_most", 1.75, 2.0, 0.5, None, True),  # by less
    ("at_most", 2.0, 2.0, 0.5, None, True),
    ("at_most", 2.5, 2.0, 0.5, None, True),  # fails by exactly the allowance
    ("at_most", 2.75, 2.0, 0.5, False, False),
    ("at_most", 2.0, 2.0, 0.0, True, True),
    ("at_most", np.nextafter(2.0, 3.0), 2.0, 0.0, False, False),
    ("at_least", 2.5, 2.0, 0.5, True, True),
    ("at_least", 2.25, 2.0, 0.5, None, True),
    ("at_least", 1.5, 2.0, 0.5, None, True),
    ("at_least", 1.25, 2.0, 0.5, False, False),
    ("near", 2.5, 2.0, 0.5, True, True),
    ("near", 1.5, 2.0, 0.5, True, True),
    ("near", 2.625, 2.0, 0.5, False, False),
    ("near", 2.0, 2.0, 0.0, True, True),
    ("at_most", NAN, 2.0, 0.5, None, None),
    ("at_most", 1.0, NAN, 0.5, None, None),
    ("at_most", 1.0, 2.0, NAN, None, None),
    ("at_most", 9.0, 2.0, INF, None, None),
    ("near", 2.0, 2.0, INF, None, None),
    ("at_most", INF, INF, 0.0, True, True),
    ("at_most", INF, 2.0, 0.5, False, False),
    ("at_most", -INF, 2.0, 0.5, True, True),
    ("near", INF, INF, 0.0, True, True),
    ("at_most", 2**53 + 1, 2**53, 0, False, False),  # equal as doubles
    ("at_most", 2**53 + 1, float(2**53), 0, False, False),
    ("at_most", Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**400), 0, True, True),
    ("at_least", Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**400), 0, False, False),
    ("at_most", 10**400, 10**400 + 1, 0, True, True),
    ("at_most", 10**400, INF, 0, True, True),
]


@pytest.mark.parametrize("relation, measured, bound, allowance, hypothesis, conclusion", CASES)
def test_lines(relation, measured, bound, allowance, hypothesis, conclusion):
    line = getattr(tr, relation)(measured, bound, allowance)
    assert (verdict(line, HYPOTHESIS), verdict(line, CONCLUSION)) == (hypothesis, conclusion)


@pytest.mark.parametrize("relation, measured, bound, allowance, hypothesis, conclusion",
                         [case for case in CASES if all(isinstance(x, float) for x in case[1:4])])
def test_arrays_are_judged_as_their_entries(relation, measured, bound, allowance, hypothesis, conclusion):
    line = getattr(tr, relation)(np.array([[measured]]), np.array([bound]), allowance)
    assert (verdict(line, HYPOTHESIS), verdict(line, CONCLUSION)) == (hypothesis, conclusion)


def test_one_false_line_decides_and_then_an_open_one():
    true, false, undecided = tr.truth(True), tr.truth(False), tr.truth(None)
    assert verdict([true, undecided, false], CONCLUSION) is False
    assert verdict([true, undecided], CONCLUSION) is None
    assert verdict([true, true], CONCLUSION) is True
    assert verdict([], CONCLUSION) is None  # nothing decides
    assert verdict(tr.at_most(np.zeros(0), 1, 0), CONCLUSION) is None
    assert verdict([np.bool_(True), True, np.array([True, True])], HYPOTHESIS) is True
    assert verdict(np.array([True, False]), HYPOTHESIS) is False


def test_the_row_of_an_array_is_its_tightest_entry():
    judged = Judged(tr.at_most(np.array([[1.0, 4.0], [NAN, 3.0]]), 4.0, 0.0, name="entry"), CONCLUSION, "")
    row = judged.rows["entry"]
    assert (row.measured, row.slack, row.place) == (4.0, 0.0, (0, 1))
    assert (judged.count, judged.failures, judged.open) == (4, 0, 1)
    judged = Judged(tr.at_most(np.array([NAN, 5.0, 7.0]), 4.0, 0.0), CONCLUSION, "it")
    assert judged.rows["it"].measured == 7.0 and judged.first.measured == 5.0
    assert judged.rows["it"].tightness == -3 / 11


@pytest.mark.parametrize("make, sentence", [
    (lambda: tr.at_most(1, 2, -1e-9), "allowance = -1e-09: must not be negative"),
    (lambda: tr.at_most(1, 2, np.array([0, -1])), "must not be negative"),
    (lambda: tr.at_most("1", 2, 0), "measured = '1': must be a real number"),
    (lambda: tr.at_most(1j, 2, 0), "must be a real number"),
    (lambda: tr.at_most(np.zeros(2), np.zeros(3), 0), r"have shapes \(2,\), \(3,\), \(\)"),
    (lambda: tr.truth(1), "truth = 1: must be True, False or None"),
    (lambda: bool(tr.at_most(1, 2, 0)), "a line has no truth of its own"),
])
def test_lines_that_are_none(make, sentence):
    with pytest.raises(tr.Error, match=sentence):
        make()


# ---- a claim to work with ------------------------------------------------------------------------


def even(conclude=lambda n, half: tr.at_most(half, 3 * n, 0), **more):
    """Instance k has n = k; of even numbers, n/2 is at most 3 n."""
    claim = tr.claim("even", "Half of an even number is at most three times it.", **more)(conclude)

    @claim.draw
    def _(rng, trial):
        return {"n": trial}

    @claim.hypothesis("is-even", "n is even")
    def _(n):
        return n % 2 == 0

    @claim.work
    def _(n):
        return {"half": n // 2}

    return claim


def test_counts_of_instances():
    result = even().check(trials=10, threads=1)
    # 0, 2, ..., 18 are even: the tenth of them is instance 18.
    assert (result.verdict, result.applicable, result.attempted) == ("holds", 10, 19)
    assert (result.hypotheses[0].failed, result.hypotheses[0].open) == (9, 0)
    assert (result.violations, result.open, result.counterexample) == (0, 0, None)
    assert result.tightest.trial == 0 and result.tightest.slack == 0


def test_the_first_counterexample_in_order():
    result = even(lambda n, half: tr.at_most(half, 4, 0)).check(trials=10)
    # n = 10, 12, ..., 18 violate it.
    assert (result.verdict, result.violations, result.trial) == ("violated", 5, 10)
    assert result.case == {"n": 10, "half": 5}
    assert result.tightest.measured == 9 and result.tightest.trial == 18
    assert result.counterexample == "even-counterexample.npz"


def test_never_applicable_does_not_hold():
    claim = even()
    claim.hypothesis("odd-too", "n is odd")(lambda n: n % 2 == 1)
    result = claim.check(trials=3)
    assert (result.verdict, result.applicable, result.attempted) == ("not-decidable", 0, 20 * 3 + 100)
    assert list(result.hypotheses.failed) == [80, 80]  # even ones fail the second, odd ones the first
    assert result.tightest is None and len(result.evidence) == 0
    assert "excludes 80 instances" in repr(result)


def test_an_open_hypothesis_proves_nothing():
    claim = even()
    claim.hypothesis("positive", "n is above 0, by a margin")(lambda n: tr.at_least(n, 0, 1))
    result = claim.check(trials=2)
    assert (result.applicable, result.attempted) == (2, 5)  # 2 and 4; 0 is open
    assert (result.hypotheses[1].failed, result.hypotheses[1].open) == (0, 1)


def test_an_open_conclusion_keeps_it_from_holding():
    result = even(lambda n, half: tr.truth(None if n == 4 else True)).check(trials=3)
    assert (result.verdict, result.applicable, result.open, result.attempted) == ("not-decidable", 3, 1, 7)


def test_a_hypothesis_that_fails_comes_before_one_that_is_open():
    claim = even()
    claim.hypothesis("large", "n is large")(lambda n: tr.truth(None))
    claim.hypothesis("small", "n is small")(lambda n: n < 0)
    result = claim.judge({"n": 4})
    assert result.verdict == "hypothesis-fails" and result.hypothesis.name == "small"


# ---- one instance --------------------------------------------------------------------------------


def test_judge():
    claim = even(lambda n, half: tr.at_most(half, 4, 0, name="half", step=7))
    result = claim.judge({"n": 10})
    assert (result.verdict, result.violated, result.step, result.trial) == ("violated", "half", 7, None)
    assert result.case == {"n": 10, "half": 5} and result.untested is None
    assert claim.judge({"n": 8}).verdict == "holds"
    result = claim.judge({"n": 3})
    assert (result.verdict, result.hypothesis.name) == ("hypothesis-fails", "is-even")
    assert result.hypothesis.measured == 0 and result.hypothesis.bound == 1
    assert "hypothesis    is-even: n is even" in repr(result)
    with pytest.raises(tr.Error, match="even: work: asks for n; there is nothing"):
        claim.judge({})
    with pytest.raises(tr.Error, match="nothing here asks for nn, did you mean n"):
        claim.judge({"nn": 3})


def test_judge_where_a_hypothesis_is_open():
    claim = even()
    claim.hypothesis("positive", "n is above 0")(lambda n: tr.at_least(n, 0, 1))
    result = claim.judge({"n": 0})
    assert (result.verdict, result.hypothesis.name) == ("not-decidable", "positive")


def test_work_waits_for_the_hypotheses():
    claim = tr.claim("order", "Work sees what is allowed alone.")(lambda root: tr.at_least(root, 0, 0))
    claim.draw(lambda rng, trial: {"x": float(trial - 3)})
    claim.hypothesis("not-negative", "x is not negative")(lambda x: x >= 0)
    claim.hypothesis("small-root", "the root is at most 1")(lambda root: tr.at_most(root, 1, 0))
    claim.work(lambda x: {"root": math.sqrt(x)})  # fails on the first three instances
    result = claim.check(trials=2)
    assert (result.verdict, result.attempted) == ("holds", 5)
    assert list(result.hypotheses.failed) == [3, 0]


# ---- spoils --------------------------------------------------------------------------------------


def test_a_check_without_spoils_is_untested():
    result = even().check(trials=2)
    assert result.untested is True and repr(result).startswith("even: holds (untested)\n")
    assert '"untested": true' in result.to_json()


def test_a_check_that_catches_no_spoil_is_untested():
    claim = even()
    claim.spoil("nothing is changed")(lambda half: {"half": half})
    claim.spoil("n is odd", breaks="is-even")(lambda n: {"n": n + 1})
    result = claim.check(trials=20)
    assert result.untested is True  # that a hypothesis breaks says nothing of the conclusion
    assert list(result.spoils.caught) == [False, True]
    assert result.spoils[0].reason == "the conclusion is not violated" and result.spoils[0].tried == 10
    assert "nothing is changed: the conclusion is not violated" in repr(result)


def test_a_spoil_that_is_caught():
    claim = even()
    claim.spoil("half is five times too large")(lambda half: {"half": 10 * half})
    result = claim.check(trials=20)
    assert result.untested is False and repr(result).startswith("even: holds\n")
    # Of n = 0 nothing changes; of n = 2 the "half" is 10 and 3 n is 6.
    assert (result.spoils[0].caught, result.spoils[0].trial, result.spoils[0].tried) == (True, 2, 2)


def test_a_spoil_of_the_conclusion_that_leaves_a_hypothesis():
    claim = even()
    claim.spoil("n is odd and half is large")(lambda n: {"n": n + 1, "half": 10**6})
    result = claim.check(trials=20)
    assert result.untested and result.spoils[0].reason == "leaves is-even"


def test_a_spoil_of_a_hypothesis_breaks_that_one_alone():
    claim = even()
    claim.hypothesis("not-large", "n is at most 1000")(lambda n: n <= 1000)
    claim.spoil("n is odd", breaks="is-even")(lambda n: {"n": n + 1})
    claim.spoil("n is even still", breaks="is-even")(lambda n: {"n": n + 2})
    claim.spoil("n is large, and odd too", breaks="not-large")(lambda n: {"n": n + 1001})
    claim.spoil("n is odd, not large", breaks="not-large")(lambda n: {"n": n + 1})
    result = claim.check(trials=3)
    assert list(result.spoils.caught) == [True, False, False, False]
    assert list(result.spoils.reason) == [
        None, "is-even is still true", "breaks is-even, not-large", "breaks is-even"]


def test_a_spoil_of_a_late_hypothesis_is_applied_after_work():
    claim = even()
    claim.hypothesis("half-is-whole", "2 half = n")(lambda n, half: 2 * half == n)
    claim.spoil("half is moved", breaks="half-is-whole")(lambda half: {"half": half + 1})
    assert claim.check(trials=2).spoils[0].caught is True


def test_spoils_that_cannot_be():
    claim = even()
    with pytest.raises(tr.Error, match="breaks = 'is-evn': is none of its hypotheses, did you mean is-even"):
        claim.spoil("x", breaks="is-evn")
    claim.spoil("y")(lambda n: {"hlf": 1})
    with pytest.raises(tr.Error, match="0: spoil 'y': changes hlf, which is not there, did you mean half"):
        claim.check(trials=1)
    with pytest.raises(tr.Error, match="has a hypothesis 'is-even' already"):
        claim.hypothesis("is-even", "again")


def test_a_violated_claim_is_not_untested():
    assert even(lambda n, half: tr.at_most(half, 4, 0)).check(trials=10).untested is False


# ---- workers -------------------------------------------------------------------------------------


def walk():
    claim = tr.claim("walk", "A sum of normal numbers is at most 2 in modulus.")(
        lambda x, total: [tr.at_most(abs(total), 2, 0, name="sum"), tr.at_most(x[0], 3, 0, name="first")])
    claim.draw(lambda rng: {"x": rng.normal(size=4)})
    claim.work(lambda x: {"total": x.sum()})
    claim.hypothesis("first-positive", "the first is positive")(lambda x: tr.at_least(x[0], 0, 0))
    claim.spoil("the sum is 3")(lambda: {"total": 3.0})
    return claim


def test_the_result_does_not_depend_on_the_workers(monkeypatch):
    claim = walk()
    alone = claim.check(60, seed=5, threads=1, counterexample="none")
    assert alone.verdict == "violated" and 0 < alone.violations < 60 < alone.attempted
    for count in (2, 3, 7):
        assert claim.check(60, seed=5, threads=count, counterexample="none").to_json() == alone.to_json()
    monkeypatch.setattr(workers, "how", lambda count: workers.Threads)
    assert claim.check(60, seed=5, threads=3, counterexample="none").to_json() == alone.to_json()
    assert claim.check(60, seed=6, counterexample="none").to_json() != alone.to_json()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux")
def test_workers_are_processes_and_end():
    claim = tr.claim("process", "Work is done elsewhere.")(lambda same: tr.truth(not same))
    here = os.getpid()
    claim.draw(lambda rng: {"x": rng.normal()})
    claim.work(lambda x: {"same": os.getpid() == here})
    assert claim.check(trials=4, threads=2, counterexample="none").violations == 0
    import multiprocessing

    assert multiprocessing.active_children() == []


def test_instances_are_functions_of_seed_and_trial():
    claim = walk()
    np.testing.assert_array_equal(claim.instance(7, seed=3)["x"], np.random.default_rng([3, 7]).normal(size=4))


def test_a_draw_that_takes_chance_from_elsewhere():
    claim = tr.claim("global", "s")(lambda x: True)
    claim.draw(lambda rng: {"x": np.random.normal()})
    with pytest.raises(tr.Error, match="two draws of instance 0 differ"):
        claim.check()


def test_a_judge_that_changes_its_mind():
    claim = tr.claim("moody", "s")(lambda x, here: tr.truth(here))
    here = os.getpid()
    claim.draw(lambda rng: {"x": 1})
    claim.work(lambda x: {"here": os.getpid() == here})
    if workers.how(2) is workers.Processes:
        with pytest.raises(tr.Error, match="instance 0 was violated and then holds"):
            claim.check(trials=4, threads=2)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_raises_is_named_with_its_instance(threads):
    def broken(rng, trial):
        return {"x": 1 / (5 - trial)}

    claim = tr.claim("broken", "s")(lambda x: True)
    claim.draw(broken)
    with pytest.raises(tr.Error, match=r"^broken: instance 5: draw: ZeroDivisionError: division by zero "
                                       r"\(test_claim.py, line \d+\)$") as found:
        claim.check(trials=20, threads=threads)
    assert found.value.__cause__ is not None
    assert claim.check(trials=5, threads=threads).attempted == 5  # the instance was not needed
    claim.draw(lambda rng: {"x": 1 / 0})
    for judged in lambda: claim.check(threads=threads), lambda: claim.search(1, threads=threads):
        with pytest.raises(tr.Error, match="^broken: instance 0: draw: ZeroDivisionError") as found:
            judged()
        assert found.value.__cause__ is not None

    claim.draw(lambda rng, trial: {"x": trial})
    claim.work(lambda x: {"y": [1, 2][x]})
    with pytest.raises(tr.Error, match="broken: instance 2: work: IndexError: list index out of range"):
        claim.check(trials=20, threads=threads)


def test_exits_and_generators_that_raise():
    claim = tr.claim("leaves", "s")(lambda x: (tr.truth(1 / 0 > 0) for _ in range(2)))
    claim.draw(lambda rng: {"x": 1})
    with pytest.raises(tr.Error, match="leaves: instance 0: conclusion: ZeroDivisionError"):
        claim.check(threads=2, trials=2)
    claim.work(lambda x: sys.exit("gone"))
    with pytest.raises(tr.Error, match="leaves: instance 0: SystemExit: gone"):
        claim.check(threads=2, trials=2)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux")
def test_a_worker_that_is_killed():
    claim = tr.claim("killed", "s")(lambda x: True)
    claim.draw(lambda rng, trial: {"x": trial})
    claim.work(lambda x: {"y": os.kill(os.getpid(), signal.SIGKILL) if x == 3 else 1})
    with pytest.raises(tr.Error, match="killed: instance 3: its process ended with -9"):
        claim.check(trials=20, threads=2)


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_gives_what_there_is(threads):
    claim = tr.claim("long", "s")(lambda x: tr.at_least(x, 0, 0))
    claim.draw(lambda rng, trial: {"x": trial})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt) as found:
            claim.check(trials=10**5, threads=threads,
                        progress=lambda done, total: done == 9 and os.kill(os.getpid(), signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)
    result = found.value.result
    assert result.verdict == "not-decidable" and 9 <= result.applicable < 10**5
    assert result.stopped == f"long: interrupted after {result.attempted} instances"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux")
def test_ctrl_c_is_for_the_one_that_asks():
    """A terminal sends it to the workers too."""
    here = os.getpid()
    claim = tr.claim("terminal", "s")(lambda y: y == 1)
    claim.draw(lambda rng: {"x": 1})
    claim.work(lambda x: {"y": os.getpid() == here or os.kill(os.getpid(), signal.SIGINT) or 1})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert claim.check(trials=4, threads=2).verdict == "holds"
    finally:
        signal.signal(signal.SIGINT, before)


def test_progress_stops():
    with pytest.warns(tr.Stopped, match="even: stopped after 5 instances"):
        result = even().check(trials=50, progress=lambda done, total: done == 3)
    assert result.applicable == 3 and result.verdict == "not-decidable" and result.stopped


# ---- cases ---------------------------------------------------------------------------------------


def test_arrays_of_a_case_are_not_written_to():
    shared = np.zeros(3)
    claim = tr.claim("writes", "s")(lambda x: x.fill(1))
    claim.draw(lambda rng: {"x": shared})
    with pytest.raises(tr.Error, match="conclusion: ValueError: assignment destination is read-only"):
        claim.check(threads=1)
    shared[0] = 5  # the author's own array is as it was
    assert claim.instance(0)["x"][0] == 5


@pytest.mark.parametrize("drawn, sentence", [
    (None, "draw: returned NoneType, must be a dict"),
    ({"x": object()}, "must be a number, a text or an array of numbers"),
    ({"x": [[1], [2, 3]]}, "must be a number, a text or an array of numbers"),
    ({"a b": 1}, "'a b' cannot be the name of an entry"),
    ({"tropism": 1}, "'tropism' cannot be the name of an entry"),
    ({1: 1}, "1 cannot be the name of an entry"),
])
def test_draws_that_are_none(drawn, sentence):
    claim = tr.claim("odd-draw", "s")(lambda x: True)
    claim.draw(lambda rng: drawn)
    with pytest.raises(tr.Error, match=sentence):
        claim.check()


@pytest.mark.parametrize("answer, told", [(None, "returned nothing"), (3, "returned 3"), ({"a": 1}, "returned {"),
                                          ("yes", "returned 'yes'"), (np.zeros(2), "returned array")])
def test_conclusions_that_say_nothing(answer, told):
    claim = tr.claim("mute", "s")(lambda x: answer)
    claim.draw(lambda rng: {"x": 1})
    with pytest.raises(tr.Error, match=f"mute: instance 0: conclusion: {told}"):
        claim.check()


def test_empty_and_huge_arrays():
    claim = tr.claim("sizes", "s")(lambda x: tr.at_least(x**2, 0, 0))
    claim.draw(lambda rng, trial: {"x": np.zeros((0, 3))})
    assert claim.check(trials=2).verdict == "not-decidable"  # nothing was compared
    claim.draw(lambda rng, trial: {"x": np.full((3000, 1000), 2.0)})
    result = claim.check(trials=2)
    assert result.verdict == "holds" and result.evidence[0].measured == 4.0


def test_what_is_refused():
    for id in ("", "a b", "../x", "x" * 65, 3):
        with pytest.raises(tr.Error, match="id = .*: must be letters"):
            tr.claim(id, "s")(lambda x: True)
    with pytest.raises(tr.Error, match="needs its statement"):
        tr.claim("a", " ")(lambda x: True)
    with pytest.raises(tr.Error, match="has no draw"):
        tr.claim("a", "s")(lambda x: True).check()
    for name, value in (("trials", 0), ("trials", 2.5), ("seed", -1), ("threads", 0)):
        with pytest.raises(tr.Error, match=name):
            even().check(**{name: value})
    with pytest.raises(tr.Error, match="must end in .npz, or be none"):
        even().check(counterexample="x.h5")
    with pytest.raises(tr.Error, match="cannot be written"):
        even().check(counterexample="nowhere/x.npz")
    claim = tr.claim("asks", "s")(lambda x, z: True)
    claim.draw(lambda rng: {"x": 1, "y": 2})
    with pytest.raises(tr.Error, match="asks: instance 0: conclusion: asks for z; there is x, y"):
        claim.check()
    claim.work(lambda x: {"x": 2})
    with pytest.raises(tr.Error, match="work: returned x, which the instance has already"):
        claim.check()


def test_a_claim_of_a_claim_is_another():
    one = even()
    two = tr.claim("two", "t")(one)
    two.draw(lambda rng: {"n": 1, "half": 9})
    assert (one.id, two.id, two.statement) == ("even", "two", "t")
    two.hypothesis("odd", "n is odd")(lambda n: n % 2 == 1)
    assert two.check(trials=1).verdict == "violated" and len(one._hypotheses) == 1
    assert one.check(trials=3).verdict == "holds" and one(n=1, half=2).bound == 3


# ---- results -------------------------------------------------------------------------------------


def test_results_are_results():
    import json
    import pickle

    result = walk().check(20, counterexample="none")
    assert set(result.keys()) <= {name.split(".")[0] for name in tr.ClaimCheck.fields()}
    assert json.loads(result.to_json())["applicable"] == 20
    result.save("x.json")
    assert open("x.json").read() == result.to_json() + "\n"
    again = pickle.loads(pickle.dumps(result))
    assert again.to_json() == result.to_json() and again.tightest.name == result.tightest.name
    with pytest.raises(tr.Error, match="pickled"):
        again.report("x.html")
    assert result.options == {"trials": 20, "seed": 0}


def test_json_has_no_nan():
    claim = tr.claim("nan", "s")(lambda x: tr.at_most(NAN, 1, 0))
    claim.draw(lambda rng: {"x": 1})
    result = claim.check(trials=2)
    assert result.verdict == "not-decidable"
    assert '"measured": null' in result.to_json() and "NaN" not in result.to_json()
    assert math.isnan(result.evidence[0].measured)


def test_report_and_picture(tmp_path):
    claim = walk()
    claim.inputs["x"] = "four <normal> numbers"
    result = claim.check(30)
    result.report("walk.html")
    page = open("walk.html").read()
    for words in ("Verdict of walk: violated.", "four &lt;normal&gt; numbers", "first-positive", "the sum is 3",
                  "data:image/svg+xml;base64", "python -m tropism check walk-counterexample.npz", "</html>"):
        assert words in page, words
    picture = result.plot(out="walk.pdf")
    assert "<svg" in picture.svg and open("walk.pdf", "rb").read(4) == b"%PDF"
    assert "data:image/svg+xml" in result._repr_html_()
    claim.picture(lambda x, total: f"<svg>{x.size} {total == x.sum()}</svg>")
    assert claim.check(30).plot().svg == "<svg>4 True</svg>"
    assert claim.check(30).plot("slack").svg.startswith("<?xml")
    with pytest.raises(tr.Error, match="report = walk.pdf: must end in .html"):
        result.report("walk.pdf")
