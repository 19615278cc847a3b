#!/usr/bin/python3
"""bench.py BUILD [GROUP...] -- every ratio that the documentation quotes, in one run.
bench.py --docs | --check     writes, or compares, the table in docs/performance.md, as a run does.

A group is programs of ours (BUILD/bench_NAME) and of others (bench/peers_NAME.py, in the environment
BUILD/peers). Ours and the peers are run in turn, and the whole turn ROUNDS times, so that a slow minute
of the machine hits both; the smallest time of each case counts. Each prints lines `NAME key=value ...`,
peers `peer=NAME key=value ...` or `NAME key=value ...`.

A row of the table names the lines it compares by their keys. What is not there is said: a program that
does not exist or fails, a peer that is missing, a row without a line. Every line, with the machine, the
commit and the command, is kept in bench/results/GROUP.txt, and the tables are made from these files
alone.
"""
import datetime
import os
import platform
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(HERE, "bench", "results")
PAGE = os.path.join(HERE, "docs", "performance.md")
BEGIN, END = "<!-- table: made by make bench-docs from bench/results -->", "<!-- end of table -->"
ROUNDS = int(os.environ.get("BENCH_ROUNDS", 2))
LIMIT = 1800  # seconds a program may take
CORES = str(len(os.sched_getaffinity(0)))

# ---- what is run ------------------------------------------------------------------------------------

ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": CORES}  # threads are Python's, or torch's


def attend_peers():
    """(script, arguments, environment, rounds). OpenBLAS by itself, and in single precision its AVX2
    kernels, which can be the faster ones; KeOps, which is never near the best, once."""
    yield "peers_attend.py", ["torch"], ALONE, ROUNDS
    yield "peers_attend.py", ["numpy"], ALONE, ROUNDS
    with open("/proc/cpuinfo") as file:
        if "avx512f" in file.read():
            yield "peers_attend.py", ["numpy", "precision=single"], {**ALONE, "OPENBLAS_CORETYPE": "Haswell"}, ROUNDS
    yield "peers_attend.py", ["keops"], ALONE, 1


# Each group: programs of ours, then (script, arguments, environment, rounds) of the peers. FOLDER is a
# scratch folder of the group, where ours may leave its problems for the peers. Without peers, ours
# compare with themselves in the same run, and once is enough.
GROUPS = {
    "attend": ([["bench_attend"]], list(attend_peers())),
    "flow": ([["bench_flow"]], [("peers_flow.py", [], {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "BENCH_THREADS": "1"}, ROUNDS)]),
    "hull": ([["bench_hull"]], []),
    "tree": ([["bench_tree", "--growth", "1"]], []),
    "localmax": ([["bench_localmax"]], []),
    "copies": ([["bench_copies"]],
               [("peers_copies.py", ["torch"], ALONE, ROUNDS), ("peers_copies.py", ["torch"], {**ALONE, "OMP_NUM_THREADS": "1"}, ROUNDS),
                ("peers_copies.py", ["numpy"], ALONE, ROUNDS)]),
    "study": ([["bench_study", "FOLDER"], ["bench_catalogue", "FOLDER"]], []),
    "margin": ([["bench_margin", "FOLDER"]], [("peers_margin.py", ["FOLDER"], {}, ROUNDS)]),
    "train": ([["bench_train"]], [("peers_train.py", [], {"OMP_NUM_THREADS": CORES}, ROUNDS)]),
    "fit": ([["bench_fit", "FOLDER"]], [("peers_fit.py", ["FOLDER", case], {"OMP_NUM_THREADS": CORES}, 1) for case in ("mr", "imdb")]),
    "shape": ([["bench_shape"]], []),
}

# ---- what is compared -------------------------------------------------------------------------------


class Row:
    """A line of the table. ours: the name and the keys of our lines. value: the key that counts.
    With peers, it is a time, and its smallest is compared with the smallest of the lines of peers that
    have the keys `peers` and a name that begins with `by`. Without, its worst over our lines counts. target: at least, or at most, that much; None: no target.
    optional: without a line of ours there is no row."""

    def __init__(self, group, label, ours, target, peers=None, by="", value="seconds", most=False, optional=False):
        self.group, self.label, self.ours, self.target, self.optional = group, label, ours, target, optional
        self.peers, self.by, self.value, self.most = peers, by, value, most


