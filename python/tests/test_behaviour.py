"""What a newcomer tries first: runs that do not converge, None, other programs' names, functions as
schedules, huge steps, tab, notebooks."""

import importlib
import json
import math
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

import tropism as tr

X = np.random.default_rng(3).normal(size=(20, 2))
LOCAL = dict(rule="localmax", epsilon=0.1, alpha=1.0)
SLOW = dict(rule="softmax", beta=2.0, gamma=0.1)


# ---- convergence, and going on -----------------------------------------------------------------


def test_a_flow_that_does_not_converge_warns_and_goes_on_to_the_same_bits():
    with pytest.warns(tr.ConvergenceWarning, match=r"after 7 steps, not converged, residual .*: run\(steps="):
        run = tr.flow(X, steps=7, **LOCAL).until_converged()
    assert not run.converged and run.done and run.steps == 7
    run.run(steps=4000)
    whole = tr.flow(X, steps=4000, **LOCAL).until_converged()
    assert run.converged and whole.converged and run.steps == whole.steps
    assert np.array_equal(run.tokens, whole.tokens)
    assert run.options == whole.options


def test_the_warning_names_the_line_of_the_caller():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        tr.flow(X, steps=3, **SLOW).until_converged()
    assert [w.filename for w in found] == [__file__]


def test_what_converges_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = tr.flow(X, **LOCAL).until_converged()
    steps = run.steps
    assert run.converged
    assert run.step(50).steps == steps and run.run(steps=10**6).steps == steps


@pytest.mark.parametrize(
    "options",
    [
        dict(SLOW),
        dict(rule="hardmax", gamma="fw"),
        dict(rule="localmax", epsilon="geometric:1,0.9"),
        dict(rule="localmax", epsilon=0.2, alpha=1.0, closed_form="never"),
        dict(dynamics="chain", gamma=0.1, seed=5),
        dict(dynamics="residual", rule="topk", k=3),
        dict(SLOW, record=["diameter", "tokens"], every=3),
    ],
    ids=lambda o: "-".join(o),
)
def test_a_longer_run_is_one_that_was_asked_for_at_first(options, tmp_path):
    run, other = tr.flow(X, steps=10, **options).run(), tr.flow(X, steps=35, **options).run()
    assert run.done
    run.step(5)
    assert run.steps == 15 and run.done
    run.run(steps=35)
    assert np.array_equal(run.tokens, other.tokens) and run.options == other.options
    assert run.given["steps"] == 35
    run.save(tmp_path / "a.json")
    other.save(tmp_path / "b.json")
    same = [re.sub('"seconds": [^,}]*', "", (tmp_path / name).read_text()) for name in ("a.json", "b.json")]
    assert same[0] == same[1]
    if "record" in options:
        assert np.array_equal(run.record.tokens, other.record.tokens)


def test_a_pickled_flow_goes_beyond_its_end():
    run = pickle.loads(pickle.dumps(tr.flow(X, steps=10, **SLOW).run()))
    assert run.done
    assert np.array_equal(run.run(steps=30).tokens, tr.flow(X, steps=30, **SLOW).run().tokens)


def test_time_goes_on_as_well():
    options = dict(dynamics="sa", integrator="rk4", dt=0.125)
    run = tr.flow(X, time=1.0, **options).run()
    run.run(time=2.0)
    assert run.time == 2.0
    assert np.array_equal(run.tokens, tr.flow(X, time=2.0, **options).run().tokens)
    with pytest.raises(tr.Error, match="goes by steps"):
        tr.flow(X, steps=3).run(time=4.0)


def test_an_end_that_cannot_be_moved_is_refused(tmp_path):
    run = tr.flow(X, steps=10, **SLOW).run()
    with pytest.raises(tr.Error, match="steps = 10: must be beyond 10, where the flow is"):
        run.run(steps=10)
    with pytest.raises(tr.Error, match="steps = many"):
        run.run(steps="many")
    with pytest.raises(tr.Error, match="the end of a run that leaps cannot be moved"):
        tr.flow(X, steps=10, leap=True, **SLOW).run().run(steps=20)
    saved = tr.flow(X, steps=10, out=tmp_path / "run.h5", checkpoint=5, **SLOW).run()
    with pytest.raises(tr.Error, match="a run that wrote checkpoints cannot be moved"):
        saved.run(steps=20)
    assert run.steps == 10 and run.options["steps"] == 10


