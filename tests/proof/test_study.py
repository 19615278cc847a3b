"""test_study.py PROGRAM -- proofs of a whole study: a file for each point, the bytes of the verb's own proof whatever
threads, shards, kills and extensions made it; what is missing is made again; one wrong file is found among all.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKER = os.path.join(HERE, "..", "..", "verify", "tropism_verify.py")
FLOW = ("verb: flow\nrule: hardmax\nn: 12\nd: 2\nuntil: converged\nsteps: [2000, 1, 500]\nseed: %s\n"
        "keep: [clusters, standing]\n")
STUDIES = {  # a study; of how many of its points something is proved
    "verb: cells\nd: [2, 3]\nn: 10\nseed: 1..4\n": (8, 8),
    "verb: threshold\nn: 8\nseed: 1..3\n": (3, 3),
    "verb: margin\ndata: attsvm\nn: 4\nT: 3\nd: 5\nnorm: [l2, l1]\nseed: [1, 2]\n": (4, 4),
    "verb: inspect\nmodel: %s\nids: '1,5,9'\nlayers: ['0', '4']\nheads: '1'\nmeasure: 'flip,reach'\n" % os.path.join(
        HERE, "..", "data", "stories260K.bin"): (2, 2),
    "verb: check\nclaim: [fw-thm-3.1, fw-lem-hull]\ntrials: 20\n": (2, 2),
    "verb: flow\nn: 9\nrule: softmax\nbeta: [0.5, 2]\ngamma: 0.1\nsteps: 3\nseed: [1, 2]\n": (4, 0),
}


def run(program, folder, *words, code=0):
    made = subprocess.run([program, "study", *words], cwd=folder, capture_output=True, text=True)
    assert made.returncode == code, (words, made.returncode, made.stderr)
    return made


def counts(program, folder, *words):
    return json.loads(run(program, folder, *words, "--json").stdout)


def proofs(folder):
    """The proofs below a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*.json"))}


def verdict(*paths):
    made = subprocess.run([sys.executable, CHECKER, *map(str, paths)], capture_output=True, text=True)
    return made.returncode, made.stdout.splitlines()


def whole_studies(program, folder):
    for k, (text, (points, proved)) in enumerate(STUDIES.items()):
        (folder / "s.yaml").write_text(text)
        found = counts(program, folder, "run", "s.yaml", "--out", "s%d" % k, "--proof")
        assert (found["done"], found["proofs"]) == (points, proved), (text, found)
        logs = sorted((folder / ("s%d/log" % k)).iterdir())
        assert counts(program, folder, "run", "s.yaml", "--out", "s%d" % k, "--proof")["proofs"] == proved
        assert sorted((folder / ("s%d/log" % k)).iterdir()) == logs, "points without a proof are computed once"
        code, lines = verdict(folder / ("s%d" % k))
        total = "%d files, %d verified, 0 refused, 0 cannot decide: " % (proved, proved)
        assert lines[-1] == total + ("verified" if proved else "cannot decide"), lines[-1]
        assert code == (0 if proved else 2) and len(lines) == proved + 1


def the_verbs_own(program, folder, made):
    """Point 4 of FLOW has 2000 steps and seed 5."""
    command = ["--n", "12", "--d", "2", "--rule", "hardmax", "--until", "converged", "--steps", "2000", "--seed", "5"]
    subprocess.run([program, "flow", *command, "--proof", "own.json"], cwd=folder, check=True, capture_output=True)
    own, point = json.loads((folder / "own.json").read_text()), json.loads(made["proof/000/000004.json"])
    assert own["claims"] == point["claims"] and own["inputs"] == point["inputs"]


def missing_ones(program, folder, made):
    """Rows without proofs, and files that are gone; status counts what is there."""
    found = counts(program, folder, "run", "flow.yaml", "--out", "later")
    assert (found["done"], found["proofs"]) == (24, 0)
    found = counts(program, folder, "run", "flow.yaml", "--out", "later", "--proof", "--threads", "1")
    assert found["proofs"] == len(made) and proofs(folder / "later") == made
    (folder / "later/proof/000/000004.json").unlink()
    assert counts(program, folder, "status", "later")["proofs"] == len(made) - 1
    assert counts(program, folder, "run", "flow.yaml", "--out", "later")["proofs"] == len(made) - 1
    assert counts(program, folder, "run", "flow.yaml", "--out", "later", "--proof")["proofs"] == len(made)
    assert proofs(folder / "later") == made
    before = (folder / "later/proof/000/000004.json").stat().st_mtime_ns
    run(program, folder, "run", "flow.yaml", "--out", "later", "--proof")
    assert (folder / "later/proof/000/000004.json").stat().st_mtime_ns == before


