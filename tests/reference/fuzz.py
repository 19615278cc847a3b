"""fuzz.py -- runs the suites of this folder (harness.py says what they are).

    python3 tests/reference/fuzz.py --program build/tropism --seconds 30 [--pairs] [--seed 1] [--jobs 2]
                                    [--suite step,cells]
"""
import argparse
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + [os.path.join(HERE, folder) for folder in ("steps", "shape", "motion", "weights", "given")]
import harness  # noqa: E402

SUITES = ("step", "state", "cells", "threshold", "time", "sphere", "merge", "copies", "slow", "escape", "train",
          "margin", "path", "beside", "verbs")  # modules suite_NAME with a SUITE each


def main():
    parser = argparse.ArgumentParser(description="differential fuzzer of tropism")
    parser.add_argument("--program", default="build/tropism")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--pairs", action="store_true", help="go on until every pair of values is met")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--most", type=int, default=20, help="failures after which it ends")
    parser.add_argument("--suite", default=",".join(SUITES), help="separated by commas: " + ", ".join(SUITES))
    arguments = parser.parse_args()
    suites = [importlib.import_module("suite_" + name).SUITE for name in arguments.suite.split(",")]
    done, failures = harness.fuzz(suites, os.path.abspath(arguments.program), arguments.seconds,
                                  arguments.seed, arguments.jobs, arguments.pairs, most=arguments.most)
    print(f"{done - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not done else 0


if __name__ == "__main__":
    sys.exit(main())