def attend_rows():
    targets = {2: 8, 3: 8, 16: 4, 64: 2, 128: 1.5}
    for rule in ("softmax", "hardmax", "localmax"):
        for precision in ("double", "single"):
            for d in targets:
                if rule == "localmax" and (precision == "single" or d in (3, 128)):
                    continue
                keys = {"n": "16384", "d": str(d), "precision": precision}
                aim = targets[d] if (rule, precision) == ("softmax", "double") else None
                yield Row("attend", f"{rule}, {precision}, n = 16384, d = {d}", (rule, {**keys, "cloud": None}), aim, {"rule": rule, **keys})
    for rule in ("softmax", "hardmax", "localmax"):
        for d in targets:
            keys = {"n": "16384", "d": str(d), "precision": "double", "cloud": None}
            yield Row("attend", f"{rule}, double, d = {d}: of the machine's limit", (rule, keys), 0.7, value="fraction")
    for rule in ("hardmax", "localmax"):
        for cloud, words in ((None, "Gaussian tokens"), ("step200", "after 200 steps")):
            yield Row("attend", f"{rule}: exact decisions, times the inexact, {words}", (rule, {"n": "16384", "cloud": cloud}),
                      1.05, value="exactness", most=True)


def hull_rows():
    for d, aim in ((2, 500), (3, 100)):
        for cloud, least in (("few", aim), ("gauss", aim), ("sphere", 60), ("bowl", 60)):
            yield Row("hull", f"hardmax by the hull, n = 10^6, d = {d}, {cloud}",
                      ("hardmax-hull", {"n": "1000000", "d": str(d), "cloud": cloud}), least, value="ratio")
        yield Row("hull", f"the same, d = {d}, worst of all clouds", ("hardmax-hull", {"n": "1000000", "d": str(d)}), None, value="ratio")


def tree_rows():
    for d, accuracy, aim in ((2, "1e-10", 100), (3, "1e-8", 20)):
        for beta in ("1", "10", "100", "1000"):
            yield Row("tree", f"softmax by tree, n = 10^6, d = {d}, accuracy {accuracy}, beta = {beta}, worst cloud",
                      ("softmax-tree", {"n": "1000000", "d": str(d), "beta": beta}), aim, value="ratio")
    yield Row("tree", "softmax by tree: growth exponent, n = 10^5 to 10^6", ("softmax-growth", {}), 1.2, value="exponent", most=True)


def margin_rows():
    for problem, label, by, aim in (
            ("p", "margin, p-problem, 450 x 50", "cvxopt", 20), ("p", "margin, p-problem, 450 x 50", "scipy", 3),
            ("W", "margin, W-problem, 450 x 2500", "cvxopt", 5), ("l1.75", "margin, l_1.75, n = 6, T = 8, d = 10", "cvxopt", 20),
            ("l3", "margin, l_3, n = 6, T = 8, d = 10", "cvxopt", 20), ("nuclear", "margin, nuclear, n = 4, T = 5, d = 20", "cvxopt-sdp", 50),
            ("nuclear", "margin, nuclear, n = 4, T = 5, d = 20, any form", "cvxopt", None)):
        yield Row("margin", f"{label}, against {by}", ("margin", {"problem": problem}), aim, {"problem": problem}, by)


def fit_rows():
    """One core, in seconds of the processor: that a neighbour's work slows threads that wait for each other is no
    property of either side. Then every core, by the clock. PyTorch's trials on a part of the batches, scaled to an
    epoch, count as well as its whole epochs: a compiled form may compile again within one."""
    aims = {("mr", "prompt", "gd"): 5, ("imdb", "prompt", "gd"): 2.5, ("imdb-like", "prompt", "gd"): 2.5}
    words = {"mr": "MR, d = 32", "imdb": "IMDb, T = 256, d = 64", "imdb-like": "like IMDb, T = 256, d = 64"}
    for case in words:
        for query in ("prompt", "first", "each"):
            for optimizer in ("gd", "mirror", "adam"):
                part = "-part" if query == "each" and case != "mr" else ""
                keys = {"case": case + part, "query": query, "optimizer": optimizer}
                aim = aims.get((case, query, optimizer)) if optimizer == "gd" else None
                yield Row("fit", f"{words[case]}, {query}, {optimizer}: an epoch", ("fit", keys), aim,
                          {**keys, "precision": "double"}, "torch-", optional=case != "mr")
        keys = {"case": case, "query": "prompt", "optimizer": "gd"}
        yield Row("fit", f"the same, {words[case]}, prompt, gd, against single precision", ("fit", keys), None,
                  {**keys, "precision": "single"}, "torch-", optional=case != "mr")


