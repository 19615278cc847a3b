#!/bin/bash
# words.sh BUILD -- what a person reads is explained, and in plain English: archaic and in-house words stay out
# of README, docs, help and messages; every option, field and hypothesis has a meaning that can be read by
# itself; and docs/glossary.md has every name that an option or a result may take.
set -eu
build=$(cd "${1:?usage: words.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
exec /usr/bin/python3 -B - "$build/tropism" <<'END'
import json, re, subprocess, sys

program = sys.argv[1]
problems = []
ask = lambda *words: subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
read = lambda path: open(path, encoding="utf-8").read()
files = lambda *patterns: subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns],
                                         capture_output=True, text=True, check=True).stdout.split()

# ---- words ---------------------------------------------------------------------------------------

BANNED = [  # what it is, and what to write
    (r"parted by", "separated by"), (r"\bparted\b", "separated"), (r"for ever\b", "forever"),
    (r"made again|make (\w+ )*again|makes (\w+ )*again", "reproduced, computed again"),
    (r"com(e|es|ing|en) to rest|came to rest", "converge"), (r"(became|becomes|become) of (each|it|them)\b", "the status of"),
    (r"\bways of (\d+|the) tokens", "paths of"), (r"locally best", "locally optimal"),
    (r"(?<!support_)\bdoubtful", "undecided"), (r"(go|goes|gone|going) on with", "continue"),
    (r"\b(is|are|was|not) told\b", "is shown, is stored"), (r"as (it|they) stands?\b", "as it is"),
    (r"\basked for\b", "requested"), (r"(leaves?|left) double\b", "overflows"), (r"was begun", "was started"),
    (r"has no part in", "does not apply to"), (r"\bhears?\b", "attends to, listens to"), (r"let grow", "grows"),
    (r"taken for a", "treated as a"), (r"(?<!there )\bis no (option|array|list|log|case|result|folder|text|file)\b", "is not a"),
    (r"(?<!Once )\bupon\b(?! a time)", "on"), (r"hitherto|thereof|whence|thither|hither|nought|\bunto\b|\blest\b|\bamidst?\b|\bwhilst\b|"
     r"\bshall\b|\bought to\b|\bsave for\b|\bnay\b|\btarry", "a modern word"),
]


def look(where, text):
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, instead in BANNED:
            for found in re.finditer(pattern, line, re.IGNORECASE):
                problems.append(f"{where}:{number}: '{found[0]}': write {instead}")


STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
join = lambda literals: re.sub(r'"\s*"', "", literals)[1:-1]

for page in files("README.md", "docs/*.md"):
    if page not in ("docs/options.md", "docs/results.md", "docs/claims.md"):  # made of the strings below
        look(page, read(page))
for source in files("src/*.c", "src/*.h", "cli/*.c"):
    text = re.sub(r"/\*.*?\*/", lambda c: "\n" * c[0].count("\n"), read(source), flags=re.DOTALL)
    text = re.sub(r"#include.*", "", text)
    for found in STRING.finditer(text):
        if " " in found[0]:
            at = text.count("\n", 0, found.start()) + 1
            look(f"{source}:{at}", join(found[0]))
for source in files("python/tropism/*.py"):
    look(source, read(source))

# ---- options, fields, hypotheses -----------------------------------------------------------------

ELLIPTIC = re.compile(r"(of|that|likewise|its|their|as above|there|and|or|from which|in which)\b")
rows = {}
for page in ("options", "results"):
    section = ""
    for line in ask("help", "--generate", page).split("\n"):
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("| `"):
            name, meaning = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:3])
            rows[section, name.strip("`")] = re.split(r"(?<!\\)\|", line)
            if section == "Schedules":
                continue
            if ELLIPTIC.match(meaning) or len(meaning.split()) < 2:
                problems.append(f"{section}: {name}: '{meaning}' cannot be read by itself")
claims = json.loads(ask("claims", "--json"))["claims"]
for claim in claims:
    for hypothesis in claim["hypotheses"] or []:
        name, _, meaning = hypothesis.partition(": ")
        if len(meaning.split()) < 3:
            problems.append(f"{claim['id']}: hypothesis {name}: '{meaning}' explains nothing")

# ---- the glossary --------------------------------------------------------------------------------

known = set(re.findall(r"`([^`]+)`", "\n".join(
    line.split("|")[1] for line in read("docs/glossary.md").split("\n") if line.startswith("| "))))
values = lambda verb, option: next(
    re.split(r"\\\|", re.sub(r" \[.*", "", cells[3])) for (section, name), cells in rows.items()
    if section == f"tropism {verb}" and name.split()[0] == f"--{option}")
wanted = {("hypothesis", name.split(".")[1]) for (section, name), _ in rows.items()
          if name.startswith("hypotheses.") and name != "hypotheses.failed"}
for verb, option in (("flow", "rule"), ("flow", "dynamics"), ("margin", "norm"), ("margin", "model"), ("train", "model"),
                     ("train", "optimizer"), ("claims", "status")):
    wanted |= {(option, value.strip()) for value in values(verb, option) if value.strip() not in ("auto", "any", "all", "")}
wanted |= {("verdict", verdict) for verdict in ("holds", "violated", "hypothesis-fails", "not-decidable", "reproduced",
                                                "independent", "differs", "needs-data")}
wanted |= {("certificate.kind", kind) for kind in ("consensus", "theorem-4.2", "quiescence", "fixed-point", "metastable",
                                                   "sliding", "none")}
for kind, name in sorted(wanted):
    if name not in known:
        problems.append(f"docs/glossary.md: {kind} `{name}` is not explained")

# ---- counts in README ----------------------------------------------------------------------------

WORDS = "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " \
        "eighteen nineteen twenty".split()
ours = sum(claim["source"] == "derived" for claim in claims)
text = " ".join(read("README.md").split())
for count, before, after in ((len(claims), "There are ", " claims"), (len(claims) - ours, "claims: ", " from eight papers"),
                             (ours, "papers and ", " of our own"), (len(values("flow", "rule")), "", " rules ("),
                             (len(values("train", "optimizer")), "", " optimisers"), (len(values("margin", "norm")), "in ", " norms")):
    if not any(f"{before}{number}{after}" in text for number in (count, *WORDS[count:count + 1])):
        problems.append(f"README.md: '{before}{count}{after}' is not there")

for problem in problems:
    print(f"words: {problem}")
print(f"words: {len(rows)} options and fields, {len(claims)} claims, {len(wanted)} names of the glossary: "
      f"{len(problems)} problems")
sys.exit(1 if problems else 0)
END
