"""What verbs take: names, values, and words about those that are wrong."""

import inspect
import json

import numpy as np
import pytest

import tropism as tr
from tropism._library import library

from results import X


# ---- options -------------------------------------------------------------------------------------

VERBS = "flow cells threshold escape margin train path inspect check reproduce".split()


@pytest.mark.parametrize("verb", VERBS)
def test_signatures_say_what_the_tables_say(verb):
    function = getattr(tr, verb)
    signature = inspect.signature(function)
    assert function.__name__ == verb and function.__module__ == "tropism"
    assert "progress" in signature.parameters and len(signature.parameters) > 5
    for name in signature.parameters:
        assert f"\n{name}\n" in function.__doc__
    with pytest.raises(TypeError, match="one argument"):
        function(1, 2)
    first = next(iter(signature.parameters))
    with pytest.raises(TypeError, match="two values"):
        function(1, **{first: 2})


@pytest.mark.parametrize("verb", VERBS)
def test_unknown_options_are_named_with_the_nearest(verb):
    with pytest.raises(tr.Error, match="threds: unknown option, did you mean threads"):
        getattr(tr, verb)(threds=1)
    with pytest.raises(tr.Error, match="unknown option"):
        getattr(tr, verb)(**{"": 1})
    with pytest.raises(tr.Error):
        getattr(tr, verb)(**{"né\ud800": 1})


def test_none_is_not_given():
    names = inspect.signature(tr.flow).parameters
    assert np.array_equal(tr.flow(**{name: None for name in names}).tokens, tr.flow().tokens)
    assert tr.flow(tokens=None, n=None).given == {}


def test_defaults_of_the_signature_are_the_defaults():
    run = tr.flow(steps=5).run()
    defaults = {k: p.default for k, p in inspect.signature(tr.flow).parameters.items()}
    # The default of gamma depends on the dynamics; the result says which step was taken.
    assert defaults["gamma"] is None and run.options["gamma"] == 0.5
    assert {k: v for k, v in run.options.items() if k not in ("steps", "gamma")} == {
        k: defaults[k] for k in run.options if k not in ("steps", "gamma")
    }
    again = tr.flow(**run.options).run()  # what applies can be given
    assert np.array_equal(again.tokens, run.tokens) and again.options == run.options == again.given


def test_results_tell_their_options_resolved():
    run = tr.flow(n=8, rule="localmax", steps=3)
    assert (run.options["rule"], run.options["epsilon"], run.options["n"]) == ("localmax", 0.1, 8)
    assert "k" not in run.options and run.given == dict(n=8, rule="localmax", steps=3)
    types = {name: type(value) for name, value in run.options.items()}
    assert (types["n"], types["steps"], types["tolerance"]) == (int, int, float)
    assert "seed" not in types and run.seed == 1  # which stands beside them
    assert tr.flow().options["leap"] is False
    fit = tr.train("attsvm", optimizer="nmirror", p=1.75, steps=3)
    told = fit.options
    assert (told["model"], told["optimizer"], told["p"]) == ("cross", "nmirror", 1.75)
    assert (told["n"], told["T"], told["d"]) == (6, 8, 10) and told["compare"] == "all"
    assert "model" not in fit.given and "beta1" not in told
    none = tr.train(tr.data.attsvm(), compare="none", steps=3)
    assert none.options["compare"] == "none" and "p" not in none.options
    assert tr.margin("mm-fig-1a").options["model"] == "prompt"
    told["p"] = 3  # a dict of the caller's own
    assert fit.options["p"] == 1.75


def test_the_options_of_json_are_those_of_the_result(result):
    if isinstance(result, tr.Hull):  # has no JSON
        assert list(result.options) == ["points"]
    else:
        assert json.loads(result.to_json()).get("options", {}) == result.options


def test_a_flow_made_to_converge_says_so():
    run = tr.flow(X, rule="localmax", epsilon=0.2, alpha=1.0)
    assert run.options["until"] == "steps"
    assert run.until_converged().options["until"] == "converged" == run.given["until"]


@pytest.mark.parametrize(
    "call,words",
    [
        (lambda: tr.train("attsvm", optimizer="adam", p=1.2), ["p: ", "mirror, nmirror, square or steepest", "is adam"]),
        (lambda: tr.flow(epsilon=0.5), ["epsilon: ", "rule localmax or minp", "is softmax"]),
        (lambda: tr.flow(X, init="sphere"), ["init: ", "without tokens"]),
        (lambda: tr.flow(every=3), ["every: ", "with record"]),
        (lambda: tr.margin("attsvm", norm="l1", p=3), ["p = 3: ", "norm = lp", "not of l1"]),
        (lambda: tr.train("mm-fig-1a", width=2), ["width: ", "model kq", "is prompt"]),
        (lambda: tr.escape(dynamics="flow", runs=4), ["runs: ", "dynamics chain", "is flow"]),
    ],
    ids=lambda v: v[0] if isinstance(v, list) else "",
)
def test_an_option_that_does_not_apply_is_refused_with_what_it_needs(call, words):
    with pytest.raises(tr.Error) as caught:
        call()
    assert caught.value.status == "arg"
    assert all(word in str(caught.value) for word in words), caught.value


def test_values_that_turn_an_option_off_are_taken_everywhere():
    wanted = tr.flow(X, steps=4).run().tokens
    off = dict(closed_form="never", merge="off", leap=False, copies=0, checkpoint=0)
    assert np.array_equal(tr.flow(X, steps=4, **off).run().tokens, wanted)