ROWS = [
    *attend_rows(),
    Row("flow", "flow, 20 softmax layers, n = 512, d = 256, a full B, one thread", ("layers", {}), 1, {"case": "layers"}, "numpy"),
    *hull_rows(),
    *tree_rows(),
    Row("localmax", "localmax by tree, n = 10^6, worst cloud", ("localmax-tree", {"n": "1000000"}), 10, value="ratio"),
    Row("localmax", "localmax by tree: growth exponent", ("localmax-tree", {}), 1.2, value="growth", most=True),
    Row("copies", "phase diagram, 90 x 2048 copies of n = 32, 300 steps", ("phase-diagram", {}), 10, {"rule": "phase-diagram"}, "torch"),
    Row("copies", "the same, any peer", ("phase-diagram", {}), None, {"rule": "phase-diagram"}),
    Row("study", "study, 10^5 points in lanes: times the bare copies", ("study", {"case": "lanes"}), 1.15, value="ratio", most=True),
    Row("study", "study, points outside lanes: times the C calls", ("study", {"case": "threads"}), 1.1, value="ratio", most=True),
    Row("study", "study of 10^6 points: seconds to a resume", ("study", {"case": "resume"}), 2, value="seconds", most=True),
    Row("study", "catalogue of 10^6 points: seconds of a merge", ("study", {"case": "merge"}), 60, value="seconds", most=True),
    Row("study", "catalogue of 10^6 points: bytes a point beside what is kept", ("study", {"case": "bytes"}), 200, value="beside", most=True),
    *margin_rows(),
    *fit_rows(),
    Row("train", "training, n = 6, T = 8, d = 10, nmirror, p = 3: a step", ("train", {"case": "small", "optimizer": "nmirror", "p": "3"}),
        100, {"case": "small", "optimizer": "nmirror"}, value="seconds_per_step"),
    Row("train", "training, n = 1000, T = 64, d = 64, gd: a step", ("train", {"case": "large", "optimizer": "gd"}),
        3, {"case": "large", "optimizer": "gd"}, value="seconds_per_step"),
    Row("train", "training, n = 1000, T = 64, d = 64, nmirror: a step", ("train", {"case": "large", "optimizer": "nmirror"}),
        3, {"case": "large", "optimizer": "nmirror"}, value="seconds_per_step"),
    Row("train", "training, 6000 runs of 1000 steps: core-seconds", ("train", {"case": "fig9", "d": "all"}), 20, value="core_seconds", most=True),
]

# ---- running ----------------------------------------------------------------------------------------


