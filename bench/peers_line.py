"""What the peers of the benchmarks share: how a case is timed, and how it is told.

A line is `peer=NAME key=value ... seconds=S`; a peer that is not there, or that fails, says so in a
line of its own, `peer=NAME key=value ... missing=WHY`, for a table must not be silent about it.
"""
import os
import time


def best(work, least=3, seconds=4.0, warm=True):
    """The smallest time of work(), after one call that is not counted (unless it was called before:
    warm=False): at least `least` more, and more of them while `seconds` are not used up, so that short
    ones are repeated often."""
    if warm:
        work()
    smallest, count, begin = float("inf"), 0, time.perf_counter()
    while count < least or (time.perf_counter() - begin < seconds and count < 50):
        start = time.perf_counter()
        work()
        smallest = min(smallest, time.perf_counter() - start)
        count += 1
    return smallest


def threads():
    return int(os.environ.get("BENCH_THREADS", os.cpu_count() or 1))


def _words(pairs):
    return " ".join(f"{key}={value}" for key, value in pairs.items())


def tell(peer, pairs, seconds, **more):
    print(f"peer={peer} {_words(pairs)} threads={threads()} seconds={seconds:.6g} {_words(more)}".rstrip(), flush=True)


def missing(peer, pairs, why):
    reason = " ".join(str(why).split())[:100].replace(" ", "_") or type(why).__name__
    print(f"peer={peer} {_words(pairs)} missing={reason}", flush=True)
