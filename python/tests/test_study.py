"""Studies: what is asked becomes the file of the command line, rows are those of single runs, to the
bit, and nothing is lost by what stops a run."""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

import tropism as tr
from tropism._study import Block
from tropism._study_text import text_of

SMALL = dict(rule="localmax", epsilon=[0.1, 0.5, 1.0], alpha=1.0, n=12, d=2, seed=range(1, 5), until="converged",
             keep=["clusters", "converged", "steps", "diameter", "certificate.kind", "tokens"])


def small(**more):
    return tr.study(verb="flow", **{**SMALL, **more})


def same(one, two):
    """Equal values, arrays bit for bit."""
    if isinstance(one, np.ndarray):
        return isinstance(two, np.ndarray) and one.shape == two.shape and one.tobytes() == two.tobytes()
    return type(one) is type(two) and one == two


def same_rows(one, two):
    return (
        np.array_equal(one.point, two.point)
        and np.array_equal(one.state, two.state)
        and one.sentence == two.sentence
        and one.keys() == two.keys()
        and all(same(a, b) for name in one.keys() for a, b in zip(one[name], two[name]))
    )


def test_a_refused_value_is_a_row():
    study = tr.study(verb="flow", n=[4, 0, 8], seed=[1, 2], steps=3, keep="clusters")
    assert study.refused.startswith("2 of 6 points will be refused: n = 0: must be")
    with pytest.warns(UserWarning, match="n = 0"):
        rows = study.run().rows()
    assert rows.state.tolist().count(0) == 4 and len(study.to_pandas()) == 6
    assert study.status().failed == 2 and any(s.startswith("n = 0: must be") for s in rows.sentence)
    assert small().refused is None
    with pytest.raises(tr.Error, match="n = 0"):
        tr.study(verb="flow", n=[0, -1])


def test_what_failed_is_said(tmp_path):
    study = tr.study(verb="train", data=str(tmp_path / "nowhere"), steps=[1, 2], keep="steps")
    with pytest.warns(UserWarning, match="2 of 2 points failed; the first, point 0: data = .*nowhere"):
        study.run()
    rows = tr.study(verb="flow", rule=["topk", "softmax"], k=2, n=4, steps=3, keep="clusters")
    with pytest.warns(UserWarning, match="1 of 2 points failed, point 1: k"):
        rows.run()


@pytest.mark.parametrize("data", [tr.data.Dataset(X=np.ones((1, 2, 2))), dict(X=np.ones((1, 2, 2))), object(), None])
def test_what_is_no_text_is_refused(data):
    with pytest.raises(tr.Error, match="data: .*a study takes numbers, texts and names of files"):
        tr.study(verb="train", data=[data], steps=[1, 2])


@pytest.fixture(scope="module")
def whole():
    return small().run()


# ---- what is asked -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, lines",
    [
        (dict(epsilon=[0.1, 0.2]), "epsilon: [0.1, 0.2]"),
        (dict(epsilon=np.array([0.1, 1e-300])), "epsilon: [0.1, 1e-300]"),
        (dict(epsilon=(np.float32(0.5), 2)), "epsilon: [0.5, 2]"),
        (dict(epsilon="0:1:0.02"), "epsilon: 0:1:0.02"),
        (dict(seed=range(1, 1001)), "seed: 1..1000"),
        (dict(seed=range(0, 10, 3)), "seed: 0:9:3"),
        (dict(seed=range(5, 6)), "seed: [5]"),
        (dict(seed=range(3, 0, -1)), "seed: [3, 2, 1]"),
        (dict(n=np.int64(7), d=None), "n: 7"),
        (dict(leap=True), "leap: 1"),
        (dict(lambda_=2.5), "lambda: 2.5"),
        (dict(rule=["softmax", "hardmax"]), "rule: [softmax, hardmax]"),
        (dict(gamma="geometric:1,0.5"), 'gamma: "geometric:1,0.5"'),
        (dict(tokens=pathlib.Path("a b.npy")), 'tokens: "a b.npy"'),
        (dict(tokens='q"u\\o\nte'), 'tokens: "q\\"u\\\\o\\U0000000ate"'),
        (dict(n=[2, 3], d=[4, 5], together=["n", "d"]), "n: [2, 3]\nd: [4, 5]\ntogether: [n, d]"),
        (dict(together=[["n", "d"], ["beta", "seed"]]), "together: [[n, d], [beta, seed]]"),
        (dict(points="p.csv"), "points: p.csv"),
        (dict(points=[dict(n=2, beta=1.5), dict(n=3, beta=2)]), "n: [2, 3]\nbeta: [1.5, 2]\ntogether: [n, beta]"),
        (dict(points=dict(n=[2, 3])), "n: [2, 3]"),
        (dict(keep="clusters"), "keep: [clusters]"),
    ],
)
def test_values_of_python_are_the_text_of_the_file(options, lines):
    assert text_of("flow", options) == f"verb: flow\n{lines}\n"