def run(words, env):
    """The lines that a command prints, and what went wrong, if anything."""
    try:
        done = subprocess.run(words, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode().splitlines(), f"stopped after {LIMIT} s"
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return lines, f"exit status {done.returncode}: {last}"
    return lines, None


def run_group(build, name):
    """All lines of a group, marked ours, peer or note."""
    ours, peers = GROUPS[name]
    folder = os.path.join(build, "bench-" + name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    python = os.path.join(build, "peers", "bin", "python")
    caches = {"TORCHINDUCTOR_CACHE_DIR": os.path.join(build, "peers", "inductor"),
              "KEOPS_CACHE_FOLDER": os.path.join(build, "peers", "keops"), "BENCH_THREADS": CORES}
    lines = []

    def take(mark, words, env):
        label = " ".join(os.path.basename(word) for word in words if word != python)
        print(f"bench: {name}: {label}" + "".join(f", {k}={v}" for k, v in env.items() if k == "OPENBLAS_CORETYPE"),
              file=sys.stderr, flush=True)
        found, wrong = run([folder if word == "FOLDER" else word for word in words], {**caches, **env})
        lines.extend((mark, line) for line in found)
        if wrong:
            lines.append(("note", f"{label}: {wrong}"))
            print(f"bench: {label}: {wrong}", file=sys.stderr)

    for turn in range(ROUNDS if peers else 1):
        for program, *rest in ours:
            path = os.path.join(build, program)
            if os.path.exists(path):
                take("ours", [path, *rest], {})
            elif turn == 0:
                lines.append(("note", f"{program}: there is no such program"))
        for script, rest, env, rounds in peers:
            if turn >= rounds:
                continue
            path = os.path.join(HERE, "bench", script)
            if not os.path.exists(path):
                lines.append(("note", f"{script}: there is no such script"))
            elif not os.path.exists(python):
                lines.append(("note", f"{script}: the peers are not installed"))
            else:
                take("peer", [python, path, *rest], env)
    return list(dict.fromkeys(lines))


def machine():
    text = subprocess.run(["lscpu"], stdout=subprocess.PIPE, text=True).stdout
    fields = dict(re.findall(r"^\s*([^:\n]+):\s*(.*)$", text, re.M))
    try:
        with open("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") as file:
            governor = file.read().strip()
    except OSError:
        governor = "not visible"
    wide = [flag for flag in ("avx2", "fma", "avx512f") if flag in fields.get("Flags", "").split()]
    return (f"{fields.get('Model name', '?')} (family {fields.get('CPU family')}, model {fields.get('Model')}), "
            f"{CORES} cores, {' '.join(wide)}; L2 {fields.get('L2 cache', '?')}; Linux {platform.release()}; "
            f"governor {governor}")


def git(*words):
    return subprocess.run(["git", "-C", HERE, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def head(command):
    """What is true of the whole run."""
    changed = " with changes" if git("status", "--porcelain", "-uno") else ""
    gcc = subprocess.run(["gcc", "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]
    return {"machine": machine(), "compiler": gcc, "commit": git("rev-parse", "--short=12", "HEAD") + changed, "command": command,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}


# ---- results files ----------------------------------------------------------------------------------


def write_result(name, facts, lines):
    os.makedirs(RESULTS, exist_ok=True)
    rows = rows_of(name, lines)
    with open(os.path.join(RESULTS, name + ".txt"), "w") as file:
        for key, value in facts.items():
            file.write(f"{key:<9} {value}\n")
        if rows:
            file.write("\n" + text_table(rows))
        file.write("\n")
        for mark, line in lines:
            file.write(f"{mark} {line}\n")


def read_result(name):
    """The facts and the lines of a result, ({}, []) where there is none."""
    facts, lines = {}, []
    try:
        with open(os.path.join(RESULTS, name + ".txt")) as file:
            for line in file.read().splitlines():
                word, _, rest = line.partition(" ")
                if word in ("ours", "peer", "note"):
                    lines.append((word, rest))
                elif word in ("machine", "compiler", "commit", "command", "date"):
                    facts[word] = rest.strip()
    except FileNotFoundError:
        pass
    return facts, lines


# ---- the table --------------------------------------------------------------------------------------


def parse(line):
    """The name and the keys of a line. A peer's name is its first word, or peer=."""
    words = line.split()
    pairs = dict(word.split("=", 1) for word in words if "=" in word)
    name = words[0] if words and "=" not in words[0] else pairs.get("peer", "")
    return name, pairs


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def has(pairs, keys):
    """Equal as text, or as numbers: 1e6 is 1000000. None: there is no such key."""
    return all(pairs.get(key) == value or (number(pairs.get(key)) is not None and number(pairs[key]) == number(value))
               for key, value in keys.items())


def time_text(seconds):
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


# What tells one case from another; a case that was run twice, or by several
# kernels or threads, counts at its best.
CASE = ("n", "d", "precision", "cloud", "state", "beta", "epsilon", "accuracy", "case", "optimizer", "p")


def by_case(mine, row):
    best, pick = {}, min if row.most else max
    for pairs in mine:
        value = number(pairs.get(row.value))
        if value is not None:
            case = tuple(pairs.get(key) for key in CASE)
            best[case] = pick(best.get(case, value), value)
    return list(best.values())


def judge(row, lines):
    """The cells of a row: operation, ours, peer, ratio, target, verdict."""
    name, keys = row.ours
    parsed = [(mark, *parse(line)) for mark, line in lines]
    mine = [pairs for mark, who, pairs in parsed if mark == "ours" and who == name and has(pairs, keys)]
    values = [v for v in (number(pairs.get(row.value)) for pairs in mine) if v is not None]
    aim = "" if row.target is None else f"{'<=' if row.most else '>='} {row.target:g}"
    if not values:
        why = next((line for mark, line in lines if mark == "note" and line.startswith("bench_")), "no such line")
        return [row.label, "not measured", why, "", aim, "no" if row.target is not None else ""]
    if row.peers is None:
        values = by_case(mine, row)
        worst = max(values) if row.most else min(values)
        good = row.target is not None and (worst <= row.target if row.most else worst >= row.target)
        return [row.label, "", f"worst of {len(values)}" if len(values) > 1 else "", f"{worst:.3g}", aim, "" if row.target is None else "reached" if good else "missed"]
    ours = min(values)
    others = [(number(pairs.get(row.value)), who) for mark, who, pairs in parsed
              if mark == "peer" and who.startswith(row.by) and has(pairs, row.peers)]
    others = [(s, who) for s, who in others if s is not None]
    if not others:
        why = [pairs["missing"] for mark, who, pairs in parsed if mark == "peer" and has(pairs, row.peers) and "missing" in pairs]
        why += [line for mark, line in lines if mark == "note" and line.startswith("peers_")]
        return [row.label, time_text(ours), f"missing: {why[0] if why else 'no line'}", "", aim, "not compared"]
    seconds, who = min(others)
    ratio = seconds / ours
    verdict = "" if row.target is None else "reached" if ratio >= row.target else "missed"
    return [row.label, time_text(ours), f"{time_text(seconds)} {who}", f"{ratio:.3g}", aim, verdict]


def rows_of(group, lines):
    """The rows of a group, judged; optional ones where there is a line for them."""
    mine = [parse(line) for mark, line in lines if mark == "ours"]
    return [judge(row, lines) for row in ROWS if row.group == group
            and (not row.optional or any(name == row.ours[0] and has(pairs, row.ours[1]) for name, pairs in mine))]


TITLES = ["operation", "ours", "best peer", "ratio", "target", ""]


def text_table(rows):
    rows = [TITLES, *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(TITLES))]
    return "".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() + "\n" for row in rows)


def whole_table():
    """The table of the page, in Markdown, from the results files."""
    out, runs = [], {}
    for name in GROUPS:
        facts, lines = read_result(name)
        rows = rows_of(name, lines)
        if facts and lines and rows:
            runs.setdefault(tuple(facts.get(k, "") for k in ("machine", "compiler", "commit", "date")), []).append(name)
            out += rows
    if not out:
        return "There are no results yet.\n"
    text = "| " + " | ".join(TITLES) + " |\n|---|--:|---|--:|--:|---|\n"
    text += "".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |\n" for row in out)
    for (where, compiler, commit, date), names in runs.items():
        text += f"\n{', '.join(names)}: commit {commit}, {date}; {where}; {compiler}.\n"
    return text


def page_with_table():
    with open(PAGE) as file:
        page = file.read()
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        sys.exit(f"{PAGE}: the marks of the table are not there")
    return page, f"{before}{BEGIN}\n\n{whole_table()}\n{END}{after}"


def write_page():
    _, wanted = page_with_table()
    with open(PAGE, "w") as file:
        file.write(wanted)


def main(arguments):
    if arguments and arguments[0] in ("--docs", "--check"):
        page, wanted = page_with_table()
        if arguments[0] == "--check":
            sys.exit(0 if page == wanted else "docs/performance.md: its table is not that of bench/results; 'make bench-docs' writes it")
        return write_page()
    if not arguments or any(name not in GROUPS for name in arguments[1:]):
        sys.exit(__doc__ + "\ngroups: " + " ".join(GROUPS))
    build, names = os.path.abspath(arguments[0]), arguments[1:] or list(GROUPS)
    facts = head("make bench" + (f" BENCH='{' '.join(names)}'" if arguments[1:] else ""))
    table = []
    for name in names:
        lines = run_group(build, name)
        write_result(name, facts, lines)
        table += rows_of(name, lines)
    write_page()
    print("\n".join(f"{key:<9} {value}" for key, value in facts.items()) + "\n\n" + text_table(table))
    print(f"every line: bench/results, {' '.join(name + '.txt' for name in names)}; the table is in docs/performance.md too")


if __name__ == "__main__":
    main(sys.argv[1:])
