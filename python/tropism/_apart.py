"""Calls in a thread of their own, so that Ctrl-C is answered while the library asks nothing.

A long step, and what solvers do between two iterations, take seconds. The thread that called waits
here meanwhile, answers the library's questions, and runs the handlers of signals. When one raises and
the library asks nothing for GRACE seconds, the exception goes out at once; the handle belongs to the
computing thread until it comes to its next question, where it ends, and whoever wants it waits.
"""

import queue
import threading
import time

from ._library import OK, PROGRESS, library, text

GRACE, TICK = 0.25, 0.05


class Apart:
    """One call, and who has it."""

    def __init__(self, watch, last, function, handle, arguments):
        self.watch, self.last, self.function, self.handle, self.arguments = watch, last, function, handle, arguments
        self.asked, self.answers = queue.SimpleQueue(), queue.SimpleQueue()
        self.ending = threading.Lock()  # of abandoned and over
        self.abandoned = self.over = False
        self.status = self.sentence = None

    # ---- of the computing thread ----

    def question(self, context, done, total):
        if self.abandoned or self.last.ending:
            return 1
        self.asked.put((done, total))
        return self.answers.get()

    def compute(self):
        self.last.enter()
        try:
            function = PROGRESS(self.question)
            self.status = self.function(self.handle.address, *self.arguments, function, None)
            self.sentence = text(library.trop_error()) if self.status != OK else None
        finally:
            with self.ending:
                self.over = True
                abandoned = self.abandoned
            if abandoned:
                self.handle.busy = False
                self.handle.lock.leave()
            self.asked.put(None)
            self.last.leave()

    # ---- of the one that called ----

    def run(self):
        """Whether the call came to its end."""
        thread = threading.Thread(target=self.compute, name="tropism", daemon=True)
        self.watch.signals.hold()
        try:
            thread.start()
            return self.wait(thread)
        finally:
            self.watch.signals.release()
            self.watch.bar.end()

    def wait(self, thread):
        patience = None
        while True:
            try:
                question = self.asked.get(timeout=TICK)
            except queue.Empty:
                self.watch.late()
                if self.watch.caught is not None and patience is None:
                    patience = time.monotonic() + GRACE
                if patience is not None and time.monotonic() > patience and self.abandon(thread):
                    return False
                continue
            if question is None:
                thread.join()
                return True
            self.answers.put(1 if self.watch.caught is not None else self.watch.step(None, *question))

    def abandon(self, thread):
        with self.ending:
            if self.over:
                return False
            self.abandoned = True
            self.handle.lock.give(thread.ident)
        self.answers.put(1)  # a question that was put meanwhile
        return True

