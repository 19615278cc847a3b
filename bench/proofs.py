"""proofs.py PROGRAM -- what proof files cost: seconds of the processor that --proof adds to a run, bytes of the file
beside those of the input, seconds that verify/tropism_verify.py takes. The least of several runs of each.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

CHECKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "verify", "tropism_verify.py")
MARGIN = "margin --data attsvm --n 50 --T 10 --d 50"
LINES = [
    "flow --n 64 --d 2 --rule hardmax --until converged",
    "flow --n 64 --d 8 --rule localmax --epsilon 0.5 --until converged",
    "flow --n 512 --d 8 --rule hardmax --until converged",
    "cells --n 64 --d 3",
    "threshold --n 64 --d 2",
    MARGIN + " --model prompt",
    MARGIN,
    MARGIN + " --norm lp --p 1.75",
    MARGIN + " --norm l1",
    MARGIN + " --norm nuclear",
    MARGIN + " --norm spectral",
]


MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data", "stories260K.bin")
LINES += ["inspect %s --ids %s%s" % (MODEL, ",".join(str(3 + (7 * k * k + 31 * k) % 509) for k in range(100)), more)
          for more in ("", " --measure flip,reach")]
STUDIES = [
    "verb: flow, n: 16, rule: localmax, epsilon: 0.25, alpha: 1, until: converged, seed: 1..500, keep: clusters",
    "verb: cells, n: 64, d: 3, seed: 1..200, keep: vertices",
    "verb: margin, data: attsvm, n: 20, T: 8, d: 20, seed: 1..100, keep: norm",
]


def seconds(line, times, fresh=None):
    """Of the processor, at least; fresh: a folder that must not be there before."""
    least = float("inf")
    for _ in range(times):
        if fresh:
            shutil.rmtree(fresh, ignore_errors=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def numbers(proof):
    """Of all inputs."""
    count = 0
    for value in proof["inputs"].values():
        length = 1
        for axis in value["shape"]:
            length *= axis
        count += length
    return count


def studies(program, folder):
    """Of all points together, on one thread."""
    file, out = os.path.join(folder, "s.yaml"), os.path.join(folder, "out")
    for text in STUDIES:
        with open(file, "w") as study:
            study.write(text.replace(", ", "\n") + "\n")
        words = [program, "study", "run", file, "--out", out, "--threads", "1"]
        plain, proved = seconds(words, 3, out), seconds([*words, "--proof"], 3, out)
        files = list(pathlib.Path(out, "proof").rglob("*.json"))
        size = sum(path.stat().st_size for path in files)
        count = sum(numbers(json.loads(path.read_text())) for path in files)
        print("| `study`, %s | %.3f | %.3f | %.0f KB in %d files | %.1f times | %.2f s |" % (
            text, plain, proved, size / 1000, len(files), size / (8 * count),
            seconds([sys.executable, CHECKER, os.path.join(out, "proof")], 2)))


def main(program):
    print("| run | seconds | with `--proof` | file | of the input's doubles | checking |\n|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.json")
        for line in LINES:
            words = [program, *line.split()]
            plain, proved = seconds(words, 5), seconds([*words, "--proof", path], 5)
            with open(path) as file:
                count = numbers(json.load(file))
            size = os.path.getsize(path)
            print("| `%s` | %.3f | %.3f | %.0f KB | %.1f times | %.2f s |" % (
                re.sub(" --ids [0-9,]*| [^ ]*/data", "", line), plain, proved, size / 1000, size / (8 * count), seconds([sys.executable, CHECKER, path], 2)))
        studies(program, folder)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
