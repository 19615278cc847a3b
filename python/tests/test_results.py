"""What results can do: fields, pages, pictures, tables of others, files."""

import html
import inspect
import json
import math
import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import tropism as tr
from tropism._values import plain

from results import MAKERS, X, equal


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


REPORTED = ["flow", "copies", "cells", "threshold", "escape", "margin", "train", "path", "check"]


@pytest.mark.parametrize("maker", REPORTED)
def test_reports_have_every_number_and_a_call_that_gives_it(maker, tmp_path):
    result, path = MAKERS[maker](), tmp_path / "x.html"
    result.report(path)
    page = path.read_text()
    for name, (field, part) in type(result)._all_fields().items():
        if result[name] is not None and part and len(np.shape(result[name])) == 0:
            assert f"<code>{name}</code>" in page and field.meaning in html.unescape(page)
    assert "<script" not in page and ("<img" in page) == (maker not in ("threshold", "check"))
    call = html.unescape(re.search(r"<pre><code>(import tropism as tr.*?)</code></pre>", page, re.S)[1])
    if "In memory" not in page:
        names = {}
        exec(call, names)
        assert equal(plain(names["result"].to_dict()) | {"seconds": 0}, result.to_dict() | {"seconds": 0})


def test_proofs_are_written_where_something_is_proved(tmp_path):
    path, run = tmp_path / "x.json", tr.flow(X, rule="hardmax", gamma=0.5)
    assert run.until_converged().standing == "proved"
    claims = run.proof(path)
    proof = json.loads(path.read_text())
    assert claims == len(proof["claims"]) > 0 and proof["claims"][0]["kind"] == run.certificate.kind
    nothing = tr.flow(X, rule="softmax", beta=1, gamma=0.1, steps=1).run()
    assert nothing.standing is None and nothing.proof(tmp_path / "y.json") == 0 and not (tmp_path / "y.json").exists()
    with pytest.raises(tr.Error, match="must end in .json"):
        run.proof(tmp_path / "x.txt")
    with pytest.raises(tr.Error, match="loaded or pickled"):
        pickle.loads(pickle.dumps(run)).proof(path)


def test_what_is_proved_is_a_file_that_others_check(tmp_path):
    verify = pathlib.Path(__file__).parents[2] / "verify" / "tropism_verify.py"
    cells = tr.cells([[1.0, 1.0], [2.0, 1.0], [1.0, 3.0]])
    assert tr.margin(tr.data.attsvm(n=3, T=4, d=5, seed=1)).standing == "proved"
    assert cells.proof(tmp_path / "cells.json") >= 1
    told = subprocess.run([sys.executable, verify, tmp_path / "cells.json"], capture_output=True, text=True)
    assert told.returncode == 0 and told.stdout.endswith("cells.json: verified\n")
    moving = tr.flow(X, rule="softmax", beta=1.0, steps=3).run()
    assert moving.standing is None and moving.proof(tmp_path / "flow.json") == 0
    assert not (tmp_path / "flow.json").exists()
    with pytest.raises(tr.Error, match="must end in .json"):
        cells.proof(tmp_path / "cells.txt")
    with pytest.raises(tr.Error, match="loaded or pickled"):
        pickle.loads(pickle.dumps(cells)).proof(tmp_path / "again.json")


def test_a_report_of_a_small_flow_has_its_ways(tmp_path):
    run = tr.flow(X, rule="localmax", epsilon=0.2, steps=20).run()
    run.report(tmp_path / "x.html")
    assert "<code>paths</code>: where" in (tmp_path / "x.html").read_text()
    with pytest.raises(tr.Error, match="must end in .html"):
        run.report(tmp_path / "x.pdf")
    pickle.loads(pickle.dumps(run)).report(tmp_path / "y.html")
    pages = [re.sub("[0-9.e-]+ seconds|<code>seconds</code>.*|AAAA[^\"]*", "", (tmp_path / f"{name}.html").read_text())
             for name in "xy"]
    assert pages[0] == pages[1]
    run.save(tmp_path / "run.h5")
    recorded = tr.flow(X, rule="localmax", epsilon=0.2, steps=20, record="diameter").run()
    for other in (tr.load(tmp_path / "run.h5"), pickle.loads(pickle.dumps(recorded))):
        with pytest.raises(tr.Error, match="loaded or pickled .* --from FILE.h5 --report FILE.html"):
            other.report(tmp_path / "z.html")
    with pytest.raises(tr.Error, match="no file"):
        tr.doctor().report(tmp_path / "y.html")


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


def test_xarray_has_the_record_and_no_field_as_an_axis():
    pytest.importorskip("xarray")
    run = tr.flow(n=8, record=["diameter", "tokens"], steps=6).run()
    data = run.to_xarray()
    assert data["record.tokens"].dims == ("record", "token", "coordinate")
    assert np.array_equal(data["record.diameter"], run.record.diameter)
    assert np.array_equal(run.to_dict()["record"]["diameter"], run.record.diameter)
    copies = tr.flow(n=8, copies=5, steps=3).run().to_xarray()
    assert copies["clusters"].dims == ("copy",) and "clusters" not in copies.dims


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


def test_check_asks_for_files():
    with pytest.raises(tr.Error, match="check takes files"):
        tr.check("fw-lem-hull", tokens=np.eye(2))
