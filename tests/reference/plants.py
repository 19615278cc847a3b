"""plants.py -- does the fuzzer find faults? Plants them one at a time in a copy of the sources, and looks.

    python3 tests/reference/plants.py FOLDER     an empty folder for the copy and its build
    python3 tests/reference/plants.py --texts    only whether what is to be replaced stands in the sources

Each is of a kind that was found in the program once, or could have been: a wrong branch at a step of 1, a count at
the edge of a lane, a tile or a block, ties by index, a number of the step before, masses left out, a schedule
read a step late. A plant whose text is no longer in the sources is an error: find its place anew.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SECONDS = 240  # until a plant counts as missed

PLANTS = (  # what, suite, file, text, planted text
    ("a step of 1 ends at the best score, not at the only member", "step", "src/flow/dynamics/dynamics_layer.c",
     "only >= 0 ? f->state.x[only * d + c] : average", "only >= 0 ? f->state.x[f->seen.notes[i].best * d + c] : average"),
    ("a causal row at the edge of a tile does not see itself", "step", "src/attend/attend_settle.c",
     "TROP_MASK_CAUSAL ? i + 1 : s->n", "TROP_MASK_CAUSAL ? i + (i != 47) : s->n"),
    ("the last token is not seen when a block has one token", "step", "src/attend/attend_rows.c",
     "TROP_MASK_CAUSAL ? i + 1 : a->scene.n", "TROP_MASK_CAUSAL ? i + 1 : a->scene.n - (a->scene.n == 33)"),
    ("tied points count by tokens", "step", "src/attend/rule_hardmax.c",
     "row->weight[last] += by_mass ? mass : 0.0", "row->weight[last] += mass"),
    ("the gap is the largest of all steps so far", "step", "src/flow/flow_look.c",
     "f->seen.gap_max = f->seen.residual = 0", "f->seen.residual = 0"),
    ("sets are averaged without masses", "step", "src/attend/row.c",
     "row->weight[row->support[k]] = trop_row_mass(row, row->support[k])", "row->weight[row->support[k]] = 1"),
    ("epsilon is read a step late", "step", "src/flow/flow_rules.c",
     "epsilon = trop_schedule_at(&o->epsilon, t)", "epsilon = trop_schedule_at(&o->epsilon, t > 0 ? t - 1 : t)"),
    ("clusters are joined at twice the distance", "state", "src/shape/cloud.c",
     "trop_cloud_distance(xk, xm, d) <= distance", "trop_cloud_distance(xk, xm, d) <= 2 * distance"),
    ("flat clouds are decided in rounded coordinates", "cells", "src/shape/hull/hull.c",
     "status = trop_hull_shadow(hull, facets)", "status = TROP_OK"),
    ("two stages of Runge-Kutta change places", "time", "src/flow/ode/ode.c",
     "{ 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 }", "{ 1.0 / 6, 1.0 / 3, 1.0 / 6, 1.0 / 3 }"),
    ("the ninth copy is the first once more", "copies",
     "src/flow/copies/copies_point.c", "(copy % c->cycle);", "(copy % c->cycle % 8);"),
    ("every rule takes k", "beside", "src/flow/flow_options.c",
     '"rule=topk" },', 'NULL },'),
    ("until is not for leaps of the chain", "beside", "src/flow/flow_options.c",
     'TROP_DYNAMICS_IF_RANDOM " ; leap"', "TROP_DYNAMICS_IF_RANDOM"),
    ("bend is for cosh too", "verbs", "src/learn/train_options.c",
     "optimizer=eg|hypentropy\"", "optimizer=eg|hypentropy|cosh\""),
    ("Adam's mean is corrected for a step too many", "train", "src/learn/optimizer/optimizer_adam.c",
     "trop_pow(o->beta1, count)", "trop_pow(o->beta1, count + 1)"),
    ("of several selections the bound is that of the best alone", "margin", "src/margin/margin.c",
     "best->proof.lower = tally->lower;", "(void)tally->lower;"),
)


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def build(folder):
    done = run("cmake", "--build", os.path.join(folder, "build"), "--target", "tropism-cli")
    if done.returncode:
        sys.exit(done.stdout[-3000:])


def look(folder, suite):
    """The first field that differs, or None."""
    done = run(sys.executable, "-B", os.path.join(HERE, "fuzz.py"), "--program", os.path.join(folder, "build", "tropism"),
               "--suite", suite, "--seconds", str(SECONDS), "--pairs", "--most", "1")
    told = [line.strip() for line in done.stdout.splitlines() if line.startswith("    ")]
    return told[0] if done.returncode and told and not told[0].startswith("reference:") else None


def source_of(folder, what, file, text):
    with open(os.path.join(folder, file), encoding="utf-8") as source:
        whole = source.read()
    if whole.count(text) != 1:
        sys.exit(f"{file}: the text of '{what}' stands there {whole.count(text)} times")
    return whole


def main():
    if sys.argv[1] == "--texts":
        for what, _, file, text, _ in PLANTS:
            source_of(TOP, what, file, text)
        return 0
    folder = os.path.abspath(sys.argv[1])
    archive = subprocess.Popen(["git", "-C", TOP, "archive", "HEAD"], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    run("cmake", "-S", folder, "-B", os.path.join(folder, "build"), "-DTROPISM_TESTS=OFF", check=True)
    missed = 0
    for what, suite, file, text, planted in PLANTS:
        path = os.path.join(folder, file)
        whole = source_of(folder, what, file, text)
        with open(path, "w", encoding="utf-8") as source:
            source.write(whole.replace(text, planted))
        build(folder)
        found = look(folder, suite)
        print(f"{'found' if found else 'MISSED'}: {what} ({suite}{': ' + found[:120] if found else ''})", flush=True)
        missed += not found
        with open(path, "w", encoding="utf-8") as source:
            source.write(whole)
    print(f"{len(PLANTS) - missed} passed, {missed} failed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