@pytest.mark.parametrize(
    "options, sentence",
    [
        (dict(tokens=np.eye(2)), r"tokens: an array of shape \(2, 2\): a study takes files"),
        (dict(epsilon=[]), "epsilon: is empty"),
        (dict(gamma=lambda t: 1), "gamma: a function"),
        (dict(tokens={"a": 1}), "tokens: dict"),
        (dict(points=dict(n=[1, 2], d=[1])), "one length"),
        (dict(points=dict(n=[1, 2]), n=3), "n is given beside them"),
        (dict(points=[1, 2]), "points: must be a file"),
        (dict(tokens="a\0b"), "character 0"),
    ],
)
def test_values_that_no_file_has_are_refused(options, sentence):
    with pytest.raises(tr.Error, match=sentence):
        tr.study(verb="flow", keep=["clusters"], **options)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: tr.study(), "which"),
        (lambda: tr.study("nowhere.yaml"), "nowhere.yaml"),
        (lambda: tr.study("a.yaml", n=3), "n: a file has its own"),
        (lambda: tr.study(verb="flwo"), "flwo"),
        (lambda: small(epsilom=1), "epsilom.*did you mean epsilon"),
        (lambda: small(keep=["clustres"]), "clustres"),
        (lambda: small(n=["many", "few"]), "many"),
        (lambda: small(together=["epsilon", "seed"]), "together"),
        (lambda: small().run(shard="3/3"), "shard"),
        (lambda: small().run(shard="x"), "shard"),
        (lambda: small().run(Block(10, 13)), "12 points"),
        (lambda: small().run(7), "block = 7: must be one of"),
        (lambda: small().run("/proc/nothing"), "/proc/nothing"),
        (lambda: small().blocks(0), "n: must be from 1"),
        (lambda: Block(3, 3), "has no points"),
        (lambda: small().table(), "run\\(\\) computes them"),
        (lambda: small().collect([1]), "must be what run"),
    ],
)
def test_what_is_wrong_is_said(call, sentence):
    with pytest.raises(tr.Error, match=sentence):
        call()


def test_axes_and_points_are_those_of_the_file(tmp_path):
    study = small(epsilon="0:1:0.25", n=[6, 8], d=[2, 3], together=["n", "d"])
    assert study.verb == "flow" and len(study) == 5 * 2 * 4 and study.keep == SMALL["keep"]
    names = [list(axis) for axis in study.axes]
    assert sorted(map(tuple, names)) == [("epsilon",), ("n", "d"), ("seed",)]
    points = study.points()
    assert len(points) == len(study) and points[0]["epsilon"] == 0.0 and points[-1]["epsilon"] == 1.0
    assert points[0]["rule"] == "localmax" and points[0]["alpha"] == 1.0
    assert {(p["n"], p["d"]) for p in points} == {(6, 2), (8, 3)}
    assert [p["seed"] for p in points[:4]] == [1, 2, 3, 4]  # the last axis is the fastest
    assert len({tuple(sorted(p.items())) for p in points}) == len(study)
    (tmp_path / "s.yaml").write_text(study.text)
    again = tr.study(tmp_path / "s.yaml")
    assert again.text == study.text == tr.study(study.text).text and again.points()[17] == points[17]


def test_a_folder_that_cannot_be_made_is_forgotten(tmp_path):
    study = tr.study(dict(verb="flow", n=4, seed=range(1, 4), keep=["clusters"]))
    with pytest.raises(tr.Error):
        study.run("/proc/nothing")
    assert study.run().status().done == 3
    with pytest.raises(IndexError, match="point 3: there are 3"):
        study.points()[3]


