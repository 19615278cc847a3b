"""Long calls: a bar after half a second, Ctrl-C between steps, the interpreter free meanwhile.

ctypes releases the interpreter lock while the library computes and takes it for each question of
the library whether to go on. A signal is handled there: the call then ends with what it has.

Python runs the handler of a signal before the first instruction of the function that answers, which
no `try` of that function encloses, and ctypes drops what leaves it. So while the library computes a
signal is only noted, and its handler runs where what it raises can be caught.
"""

import atexit
import os
import signal
import sys
import threading
import time
import warnings

from ._apart import Apart
from ._library import OK, PROGRESS, STATUS, STOPPED, Error, Stopped, library, text

PATIENCE, PAUSE, WIDTH = 0.5, 0.1, 40


def in_notebook():
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


class Bar:
    """A line on the terminal, or under the cell of a notebook."""

    def __init__(self, shown):
        self.start = self.last = time.monotonic()
        self.display = None
        self.drawn = False
        self.notebook = in_notebook()
        if shown is None:
            shown = self.notebook or (sys.stderr is not None and sys.stderr.isatty())
        self.patience = PATIENCE if shown else float("inf")

    def words(self, done, total, seconds):
        if total <= 0 or total > 10**12:  # a run that ends by converging: a bar would never move
            return f"step {done}, {seconds:.0f} s"
        filled = min(WIDTH, WIDTH * done // total)
        return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done} of {total} steps, {seconds:.0f} s"

    def show(self, done, total):
        now = time.monotonic()
        if now - self.start < self.patience or (self.drawn and now - self.last < PAUSE):
            return
        self.last, self.drawn = now, True
        words = self.words(done, total, now - self.start)
        if self.notebook:
            from IPython.display import display

            shown = {"text/plain": words}
            if self.display is None:
                self.display = display(shown, raw=True, display_id=True)
            else:
                self.display.update(shown, raw=True)
        else:
            sys.stderr.write(f"\r\033[K{words}")
            sys.stderr.flush()

    def end(self):
        if self.drawn and self.display is not None:
            self.display.update({"text/plain": ""}, raw=True)
        elif self.drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
]


class Signals:
    """Notes the signals that have a handler in Python, from `hold` to `release`."""

    def __init__(self):
        self.noted, self.handlers = [], {}

    def hold(self):
        if threading.get_ident() != threading.main_thread().ident:
            return  # only the main thread sees signals
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                self.handlers[number] = handler
                signal.signal(number, self.note)

    def note(self, number, frame):
        self.noted.append((number, frame))

    def handle(self):
        while self.noted:
            number, frame = self.noted.pop(0)
            self.handlers[number](number, frame)

    def release(self):
        for number, handler in self.handlers.items():
            if signal.getsignal(number) == self.note:  # nobody has put another in its place
                signal.signal(number, handler)


class Last:
    """What the end of the interpreter does to calls of daemon threads: no question of the library
    can be answered after it, so they are asked to stop, and waited for."""

    def __init__(self):
        self.ending = False
        self.calls = 0
        self.change = threading.Condition()
        atexit.register(self.end)
        if hasattr(os, "register_at_fork"):  # the calls of other threads are not the child's
            os.register_at_fork(after_in_child=self.forget)

    def forget(self):
        self.calls, self.change = 0, threading.Condition()

    def enter(self):
        with self.change:
            self.calls += 1

    def leave(self):
        with self.change:
            self.calls -= 1
            self.change.notify_all()
        if self.ending:
            threading.Event().wait()  # nobody is left to be told

    def end(self):
        self.ending = True
        with self.change:
            self.change.wait_for(lambda: self.calls == 0, timeout=10)


last = Last()


class Watch:
    """The progress function of one call, and what it caught."""

    def __init__(self, progress):
        self.signals = Signals()
        self.ask = progress if callable(progress) else None
        self.bar = Bar(None if self.ask else progress)
        self.caught = None
        self.function = PROGRESS(self.step)

    def step(self, context, done, total):
        try:
            if last.ending:
                return 1
            self.signals.handle()
            self.bar.show(done, total)
            return 1 if self.ask and self.ask(done, total) else 0
        except BaseException as error:  # an exception cannot pass through C
            self.caught = error
            return 1

    def call(self, function, *arguments):
        last.enter()
        try:
            self.signals.hold()
            return function(*arguments, self.function, None)
        finally:
            last.leave()
            self.signals.release()
            self.bar.end()

    def late(self):
        """The signals that came after the last question of the library."""
        try:
            self.signals.handle()
        except BaseException as error:
            self.caught = self.caught or error


def caller():
    """How many frames away the code is that called this package, for warnings."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame, level = frame.f_back, level + 1
    return level


def tell(handle):
    """What the person should know of a job that was made, such as a row that was passed over: a
    warning."""
    notice = text(library.trop_job_notice(handle.address))
    if notice:
        warnings.warn(notice, stacklevel=caller())


def go(function, handle, *arguments, progress=None, result=None, apart=False):
    """Calls function(handle, ..., progress, context). What was raised meanwhile, Ctrl-C included,
    is raised again, with what there is as its attribute `result`. Returns the sentence of a call
    that stopped before its end, after a warning; None when it came to its end. apart: one that may
    ask nothing for long is made in a thread of its own (_apart.py)."""
    watch = Watch(progress)
    main = threading.get_ident() == threading.main_thread().ident  # where signals are handled
    with handle.lock:
        if handle.busy:
            raise Error("progress: a progress function can read its own computation, not move it")
        handle.busy = True
        over = True
        try:
            if apart and main:
                call = Apart(watch, last, function, handle, arguments)
                over = call.run()
                status, sentence = call.status, call.sentence
            else:
                status = watch.call(function, handle.address, *arguments)
                sentence = text(library.trop_error()) if status != OK else None
        finally:
            if over:
                handle.busy = False
    if over:
        watch.late()
    if watch.caught is not None:
        watch.caught.result = result
        raise watch.caught
    if status == OK:
        return None
    if status != STOPPED:
        raise Error(sentence, STATUS[status])
    try:
        warnings.warn(sentence, Stopped, stacklevel=caller())
    except Stopped as error:  # warnings are errors here
        error.result = result
        raise
    return sentence
