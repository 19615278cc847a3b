"""What objects can do: pickles, copies, tables of others, pictures, files; and names that are wrong."""

import copy
import inspect
import json
import math
import os
import pathlib
import pickle
import re

import numpy as np
import pytest

import tropism as tr
from tropism._library import library
from tropism._values import plain

X = np.random.default_rng(2).normal(size=(15, 2))

MAKERS = {
    "flow": lambda: tr.flow(X, rule="localmax", epsilon=0.2, steps=30, record="tokens,energy").run(),
    "first": lambda: tr.flow(X, steps=30),
    "copies": lambda: tr.flow(n=5, copies=4, steps=10).run(),
    "cells": lambda: tr.cells(X),
    "threshold": lambda: tr.threshold(X[:6]),
    "escape": lambda: tr.escape(init="polygon", n=3, beta="2,3", runs=20),
    "margin": lambda: tr.margin("attsvm", n=3, T=3, d=4),
    "train": lambda: tr.train(tr.data.attsvm(seed=1), steps=200),
    "path": lambda: tr.path("mm-fig-1a", radius=[1, 10]),
    "check": lambda: tr.check("lm-thm-t5", trials=1, counterexample="none"),
    "claims": lambda: tr.claims(paper="lm"),
    "doctor": lambda: tr.doctor(),
    "hull": lambda: tr.hull(X),
}


@pytest.fixture(scope="module", params=MAKERS)
def result(request):
    return MAKERS[request.param]()


def equal(one, two):
    """Equal values, NaN to NaN."""
    if isinstance(one, dict):
        return isinstance(two, dict) and one.keys() == two.keys() and all(equal(one[k], two[k]) for k in one)
    if isinstance(one, list):
        return isinstance(two, list) and len(one) == len(two) and all(map(equal, one, two))
    if isinstance(one, float) and math.isnan(one):
        return isinstance(two, float) and math.isnan(two)
    return type(one) is type(two) and one == two


def everything(result):
    return {key: plain(value) for key, value in result.to_dict().items() if key != "seconds"}


def less_seconds(text):
    return re.sub(r'"seconds": [^,}\]]*', '"seconds": 0', text.strip())


# ---- pickles and copies --------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_have_equal_values_and_options(result, protocol):
    again = pickle.loads(pickle.dumps(result, protocol))
    assert type(again) is type(result)
    assert equal(everything(again), everything(result))
    assert again.keys() == result.keys() and again.stopped == result.stopped
    assert set(again.given) == set(result.given)
    assert equal({k: plain(v) for k, v in again.options.items()}, {k: plain(v) for k, v in result.options.items()})
    assert repr(again) == repr(result)


def test_a_pickle_of_a_pickle_and_copies(result):
    again = pickle.loads(pickle.dumps(result))
    for other in (pickle.loads(pickle.dumps(again)), copy.copy(result), copy.deepcopy(result)):
        assert other is not result and equal(everything(other), everything(result))


def test_pickles_have_the_files_and_pictures(result, tmp_path):
    again = pickle.loads(pickle.dumps(result))
    if isinstance(result, tr.Hull):
        with pytest.raises(tr.Error, match="no file of hull"):
            again.save(tmp_path / "a.h5")
        return
    assert less_seconds(again.to_json()) == less_seconds(result.to_json())
    if not result._saves:
        with pytest.raises(tr.Error, match="no file"):
            again.save(tmp_path / "a.h5")
        return
    again.save(tmp_path / "a.h5")
    result.save(tmp_path / "b.h5")
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
    with pytest.raises(tr.Error, match="pickled can be saved as"):
        again.save(tmp_path / "a.txt")
    try:
        svg = result.plot().svg
    except tr.Error as error:
        with pytest.raises(tr.Error) as caught:
            again.plot()
        assert str(caught.value).split("result.h5")[-1] == str(error).split("result.h5")[-1]
    else:
        assert again.plot().svg == svg


