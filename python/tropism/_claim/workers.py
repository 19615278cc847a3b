"""Instances side by side: what task(number) returns for number = 0, 1, ..., on several cores.

Processes are forked, so that a claim of __main__, of a notebook or of lambdas needs no import: they
have it already. Where forking is not safe there are threads, which share the interpreter but while
NumPy and the library compute.
"""

import concurrent.futures
import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time
import warnings

from .._library import Error


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def how(workers):
    """Processes, threads, or one after the other."""
    if workers == 1 or multiprocessing.current_process().daemon:
        return InTurn  # a worker of others has no processes of its own
    torch = sys.modules.get("torch")
    if not sys.platform.startswith("linux") or torch and torch.cuda.is_initialized():
        return Threads
    return Processes


class InTurn:
    def __init__(self, task, workers):
        self.task = task

    def get(self, number, limit):
        return self.task(number)

    def close(self):
        pass


class Threads:
    def __init__(self, task, workers):
        self.task, self.workers, self.begun, self.futures = task, workers, 0, {}
        self.pool = concurrent.futures.ThreadPoolExecutor(workers, "tropism-claim")

    def get(self, number, limit):
        while self.begun < min(limit, number + 2 * self.workers):
            self.futures[self.begun] = self.pool.submit(self.task, self.begun)
            self.begun += 1
        return self.futures.pop(number).result()

    def close(self):
        self.pool.shutdown(wait=False, cancel_futures=True)


class Processes:
    """Each one is given a few numbers at a time, as many as it does in a moment, and answers one by
    one, so that it is known at which one it ended."""

    MOMENT, MOST = 0.02, 64  # seconds, numbers

    def __init__(self, task, workers):
        self.task, self.workers, self.some = task, workers, 1
        self.begun, self.done, self.busy = 0, {}, {}  # busy: the numbers that each one is at, and since when
        self.idle, self.pipes = [], {}

    def _start(self):
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(self.task, theirs, ours), daemon=True)
        with warnings.catch_warnings():  # of threads, which the child does not have and does not ask
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        theirs.close()
        self.pipes[process] = ours
        self.idle.append(process)

    def _hand_out(self, limit):
        while self.begun < limit and (self.idle or len(self.pipes) < self.workers):
            if not self.idle:
                self._start()
            process = self.idle.pop()
            end = self.begun + max(1, min(self.some, (limit - self.begun) // (2 * self.workers)))
            with contextlib.suppress(OSError):  # it ended, which shows when its answer is read
                self.pipes[process].send((self.begun, end))
            self.busy[process] = list(range(self.begun, end)), time.monotonic()
            self.begun = end

    def get(self, number, limit):
        """The answer for number; those below limit may be begun."""
        while number not in self.done:
            self._hand_out(limit)
            by_pipe = {self.pipes[process]: process for process in self.busy}
            for pipe in multiprocessing.connection.wait(list(by_pipe)):
                self._receive(by_pipe[pipe], pipe)
        return self.done.pop(number)

    def _receive(self, process, pipe):
        numbers, since = self.busy[process]
        try:
            self.done[numbers[0]] = pipe.recv()
        except (EOFError, OSError):
            process.join(5)
            failed = Failed(f"its process ended with {process.exitcode}", "")
            self.done.update(dict.fromkeys(numbers, failed))  # get comes to the first of them first
            del self.busy[process], self.pipes[process]
            return
        del numbers[0]
        if not numbers:
            del self.busy[process]
            self.idle.append(process)
            quick = time.monotonic() - since < self.MOMENT
            self.some = min(2 * self.some, self.MOST) if quick else max(1, self.some // 2)

    def close(self):
        pipes, self.pipes = self.pipes, {}
        for process, pipe in pipes.items():
            process.terminate() if process in self.busy else pipe.close()
        for process in pipes:
            process.join(5)


class Failed:
    """A task that raised: its sentence, and the lines that led there."""

    def __init__(self, sentence, trace, error=None):
        self.sentence, self.trace, self.error = sentence, trace, error

    def __reduce__(self):  # what was raised stays where it was: not everything goes through a pipe
        return Failed, (self.sentence, self.trace)

    def error_of(self, what):
        error = Error(f"{what}: {self.sentence}")
        error.__cause__ = self.error or (Remote(self.trace) if self.trace else None)
        return error


class Remote(Exception):
    """The traceback of another process, as text."""

    def __str__(self):
        return "\n" + self.args[0]


def serve(task, pipe, other):
    """Of a forked process: answers until there are no more questions."""
    other.close()  # the end of the one that asks
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that asks
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    torch = sys.modules.get("torch")
    if torch:
        torch.set_num_threads(1)
    with contextlib.suppress(EOFError, OSError):
        while True:
            for number in range(*pipe.recv()):
                pipe.send(task(number))
