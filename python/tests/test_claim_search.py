"""Search and shrinking: what draw gets from its generator is recorded, changed and replayed."""

import numpy as np
import pytest

import tropism as tr
from tropism._claim import search


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def far():
    """False where x is within 1e-3 of (0.25, 0.75), which random points hardly meet."""
    claim = tr.claim("far", "x is nowhere near (1/4, 3/4).")(
        lambda distance: tr.at_least(distance, 1e-3, 0, name="distance"))
    claim.draw(lambda rng: {"x": rng.uniform(size=2)})
    claim.work(lambda x: {"distance": np.hypot(*(x - [0.25, 0.75]))})
    return claim


def test_a_search_finds_what_drawing_does_not():
    claim = far()
    assert claim.check(trials=300, counterexample="none").violations == 0
    result = claim.search(60, seed=1, threads=1)
    assert result.verdict == "violated" and result.tightest.measured < 1e-3
    assert np.all(abs(result.case["x"] - [0.25, 0.75]) < 1e-3)
    assert claim.judge("far-counterexample.npz").verdict == "violated"
    assert result.counterexample == "far-counterexample.npz" and result.trial is None and result.untested is None


def test_a_search_does_not_depend_on_the_workers():
    one = far().search(60, seed=1, threads=1, counterexample="none")
    two = far().search(60, seed=1, threads=3, counterexample="none")
    np.testing.assert_array_equal(one.case["x"], two.case["x"])
    assert one.attempted == two.attempted


def test_nothing_holds_because_nothing_is_found():
    claim = tr.claim("true", "s")(lambda x: tr.at_least(x**2, 0, 0))
    claim.draw(lambda rng: {"x": rng.normal()})
    result = claim.search(0.3, threads=1)
    assert result.verdict == "not-decidable" and result.attempted > 0 and result.violations == 0
    with pytest.raises(tr.Error, match="seconds = 0: must be above 0"):
        claim.search(0)


def test_a_search_comes_into_the_hypotheses():
    """Of a million points two satisfy the hypothesis; there the claim is false."""
    claim = tr.claim("slit", "s")(lambda x: tr.at_most(x, 0.25, 0))
    claim.draw(lambda rng: {"x": rng.uniform()})
    claim.hypothesis("slit", "x is 0.3")(lambda x: tr.near(x, 0.3, 1e-6))
    result = claim.search(60, threads=1)
    assert result.verdict == "violated" and abs(result.case["x"] - 0.3) <= 1e-6


def test_a_search_counts_what_hypotheses_exclude():
    claim = tr.claim("low", "s")(lambda x: tr.at_most(x, 1, 0))
    claim.draw(lambda rng: {"x": rng.uniform()})
    claim.hypothesis("high", "x is 2 at least")(lambda x: tr.at_least(x, 2, 0))
    result = claim.search(0.2, threads=1)
    assert result.verdict == "not-decidable" and result.applicable == 0 and result.attempted > 1
    assert [(h.failed, h.open) for h in result.hypotheses] == [(result.attempted, 0)]


def test_what_raises_is_passed_over_where_it_was_not_drawn():
    claim = tr.claim("inverse", "s")(lambda y: tr.at_most(y, 1e4, 0))
    claim.draw(lambda rng: {"x": rng.uniform()})
    claim.work(lambda x: {"y": 1 / float(x)})  # rounding x to 0 is one of the changes
    assert claim.search(60, threads=1, counterexample="none").verdict == "violated"
    claim.work(lambda x: {"y": 1 / 0})
    with pytest.raises(tr.Error, match="inverse: start 0: work: ZeroDivisionError"):
        claim.search(60, threads=1)


def test_shrinking():
    claim = tr.claim("sums", "s")(lambda x: tr.at_most(x.max(), 30, 0))

    @claim.draw
    def _(rng):
        n = rng.integers(1, 30)
        return {"x": rng.integers(0, 60, size=n)}

    trial = claim.check(trials=50).trial
    assert len(claim.instance(trial)["x"]) > 2
    result = claim.shrink(trial)
    assert result.case["x"].tolist() == [31]  # one number, and the least that is too much
    assert result.verdict == "violated"
    good = next(k for k in range(50) if claim.judge(claim.instance(k)).verdict == "holds")
    with pytest.raises(tr.Error, match=f"sums: instance {good} is no counterexample: holds"):
        claim.shrink(good)


