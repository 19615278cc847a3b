"""peers_flow.py -- the flow that bench_flow.c runs, by NumPy: 20 softmax layers of 512 tokens in 256
dimensions with a full B, one thread, in time of the processor. check is the sum of squares of the last tokens."""
import time

import numpy as np

from peers_line import missing, tell

N, D, STEPS, RUNS = 512, 256, 20, 15


def filled(rows, columns, irrational, scale):
    turn = np.arange(rows * columns) * irrational
    return (scale * (turn - np.floor(turn) - 0.5)).reshape(rows, columns)


def run(x, b):
    x, scores, turned = x.copy(), np.empty((N, N)), np.ascontiguousarray(b.T)
    for _ in range(STEPS):
        np.matmul(x @ turned, x.T, out=scores)
        scores -= scores.max(1, keepdims=True)
        np.exp(scores, out=scores)
        x += 0.5 * ((scores @ x) / scores.sum(1, keepdims=True) - x)
    return float((x * x).sum())


def main():
    x, b = filled(N, D, 2**0.5, 1), filled(D, D, 3**0.5, 0.25)
    smallest, total = float("inf"), 0.0
    for _ in range(RUNS):
        start = time.process_time()
        total = run(x, b)
        smallest = min(smallest, time.process_time() - start)
    tell("numpy", {"case": "layers", "n": N, "d": D, "steps": STEPS}, smallest, check=f"{total:.12g}")


if __name__ == "__main__":
    try:
        main()
    except Exception as why:
        missing("numpy", {"case": "layers"}, why)