@pytest.mark.parametrize(
    "options",
    [
        dict(steps=20, closed_form="never", tolerance=0),
        dict(steps=20, rule="hardmax", gamma="fw"),
        dict(steps=20, rule="localmax", epsilon="geometric:1,0.9", masses=np.linspace(1, 2, 15)),
        dict(steps=20, dynamics="chain", gamma=0.1, seed=5),
        dict(dynamics="ode", time=1.0, integrator="rk4", dt=0.05),
        dict(steps=20, key_query=np.array([[1.0, 0.2], [0.0, 1.0]]), until="converged"),
    ],
    ids=lambda o: "-".join(o),
)
def test_a_pickled_flow_goes_on_to_the_same_bits(options):
    whole = tr.flow(X, **options).run()
    half = tr.flow(X, **options).step(7)
    again = pickle.loads(pickle.dumps(half))
    assert np.array_equal(again.tokens, half.tokens) and again.steps == half.steps
    assert np.array_equal(again.weights(3), half.weights(3))
    assert not again.done
    assert np.array_equal(again.run().tokens, whole.tokens) and again.done
    twice = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(half)))).step(3)
    assert np.array_equal(twice.tokens, tr.flow(X, **options).step(10).tokens)
    assert np.array_equal(half.run().tokens, whole.tokens)  # the first is untouched


def test_a_pickled_flow_goes_on_without_its_files(tmp_path):
    options = dict(steps=20, out=tmp_path / "run.h5", checkpoint=5)
    again = pickle.loads(pickle.dumps(tr.flow(X, **options).step(7)))
    assert np.array_equal(again.run().tokens, tr.flow(X, steps=20).run().tokens)


def test_a_pickled_flow_can_be_made_to_converge():
    flow = pickle.loads(pickle.dumps(tr.flow(X, rule="localmax", epsilon=0.2, alpha=1.0)))
    wanted = tr.flow(X, rule="localmax", epsilon=0.2, alpha=1.0).until_converged()
    assert np.array_equal(flow.until_converged().tokens, wanted.tokens)


def test_what_a_pickle_cannot_do_is_said():
    run = pickle.loads(pickle.dumps(tr.flow(X, steps=9, record="energy").step(2)))
    assert run.record.energy.shape == (3,)
    with pytest.raises(tr.Error, match="record"):
        run.step(1)
    copies = pickle.loads(pickle.dumps(MAKERS["copies"]()))
    with pytest.raises(tr.Error, match="pickled"):
        copies.run()


def test_other_objects_pickle():
    data = tr.data.attsvm(n=3, T=3, d=4)
    again = pickle.loads(pickle.dumps(data))
    assert all(np.array_equal(a, again.arrays()[k]) for k, a in data.arrays().items())
    assert copy.deepcopy(data).keys() == data.keys()
    run = MAKERS["flow"]()
    for part in (run.certificate, run.cluster_list, run.cluster_list[0], run.graph, run.record):
        assert equal(plain(pickle.loads(pickle.dumps(part))), plain(part))
    words = pickle.loads(pickle.dumps(tr.data.Dataset(E=np.eye(3), ids=[[0, 1]], next=[2])))
    assert words.ids.tolist() == [[0, 1]] and words.X is None


def test_errors_pickle_and_have_a_status():
    for call, status in (
        (lambda: tr.flow(n=-1), "arg"),
        (lambda: tr.flow("none.npy"), "io"),
        (lambda: tr.flow([[np.nan]]), "arg"),
        (lambda: tr.flow(X, dynamics="sa", rule="topk", integrator="cvode", time=1e9, dt=1e-300), None),
    ):
        try:
            call()
        except tr.Error as error:
            again = pickle.loads(pickle.dumps(error))
            assert (str(again), again.status) == (str(error), error.status)
            assert status in (None, error.status)
            assert isinstance(copy.copy(error), tr.Error)
        else:
            assert status is None
    assert issubclass(tr.Stopped, UserWarning) and issubclass(tr.Error, Exception)


# ---- fields --------------------------------------------------------------------------------------


def test_every_field_has_a_meaning_and_a_value(result):
    meanings = type(result).fields()
    assert len(meanings) >= 1 and all(meanings.values())
    for key in result:
        assert key in result and hasattr(result, key)
        assert equal(plain(result[key]), plain(getattr(result, key)))
    assert len(result) == len(result.keys()) == len(set(result.keys()))
    assert set(result.keys()) <= {name.rstrip("_") for name in dir(result)}
    assert bool(result)


def test_wrong_names_are_attribute_errors(result):
    for name in ("tokes", "no_such", "x y", ""):
        with pytest.raises(AttributeError):
            getattr(result, name)
    assert not hasattr(result, "_nothing") and not hasattr(result, "__nothing__")
    with pytest.raises(AttributeError):
        result.tokes = 3
    if "version" in result:
        with pytest.raises(AttributeError):
            result.version = 3