def test_a_training_goes_on_with_the_bits_of_one_run(tmp_path):
    options = dict(data="attsvm", seed=1, batch=2, optimizer="adam", eta=0.01)
    whole = tr.train(steps=90, **options)
    parts = tr.train(steps=30, out=tmp_path / "part.h5", **options)
    parts.run(steps=60).run(steps=90)
    assert parts.to_dict() | {"seconds": 0} == whole.to_dict() | {"seconds": 0}
    assert parts.options == whole.options and tr.load(tmp_path / "part.h5").steps == 90
    with pytest.raises(tr.Error, match="steps = 90: must be beyond 90, where the training is"):
        parts.run(steps=90)
    for other in (pickle.loads(pickle.dumps(parts)), tr.load(tmp_path / "part.h5")):
        with pytest.raises(tr.Error, match="takes no other steps; train"):
            other.run(steps=100)


# ---- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["flow", "cells", "threshold", "escape", "margin", "train", "path", "check"])
def test_none_is_no_input(verb):
    with pytest.raises(tr.Error, match="is None; leave it out"):
        getattr(tr, verb)(None)


def test_an_error_is_a_value_error_and_says_more():
    with pytest.raises(ValueError, match="epsilon = -1") as caught:
        tr.flow(X, rule="localmax", epsilon=-1)
    assert type(caught.value) is tr.Error and caught.value.status == "arg"
    with pytest.raises(tr.Error, match="masked entries"):
        tr.flow(np.ma.masked_array(X, X > 0))


@pytest.mark.parametrize(
    "verb, said, meant",
    [
        ("flow", "lr", "gamma"),
        ("train", "lr", "eta"),
        ("train", "learning_rate", "eta"),
        ("flow", "temperature", "beta = 1/temperature"),
        ("flow", "eps", "epsilon"),
        ("flow", "B", "key_query"),
        ("flow", "causal", "mask = causal"),
        ("flow", "rul", "rule"),
        ("margin", "tol", "tolerance"),
    ],
)
def test_names_of_other_programs_are_understood(verb, said, meant):
    with pytest.raises(tr.Error) as caught:
        getattr(tr, verb)(**{said: 1})
    if verb == "margin" and "tolerance" not in tr.margin.call.options:
        assert str(caught.value).startswith("tol: unknown option")
        return
    assert str(caught.value) == f"{said}: unknown option, did you mean {meant}?"


def test_a_function_is_a_schedule_by_its_values():
    run = tr.flow(X, gamma=lambda t: 1 / (t + 1), steps=12).run()
    assert np.array_equal(run.tokens, tr.flow(X, gamma="harmonic", steps=12).run().tokens)
    assert np.array_equal(run.given["gamma"], 1 / np.arange(1.0, 14))
    assert np.array_equal(pickle.loads(pickle.dumps(run)).tokens, run.tokens)
    data = tr.data.attsvm()
    rate = dict(steps=20, optimizer="gd")
    fit = tr.train(data, eta_schedule=lambda t: (t + 1.0) ** -1, **rate)
    assert np.array_equal(fit.weights.W, tr.train(data, eta_schedule="harmonic", **rate).weights.W)


def test_functions_that_make_no_schedule_are_refused():
    with pytest.raises(tr.Error, match="at most 1000000"):
        tr.flow(X, gamma=lambda t: 0.5, steps=10**7)
    with pytest.raises(tr.Error, match="goes by time"):
        tr.flow(X, beta=lambda t: 1.0, dynamics="sa", time=1.0)
    with pytest.raises(tr.Error, match="must give a number"):
        tr.flow(X, beta=lambda t: [1.0, 2.0], steps=3)
    with pytest.raises(tr.Error, match="real numbers"):
        tr.flow(X, beta=lambda t: "much", steps=3)
    with pytest.raises(ZeroDivisionError):
        tr.flow(X, beta=lambda t: 1 / t, steps=3)


