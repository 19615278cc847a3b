"""Results that are read again from their files."""

import numpy as np
import pytest

import tropism as tr
from tropism._values import plain

from results import X, equal, everything


def test_a_loaded_result_is_the_one_that_was_saved(result, tmp_path):
    if not result._saves:
        return
    path = tmp_path / "a.h5"
    result.save(path)
    again = tr.load(path)
    assert type(again) is type(result) and again.keys() == result.keys()
    assert equal(everything(again), everything(result))
    assert again.seconds == result.seconds or isinstance(result, tr.Flow)
    assert equal({k: plain(v) for k, v in again.options.items()}, {k: plain(v) for k, v in result.options.items()})
    for name in result._names():
        assert again._read(name)[1] == result._read(name)[1], name
        assert getattr(again._read(name)[0], "dtype", 0) == getattr(result._read(name)[0], "dtype", 0), name
    again.save(tmp_path / "b.h5")
    assert (tmp_path / "b.h5").read_bytes() == path.read_bytes()
    try:
        svg = result.plot().svg
    except tr.Error:
        return
    assert again.plot().svg == svg


def test_a_loaded_run_has_its_record_and_its_verdict(tmp_path):
    path = tmp_path / "run.h5"
    run = tr.flow(X, rule="localmax", epsilon=0.3, record="tokens,residual", out=path).until_converged()
    again = tr.load(str(path))
    assert np.array_equal(again.record.tokens, run.record.tokens)
    assert again._repr_html_() == run._repr_html_().replace(f"{run.seconds:.6g}", f"{again.seconds:.6g}")
    assert again.done and again.run() is again
    with pytest.raises(tr.Error, match="was loaded does not go on"):
        again.weights(0)
    with pytest.raises(tr.Error, match="what was loaded can be saved as .h5"):
        again.save(tmp_path / "a.npy")


def test_clouds_texts_and_heads_are_loaded(tmp_path):
    path = tmp_path / "a.h5"
    cells = tr.cells(X)
    cells.save(path)
    assert np.array_equal(tr.load(path).tokens, X)
    fit = tr.train("digits", epochs=1, show=1)
    fit.save(path)
    again = tr.load(path)
    assert type(again) is tr.Fit and equal(everything(again), everything(fit))
    with pytest.raises(tr.Error, match="predict"):
        again.predict("x")
    q = np.random.default_rng(1).normal(size=(2, 6, 3))
    heads = tr.inspect(q, q, q, rows=True)
    heads.save(path)
    assert equal(everything(tr.load(path)), everything(heads))


def test_what_is_no_result_is_refused(tmp_path):
    with pytest.raises(tr.Error, match="No such file"):
        tr.load(tmp_path / "no.h5")
    with pytest.raises(tr.Error, match="must end in .h5"):
        tr.load("x.csv")
    data = tr.data.attsvm()
    data.save(tmp_path / "data.h5")
    with pytest.raises(tr.Error, match="is a file of 'tropism data', not a result"):
        tr.load(tmp_path / "data.h5")
    (tmp_path / "bad.h5").write_bytes(b"none")
    with pytest.raises(tr.Error, match="bad.h5"):
        tr.load(tmp_path / "bad.h5")
