#!/usr/bin/env python3
"""claims.py -- what every claim comes to, to compare before and after a change.

  claims.py record PROGRAM OUT.json [--seeds 1,2,3] [--only TEXT]   TEXT: a part of the ids
  claims.py compare BEFORE.json AFTER.json                          exit 1 when something differs
  claims.py seen PROGRAM OUT.tsv [--only TEXT]                      how much each check can see
  claims.py links PROGRAM OUT.tsv                                   instances that open in the explorer
  claims.py search PROGRAM OUT.tsv [--seconds 120] [--only TEXT] [--status A,B] [--seeds 1,2] [--jobs N] [--shrink]
  claims.py searched OUT.tsv [--table docs/searches.tsv]           medians over the seeds of what search wrote; the
                                                                   rows of the table for these claims

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

A search (docs/check.md) writes a line a claim and seed as soon as it is done, and leaves out those that OUT.tsv has, so
that it can be stopped and called again. Each is a process with one thread. Claims that have no search are not listed;
without --status all others are searched. A measured number and its bound are those of the line that came nearest to a
violation, in the units of which the ratio is: violation over allowance, below 0 where the claim holds.

A link has the counterexample that check writes, in the words of an address of the explorer (docs/explorer.md); for a
flow, the program computes from these words what the case has. h5py is needed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import re
import statistics
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


# ---- links into the explorer -------------------------------------------------------------------------------------

# What the explorer shows of an instance: the view, what it needs of the case that `check` writes, with @NAME for an entry
# of it and @step for the step of the violation, the step at which it opens, and words for the link.
FLOWS = {
    "fw-rem-limit": ("x=@tokens&rule=softmax&beta=@beta&gamma=1&panes=three", 1, "the counterexample under three rules"),
    "fw-lem-hull": ("x=@tokens&rule=hardmax&value=@V&key_query=@B", 1, "the token that leaves the hull"),
    "fw-thm-3.1": ("x=@tokens&rule=hardmax&key_query=@B&gamma=fw", "origin", "the counterexample, where the hull loses the origin"),
    "fw-rate-exponential": ("x=@tokens&rule=hardmax&gamma=geometric:@first,@ratio&closed_form=never", 60, "the counterexample after 60 steps"),
    "fw-rem-own-cell": ("x=@tokens&rule=hardmax&key_query=@B", 0, "the counterexample and its cells"),
    "fw-rem-own-cell-weak": ("x=@tokens&rule=hardmax&key_query=@B", 0, "the counterexample and its cells"),
    "fw-prop-collapse-origin": ("x=@tokens&rule=softmax&beta=@beta&gamma=@gamma", 150, "the counterexample after 150 steps"),
    "lm-rem-lyapunov-localmax": ("x=@tokens&rule=localmax&gamma=@gamma&epsilon=@epsilon", 1, "the counterexample after a step"),
}
DESCENT = "&eta=2&eta_schedule=power:1,.5"
TRAININGS = {
    "tf-thm-4": ("X=@X&y=@y&v=@v&z=@z&w=@W0" + DESCENT, 1000, "the counterexample"),
    "tf-thm-5": ("X=@X&y=@y&v=@v&z=@z&w=@W0" + DESCENT, 1000, "the counterexample"),
    "tf-lem-5": ("X=@X&y=@y&v=@v&z=@z", 300, "the counterexample"),
    "mm-thm-6": ("X=@X&y=@y&K=@K&model=joint&hide=none", 300, "the counterexample, with its regularisation path"),
}
# A cloud of the plane that violates the claim too, drawn by its seed; and data that the explorer has by name.
CLOUDS = {"fw-thm-3.1": ("n=16&d=2&rule=hardmax&key_query=-1&gamma=fw", ["--key-query", "-1"], "a cloud of the plane, where its hull loses the origin")}
SETS = ("mm-fig-1a", "mm-fig-1b", "mm-fig-1c", "mm-fig-3a", "mm-fig-3b", "mm-fig-5", "mm-fig-8", "tf-fig-1")
OF_A_SET = {"mm-fig-3a": "&model=joint", "mm-fig-3b": "&model=joint"}


def written(value):
    """An entry of a case, as an address has it: numbers, rows and inputs."""
    if value.ndim == 3:
        return "|".join(written(part) for part in value)
    if value.ndim == 2:
        return ";".join(written(row) for row in value)
    return ",".join(repr(float(x)).removesuffix(".0") for x in value.reshape(-1))


def flow_of(program, state, steps, folder):
    """Tokens after so many steps, by the program, of a link."""
    options = dict(pair.split("=", 1) for pair in state.split("&"))
    words = []
    for name in ("x", "key_query", "value"):
        if ";" in options.get(name, "") or name == "x" in options:
            path = os.path.join(folder, name + ".csv")
            with open(path, "w", encoding="utf-8") as out:
                out.write(options.pop(name).replace(";", "\n") + "\n")
            words += ["--tokens" if name == "x" else "--" + name.replace("_", "-"), path]
    options.pop("panes", None)
    for name, value in options.items():
        words += ["--" + name.replace("_", "-"), value]
    told = run([program, "flow", *words, "--steps", str(steps), "--print-tokens", "--json"])
    assert "tokens" in told, (state, told)
    return told["tokens"]


def loses_origin(program, state, folder):
    """The first step after which the origin is outside the hull."""
    for step in range(1, 400):
        path = os.path.join(folder, "hull.csv")
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(",".join(map(repr, row)) + "\n" for row in flow_of(program, state, step, folder))
        if run([program, "cells", "--tokens", path, "--json"])["contains_origin"] is False:
            return step
    raise SystemExit(f"{state}: the hull keeps the origin")


def counterexample(program, claim, folder):
    import h5py

    path = os.path.join(folder, claim + ".h5")
    found = run([program, "check", claim, "--counterexample", path, "--json"])
    assert found["verdict"] == "violated", (claim, found["verdict"])
    with h5py.File(path) as file:
        return {name: entry[()] for name, entry in file.items()}


def filled(state, case):
    return re.sub(r"@(\w+)", lambda m: written(case[m[1]]), state)


def cloud_of(program, state, words, claim, folder):
    """The first seed whose cloud violates the claim."""
    for seed in range(1, 40):
        path = os.path.join(folder, "cloud.csv")
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(",".join(map(repr, row)) + "\n" for row in flow_of(program, f"{state}&seed={seed}", 0, folder))
        if run([program, "check", claim, "--tokens", path, *words, "--steps", "3000", "--counterexample", "none", "--json"])["verdict"] == "violated":
            return f"{state}&seed={seed}"
    raise SystemExit(f"{claim}: no such cloud violates it")


def links(arguments):
    """Writes a line a link: claim, address in the explorer, words. What a flow shows is compared with the case."""
    program, lines = os.path.abspath(arguments.program), []
    with tempfile.TemporaryDirectory() as folder:
        for claim, (state, step, words) in {**FLOWS, **TRAININGS}.items():
            case = counterexample(program, claim, folder)
            state = filled(state, case)
            if claim in FLOWS:
                step = loses_origin(program, state, folder) if step == "origin" else step
                if "path" in case:
                    assert flow_of(program, state, step, folder) == case["path"][step].tolist(), f"{claim}: another flow"
            lines.append((claim, f"{'flow' if claim in FLOWS else 'train'}&{state}&t={step}", words))
            if claim in CLOUDS:
                state, more, words = CLOUDS[claim]
                state = cloud_of(program, state, more, claim, folder)
                lines.append((claim, f"flow&{state}&t={loses_origin(program, state, folder)}", words))
    lines += [(claim, f"train&data={claim}{OF_A_SET.get(claim, '')}&t=300", "its data") for claim in SETS]
    with open(arguments.out, "w", encoding="utf-8") as out:
        out.writelines("\t".join(line) + "\n" for line in sorted(lines))
    print(f"{len(lines)} links")


# ---- searches ----------------------------------------------------------------------------------------------------

COLUMNS = ("id", "status", "seed", "verdict", "ratio", "line", "measured", "relation", "bound", "allowance", "evaluations",
           "applicable", "restarts", "seconds", "refuted_after", "instance", "numbers", "shrunk", "asymptotic")


def search_one(program, claim, seed, arguments):
    command = [program, "check", claim["id"], "--search", str(arguments.seconds), "--seed", str(seed), "--threads", "1",
               "--json", "--counterexample", "none", *(["--shrink"] if arguments.shrink else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=2 * arguments.seconds + 1800)
    except subprocess.TimeoutExpired:
        return {"verdict": "did not end"}
    if done.returncode == 2:
        return None  # it has no search
    try:
        told = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"verdict": f"exit {done.returncode}: {done.stderr.strip()}"}
    found, shrunk = told["search"], told.get("shrunk", {})
    nearest = [e for e in told["evidence"] if e["name"] == found.get("line")]
    return {**found, "verdict": told["verdict"], "applicable": told["applicable"],
            "relation": nearest[0]["relation"] if nearest else None,
            "numbers": shrunk.get("numbers"), "shrunk": shrunk.get("instance")}


def plain(value):
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return " ".join(text.split())


def search(arguments):
    program = os.path.abspath(arguments.program)
    claims = json.loads(subprocess.check_output([program, "claims", "--json"]))["claims"]
    statuses = arguments.status.split(",") if arguments.status else []
    done = set()
    if os.path.exists(arguments.out):
        with open(arguments.out, encoding="utf-8") as old:
            done = {tuple(line.split("\t")[0:3:2]) for line in old}
    else:
        with open(arguments.out, "w", encoding="utf-8") as out:
            out.write("\t".join(COLUMNS) + "\n")
    left = [(c, seed) for seed in arguments.seeds.split(",") for c in claims
            if arguments.only in c["id"] and (not statuses or c["status"] in statuses) and (c["id"], seed) not in done]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = {pool.submit(search_one, program, c, seed, arguments): (c, seed) for c, seed in left}
        for job in concurrent.futures.as_completed(jobs):
            claim, seed = jobs[job]
            found = job.result()
            if found is not None:
                row = {**found, "id": claim["id"], "status": claim["status"], "seed": seed}
                with open(arguments.out, "a", encoding="utf-8") as out:
                    out.write("\t".join(plain(row.get(name)) for name in COLUMNS) + "\n")
                print(f"{claim['id']:28} {found['verdict'][:60]:16} {plain(found.get('ratio')):>14} {plain(found.get('line'))}",
                      flush=True)


def searched(arguments):
    """A line a claim: how many seeds refuted it, the median of the seconds it took, and of the numbers that are left."""
    with open(arguments.out, encoding="utf-8") as file:
        rows = [dict(zip(COLUMNS, line.rstrip("\n").split("\t"))) for line in file][1:]
    if arguments.table:
        return table(rows, arguments.table)
    for name in dict.fromkeys(row["id"] for row in rows):
        own = [row for row in rows if row["id"] == name]
        refuted = [row for row in own if row["verdict"] == "violated"]
        medians = [statistics.median(float(row[key]) for row in refuted if row[key]) if any(row[key] for row in refuted) else math.nan
                   for key in ("refuted_after", "evaluations", "numbers")]
        best = max(own, key=lambda row: float(row["ratio"] or "-inf"))
        smallest = min((row for row in refuted if row["numbers"]), key=lambda row: int(row["numbers"]), default=best)
        print(f"{name:28} {own[0]['status']:17} {len(refuted)}/{len(own)} refuted; {medians[0]:.3g} s, {medians[1]:g} instances, "
              f"{medians[2]:g} numbers; {best['line']}: {best['measured']} {best['relation']} {best['bound']}, ratio {best['ratio']}; "
              f"{smallest['shrunk'] or smallest['instance']}")


def of_table(own):
    """How near all runs came, and on what: two cells."""
    refuted = [row for row in own if row["verdict"] == "violated"]
    best = max(refuted or own, key=lambda row: float(row["ratio"] or "-inf"))
    if not best["line"]:
        return best["verdict"], best["instance"]
    ratio = float(best["ratio"] or "nan")
    line = f"{best['line']}: {best['measured']} {best['relation']} {best['bound']}"
    if refuted:
        small = min((row for row in refuted if row["numbers"]), key=lambda row: int(row["numbers"]), default=best)
        seconds = statistics.median(float(row["refuted_after"]) for row in refuted)
        numbers = [int(row["numbers"]) for row in refuted if row["numbers"]]
        left = f", {statistics.median(numbers):g} numbers when shrunk" if numbers else ""
        return (f"refuted in {len(refuted)} of {len(own)} runs, after {seconds:.2g} s{left}; {line}",
                small["shrunk"] or small["instance"])
    small, large = sorted((float(best["measured"]), float(best["bound"])))
    room = float(best["allowance"] or large - small)
    is_wide = room > max(1e-9, 1e-6 * (abs(small) + abs(large)))  # of samples, or of how a limit is read
    near = ("a reading at a finite time is beyond its bound" if ratio > 1 and best.get("asymptotic") == "True" else
            f"beyond its bound by {ratio:.3g} allowances, too few to refute it" if ratio > 1 else
            "within what samples or readings leave open" if ratio >= 0 and is_wide else
            "equal but for rounding" if ratio >= 0 else
            f"{100 * small / large:.3g}% of the bound" if small >= 0 and best["relation"] == "at most" else
            f"the bound is {100 * small / large:.3g}% of it" if small >= 0 and best["relation"] == "at least" else
            f"holds by {-100 * ratio:.3g}% of its sizes")
    return f"{near}; {line}", best["instance"]


def table(rows, path):
    """Rows of the table for what was searched; those of other claims stay."""
    lines = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as old:
            lines = {line.split("\t")[0]: line for line in old}
    for name in dict.fromkeys(row["id"] for row in rows):
        own = [row for row in rows if row["id"] == name]
        seconds = sum(float(row["seconds"] or 0) for row in own)
        cells = [f"{seconds:.3g}", str(sum(int(row["evaluations"] or 0) for row in own)), *of_table(own)]
        lines[name] = "\t".join([name, *cells]) + "\n"
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(lines.values())


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
    four = commands.add_parser("links")
    four.add_argument("program")
    four.add_argument("out")
    four.set_defaults(call=links)
    five = commands.add_parser("search")
    five.add_argument("program")
    five.add_argument("out")
    five.add_argument("--seconds", type=float, default=120)
    five.add_argument("--only", default="")
    five.add_argument("--status", default="")
    five.add_argument("--seeds", default="1")
    five.add_argument("--jobs", type=int, default=os.cpu_count())
    five.add_argument("--shrink", action="store_true")
    five.set_defaults(call=search)
    six = commands.add_parser("searched")
    six.add_argument("out")
    six.add_argument("--table")
    six.set_defaults(call=searched)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
