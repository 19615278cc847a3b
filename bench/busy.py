"""busy.py [PROGRAM] [REPEATS] -- what default threads cost beside other work.

Flows of 16 to 4096 tokens with default threads and with --threads 1: alone, beside one process that only
computes, and two flows at once. A line for each: the smallest wall time of several runs, which alternate, and
the CPU time (user and system) of that run. The last column is the ratio of the two wall times: beside other
work it should not exceed 1.2, alone it is the inverse of the speed-up.
"""

import os
import subprocess
import sys
import time

CASES = [(16, 60000), (64, 12000), (256, 1200), (1024, 120), (4096, 10)]


def measure(program, n, steps, threads, copies):
    """Wall and CPU seconds of copies flows that run at once."""
    line = [program, "flow", "--n", str(n), "--d", "8", "--rule", "softmax", "--beta", "1", "--gamma", "0.01",
            "--steps", str(steps), "--closed-form", "never", "--method", "direct", "--threads", str(threads)]
    before, start = os.times(), time.perf_counter()
    flows = [subprocess.Popen(line, stdout=subprocess.DEVNULL) for _ in range(copies)]
    if any(flow.wait() for flow in flows):
        sys.exit(f"{' '.join(line)}: failed")
    after, end = os.times(), time.perf_counter()
    spent = after.children_user - before.children_user + after.children_system - before.children_system
    return end - start, spent


def compare(program, n, steps, copies, repeats):
    """The fastest run of default threads and of one thread."""
    runs = [[measure(program, n, steps, threads, copies) for threads in (0, 1)] for _ in range(repeats)]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/tropism"
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print(f"{'':14}{'n':>6}{'steps':>8}{'default':>10}{'cpu':>8}{'one':>10}{'cpu':>8}{'ratio':>8}")
    for situation, copies in (("alone", 1), ("one busy", 1), ("two flows", 2)):
        busy = None
        if situation == "one busy":
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for n, steps in CASES:
            most, one = compare(program, n, steps, copies, repeats)
            print(f"{situation:14}{n:6}{steps:8}{most[0]:10.3f}{most[1]:8.2f}{one[0]:10.3f}{one[1]:8.2f}"
                  f"{most[0] / one[0]:8.2f}", flush=True)
        if busy:
            busy.kill()
            busy.wait()


if __name__ == "__main__":
    main()
