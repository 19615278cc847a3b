"""Long calls: Ctrl-C, progress functions, time limits, and the interpreter free meanwhile."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import tropism as tr

# A flow that has no end within a test, and whose every step is taken.
ENDLESS = dict(n=200, d=2, steps=10**9, closed_form="never", tolerance=0, threads=1)


def endless():
    return tr.flow(**ENDLESS)


def forever():
    return dict(data="attsvm", steps=10**9, threads=1)


def interrupted_by(number, call):
    """Runs call, sends this process a signal from a thread as soon as the library computes."""
    begun = threading.Event()

    def progress(done, total):
        begun.set()
        return False

    def send():
        begun.wait()
        time.sleep(0.02)
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        call(progress)
    finally:
        thread.join()


@pytest.mark.parametrize("turn", range(5))
def test_ctrl_c_ends_a_flow_and_leaves_it_usable(turn):
    flow = endless()
    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted_by(signal.SIGINT, lambda progress: flow.run(progress=progress))
    assert caught.value.result is flow
    steps = flow.steps
    assert 0 < steps < ENDLESS["steps"]
    assert flow.step(3).steps == steps + 3
    # Bit for bit the flow that was never interrupted.
    assert np.array_equal(flow.tokens, endless().step(steps + 3).tokens)


def test_ctrl_c_ends_training_with_what_there_is():
    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted_by(signal.SIGINT, lambda progress: tr.train(**forever(), progress=progress))
    assert isinstance(caught.value.result, tr.Train)
    assert 0 < caught.value.result.steps < 10**9
    assert caught.value.result.weights.W.shape == (10, 10)


def test_a_stopped_training_goes_on_to_the_same_bits(tmp_path):
    out = str(tmp_path / "run.h5")
    options = dict(data="attsvm", optimizer="adam", steps=300, threads=1)
    whole = tr.train(**options)
    with pytest.warns(tr.Stopped, match="stopped after 64 of 300"):
        half = tr.train(**options, progress=lambda done, total: done >= 64)
    pickled = pickle.loads(pickle.dumps(half))
    assert np.array_equal(pickled.weights.W, half.weights.W) and pickled.steps == 64
    before = half.weights.W
    kept = before.copy()
    half.run()
    assert np.array_equal(before, kept)  # no view of what goes on
    with pytest.warns(tr.Stopped):
        tr.train(**options, out=out, checkpoint=50, progress=lambda done, total: done >= 64)
    for run in half, pickled.run(), tr.train(resume=out), whole:
        assert run.steps == 300 and run.stopped is None and run.loss == whole.loss
        assert np.array_equal(run.weights.W, whole.weights.W)
        assert np.array_equal(run.history.weights, whole.history.weights)
    with pytest.raises(tr.Error, match="the run has taken them all"):
        tr.train(resume=out)
    with pytest.raises(tr.Error, match="does not go on"):
        pickle.loads(pickle.dumps(half)).run()


def test_ctrl_c_ends_copies():
    copies = tr.flow(n=32, d=2, copies=10**6, steps=1000, threads=1)
    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted_by(signal.SIGINT, lambda progress: copies.run(progress=progress))
    assert caught.value.result is copies


def test_ctrl_c_ends_a_program_at_once_and_says_nothing_else():
    words = f"import tropism as tr; f = tr.flow(**{ENDLESS!r}); print('go', flush=True); f.run()"
    program = subprocess.Popen(
        [sys.executable, "-c", words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    program.stdout.readline()
    time.sleep(0.1)
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=30)  # without it the run would last for days
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert "ignored" not in said and "Stopped" not in said


def test_other_handlers_run_meanwhile_and_are_back_afterwards():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    mine = signal.getsignal(signal.SIGUSR1)
    flow = endless()
    try:
        once = iter([True])

        def progress(done, total):
            if next(once, False):
                os.kill(os.getpid(), signal.SIGUSR1)
            return len(seen) > 0  # stops only because the handler ran during the call

        with pytest.warns(tr.Stopped):
            flow.run(progress=progress)
        assert seen == [signal.SIGUSR1]
        assert signal.getsignal(signal.SIGUSR1) is mine
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_that_raises_ends_the_call_with_its_exception():
    class Alarm(Exception):
        pass

    def ring(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(Alarm) as caught:
            tr.train(**forever())
        assert isinstance(caught.value.result, tr.Train)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---- progress ------------------------------------------------------------------------------------


def test_progress_is_told_how_far_it_is_and_stops():
    asked = []

    def progress(done, total):
        asked.append((done, total))
        return len(asked) == 3

    flow = tr.flow(n=500, d=2, steps=10**6, closed_form="never", tolerance=0)
    with pytest.warns(tr.Stopped, match="by a request") as warned:
        assert flow.run(progress=progress) is flow
    assert warned[0].filename == __file__
    assert len(asked) == 3 and all(total == 10**6 for _, total in asked)
    assert [done for done, _ in asked] == sorted(done for done, _ in asked)
    assert flow.stopped == str(warned[0].message) and str(flow.steps) in flow.stopped
    assert not flow.done


def test_what_progress_raises_comes_out():
    class Mine(Exception):
        pass

    def progress(done, total):
        raise Mine("here")

    flow = endless()
    with pytest.raises(Mine, match="here") as caught:
        flow.run(progress=progress)
    assert caught.value.result is flow
    with pytest.raises(SystemExit):
        flow.run(progress=lambda done, total: sys.exit(3))
    with pytest.raises(TypeError):
        flow.run(progress=lambda: True)


def test_progress_true_and_false_are_bars_and_silence(capfd, monkeypatch):
    monkeypatch.setattr("tropism._progress.PATIENCE", 0.0)
    stop = tr.flow(**{**ENDLESS, "steps": 300})
    stop.run(progress=False)
    assert capfd.readouterr().err == ""
    tr.flow(**{**ENDLESS, "steps": 300}).run(progress=True)
    said = capfd.readouterr().err
    assert "of 300 steps" in said and said.endswith("\r\033[K")


def test_a_stopped_flow_goes_on_to_the_same_bits():
    whole = tr.flow(n=30, d=3, steps=400, seed=5, closed_form="never", tolerance=0).run()
    parts = tr.flow(n=30, d=3, steps=400, seed=5, closed_form="never", tolerance=0)
    asked = 0
    while not parts.done:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tr.Stopped)
            parts.run(progress=lambda done, total: done > parts_limit(asked))
        asked += 1
    assert parts.stopped is None
    assert np.array_equal(whole.tokens, parts.tokens)


def parts_limit(asked):
    return 100 * (asked + 1)


def test_a_time_limit_gives_what_there_is():
    flow = tr.flow(**{**ENDLESS, "time_limit": 0.02})
    with pytest.warns(tr.Stopped, match="time limit"):
        flow.run()
    assert "time limit" in flow.stopped and 0 < flow.steps < 10**9
    with pytest.warns(tr.Stopped, match="time limit"):
        fit = tr.train(**forever(), time_limit=0.02)
    assert "time limit" in fit.stopped and fit.loss > 0
    assert tr.train("attsvm", steps=10).stopped is None


def test_warnings_that_are_errors_have_the_result():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tr.Stopped) as caught:
            tr.train(**forever(), progress=lambda done, total: True)
    assert caught.value.result.loss > 0


def test_what_was_interrupted_is_written(tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    for verb, options in (("train", forever()), ("flow", ENDLESS)):
        with pytest.raises(KeyboardInterrupt):
            made = getattr(tr, verb)(**options, out=tmp_path / f"{verb}.json", progress=stop)
            made.run()
        assert json.loads((tmp_path / f"{verb}.json").read_text())["version"] == tr.__version__


# ---- threads -------------------------------------------------------------------------------------


def test_python_runs_while_the_library_computes():
    flow = tr.flow(n=2000, d=8, steps=1, threads=1)  # one step, without a question in between
    turns, around = 0, []

    def move():
        around.append(turns)
        flow.step(1, progress=False)
        around.append(turns)

    # With so long an interval a thread loses the interpreter only where it gives it away: the loop
    # below in sleep, the other in the library.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=move)
        thread.start()
        while thread.is_alive():
            turns += 1
            time.sleep(0)
    finally:
        sys.setswitchinterval(interval)
    assert around[1] > around[0]


def test_threads_with_handles_of_their_own_give_the_same_bits():
    def one(k, out):
        flow = tr.flow(n=40, d=3, seed=k % 3, steps=60, threads=2, tolerance=0).run()
        svm = tr.margin("attsvm", n=4, T=4, d=5, seed=k % 3, threads=2)
        hull = tr.hull(tr.tokens.gaussian(n=60, d=3, seed=k % 3))
        out[k] = flow.tokens.tobytes() + svm.weights.W.tobytes() + hull.vertices.tobytes()

    found = {}
    threads = [threading.Thread(target=one, args=(k, found)) for k in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = {}
    for k in range(3):
        one(k, alone)
    assert len(found) == 12
    assert all(found[k] == alone[k % 3] for k in found)


def test_one_flow_in_many_threads_is_safe():
    flow = tr.flow(n=30, d=2, seed=2, steps=10**6, closed_form="never", tolerance=0)
    errors = []

    def work():
        try:
            for _ in range(20):
                flow.step(1)
                assert flow.tokens.shape == (30, 2)
                flow.clusters, flow.graph, flow.weights(3)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert flow.steps == 120
    once = tr.flow(n=30, d=2, seed=2, steps=10**6, closed_form="never", tolerance=0).step(120)
    assert np.array_equal(flow.tokens, once.tokens)


def test_errors_of_one_thread_are_not_those_of_another():
    def refused(k, out):
        for _ in range(50):
            with pytest.raises(tr.Error) as caught:
                tr.flow(n=-1 - k)
            out[k] = out.get(k, True) and f"n = -{1 + k}:" in str(caught.value)

    found = {}
    threads = [threading.Thread(target=refused, args=(k, found)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: True, 1: True, 2: True, 3: True}


# ---- where the library asks nothing for long -----------------------------------------------------------


def test_ctrl_c_is_answered_inside_a_long_step_and_the_flow_goes_on():
    n, second = 10000, 0.0
    while second < 0.6:  # a step that is much longer than the answer may take
        n = n * 3 // 2
        options = dict(n=n, d=3, steps=4, threads=1, method="direct", beta=2.0)
        whole = tr.flow(**options).step(1, progress=False)
        begun = time.monotonic()
        whole.step(1, progress=False)
        second = time.monotonic() - begun
    flow = tr.flow(**options)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        flow.step(2, progress=False)
    computing = flow._handle.busy
    timer.join()
    assert computing and caught.value.result is flow
    assert flow.steps == 1 and not flow._handle.busy  # which waits for the end of the step
    assert np.array_equal(flow.step(1, progress=False).tokens, whole.tokens)


def test_a_call_apart_asks_in_the_thread_of_the_caller():
    flow = tr.flow(n=3000, d=2, steps=3, threads=1, closed_form="never", tolerance=0)
    seen = set()

    def progress(done, total):
        seen.add((threading.get_ident(), flow.steps == done))  # it reads its own computation
        with pytest.raises(tr.Error, match="not move it"):
            flow.step(1)
        return False

    flow.run(progress=progress)
    assert seen == {(threading.get_ident(), True)} and flow.steps == 3
    with pytest.raises(tr.Error, match="must not be negative|at least 0"):
        flow.step(-1)  # its sentence is of the thread that computed


def test_a_lock_is_taken_again_and_given_away():
    from tropism._library import Lock

    lock, order = Lock(), []

    def other():
        with lock:
            order.append("other")

    thread = threading.Thread(target=other)
    with lock:
        with lock:
            thread.start()
            time.sleep(0.02)
            order.append("first")
            lock.give(-1)  # a thread that there is not: nobody gets it
        order.append("left")
    time.sleep(0.02)
    assert order == ["first", "left"] and thread.is_alive()
    lock.give(threading.get_ident())
    lock.leave()
    thread.join(5)
    assert order == ["first", "left", "other"]