def test_blocks_share_the_points():
    study = small()
    for n in (1, 5, 12, 100):
        blocks = study.blocks(n)
        assert len(blocks) == min(n, 12) and sum(map(len, blocks)) == 12
        assert [b.first for b in blocks[1:]] == [b.last for b in blocks[:-1]]
        assert max(map(len, blocks)) - min(map(len, blocks)) <= 1
    assert pickle.loads(pickle.dumps(blocks)) == blocks


# ---- what is computed ------------------------------------------------------------------------------


def test_rows_are_those_of_single_runs(whole):
    rows = whole.rows()
    assert len(rows) == 12 and not rows.state.any()
    for k, point in enumerate(whole.points()):
        run = tr.flow(**point).run()
        assert rows["clusters"][k] == run.clusters and rows["steps"][k] == run.steps
        assert rows["converged"][k] is run.converged and rows["certificate.kind"][k] == run.certificate.kind
        assert same(rows["diameter"][k], run.diameter) and same(rows["tokens"][k], run.tokens)


def test_a_closed_form():
    """Under uniform weights every token goes to the mean: the diameter falls by 1 - gamma a step."""
    study = tr.study(verb="flow", rule="uniform", gamma=[0.125, 0.5], steps=[0, 1, 3], n=9, keep=["diameter"])
    data = study.run().to_xarray()
    first = data.diameter.sel(steps=0)
    for gamma in (0.125, 0.5):
        for steps in (1, 3):
            assert np.isclose(data.diameter.sel(gamma=gamma, steps=steps), first.sel(gamma=gamma) * (1 - gamma) ** steps,
                              rtol=1e-13, atol=0)


def test_shards_threads_blocks_and_restarts_change_no_bit(whole, tmp_path):
    rows = whole.rows()
    parts = tmp_path / "parts"
    for shard in ("2/3", (0, 3), "1/3"):
        assert small().run(parts, shard=shard, threads=1).folder == str(parts)
    assert same_rows(tr.study(parts).rows(), rows)
    blocks = tmp_path / "blocks"
    study = small()
    for done, block in enumerate(study.blocks(6)[::-1]):
        assert len(study.run(block, out=blocks)) == 2 and study.status().done == 2 * (done + 1)
    assert same_rows(study.rows(), rows) and study.status().left == 0
    before = sorted(p.stat().st_size for p in (blocks / "log").iterdir())
    study.run()
    assert same_rows(study.rows(), rows)
    assert sum(p.stat().st_size for p in (blocks / "log").iterdir()) < sum(before) + 1000  # nothing twice


def test_ctrl_c_leaves_a_study_that_goes_on(tmp_path):
    options = dict(verb="train", data="attsvm", steps=[8000, 8001], seed=range(1, 16), keep=["loss", "weights.W"])
    wanted, study, asked = tr.study(**options).run(), tr.study(**options), []

    def interrupt(done, total):
        asked.append((done, total))
        if done >= 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        study.run(tmp_path / "s", threads=1, progress=interrupt)
    assert caught.value.result is study and {total for _, total in asked} == {30}
    counts = study.status()
    assert counts.left > 0 and counts.done >= 2 and counts.done + counts.left == 30
    later = tr.study(tmp_path / "s")
    assert later.status().done == counts.done
    assert same_rows(later.run().rows(), wanted.rows())
    with pytest.warns(tr.Stopped):
        other = tr.study(**options).run(progress=lambda done, total: True)
    assert other.stopped and other.status().left > 0
    assert other.run().stopped is None and same_rows(other.rows(), wanted.rows())


def test_points_that_fail_are_rows(tmp_path):
    study = tr.study(verb="flow", n=6, rule="localmax", epsilon=[0.1, 0.2], form=["additive", "cosine"],
                     closed_form=["only"], steps=3, keep=["clusters", "tokens"])
    study.run()
    rows, counts = study.rows(), study.status()
    assert len(rows) == 4 and counts.failed == (rows.state != 0).sum() > 0 and counts.left == 0
    for k in np.flatnonzero(rows.state):
        with pytest.raises(tr.Error) as caught:
            tr.flow(**study.points()[k]).run()
        assert rows.sentence[k] == str(caught.value) and rows["clusters"][k] is None
    table = study.to_pandas()
    assert set(table["state"]) <= {"done", "failed"} and table["clusters"].isna().sum() == counts.failed
    assert np.isnan(study.to_xarray().tokens).any()
    assert f"{counts.failed} failed" in repr(study)


