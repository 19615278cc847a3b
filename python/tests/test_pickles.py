"""Results and objects as pickles and copies, and objects that were never made."""

import copy
import pickle

import numpy as np
import pytest

import tropism as tr
from tropism._values import plain

from results import MAKERS, X, equal, everything, less_seconds


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
        with pytest.raises(tr.Error, match="no file format for hull"):
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


def test_a_finished_flow_that_recorded_is_done_after_a_pickle():
    run = tr.flow(n=8, record="diameter", steps=20).run()
    again = pickle.loads(pickle.dumps(run))
    assert again.done and again.run().steps == 20 and again.run() is again
    assert np.array_equal(again.record.diameter, run.record.diameter)
    half = pickle.loads(pickle.dumps(tr.flow(n=8, record="diameter", steps=20).step(5)))
    assert not half.done
    with pytest.raises(tr.Error, match="does not go on recording"):
        half.run()


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