@pytest.mark.parametrize("steps", [10**30, 10**18, "1e400"])
def test_steps_beyond_all_counting_are_a_number(steps):
    run = tr.flow(X, rule="hardmax", steps=steps).run()
    assert run.steps == int(steps) if isinstance(steps, int) else run.steps == 10**400
    assert run.options["steps"] == (steps if isinstance(steps, int) else 10**400)
    assert "10^" in repr(run) or steps == 10**18
    assert pickle.loads(pickle.dumps(run)).steps == run.steps


# ---- what is shown ---------------------------------------------------------------------------------


def test_dicts_are_json():
    run = tr.flow(X, steps=6, record=["diameter", "tokens"]).run()
    found = json.loads(json.dumps(run.to_dict()))
    assert np.array_equal(found["tokens"], run.tokens)
    assert np.array_equal(found["record"]["tokens"], run.record.tokens)
    assert found["cluster_list"][0]["members"] == run.cluster_list[0].members.tolist()
    for result in (tr.cells(X), tr.margin("mm-fig-1a"), tr.doctor(), tr.hull(X), tr.flow(n=4, copies=3).run()):
        assert json.loads(json.dumps(result.to_dict())).keys() == set(result.keys())


def test_copies_have_a_row_each_in_pandas():
    pytest.importorskip("pandas")
    copies = tr.flow(n=6, copies=3, betas=[1, 5], steps=20).run()
    table = copies.to_pandas()
    assert table.index.name == "copy" and len(table) == 6
    assert np.array_equal(table["beta"], [1, 1, 1, 5, 5, 5])
    assert np.array_equal(table["clusters"], copies.clusters)
    assert len(copies.to_pandas("means")) == 2
    one = tr.flow(n=6, copies=3, steps=20).run().to_pandas()
    assert len(one) == 3 and np.allclose(one["diameter"].mean(), tr.flow(n=6, copies=3, steps=20).run().means.diameter)


def test_starts_of_their_own_are_run_in_bulk():
    X = np.random.default_rng(5).normal(size=(17, 6, 2))
    options = dict(rule="localmax", epsilon=0.4, until="converged", steps=300, record="diameter,clusters", every=4)
    copies = tr.flow(X, **options)
    assert isinstance(copies, tr.Copies) and copies.tokens.shape == X.shape
    assert copies.steps.shape == copies.converged.shape == (17,)
    rows = copies.record.step.shape[1]
    for k, start in enumerate(X):
        alone = tr.flow(start, **options).run()
        assert np.array_equal(copies.tokens[k], alone.tokens)
        assert (copies.steps[k], copies.clusters[k]) == (alone.steps, alone.clusters)
        assert copies.residual[k] == alone.residual and copies.diameter[k] == alone.diameter
        own = len(alone.record.step)
        assert np.array_equal(copies.record.diameter[k, :own], alone.record.diameter)
        assert np.isnan(copies.record.diameter[k, own:]).all() and (copies.record.clusters[k, own:] == -1).all()
    assert copies.record.diameter.shape == (17, rows) and (copies.record.step[:, -1] == -1).any()
    again = pickle.loads(pickle.dumps(copies))
    assert np.array_equal(again.record.diameter, copies.record.diameter, equal_nan=True)
    assert np.array_equal(copies.run().tokens, again.tokens)
    swept = tr.flow(X[:3], rule="localmax", epsilons=[0.1, 2], alphas=[0.5, 1], steps=9)
    assert swept.tokens.shape == (12, 6, 2)
    assert np.array_equal(swept.tokens[7], tr.flow(X[1], rule="localmax", epsilon=2, alpha=0.5, steps=9).run().tokens)
    with pytest.raises(tr.Error, match="copies = 3: but array has copies = 17"):
        tr.flow(X, copies=3)
    with pytest.raises(tr.Error, match="must be n x d or copies x n x d"):
        tr.flow(X[None])