def test_a_late_point_is_a_row_until_it_is_done():
    study = tr.study(verb="train", data="attsvm", steps=[10, 200000], keep=["loss"])
    counts = study.run(point_limit=0.02).status()
    rows = study.rows()
    assert (counts.done, counts.failed, counts.late, counts.left) == (1, 1, 1, 0)
    assert rows.state.tolist() == [0, 2] and "0.02" in rows.sentence[1] and rows["loss"][1] is None
    assert list(study.to_pandas()["state"]) == ["done", "late"]
    again = study.run().rows()  # two records of one point: the one that is done counts
    assert again.state.tolist() == [0, 0] and again.sentence == ["", ""] and study.status().late == 0
    assert again["loss"] == [tr.train("attsvm", steps=steps).loss for steps in (10, 200000)]


def test_a_folder_is_of_one_study_and_may_be_extended(tmp_path):
    small(seed=[1, 2]).run(tmp_path / "s")
    with pytest.raises(tr.Error):
        small(seed=[1, 2, 3]).run(tmp_path / "s")
    study = small(seed=[1, 2, 3]).run(tmp_path / "s", extend=True)
    assert study.status().done == 9 and same_rows(study.rows(), small(seed=[1, 2, 3]).run().rows())


def test_a_folder_of_its_own_goes_with_the_study(tmp_path):
    study = small().run()
    folder = study.folder
    assert os.path.exists(os.path.join(folder, "study.yaml"))
    with pytest.raises(tr.Error, match="has results already"):
        study.run(tmp_path / "s")
    del study
    assert not os.path.exists(folder)


def test_the_command_line_has_the_same_rows(whole, tmp_path):
    program = os.environ.get("TROPISM_PROGRAM")
    if not program or "study" not in subprocess.run([program, "help"], capture_output=True, text=True).stdout:
        pytest.skip("TROPISM_PROGRAM names no program that has studies")
    (tmp_path / "s.yaml").write_text(whole.text)
    ran = subprocess.run([program, "study", "run", "s.yaml", "--out", "out", "--json"], cwd=tmp_path,
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["points"], told["done"], told["failed"]) == (12, 12, 0)
    assert same_rows(tr.study(tmp_path / "out").rows(), whole.rows())


# ---- other processes ---------------------------------------------------------------------------------


def test_a_pickled_study_runs_in_another_process(whole, tmp_path):
    study = small()
    blocks = study.blocks(3)
    (tmp_path / "asked").write_bytes(pickle.dumps((study.run, blocks)))
    code = ("import pickle; run, blocks = pickle.load(open('asked', 'rb'));"
            "pickle.dump([run(block, threads=1) for block in blocks], open('answer', 'wb'))")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    answer = pickle.loads((tmp_path / "answer").read_bytes())
    assert [len(rows) for rows in answer] == [4, 4, 4]
    study.collect(answer[:2])
    assert study.status().done == 8
    study.collect(answer).collect(answer[0])  # what is there already is no second row
    assert study.status().done == 12 and study.status().left == 0
    assert sum(len(log.read_bytes()) > 0 for log in pathlib.Path(study.folder, "log").iterdir()) == sum(len(r.logs) for r in answer)
    assert same_rows(study.rows(), whole.rows())
    with pytest.raises(tr.Error, match="another study"):
        small(n=13).collect(answer)
    kept = tr.study(verb="flow", **SMALL)
    kept.run(tmp_path / "kept")
    again = pickle.loads(pickle.dumps(kept))
    assert again.folder == str(tmp_path / "kept") and same_rows(again.rows(), whole.rows())


def test_joblib(whole):
    joblib = pytest.importorskip("joblib")
    study = small()
    study.collect(joblib.Parallel(2)(joblib.delayed(study.run)(block) for block in study.blocks(4)))
    assert same_rows(study.rows(), whole.rows())


