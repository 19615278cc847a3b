#!/usr/bin/env python3
"""gpu.py RUN [OUT] -- ours and PyTorch on one device in one run; OUT is bench/results/gpu.txt.

RUN is the folder that scripts/gpu.sh makes: bench_gpu beside libtropism-cuda.so, and `commit`. Ours, the peer,
and ours again: of the two times of ours the table has the larger, so that a clock that falls while the peer
runs does not help us. Beside each row stand its pairs of tokens in a second and what part that is of the fma and
exponentials that the device was measured to do in this run: (2 d + 1) fma and one exponential a pair of
softmax, d fma a pair of hardmax, 2 d of localmax, which scores twice.

--check prints the table of two files of such lines, for tests: gpu.py --check OURS PEER.
"""
import datetime
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ABSENT = ["float32 softmax: --precision single does not run on a device yet",
          "phase diagram, 90 betas x 2,048 copies: --copies does not run on a device yet",
          "mm-fig-9, 6,000 runs of train: does not run on a device yet"]
LIMIT = 270  # seconds of one program


def run(words, **more):
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", f"{words[0]}: {error}"
    return done.stdout, done.stderr.strip() if done.returncode else ""


def lines(text):
    """The key=value lines of a program, each a dict."""
    rows = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in text.splitlines()]
    return [row for row in rows if row]


def said(text, word):
    return next((line.split(None, 2)[2] for line in text.splitlines() if line.startswith(word)), "?")


def table(ours, peer):
    rates = next((row for row in ours if "fma" in row), None)
    times = {(row["rule"], int(row["n"]), int(row["d"])): float(row["seconds"]) for row in peer if row.get("precision") == "double"}
    cases = {}
    for row in ours:
        if "step" in row:
            key = row["rule"], int(row["n"]), int(row["d"])
            old = cases.get(key, (0.0, 0.0))
            cases[key] = max(old[0], float(row["step"])), max(old[1], float(row["rows"]))
    yield "rule      n        d   step ms   rows ms   Gpair/s   of fma   of exp   torch ms   ratio"
    for (rule, n, d), (step, rows) in cases.items():
        pairs = n * n / rows
        fma = pairs * {"softmax": 2 * d + 1, "hardmax": d, "localmax": 2 * d}[rule] / float(rates["fma"]) if rates else float("nan")
        exp = pairs / float(rates["exp"]) if rates and rule == "softmax" else float("nan")
        other = times.get((rule, n, d))
        yield (f"{rule:9} {n:<8} {d:<3} {step * 1e3:<9.4g} {rows * 1e3:<9.4g} {pairs * 1e-9:<9.4g} {fma:<8.3f} {exp:<8.3f} "
               + (f"{other * 1e3:<10.4g} {other / step:.2f}" if other else "-          -"))


def main(words):
    if words[:1] == ["--check"]:
        print(*table(*(lines(open(path).read()) for path in words[1:3])), sep="\n")
        return 0
    folder = words[0]
    out = words[1] if len(words) > 1 else os.path.join(HERE, "bench", "results", "gpu.txt")
    small = ["small"] * ("TROP_BENCH_SMALL" in os.environ)  # few tokens, where a test stands in for the device
    mine = [os.path.join(folder, "bench_gpu"), *small]
    smi = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit,temperature.gpu"
    before, trouble = run(["nvidia-smi", f"--query-gpu={smi}", "--format=csv,noheader"])
    if trouble:
        return f"gpu: nvidia-smi: {trouble}"
    first, trouble = run(mine)
    if trouble:
        return f"gpu: bench_gpu: {trouble}"
    theirs, missing = run([sys.executable, os.path.join(HERE, "bench", "peers_gpu.py"), *small])
    second, trouble = run(mine)
    if trouble:
        return f"gpu: bench_gpu, the second time: {trouble}"
    after, _ = run(["nvidia-smi", f"--query-gpu={smi}", "--format=csv,noheader"])
    with open(os.path.join(folder, "commit")) as file:
        commit = file.read().strip()
    page = [f"date      {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC", f"commit    {commit}",
            "command   make bench-gpu", f"device    {said(first, 'gpu device')}", f"before    {before.strip()}",
            f"after     {after.strip()}", f"          ({smi})", f"peer      torch {said(theirs, 'peer torch')}", ""]
    page += list(table(lines(first) + lines(second), lines(theirs)))
    page += [""] + [f"absent    {row}" for row in ABSENT] + ([f"absent    PyTorch: {missing}"] if missing else [])
    page += ["", *first.splitlines(), *theirs.splitlines(), *second.splitlines()]
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    with open(out, "w") as file:
        file.write("\n".join(page) + "\n")
    print("\n".join(page))
    return 0


sys.exit(main(sys.argv[1:]))