@pytest.mark.parametrize("name", ["loss", "history"])
def test_a_reader_that_fails_raises(monkeypatch, name):
    fit = tr.train("attsvm", steps=5)
    assert len(fit.history) > 2 and fit.loss > 0
    calls, real = [], library.trop_field_read

    def read(value, field, handle, row):  # of a list: its first row, then no memory
        calls.append(row)
        return real(value, field, handle, row) if len(calls) <= 2 and name == "history" else 2

    monkeypatch.setattr(library, "trop_field_read", read)
    with pytest.raises(tr.Error) as caught:
        fit[name]
    assert caught.value.status == "memory"


def test_docstrings_say_when_an_option_applies():
    rows = tr.flow.__doc__.split("\n")
    assert rows[rows.index("epsilon") + 1].endswith("; with rule localmax or minp")
    assert not rows[rows.index("rule") + 1].split("]")[-1]
    rows = tr.train.__doc__.split("\n")
    assert rows[rows.index("p") + 1].endswith("; with optimizer mirror, nmirror, square or steepest")


def test_values_of_many_types_are_one_option():
    wanted = tr.flow(n=8, steps=3, beta=2, gamma=0.5).run().tokens
    for n, beta, gamma in (
        ("8", "2", "0.5"), (np.int16(8), np.float32(2), np.float16(0.5)), (8.0, np.array(2), np.array(0.5)),
        (np.uint64(8), True + 1, [0.5]),
    ):
        assert np.array_equal(tr.flow(n=n, steps=3, beta=beta, gamma=gamma).run().tokens, wanted)
    third = 1 / 3  # to the last bit
    assert np.array_equal(
        tr.flow(n=8, steps=3, beta=third).run().tokens, tr.flow(n=8, steps=3, beta=[third]).run().tokens
    )
    assert np.array_equal(tr.margin("attsvm", select=[3, 2, 6, 2, 6, 2]).weights.W,
                          tr.margin("attsvm", select="3,2,6,2,6,2").weights.W)
    assert np.array_equal(tr.margin("attsvm", select=np.array([3, 2, 6, 2, 6, 2])).weights.W,
                          tr.margin("attsvm", select="3,2,6,2,6,2").weights.W)


@pytest.mark.parametrize("wrong", [2**64, 2**63, -(2**63) - 1, 1.5, "1", None, [1], np.float64(2)])
def test_whole_numbers_are_not_taken_modulo_anything(wrong):
    flow = tr.flow(n=4, steps=9)
    calls = [lambda: flow.step(wrong), lambda: tr.data.attsvm(n=wrong), lambda: tr.hull(X, threads=wrong)]
    if wrong is not None:
        calls += [lambda: flow.weights(wrong), lambda: tr.data.attsvm(seed=wrong if wrong != 2**63 else -1)]
    for call in calls:
        with pytest.raises(tr.Error):
            call()
    assert flow.steps == 0


@pytest.mark.parametrize("wrong", [3, 2.5, np.zeros((2, 2, 2)), [1], {1: 2}, object(), True])
def test_data_of_wrong_types_are_refused(wrong):
    for verb in ("margin", "train", "path"):
        with pytest.raises(tr.Error, match="data"):
            getattr(tr, verb)(wrong)


def test_points_and_directions_that_are_not_finite_are_refused():
    hull = tr.hull(X)
    for wrong in ([np.nan, 0], [np.inf, 0], [1], [[1, 2]], "ab", None, 3):
        with pytest.raises(tr.Error):
            hull.support(wrong)
        with pytest.raises(tr.Error):
            hull.place(wrong)


def test_progress_given_to_flow_is_that_of_its_moves():
    asked = []
    flow = tr.flow(X, steps=50, closed_form="never", progress=lambda *a: asked.append(a))
    assert not asked
    flow.run()
    assert asked


def test_schedules():
    assert tr.schedule("fw", [0, 1, 2]).tolist() == [1, 2 / 3, 0.5]
    assert tr.schedule("geometric:1,0.5", np.arange(4).reshape(2, 2)).tolist() == [[1, 0.5], [0.25, 0.125]]
    assert tr.schedule(3, 7.0, "beta") == 3 and tr.schedule("harmonic", 3).shape == ()
    with pytest.raises(tr.Error, match="gamma = fww"):
        tr.schedule("fww", [0])
    with pytest.raises(tr.Error, match="is not a schedule"):
        tr.schedule("3", [0], "n")


def test_rules_sets_and_references(capsys):
    assert {"softmax", "hardmax", "localmax"} <= set(tr.rules())
    for rule in tr.rules():
        assert np.allclose(tr.flow(n=6, rule=rule).weights().sum(axis=1), 1, atol=1e-14)
    for name in tr.data.sets():
        assert getattr(tr.data, name.replace("-", "_"))().arrays()
    with pytest.raises(tr.Error, match="must be one of"):
        tr.data.named("attsvn")
    found = tr.cite()
    assert capsys.readouterr().out.splitlines() == found and any("2410.14581" in line for line in found) or len(found) > 1
    assert tr.__version__ == tr.flow(n=2).version
    for name in tr.__all__:
        assert hasattr(tr, name)


def test_weights_of_a_result_are_a_start_and_a_direction():
    data = tr.data.attsvm()
    fit = tr.train(data, steps=20)
    again = tr.train(data, steps=0, start=fit.weights)
    assert np.array_equal(again.weights.W, fit.weights.W)
    looked = tr.margin(data, direction=fit.weights)
    assert np.array_equal(looked.direction.alpha, tr.margin(data, direction=fit.weights.W).direction.alpha)
    with pytest.raises(tr.Error, match="must be one array"):
        tr.margin(data, direction={})