def test_shrinking_leaves_out_what_is_before():
    claim = tr.claim("nines", "s")(lambda x: bool((x != 9).all()))

    @claim.draw
    def _(rng):
        n = rng.integers(1, 6)
        return {"x": rng.integers(0, 10, size=n)}

    trial = next(k for k in range(500) if 9 in claim.instance(k)["x"][2:] and 9 not in claim.instance(k)["x"][:2])
    assert claim.shrink(trial).case["x"].tolist() == [9]


def test_shrinking_stays_within_the_hypotheses():
    """The hypothesis is true with an allowance of 1/8: at x = 4.125, not below, though there the
    claim is false too."""
    claim = tr.claim("held", "s")(lambda x: tr.at_most(x, 1, 0))
    claim.draw(lambda rng: {"x": rng.uniform(0, 10)})
    claim.hypothesis("at-least-4", "x >= 4")(lambda x: tr.at_least(x, 4, 0.125))
    result = claim.shrink(claim.check(trials=3).trial)
    assert result.verdict == "violated" and result.case["x"] == 5.0  # one letter, the least that is allowed


def test_shrinking_leaves_the_range_of_draw_alone():
    claim = tr.claim("range", "s")(lambda x, y: tr.truth(False))
    claim.draw(lambda rng: {"x": rng.integers(3, 9, size=4), "y": rng.uniform(0.5, 2)})
    result = claim.shrink(0)
    assert result.case["x"].tolist() == [3, 3, 3, 3] and result.case["y"] == 1.0


class Draws:
    """What a generator is asked for, with the ranges that its answers have."""

    CALLS = [
        ("integers", (7,), {}, 0, 6),
        ("integers", (2, 7), {"size": 3}, 2, 6),
        ("integers", (2,), {"high": 7, "endpoint": True}, 2, 7),
        ("integers", (0, [3, 9]), {}, 0, 8),
        ("uniform", (), {}, 0, np.nextafter(1, 0)),
        ("uniform", (2.0,), {"high": 5.0, "size": 2}, 2, np.nextafter(5, 0)),
        ("uniform", (2.0, 5.0, 2), {}, 2, np.nextafter(5, 0)),
        ("random", (3,), {}, 0, np.nextafter(1, 0)),
        ("normal", (), {"size": (2, 3)}, -np.inf, np.inf),
        ("exponential", (2.0,), {}, 0, np.inf),
        ("lognormal", (0.0, 2.0), {"size": 2}, 0, np.inf),
        ("choice", (7,), {}, 0, 6),
        ("permutation", (5,), {}, None, None),
    ]


@pytest.mark.parametrize("method, arguments, named, low, high", Draws.CALLS)
def test_what_a_generator_is_asked_for(method, arguments, named, low, high):
    recorder = search.Recorder(np.random.default_rng(5))
    answer = getattr(recorder, method)(*arguments, **named)
    plain = getattr(np.random.default_rng(5), method)(*arguments, **named)
    np.testing.assert_array_equal(answer, plain)
    assert type(answer) is type(plain)
    if low is None:
        assert recorder.made == []
        return
    (choice,) = recorder.made
    assert (choice.method, choice.low, choice.high) == (method.replace("choice", "integers"), low, high)
    again = search.Recorder(np.random.default_rng(6), recorder.made)  # the script, not the generator
    np.testing.assert_array_equal(getattr(again, method)(*arguments, **named), plain)


def test_answers_are_fitted_to_what_is_asked_for_now():
    script = [search.Choice("normal", np.arange(6.0).reshape(3, 2), -np.inf, np.inf)]
    recorder = search.Recorder(np.random.default_rng(5), script)
    answer = recorder.normal(size=(2, 3))
    np.testing.assert_array_equal(answer[:, :2], [[0, 1], [2, 3]])
    np.testing.assert_array_equal(answer[:, 2], np.random.default_rng(5).normal(size=(2, 3))[:, 2])
    script = [search.Choice("integers", np.array(50), 0, 99)]
    assert search.Recorder(np.random.default_rng(5), script).integers(10) == 9