def test_dask(whole, tmp_path):
    dask = pytest.importorskip("dask")
    study = small()
    study.run(study.blocks(4)[0], out=tmp_path / "s")  # workers write into the folder themselves
    tasks = [dask.delayed(study.run)(block) for block in study.blocks(4)[1:]]
    parts = dask.compute(*tasks, scheduler="processes", num_workers=2)
    assert sum(map(len, parts)) == 9
    assert same_rows(study.rows(), whole.rows())


# ---- tables of others ----------------------------------------------------------------------------------


def test_pandas_has_a_row_for_each_point(whole):
    pytest.importorskip("pandas")
    table = whole.to_pandas()
    assert list(table.columns) == ["epsilon", "seed", "state", "sentence", *SMALL["keep"]]
    assert table.index.name == "point" and list(table.index) == list(range(12))
    assert table["clusters"].dtype == np.int64 and table["converged"].dtype == bool
    assert same(table["tokens"][5], whole.rows()["tokens"][5])
    assert np.array_equal(table["seed"], [1, 2, 3, 4] * 3)
    assert len(whole.points().to_pandas()) == 12
    assert len(small().to_pandas()) == 0


def test_xarray_has_the_axes_as_coordinates(whole):
    pytest.importorskip("xarray")
    data = whole.to_xarray()
    assert data.clusters.dims == ("epsilon", "seed") and data.clusters.dtype == np.int64
    assert np.array_equal(data.epsilon, [0.1, 0.5, 1.0]) and np.array_equal(data.seed, [1, 2, 3, 4])
    run = tr.flow(**{k: v for k, v in SMALL.items() if k not in ("keep", "epsilon", "seed")}, epsilon=0.5, seed=3).run()
    assert same(data.tokens.sel(epsilon=0.5, seed=3).values, run.tokens)
    assert data["certificate.kind"].sel(epsilon=0.5, seed=3) == run.certificate.kind
    assert data.attrs["rule"] == "localmax"
    half = small()
    half.run(half.blocks(2)[1], out=None)
    assert len(half.to_xarray()["clusters"].values[0]) == 4 and np.isnan(half.to_xarray().clusters).all()


def test_arrays_of_different_sizes_end_in_nan():
    pytest.importorskip("xarray")
    study = tr.study(verb="flow", n=[3, 5], d=[2, 4], together=["n", "d"], steps=2, seed=[1, 2], keep=["tokens", "steps"])
    data = study.run().to_xarray()
    assert data.tokens.dims[:2] == ("n_d", "seed") and data.tokens.shape == (2, 2, 5, 4)
    assert np.array_equal(data.n, [3, 5]) and data.n.dims == ("n_d",)
    assert same(data.tokens.values[0, 1, :3, :2].copy(), tr.flow(n=3, d=2, steps=2, seed=2).run().tokens)
    assert np.isnan(data.tokens.values[0, :, 3:]).all() and not np.isnan(data.tokens.values[1]).any()


def test_the_table_has_means_over_the_other_axes(whole, tmp_path):
    try:
        table = whole.table(by="epsilon", mean=["clusters", "diameter"], deviation=True)
    except tr.Error as error:
        if error.status != "unsupported":
            raise
        pytest.skip(str(error))
    values = {name: np.array(whole.rows()[name], dtype=float).reshape(3, 4) for name in ("clusters", "diameter")}
    assert np.array_equal(table.epsilon, [0.1, 0.5, 1.0]) and np.array_equal(table["count"], [4, 4, 4])
    for name, value in values.items():
        assert np.allclose(table[f"{name}_mean"], value.mean(axis=1), rtol=1e-14, atol=0)
        assert np.allclose(table[f"{name}_deviation"], value.std(axis=1, ddof=1), rtol=1e-12, atol=0)
    one = whole.table(where="clusters = 1 AND epsilon > 0.4")
    assert len(one) == (values["clusters"][1:] == 1).sum() and set(one["clusters"]) <= {1}
    assert len(whole.table()) == 12 and whole.table(by=["epsilon", "seed"], mean="steps").keys()[:2] == ["epsilon", "seed"]
    for wrong in (dict(by="nobody"), dict(mean="nothing"), dict(where="1 +"), dict(by=3)):
        with pytest.raises(tr.Error):
            whole.table(**wrong)
    parts = [small() for _ in range(2)]
    for k, part in enumerate(parts):
        part.run(tmp_path / str(k), shard=(k, 2))
    assert os.path.exists(parts[0].merge(tmp_path / "1"))
    assert whole.table(by="epsilon", mean="diameter") == parts[0].table(by="epsilon", mean="diameter")