def test_groups_and_tables():
    run = MAKERS["flow"]()
    assert run.certificate.kind == run["certificate"]["kind"] == run["certificate.kind"]
    with pytest.raises(AttributeError, match="must be one of"):
        run.certificate.knd
    with pytest.raises(AttributeError, match="cannot be changed"):
        run.certificate.kind = 3
    table = run.cluster_list
    assert len(table) == run.clusters == len(list(table))
    assert table[-1].mass == table.mass[-1] == table[len(table) - 1]["mass"]
    with pytest.raises(IndexError):
        table[len(table)]
    with pytest.raises(AttributeError, match="must be one of"):
        table.masses
    assert [row.mass for row in table[::2]] == list(table.mass[::2])
    assert sum(map(len, table.members)) == 15
    for row in table:
        assert np.allclose(row.centre, run.tokens[row.members].mean(axis=0), atol=1e-6)
    for kind in (tr.Group, tr.Table):
        with pytest.raises(AttributeError):
            kind.__new__(kind).nothing


def test_absent_values_are_none_and_infinite_ones_are_floats():
    assert tr.flow(X).time is None
    data = {"X": np.array([[[1.0], [0.0]], [[0.0], [1.0]]]), "y": [1, 1], "v": [1.0]}
    margin = tr.margin(data, model="prompt", select=[0, 0])
    assert margin.outcome == "infeasible" and margin.norm == math.inf and margin.margin == 0


def test_words_of_the_language_have_an_underscore():
    assert "lambda_" in inspect.signature(tr.train).parameters
    one = tr.train("mm-fig-1a", head="quadratic", lambda_=2.0, steps=5)
    two = tr.train("mm-fig-1a", **{"head": "quadratic", "lambda": 2.0, "steps": 5})
    three = tr.train("mm-fig-1a", head="quadratic", lambda_=3.0, steps=5)
    assert one.loss == two.loss != three.loss
    constants = MAKERS["escape"]().constants
    assert constants.lambda_ == constants["lambda"]


def test_the_first_state_is_described_before_any_step():
    flow = tr.flow(X, beta=0.0)  # every token attends to the mean of all
    assert flow.clusters == 15
    residual = np.linalg.norm(X.mean(axis=0) - X, axis=1).max()
    assert flow.residual == pytest.approx(residual, rel=1e-14)
    seen = []
    flow = tr.flow(X, beta=0.0, gamma=0.5, steps=1000, closed_form="never", tolerance=0)

    def progress(done, total):
        spread = flow.tokens - flow.tokens.mean(axis=0)
        seen.append((flow.residual, np.linalg.norm(spread, axis=1).max()))
        return True

    with pytest.warns(tr.Stopped):
        flow.run(progress=progress)
    assert seen[0][0] == pytest.approx(seen[0][1], rel=1e-12)


# ---- showing -------------------------------------------------------------------------------------


def test_results_show_themselves(result):
    text, page = repr(result), result._repr_html_()
    assert text.startswith(f"tropism {result._verb}") and len(text.splitlines()) < 60
    assert page.startswith("<div>") and page.count("<table>") == page.count("</table>") == 1
    for key in result.keys():
        if result[key] is not None:
            assert f"<code>{key}</code>" in page
    assert "<script" not in page


def test_texts_are_escaped_in_pages(tmp_path):
    class Odd(tr.Claims):
        def keys(self):
            return ["<b>"]

        def __getitem__(self, name):
            return "<script>&"

    page = Odd(MAKERS["claims"]()._handle, {})._repr_html_()
    assert "<script" not in page and "&lt;b&gt;" in page and "&lt;script&gt;&amp;" in page


PLOTS = [
    ("flow", "auto", {}), ("flow", "paths", {}), ("flow", "energy", {}), ("flow", "graph", {}),
    ("flow", "attention", {}), ("flow", "paths", dict(title="A & B", width=200, height=150)),
    ("cells", "cells", {}), ("cells", None, {}), ("escape", "survival", {}), ("train", "loss", {}),
    ("train", "training", {}), ("train", "norm", {}), ("path", None, {}),
    ("train", "curve", dict(x="history/step", y="history/loss")),
]