def test_a_notebook_shows_clusters_and_verdict():
    run = tr.flow(X, **LOCAL).until_converged()
    page = run._repr_html_()
    assert f"<p>{run.clusters} clusters after {run.steps} steps, converged ({run.certificate.kind})</p>" in page
    assert "<img " in page
    first = tr.flow(X, **SLOW)
    assert "not converged" in first._repr_html_() and "not at its end" in first._repr_html_()


def test_a_small_run_has_its_picture_and_a_large_one_says_what_is_missing(tmp_path):
    run = tr.flow(X, **LOCAL).until_converged()
    recorded = tr.flow(X, until="converged", record="tokens", **LOCAL).run()
    assert run.plot().svg == recorded.plot().svg
    run.plot(out=tmp_path / "a.pdf").save(tmp_path / "a.png")
    assert (tmp_path / "a.pdf").read_bytes()[:4] == b"%PDF" and (tmp_path / "a.png").stat().st_size > 1000
    half = tr.flow(X, steps=50, **SLOW).step(9)
    assert half.plot("paths").svg == tr.flow(X, steps=9, record="tokens", **SLOW).run().plot("paths").svg
    assert half.steps == 9 and not half.done
    timed = tr.flow(X, dynamics="sa", time=1.0, integrator="rk4").run()
    assert timed.plot("paths").svg.startswith("<?xml")
    with pytest.raises(tr.Error, match="--record tokens"):
        tr.flow(n=3000, steps=20).run().plot("paths")


@pytest.mark.parametrize("name", ["tropism.data", "tropism.tokens", "tropism.torch"])
def test_tab_offers_what_is_there_to_use(name):
    if name == "tropism.torch":
        pytest.importorskip("torch")
    module = importlib.import_module(name)
    assert dir(module) == sorted(module.__all__)
    assert not {"os", "np", "Any", "c", "ctypes"} & set(dir(module))


def test_docstrings_speak_of_arrays():
    words = tr.flow.__doc__
    assert "initial tokens, a row each: an array, or a file" in words
    assert "a function of the step" in words and "an array (d, d)" in words
    for verb in ("cells", "escape", "threshold", "flow"):
        doc = getattr(tr, verb).__doc__
        assert not re.search(r": \.npy", doc), verb
    assert "a Dataset, a dict of arrays" in tr.train.__doc__ and "a Dataset" in tr.margin.__doc__
    assert "as a list or a text separated by commas" in words


def test_powers_of_ten_are_numbers():
    from tropism._values import power_of_ten, short

    assert power_of_ten(30.0) == 10**30 and power_of_ten(None) is None
    assert math.isclose(power_of_ten(20.5), 10**20.5) and power_of_ten(1e9) == math.inf
    assert short(10**30) == "10^30"


def test_a_package_at_its_sources_finds_the_library_where_it_is_installed(tmp_path):
    """pip install -e: the modules are in the clone, the library is in site-packages, and a finder of
    the build backend knows both."""
    source, library_ = pathlib.Path(tr.__file__).parent, importlib.import_module("tropism._library").library._name
    shutil.copytree(source, tmp_path / "tropism", ignore=shutil.ignore_patterns("*.so", "__pycache__", "torch"))
    code = f"""
import importlib.util, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "tropism._tropism" and FOUND:
            return importlib.util.spec_from_file_location(name, {library_!r})
sys.meta_path.insert(0, Finder())
sys.path.insert(0, {str(tmp_path)!r})
import tropism
print(tropism.__file__)
"""
    clean = {k: v for k, v in os.environ.items() if k not in ("TROPISM_LIBRARY", "PYTHONPATH")}
    ran = [subprocess.run([sys.executable, "-B", "-c", code.replace("FOUND", found)], env=clean, cwd=tmp_path,
                          capture_output=True, text=True) for found in ("True", "False")]
    assert ran[0].stdout.strip() == str(tmp_path / "tropism" / "__init__.py"), ran[0].stderr
    assert "its library cannot be loaded" in ran[1].stderr and "pip install . builds it" in ran[1].stderr
