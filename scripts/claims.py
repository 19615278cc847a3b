#!/usr/bin/env python3
"""claims.py -- what every claim comes to, to compare before and after a change.

  claims.py record PROGRAM OUT.json [--seeds 1,2,3] [--only TEXT]   TEXT: a part of the ids
  claims.py compare BEFORE.json AFTER.json                          exit 1 when something differs

Recorded of each claim and seed: of check the verdict, the counts, every line of evidence and the
tightest; of figures and tables also the rows of reproduce --quick and a sum over the picture. Numbers are compared as they
are printed, which is to the last bit. Tables that learn from texts are taken from reproduce alone:
check gives them the size at which they can be decided, which takes hours.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import tempfile

CHECKED = ("verdict", "trials", "applicable", "attempted", "violations", "known", "violated", "step", "evidence",
           "tightest", "hypotheses", "numbers", "repaired")
SHOWN = ("verdict", "rows")
LEARNED = ("md-tab-imdb", "md-tab-weights", "md-tab-pivot", "afz-tab-imdb")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"verdict": f"exit {done.returncode}", "rows": done.stderr.strip()}


def of_claim(program, claim, seed, folder):
    told = {}
    common = [claim["id"], "--json", "--threads", "1", "--seed", str(seed)]
    if claim["id"] not in LEARNED:
        found = run([program, "check", *common, "--counterexample", "none"])
        told["check"] = {key: found[key] for key in CHECKED if key in found}
    if claim["kind"] in ("figure", "table"):
        out = os.path.join(folder, f"{claim['id']} {seed}")
        found = run([program, "reproduce", *common, "--quick", "--out", out])
        told["reproduce"] = {key: found[key] for key in SHOWN if key in found}
        told["pictures"] = {name: hashlib.sha256(open(os.path.join(out, name), "rb").read()).hexdigest()
                            for name in sorted(os.listdir(out) if os.path.isdir(out) else ()) if name.endswith(".svg")}
    return told


def record(arguments):
    program = os.path.abspath(arguments.program)
    claims = json.loads(subprocess.check_output([program, "claims", "--json"]))["claims"]
    claims = [c for c in claims if c["status"] != "needs-data" and arguments.only in c["id"]]
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    found = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {(c["id"], s): pool.submit(of_claim, program, c, s, folder) for c in claims for s in seeds}
        for (name, seed), job in jobs.items():
            found[f"{name} seed {seed}"] = job.result()
    with open(arguments.out, "w", encoding="utf-8") as out:
        json.dump(found, out, indent=1, sort_keys=True)
    print(f"{len(claims)} claims with {len(seeds)} seeds")


def differences(before, after, path):
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(set(before) | set(after)):
            yield from differences(before.get(key), after.get(key), path + [key])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for k, (old, new) in enumerate(zip(before, after)):
            yield from differences(old, new, path + [old["name"] if isinstance(old, dict) and "name" in old else str(k)])
    elif before != after:
        yield f"{' / '.join(path)}: {json.dumps(before)[:120]} -> {json.dumps(after)[:120]}"


def compare(arguments):
    before, after = (json.load(open(name, encoding="utf-8")) for name in (arguments.before, arguments.after))
    both = sorted(set(before) & set(after))
    found = {name: list(differences(before[name], after[name], [])) for name in both}
    for name, lines in found.items():
        for line in lines:
            print(f"{name}: {line}")
    different = sum(bool(lines) for lines in found.values())
    print(f"{len(both)} compared, {different} differ; {len(before) - len(both)} only before, "
          f"{len(after) - len(both)} only after")
    sys.exit(different > 0 or not both)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("record")
    one.add_argument("program")
    one.add_argument("out")
    one.add_argument("--seeds", default="1,2,3")
    one.add_argument("--only", default="")
    one.set_defaults(call=record)
    two = commands.add_parser("compare")
    two.add_argument("before")
    two.add_argument("after")
    two.set_defaults(call=compare)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