@pytest.mark.parametrize("maker,kind,options", PLOTS, ids=lambda v: str(v))
def test_pictures(maker, kind, options, tmp_path):
    result = MAKERS[maker]()
    picture = result.plot(kind, **options)
    assert picture.svg.lstrip().startswith("<?xml") and "</svg>" in picture._repr_svg_()
    assert picture.svg == result.plot(kind, **options).svg
    picture.save(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    result.plot(kind, out=tmp_path / "a.png", **options)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("maker", ["flow", "copies", "cells", "threshold", "escape", "train", "path"])
def test_pictures_on_axes(maker):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib.figure import Figure

    for result in (MAKERS[maker](), pickle.loads(pickle.dumps(MAKERS[maker]()))):
        ax = Figure().add_subplot()
        result.plot(ax=ax)
        assert ax.has_data()


def test_pictures_that_there_are_not_are_said(tmp_path):
    flow = MAKERS["flow"]()
    with pytest.raises(tr.Error, match="kind = pats"):
        flow.plot("pats")
    with pytest.raises(tr.Error, match="did you mean title"):
        flow.plot(titel="x")
    with pytest.raises(tr.Error):
        flow.plot(out=tmp_path / "a.xyz")
    with pytest.raises(tr.Error):
        flow.plot("training")
    for maker in ("claims", "hull", "doctor"):
        with pytest.raises(tr.Error, match="no picture"):
            MAKERS[maker]().plot()


# ---- tables of others ----------------------------------------------------------------------------


def test_pandas(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert isinstance(frame, (pandas.DataFrame, pandas.Series)) and len(frame) > 0
    for key in result.keys():
        if isinstance(result[key], tr.Table):
            rows = result.to_pandas(key)
            assert list(rows.columns) == result[key].keys() and len(rows) == len(result[key])


def test_pandas_has_the_record():
    pytest.importorskip("pandas")
    run = MAKERS["flow"]()
    frame = run.to_pandas()
    assert np.array_equal(frame["energy"], run.record.energy) and "tokens" not in frame
    history = MAKERS["train"]().to_pandas("history")
    assert history["step"].iloc[-1] == 200
    with pytest.raises(AttributeError):
        run.to_pandas("nothing")


def test_xarray(result):
    xarray = pytest.importorskip("xarray")
    found = result.to_xarray()
    assert isinstance(found, xarray.Dataset)
    for key in result._names():
        value = result[key]
        if isinstance(value, np.ndarray):
            assert np.array_equal(found[key].values, value, equal_nan=value.dtype.kind == "f")
        elif value is not None and not isinstance(value, tr.Table):
            assert key in found.attrs
    json.dumps({k: v for k, v in found.attrs.items()})


# ---- files ---------------------------------------------------------------------------------------


def test_paths_of_every_kind(tmp_path, monkeypatch):
    run = MAKERS["flow"]()
    monkeypatch.chdir(tmp_path)
    for name, path in (
        ("a.npy", "a.npy"), ("b.npy", pathlib.Path("b.npy")), ("c.npy", b"c.npy"),
        ("d é ü 空.npy", "d é ü 空.npy"), ("e.npy", os.path.join(str(tmp_path), "e.npy")),
    ):
        run.save(path)
        assert np.array_equal(np.load(tmp_path / name), run.tokens)
        assert np.array_equal(tr.flow(path).tokens, run.tokens)
    run.save(os.fsdecode(b"\xff.npy"))
    assert os.path.exists(b"\xff.npy")
    assert np.array_equal(tr.flow(os.fsdecode(b"\xff.npy")).tokens, run.tokens)
    data = tr.data.attsvm(n=2, T=2, d=2)
    for path in ("data.json", pathlib.Path("data.h5"), b"folder"):
        data.save(path)
        assert np.array_equal(tr.data.load(path).X, data.X)
        assert tr.margin(pathlib.Path(os.fsdecode(path))).norm == tr.margin(data).norm


def test_paths_with_the_character_zero_are_refused(tmp_path):
    run, path = MAKERS["flow"](), f"{tmp_path}/a.h5\0.txt"
    for call in (
        lambda: run.save(path),
        lambda: tr.flow(path),
        lambda: tr.flow(out=path),
        lambda: tr.data.load(path),
        lambda: tr.data.attsvm().save(path),
        lambda: tr.flow(**{"n\0m": 3}),
        lambda: tr.claims("fw-thm-3.1\0"),
        lambda: pickle.loads(pickle.dumps(run)).save(path),
        lambda: tr.data.Dataset(**{"X\0": np.ones((1, 1, 1))}),
    ):
        with pytest.raises(tr.Error, match="character 0"):
            call()
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_written_or_read(tmp_path):
    run = MAKERS["flow"]()
    for path in (tmp_path / "no" / "a.h5", "/dev/null/a.h5"):
        with pytest.raises(tr.Error) as caught:
            run.save(path)
        assert caught.value.status == "io" and str(path) in str(caught.value)
    with pytest.raises(tr.Error, match="must end in"):
        run.save(tmp_path / "a.xyz")
    for wrong in (3, None, 2.5, object()):
        with pytest.raises((tr.Error, TypeError)):
            run.save(wrong)
        with pytest.raises((tr.Error, TypeError)):
            tr.data.load(wrong)
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00garbage")
    with pytest.raises(tr.Error, match="bad.npy"):
        tr.flow(tmp_path / "bad.npy")


def test_runs_are_resumed(tmp_path):
    out = tmp_path / "run.h5"
    options = dict(n=200, d=2, steps=400, closed_form="never", tolerance=0)
    stop = iter(range(10**6))
    with pytest.warns(tr.Stopped):
        tr.flow(**options, out=out, checkpoint=10).run(progress=lambda done, total: next(stop) == 3)
    again = tr.flow(resume=out)
    # The options of a resumed flow are in its file: a pickle has only the file's name.
    pickled = pickle.loads(pickle.dumps(again))
    assert pickled.tokens.shape == (200, 2)
    with pytest.raises(tr.Error, match="resume"):
        pickled.step(1)
    assert again.run().steps == 400
    assert np.array_equal(again.tokens, tr.flow(**options).run().tokens)


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
    assert {k: v for k, v in run.options.items() if k != "steps"} == {
        k: defaults[k] for k in run.options if k != "steps"
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


# ---- subclasses and objects that were never made -------------------------------------------------


def test_subclasses_work_and_pickle():
    made = Mine._start({"n": 5, "steps": 3}).run()
    made.note = "kept here"
    assert made.twice == 6 and np.array_equal(made.tokens, tr.flow(n=5, steps=3).run().tokens)
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is Mine and again.twice == 6


class Mine(tr.Flow):
    @property
    def twice(self):
        return 2 * self.steps


@pytest.mark.parametrize("kind", [tr.Flow, tr.Copies, tr.Cells, tr.Train, tr.Hull, tr.Claims, tr.data.Dataset])
def test_objects_that_were_never_made_say_so(kind):
    ghost = kind.__new__(kind)
    with pytest.raises(AttributeError):
        ghost.tokens
    with pytest.raises(AttributeError):
        repr(ghost)
    with pytest.raises((AttributeError, tr.Error)):
        ghost.save("a.h5")
    del ghost
    with pytest.raises((tr.Error, TypeError)):
        tr.Hull()


def test_schedules():
    assert tr.schedule("fw", [0, 1, 2]).tolist() == [1, 2 / 3, 0.5]
    assert tr.schedule("geometric:1,0.5", np.arange(4).reshape(2, 2)).tolist() == [[1, 0.5], [0.25, 0.125]]
    assert tr.schedule(3, 7.0, "beta") == 3 and tr.schedule("harmonic", 3).shape == ()
    with pytest.raises(tr.Error, match="gamma = fww"):
        tr.schedule("fww", [0])
    with pytest.raises(tr.Error, match="no schedule"):
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


def test_a_finished_flow_that_recorded_is_done_after_a_pickle():
    run = tr.flow(n=8, record="diameter", steps=20).run()
    again = pickle.loads(pickle.dumps(run))
    assert again.done and again.run().steps == 20 and again.run() is again
    assert np.array_equal(again.record.diameter, run.record.diameter)
    half = pickle.loads(pickle.dumps(tr.flow(n=8, record="diameter", steps=20).step(5)))
    assert not half.done
    with pytest.raises(tr.Error, match="does not go on recording"):
        half.run()


def test_check_asks_for_files():
    with pytest.raises(tr.Error, match="check takes files"):
        tr.check("fw-lem-hull", tokens=np.eye(2))


def test_xarray_has_the_record_and_no_field_as_an_axis():
    pytest.importorskip("xarray")
    run = tr.flow(n=8, record=["diameter", "tokens"], steps=6).run()
    data = run.to_xarray()
    assert data["record.tokens"].dims == ("record", "token", "coordinate")
    assert np.array_equal(data["record.diameter"], run.record.diameter)
    assert np.array_equal(run.to_dict()["record"]["diameter"], run.record.diameter)
    copies = tr.flow(n=8, copies=5, steps=3).run().to_xarray()
    assert copies["clusters"].dims == ("copy",) and "clusters" not in copies.dims
