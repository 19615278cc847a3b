"""Who lives how long: memory over many calls, views and their owners, forks, odd orders of ending."""

import gc
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import tropism as tr
from tropism._library import Handle, library

CALLS = 10**4


def resident():
    """Bytes of this process in memory."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def grown(call, calls=CALLS, warm=None):
    """How much the process grows over so many calls, after others that fill caches and pools."""
    for _ in range(warm or max(20, calls // 5)):
        call()
    gc.collect()
    before = resident()
    for _ in range(calls):
        call()
    gc.collect()
    return resident() - before


needs_statm = pytest.mark.skipif(
    not pathlib.Path("/proc/self/statm").exists(), reason="memory is read from /proc"
)

X = np.random.default_rng(0).normal(size=(64, 4))
DATA = dict(X=np.random.default_rng(1).normal(size=(6, 8, 4)), y=[1, -1] * 3, v=[1.0, 0, 0, 0])


def some_flow():
    tr.flow(X[:8, :2], steps=1, threads=1).step(1).tokens


def some_hull():
    tr.hull(X[:20], threads=1).vertices


def some_data():
    tr.data.Dataset(**DATA).X


def some_refusal():
    try:
        tr.flow(X[:8], rule="no")
    except tr.Error:
        pass


def some_failure_late():
    """Refused when arrays and setup are made already."""
    try:
        tr.flow(X[:8], key_query=np.eye(3))
    except tr.Error:
        pass


@needs_statm
@pytest.mark.parametrize("call", [some_flow, some_hull, some_data, some_refusal, some_failure_late])
def test_ten_thousand_calls_leave_nothing(call):
    # 64 bytes lost in each call would be 640 kB; the tokens of a flow are 128, of the others 640
    # and more.
    assert grown(call) < 600_000


@needs_statm
@pytest.mark.parametrize(
    "call",
    [
        lambda: tr.cells(X[:12, :2], threads=1).tokens,
        lambda: tr.margin("mm-fig-1a", threads=1).weights,
        lambda: tr.train(DATA, steps=2, compare="none", threads=1).history,
        lambda: tr.flow(X[:5], steps=3, record="tokens,energy", threads=1).run().record,
        lambda: tr.flow(n=3, copies=3, steps=2, threads=1).run().to_dict(),
        lambda: tr.claims("fw-thm-3.1").to_json(),
    ],
    ids=["cells", "margin", "train", "record", "copies", "claims"],
)
def test_a_thousand_studies_leave_nothing(call):
    assert grown(call, 1000, 300) < 600_000


@needs_statm
def test_files_and_pickles_leave_nothing():
    import pickle

    run = tr.flow(X[:5], steps=3, threads=1).run()
    open_files = len(os.listdir("/proc/self/fd"))
    assert grown(lambda: pickle.loads(pickle.dumps(run)), 20, 20) < 1_000_000
    assert len(os.listdir("/proc/self/fd")) == open_files


def test_what_a_result_holds_is_freed_with_it():
    run = tr.flow(X, steps=1)
    gone = weakref.ref(run._handle)
    del run
    assert gone() is None  # at once, without the collector of cycles


def test_handles_are_freed_once_and_never_when_making_failed():
    freed = []

    def create(out, works):
        out._obj.value = 4711
        return 0 if works else 1

    Handle(create, freed.append, True)
    assert freed == [4711]
    with pytest.raises(tr.Error):
        Handle(create, freed.append, False)
    gc.collect()
    assert freed == [4711]
    Handle.__new__(Handle).__del__()


# ---- views ---------------------------------------------------------------------------------------


def views():
    cells = tr.cells(X[:30, :2])
    fit = tr.train(DATA, steps=5)
    margin = tr.margin("attsvm")
    data = tr.data.Dataset(**DATA)
    hull = tr.hull(X)
    return [
        (cells, lambda r: r.labels),
        (cells, lambda r: r.tokens),
        (cells, lambda r: r.origin.direction),
        (fit, lambda r: r.weights.p),
        (margin, lambda r: r.weights.W),
        (margin, lambda r: r.support),
        (data, lambda r: r.X),
        (hull, lambda r: r.vertices),
        (hull, lambda r: r.edges),
    ]


@pytest.mark.parametrize("k", range(9))
def test_views_outlive_their_result_and_cannot_be_written_to(k):
    result, read = views()[k]
    array = read(result)
    wanted = array.copy()
    owner = weakref.ref(result._handle)
    del result
    gc.collect()
    others = [np.full(array.size, -7.0) for _ in range(50)]  # what would be put in freed memory
    assert owner() is not None
    assert np.array_equal(array, wanted)
    part = array.reshape(-1)[1:]
    del array
    gc.collect()
    assert owner() is not None and np.array_equal(part, wanted.reshape(-1)[1:])
    with pytest.raises(ValueError):
        part[0] = 1
    with pytest.raises(ValueError):
        part.flags.writeable = True
    with pytest.raises(ValueError):
        part.base.flags.writeable = True
    del part, others
    gc.collect()
    assert owner() is None


def test_reading_twice_makes_no_copy_of_what_does_not_move():
    data = tr.data.Dataset(**DATA)
    assert np.shares_memory(data.X, data.X)
    run = tr.flow(X, steps=2)
    before = run.tokens
    kept = before.copy()
    run.step(1)
    assert np.array_equal(before, kept) and not np.array_equal(run.tokens, kept)
    before[0] = 5  # of the caller, who may write to it
    assert not np.shares_memory(run.tokens, before)


# ---- what the caller does to his arrays afterwards -----------------------------------------------


def test_a_result_does_not_follow_what_it_was_made_from():
    x = X.copy()
    flow = tr.flow(x, rule="localmax", epsilon=0.3, alpha=1.0)
    wanted = tr.flow(X, rule="localmax", epsilon=0.3, alpha=1.0).until_converged()
    x[:] = 0
    assert np.array_equal(flow.until_converged().tokens, wanted.tokens)

    gamma = [0.5, 0.25, 0.125]
    flow = tr.flow(X, gamma=gamma, steps=20)
    gamma[:] = [1.0]
    assert flow.given["gamma"] == [0.5, 0.25, 0.125]

    import pickle

    points = X.copy()
    hull = tr.hull(points)
    points[:] = 0
    assert np.array_equal(pickle.loads(pickle.dumps(hull)).vertices, hull.vertices)
    x = X.copy()
    data = tr.data.Dataset(X=x[None], y=[1])
    x[:] = 0
    assert np.array_equal(data.X[0], X)


def test_the_data_of_a_study_may_go():
    data = tr.data.Dataset(**DATA)
    fit = tr.train(data, steps=3)
    wanted = fit.loss
    del data
    gc.collect()
    assert fit.loss == wanted and fit.weights.p.shape[-1] == 4


# ---- forks, threads, ends ------------------------------------------------------------------------


def child_says(work, seconds=20):
    """Whether a forked child that does this work ends well; it is ended when it hangs."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes_with_several_threads():
    def compute():
        return tr.flow(n=600, d=3, steps=4, threads=2).run().tokens

    wanted = compute()  # starts the workers, which the child does not have
    assert child_says(lambda: np.array_equal(compute(), wanted))
    assert np.array_equal(compute(), wanted)  # and the parent goes on

    found = []
    thread = threading.Thread(
        target=lambda: found.append((compute(), child_says(lambda: np.array_equal(compute(), wanted))))
    )
    thread.start()
    thread.join()
    assert found[0][1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_flow_goes_on_in_a_forked_child():
    run = tr.flow(n=300, d=3, steps=10, threads=2, closed_form="never").step(4)
    other = tr.flow(n=300, d=3, steps=10, threads=2, closed_form="never").step(10)
    assert child_says(lambda: np.array_equal(run.run().tokens, other.tokens))
    assert run.steps == 4


def doubled(seed):
    return tr.flow(n=200, d=2, seed=seed, steps=3, threads=2).run().tokens.sum()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_pools_of_processes_work():
    wanted = [doubled(k) for k in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(doubled, range(4)) == wanted


def test_files_from_many_threads(tmp_path):
    wrong = []

    def work(k):
        try:
            for turn in range(6):
                run = tr.flow(n=12, d=2, seed=k, steps=3, record="tokens").run()
                run.save(tmp_path / f"{k}.h5")
                again = tr.flow(f"{tmp_path}/{k}.h5:/result/tokens")
                if not np.array_equal(again.tokens, run.tokens) or "<svg" not in run.plot().svg:
                    wrong.append(k)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "words",
    [
        # Everything lives until the interpreter ends.
        "f = tr.flow(n=50, steps=5).run(); c = tr.cells(n=9); a = c.labels; d = tr.data.attsvm(); b = d.X",
        # The module goes before its objects.
        "import sys; f = tr.flow(n=5); v = tr.cells(n=9).labels; [sys.modules.pop(k) for k in list(sys.modules) if 'tropism' in k]; del tr",
        # A thread is still in the library at the end.
        "import threading; f = tr.flow(n=200, steps=10**9, closed_form='never', tolerance=0); threading.Thread(target=f.run, daemon=True).start(); import time; time.sleep(.1)",
        # An exception that holds a result.
        "import sys\ntry:\n    tr.train('attsvm', steps=99999, progress=lambda *a: 1 / 0)\nexcept ZeroDivisionError as e: kept = e",
        # A cycle with __del__.
        "class A: pass\na = A(); a.me = a; a.f = tr.flow(n=5); a.v = tr.cells(n=9).labels; del a",
    ],
    ids=["alive", "module", "thread", "exception", "cycle"],
)
def test_the_interpreter_ends_well(words):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", f"import tropism as tr\n{words}\nprint('end')"],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert done.returncode == 0 and done.stdout == "end\n" and done.stderr == ""


# ---- moving from inside --------------------------------------------------------------------------


@pytest.mark.parametrize("move", ["run", "step", "until_converged"])
def test_a_progress_function_reads_its_flow_and_cannot_move_it(move):
    flow = tr.flow(n=60, d=3, steps=50, closed_form="never", tolerance=0)
    seen = []

    def progress(done, total):
        seen.append((flow.tokens.shape, flow.clusters, flow.steps))
        getattr(flow, move)()

    with pytest.raises(tr.Error, match="progress function") as caught:
        flow.run(progress=progress)
    assert caught.value.result is flow and len(seen) == 1
    assert seen[0][0] == (60, 3)
    flow.run()  # it is whole
    again = tr.flow(n=60, d=3, steps=50, closed_form="never", tolerance=0).run()
    assert flow.steps == 50 and np.array_equal(flow.tokens, again.tokens)


def test_a_progress_function_that_looks_changes_nothing():
    def looking(done, total):
        flow.tokens, flow.graph, flow.cluster_list, flow.weights(0), flow.energy, flow.to_json()

    options = dict(n=400, d=3, steps=60, rule="localmax", epsilon=0.2, closed_form="never", tolerance=0)
    flow = tr.flow(**options, progress=looking)
    flow.run()
    assert np.array_equal(flow.tokens, tr.flow(**options).run().tokens)


def test_a_progress_function_may_compute_something_else():
    inner = []

    def progress(done, total):
        inner.append(tr.flow(n=5, steps=3).run().steps)

    tr.flow(n=400, steps=20, closed_form="never", tolerance=0).run(progress=progress)
    assert inner and set(inner) == {3}


def test_a_progress_function_may_drop_its_flow():
    box = [tr.flow(n=300, steps=20, closed_form="never", tolerance=0)]

    def progress(done, total):
        box.clear()
        gc.collect()

    assert box[0].run(progress=progress).steps == 20


def test_the_library_has_no_error_left_from_others():
    with pytest.raises(tr.Error):
        tr.flow(n=-1)
    assert b"n = -1" in library.trop_error()
    tr.flow(n=3).run()
    with pytest.raises(tr.Error, match="rule = no"):
        tr.flow(rule="no")
