#!/usr/bin/env python3
"""claims.py -- what every claim comes to, to compare before and after a change.

  claims.py record PROGRAM OUT.json [--seeds 1,2,3] [--only TEXT]   TEXT: a part of the ids
  claims.py compare BEFORE.json AFTER.json                          exit 1 when something differs
  claims.py seen PROGRAM OUT.tsv [--only TEXT]                      how much each check can see

Recorded of each claim and seed: of check the verdict, the counts, every line of evidence and the
tightest; of figures and tables also the rows of reproduce --quick and a sum over the
picture. Numbers are compared as they are printed, which is to the last bit. Tables that learn from
texts are taken from reproduce alone: check gives them the size at which they can be decided, which
takes hours.

What a check can see is written as docs/claims.md has it (scripts/generate.sh puts it there), a
line a claim: instances, the tightest line of all, and how far the bound of its narrowest line is,
as a factor. A claim that holds, with a bound that is more than a factor of 10 away on every
instance of every line, is loose. A bound of 0 is near while a line is within ten allowances of it;
a comparison with a number is as near as its allowance.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
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


def number(value):
    return float(value) if value is not None else math.nan


def factor(line):
    """How many times the bound is what was measured, or the other way round for a least."""
    measured, bound, allowance = (number(line[key]) for key in ("measured", "bound", "allowance"))
    if line["relation"] in ("at most", "at least"):
        if abs(bound) < 1e-300:
            return 1 if abs(measured) <= 10 * allowance else math.inf
        large, small = (bound, measured) if line["relation"] == "at most" else (measured, bound)
        if large < 0 and small < 0:
            large, small = -small, -large
        return large / small if small > 0 and large > 0 else math.inf if large > small else 0
    return 1 if line["relation"] == "near" else math.nan


def short(value):
    return f"{number(value):.3g}"


def told_of(found, spoils):
    """One line of docs/claims.md."""
    if not found.get("evidence"):
        return f"nothing: {found['verdict']}"
    factors = [f for f in map(factor, found["evidence"]) if not math.isnan(f)]
    tightest = min(found["evidence"], key=lambda l: l["name"] != found["tightest"]["name"])
    kind = "known counterexamples" if found["applicable"] == 0 and found["known"] else "instances"
    text = (f"{found['applicable'] or found['known']} {kind}, {found['verdict']}; tightest: {tightest['name']}, "
            f"{short(tightest['measured'])}, {tightest['relation']} {short(tightest['bound'])}, "
            f"allowed {short(tightest['allowance'])}; {spoils} faults, all detected")
    if found["verdict"] == "holds" and factors and min(factors) > 10:
        text += "; loose: " + ("no bound is near" if min(factors) == math.inf else
                                   f"every bound is a factor of {short(min(factors))} away or more")
    return text


def seen(arguments):
    """Writes a line a claim; of those that --only leaves out the line stays."""
    program = os.path.abspath(arguments.program)
    claims = json.loads(subprocess.check_output([program, "claims", "--json"]))["claims"]
    claims = [c for c in claims if c["status"] != "needs-data" and c["id"] not in LEARNED]
    lines = {}
    if arguments.only:
        with open(arguments.out, encoding="utf-8") as old:
            lines = dict(line.rstrip("\n").split("\t") for line in old)
    chosen = [c for c in claims if arguments.only in c["id"]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = pool.map(lambda c: of_claim(program, {**c, "kind": "check"}, 1, ""), chosen)
        for claim, told in zip(chosen, checks):
            lines[claim["id"]] = told_of(told["check"], len(claim["seen"]))
    with open(arguments.out, "w", encoding="utf-8") as out:
        out.writelines(f"{c['id']}\t{lines[c['id']]}\n" for c in claims if c["id"] in lines)
    print(f"{len(chosen)} claims")


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
    three = commands.add_parser("seen")
    three.add_argument("program")
    three.add_argument("out")
    three.add_argument("--only", default="")
    three.set_defaults(call=seen)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