def shards_and_kills(program, folder, made):
    draw, killed = random.Random(1), 0
    for shard in (2, 0, 1):
        run(program, folder, "run", "flow.yaml", "--out", "parts", "--proof", "--shard", "%d/3" % shard)
    assert proofs(folder / "parts") == made
    for k in range(12):
        child = subprocess.Popen([program, "study", "run", "flow.yaml", "--out", "killed%d" % (k // 4), "--proof"],
                                 cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, 0.12))
        child.send_signal(signal.SIGKILL)
        killed += child.wait() == -signal.SIGKILL
        there = proofs(folder / ("killed%d" % (k // 4)))
        assert there.items() <= made.items(), "a proof in part, or another one"
    assert killed > 0
    for k in range(3):
        assert counts(program, folder, "run", "flow.yaml", "--out", "killed%d" % k, "--proof")["proofs"] == len(made)
        assert proofs(folder / ("killed%d" % k)) == made


def extensions(program, folder, made):
    """The proofs of before stay; those of new points have a folder of their own."""
    (folder / "more.yaml").write_text(FLOW % "0..9")
    run(program, folder, "run", "flow.yaml", "--out", "grown", "--proof")
    found = counts(program, folder, "run", "more.yaml", "--out", "grown", "--proof", "--extend")
    there = proofs(folder / "grown")
    assert found["done"] == 30 and found["proofs"] == len(there) and made.items() <= there.items()
    assert {name.split("/")[0] for name in there} == {"proof", "proof-1"}
    (folder / "grown/proof/000/000004.json").unlink()  # point 5 of the present study
    run(program, folder, "run", "more.yaml", "--out", "grown", "--proof")
    assert "proof-1/000/000005.json" in proofs(folder / "grown")
    assert counts(program, folder, "status", "grown")["proofs"] == len(there)
    assert verdict(folder / "grown/proof", folder / "grown/proof-1")[0] == 0


def a_wrong_one_among_all(folder):
    path = folder / "flow/proof/000/000004.json"
    good = path.read_text()
    wrong = json.loads(good)
    wrong["claims"][0]["of"]["tokens"] = "other"
    path.write_text(json.dumps(wrong))
    code, lines = verdict(folder / "flow/proof")
    assert code == 1 and lines[-1].endswith(": refused") and ", 1 refused," in lines[-1], lines[-1]
    assert sum("refused" in line for line in lines) == 3  # its claim, its file, the count
    path.unlink()
    assert verdict(folder / "flow/proof", path)[0] == 2
    path.write_text(good)
    assert verdict(folder / "flow/proof", folder / "own.json")[0] == 0


def refusals(program, folder):
    (folder / "none.yaml").write_text("verb: escape\nn: 5\nseed: 1..2\n")
    for words, code, part in (
            (("run", "none.yaml", "--out", "none", "--proof"), 2, "nothing is proved of a result of this escape"),
            (("status", "flow", "--proof"), 2, "applies with action run or slurm"),
            (("run", "flow.yaml", "--out", "blocked", "--proof"), 1, "blocked/proof: Not a directory")):
        (folder / "blocked").mkdir(exist_ok=True)
        (folder / "blocked/proof").write_text("")
        made = run(program, folder, *words, code=code)
        assert part in made.stderr, made.stderr
    assert not (folder / "none").exists()
    assert counts(program, folder, "status", "blocked")["failed"] == 0  # nobody's fault: computed another time
    script = run(program, folder, "slurm", "flow.yaml", "--out", "x", "--tasks", "2", "--proof").stdout
    assert "\nproof=yes" in script and "${proof:+--proof}" in script


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole_studies(program, folder)
        (folder / "flow.yaml").write_text(FLOW % "1..8")
        found = counts(program, folder, "run", "flow.yaml", "--out", "flow", "--proof", "--threads", "2")
        made = proofs(folder / "flow")
        assert found["proofs"] == len(made) == 24, found
        the_verbs_own(program, folder, made)
        missing_ones(program, folder, made)
        shards_and_kills(program, folder, made)
        extensions(program, folder, made)
        a_wrong_one_among_all(folder)
        refusals(program, folder)
        table = json.loads(run(program, folder, "table", "flow", "--by", "standing", "--json").stdout)
        assert sum(row[1] for row in table["rows"]) == 24 and ["proved", len(made)] in [row[:2] for row in table["rows"]]
    print("studies: %d proofs of one" % len(made))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
