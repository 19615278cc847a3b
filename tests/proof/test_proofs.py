"""test_proofs.py PROGRAM -- proofs that the program writes are verified, and changed ones are not unless they are
still true, by decisions that share nothing with the checker.

A module of this folder has COMMANDS, functions of a random.Random that return the words of a command and files of
tokens for it, and DECIDE, by kind a function (proof, claim) that says whether the witness proves the claim.
"""
import collections
import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "verify"))
sys.path.insert(0, HERE)

import changes
import claims
import flow
import geometry
import heads
import margin
import tropism_verify as checker

MODULES = [geometry, flow, margin, claims, heads]
FULL = os.environ.get("TROP_TEST_FULL") == "1"
RESULTS, CHANGES = (2000, 40) if FULL else (25, 8)  # of each command; of each proof


def write(folder, program, words, files):
    """Runs the command; its proof, or None when there is none."""
    line = [program, *words]
    for option, rows in files.items():
        path = os.path.join(folder, option + (".json" if isinstance(rows, str) else ".csv"))
        with open(path, "w") as file:
            file.writelines(rows if isinstance(rows, str) else (",".join(map(repr, row)) + "\n" for row in rows))
        line += ["--" + option.replace("_", "-"), path]
    proof = os.path.join(folder, "x.proof.json")
    if os.path.exists(proof):
        os.remove(proof)
    run = subprocess.run([*line, "--proof", proof], capture_output=True, text=True)
    assert run.returncode in (0, 1), (line, run.stderr)  # 1: a solver that ended early
    return proof if os.path.exists(proof) else None


def verdict(path):
    lines = []
    return checker.verify(path, {}, lines.append), lines


def reworded(proof):
    """With the sentences that the checker would make of what the claims are of now, where it can."""
    claims = proof.get("claims")
    for claim in claims if isinstance(claims, (list, dict)) else []:
        try:
            row = checker.KINDS[claim["kind"]]
            inputs = checker.Inputs(proof["inputs"], "", {})
            of = checker.members(claim["of"], row.of, {}, inputs, "of")
            claim["says"], claim["symbols"] = checker.sentence(row.says, of), checker.sentence(row.symbols, of)
        except Exception:
            pass


def still_true(proof, decide):
    """Whether every claim of a changed proof is proved by its witness."""
    try:
        return all(decide[claim["kind"]](proof, claim) for claim in proof["claims"])
    except (KeyError, ValueError, IndexError, TypeError, AttributeError, ZeroDivisionError):
        return False


def forced(proof):
    """Changes that chance seldom makes, and that were verified once though they were not true."""
    for k, claim in enumerate(proof["claims"]):
        for key, value in (("steps", 0), ("steps", 1), ("steps", None), ("step", 0), ("gamma_high", "0x1p-1"),
                           ("p", "0x0p+0")):
            if key in claim["of"]:
                other = copy.deepcopy(proof)
                other["claims"][k]["of"][key] = value
                reworded(other)
                yield other, (k, key, value)
        for key, value in claim["witness"].items():
            if isinstance(value, dict) and value.get("doubles"):
                other = copy.deepcopy(proof)
                zeros = json.loads(re.sub(r"[^ \[\]\",]+", "0x0p+0", json.dumps(value["doubles"])))
                other["claims"][k]["witness"][key]["doubles"] = zeros
                yield other, (k, key, "zeros")


def test_changes(proof, decide, folder, draw, counts):
    path = os.path.join(folder, "changed.json")
    made = [changes.changed(proof, draw) for _ in range(CHANGES)]
    for other, _ in made:
        if draw.random() < 0.7:
            reworded(other)
    for other, what in [*made, *forced(proof)]:
        with open(path, "w") as file:
            json.dump(other, file)
        found, lines = verdict(path)
        true = found == "verified" and still_true(other, decide)
        counts["changed, " + found] += 1
        assert found != "verified" or true, ("verified though it is not true", what, lines, json.dumps(other)[:3000])


def main(program):
    counts, start = collections.Counter(), time.time()
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            for command in module.COMMANDS:
                draw = random.Random("%s %s" % (os.environ.get("TROP_TEST_SEED", "1"), command.__name__))
                for _ in range(RESULTS):
                    words, files = command(draw)
                    path = write(folder, program, words, files)
                    if path is None:
                        counts["no proof"] += 1
                        continue
                    found, lines = verdict(path)
                    assert found == "verified", (words, lines)
                    with open(path) as file:
                        proof = json.load(file)
                    assert still_true(proof, module.DECIDE), (words, lines)
                    counts.update(claim["kind"] for claim in proof["claims"])
                    test_changes(proof, module.DECIDE, folder, draw, counts)
    missing = set(checker.KINDS) - set(counts)
    assert not missing, ("no proof of these kinds was met", missing)
    print("proofs:", ", ".join("%s %d" % item for item in sorted(counts.items())))
    print("%.1f s" % (time.time() - start))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