@pytest.mark.parametrize(
    "kind, options",
    [
        ("heat", dict(x="epsilon", y="seed", of="clusters")),
        ("curves", dict(x="epsilon", y="seed", of="diameter", title="one for each seed")),
        ("bands", dict(x="epsilon", of="clusters", band="quantiles")),
        ("histogram", dict(of="clusters", where="epsilon > 0.2")),
    ],
)
def test_pictures_are_those_of_the_program(whole, tmp_path, kind, options):
    program = os.environ.get("TROPISM_PROGRAM")
    picture = whole.plot(kind, out=tmp_path / "a.pdf", **options)
    assert isinstance(picture, tr.Picture) and (tmp_path / "a.pdf").read_bytes()[:4] == b"%PDF"
    with pytest.raises(tr.Error) as caught:
        whole.plot(kind, **{**options, "of": "nobody"})
    assert "nobody" in str(caught.value) and whole.folder not in str(caught.value)
    if not program:
        pytest.skip("TROPISM_PROGRAM does not name the command line program")
    small().run(tmp_path / "s")
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    subprocess.run([program, "plot", "s", "--kind", kind, "--out", "b.svg", *words], cwd=tmp_path, check=True,
                   capture_output=True)
    assert (tmp_path / "b.svg").read_text() == picture.svg


def test_what_is_not_installed_is_named(whole, monkeypatch):
    for name in ("pandas", "xarray"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"to_{name} needs {name}; 'pip install {name}' brings it"):
            getattr(whole, f"to_{name}")()


def test_records_are_kept_too():
    study = tr.study(verb="flow", n=5, seed=[1, 2], steps=4, keep=["record.diameter"])
    rows = study.run().rows()
    assert same(rows["record.diameter"][1], tr.flow(n=5, seed=2, steps=4, record="diameter").run().record.diameter)


def test_other_verbs_and_one_point():
    study = tr.study(verb="escape", init="polygon", n=3, beta=[2, 3], runs=20, seed=[1, 2], keep=["exponent.fit"])
    for value, point in zip(study.run().rows()["exponent.fit"], study.points()):
        assert same(value, tr.escape(**point).exponent.fit)
    margin = tr.study(verb="margin", data="attsvm", seed=range(1, 4), keep=["norm", "outcome", "alpha"]).run()
    assert margin.rows()["norm"] == [tr.margin("attsvm", seed=seed).norm for seed in (1, 2, 3)]
    one = tr.study(verb="cells", n=9, keep=["generic", "vertices"]).run()
    assert len(one) == 1 and one.axes == [] and one.to_xarray().vertices.dims == ("vertices_0",)
    assert one.to_pandas().shape == (1, 4) and one.rows()["generic"] == [tr.cells(n=9).generic]


def test_the_example_runs_and_goes_on(tmp_path):
    program = pathlib.Path(__file__).parents[2] / "examples" / "study.py"
    ran = [subprocess.run([sys.executable, program, "out"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
           for _ in range(2)]
    assert ran[0] == ran[1] and "450 of 450 done" in ran[0] and len(ran[0].splitlines()) == 7


def test_a_study_is_told_on_a_page(tmp_path):
    study = tr.study(verb="flow", rule="localmax", epsilon=[0.0, 0.5], n=6, steps=3, seed=range(1, 31),
                     keep=["clusters"]).run(out=tmp_path / "s")
    study.report(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text()
    assert "60 points: 60 done, 0 failed" in page and "The first 50 of 60 rows" in page
    assert page.count("<img") == 2  # one option varies beside the seed: curves, and the histogram
    study.report(tmp_path / "y.html", by=["epsilon"], mean="clusters", deviation=True)
    assert "<th>clusters_deviation</th>" in (tmp_path / "y.html").read_text()
    with pytest.raises(tr.Error, match="must end in .html"):
        study.report(tmp_path / "x.pdf")
    with pytest.raises(tr.Error, match="no results yet"):
        tr.study(verb="flow", n=[4, 5]).report(tmp_path / "z.html")
