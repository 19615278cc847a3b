"""judge.py -- shrunk counterexamples judged a second time, in rational numbers.

    python3 tests/reference/exact/judge.py build/tropism [ID ...]
    build/tropism check ID --search 60 --shrink --json | python3 tests/reference/exact/judge.py -

With - the result of a check on standard input is judged. Else asks the program for a small counterexample of every
claim that is false as printed and that is decided here (check ID --shrink), and decides without the program and without
a rounding whether every hypothesis holds and the conclusion fails. The doubles of the instance are the rationals that
they are. Where exp occurs it is enclosed, the error of its series included. Written from the definitions.

A claim's judge must also see that something is no counterexample: CONTROLS has instances of the repaired forms, on
which the conclusion is true, and some that leave a hypothesis.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import flows  # noqa: E402
import margins  # noqa: E402
from flows import COUNTEREXAMPLE, HOLDS, LEAVES  # noqa: E402
from rationals import read  # noqa: E402

JUDGES = {
    "fw-thm-3.1": flows.fw_thm_3_1, "fw-lem-hull": flows.fw_lem_hull, "fw-rate-exponential": flows.fw_rate_exponential,
    "fw-rem-own-cell": flows.fw_rem_own_cell, "fw-rem-own-cell-weak": flows.fw_rem_own_cell_weak,
    "fw-prop-collapse-origin": flows.fw_prop_collapse_origin, "fw-thm-5.4": flows.fw_thm_5_4,
    "fw-rem-universal-constant": flows.fw_rem_universal_constant, "fw-rem-sparsity": flows.fw_rem_sparsity, "fw-rem-limit": flows.fw_rem_limit,
    "tf-lem-5": margins.tf_lem_5, "tf-thm-4": margins.tf_thm_4, "tf-thm-5": margins.tf_thm_4, "lm-rem-lyapunov-localmax": flows.lm_rem_lyapunov,
}

TWO_INPUTS = "X = zeros(2, 2, 2); X[0,0,0] = 1; X[1,1,0] = 2; X[1,1,1] = 1; y = {1 -1}; v = {1 -1}; z = {1 0; 1 0}; "

TRIANGLE = "tokens = {1000 0 0; 0 1000 0; 0 0 1000}; kappa = 3; beta = 1e-6; gamma = .001; runs = 1; "
ACUTE, AT_ONCE = "tokens = {4 3; -4 3; 0 -5; 3.98 2.98; ", "kappa = 3; beta = 1e12; gamma = .5; runs = 1; "
SLOW = ("tf-thm-4", "tf-thm-5")  # half a minute of training: when they are named, and with the full counts
# The program's triangles are regular up to rounding; CONTROLS has rational ones.
IRRATIONAL = ("fw-thm-5.4", "fw-rem-universal-constant")

# Known counterexamples, by hand; instances of the repaired forms; and instances that leave a hypothesis.
CONTROLS = (
    ("fw-thm-3.1", "tokens = {1; -.001}; B = zeros(1, 1); B[0,0] = -1; steps = 37", COUNTEREXAMPLE),
    ("fw-thm-3.1", "tokens = {1; -.001}; B = zeros(1, 1); B[0,0] = -1; steps = 35", HOLDS),
    ("fw-thm-3.1", "tokens = {1 2; -1 -2; 3 1; -3 -1}; B = {-1 0; 0 -2}; steps = 40", HOLDS),
    ("fw-thm-3.1", "tokens = {1; 2}; B = zeros(1, 1); B[0,0] = -1; steps = 40", LEAVES),
    ("fw-thm-3.1", "tokens = {1; -.001}; B = zeros(1, 1); B[0,0] = 1; steps = 37", LEAVES),
    ("fw-lem-hull", "tokens = {0 0; 1 0; 0 1}; V = {1.5 0; 0 2.3333333333333335}; B = {0 0; 1 0}; steps = 1", COUNTEREXAMPLE),
    ("fw-lem-hull", "tokens = {0 0; 1 0; 0 1}; V = {2.5 0; 0 2.5}; B = {0 0; 1 0}; steps = 4", HOLDS),
    ("fw-lem-hull", "tokens = {0 0; 1 0; 0 1}; V = {1.5 0; 0 -2}; B = {0 0; 1 0}; steps = 1", LEAVES),
    ("fw-rate-exponential", "tokens = {1 0; -.5 .75; -.5 -.75; .25 .125}; B = {1 0; 0 1}; first = .5; ratio = .5; steps = 9", COUNTEREXAMPLE),
    ("fw-rate-exponential", "tokens = {1 0; -.5 .75; -.5 -.75; .25 .125}; B = {1 0; 0 1}; first = .5; ratio = 1; steps = 9", HOLDS),
    ("fw-rate-exponential", "tokens = {1 0; -.5 .75; -.5 -.75}; B = {1 0; 0 1}; first = .5; ratio = .5; steps = 9", HOLDS),
    ("fw-rate-exponential", "tokens = {1; 2; 1.5}; B = zeros(1, 1); B[0,0] = 1; first = .5; ratio = .5; steps = 9", LEAVES),
    ("fw-rem-own-cell", "tokens = {1; 2}; B = zeros(1, 1); B[0,0] = -1", COUNTEREXAMPLE),
    ("fw-rem-own-cell", "tokens = {1 0; 0 1; -1 0; 0 -1; .25 .25}; B = {1 0; 0 2}", HOLDS),
    ("fw-rem-own-cell-weak", "tokens = {1 0; 1 1; -1 .5}; B = {1 0; 0 1}", COUNTEREXAMPLE),
    ("fw-rem-own-cell-weak", "tokens = {1 0 0; 0 1 0; 0 0 1; -1 -1 -1; .25 .25 .25}; B = {1 0 0; 2 1 0; 0 0 1}", HOLDS),
    ("fw-prop-collapse-origin", "tokens = {1; -.25}; beta = 1; gamma = .125; steps = 30", COUNTEREXAMPLE),
    ("fw-prop-collapse-origin", "tokens = {1 2; -1 -2; 3 0; -3 0}; beta = .25; gamma = .125; steps = 4", HOLDS),
    ("fw-prop-collapse-origin", "tokens = {1; .25}; beta = 1; gamma = .125; steps = 30", LEAVES),
    ("fw-thm-5.4", TRIANGLE + "radius = 3", COUNTEREXAMPLE),
    ("fw-thm-5.4", TRIANGLE.replace("1000", "1").replace("1e-6", "1") + "radius = .003", HOLDS),
    ("fw-thm-5.4", TRIANGLE + "radius = 1", LEAVES),
    ("fw-rem-universal-constant", ACUTE + "1 0}; " + AT_ONCE + "C = 100", COUNTEREXAMPLE),
    ("fw-rem-universal-constant", ACUTE + "1 0}; " + AT_ONCE + "C = 1000", HOLDS),
    ("fw-rem-universal-constant", ACUTE + "0 0}; " + AT_ONCE + "C = 100", LEAVES),
    ("fw-rem-sparsity", "tokens = {1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1}; steps = 2; gamma = .5; B = {0 0 0 0; 1 -10 0 0; 0 10 .5 0; 0 9 1 1}", COUNTEREXAMPLE),
    ("fw-rem-sparsity", "tokens = {1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1}; steps = 1; gamma = .5; B = {0 0 0 0; 1 -10 0 0; 0 10 .5 0; 0 9 1 1}", HOLDS),
    ("fw-rem-sparsity", "tokens = {1 0; 0 1; 1 1; 2 2}; steps = 2; gamma = .5; B = {1 0; 0 1}", LEAVES),
    ("fw-rem-limit", "tokens = {1 0; 2 1; 2 1; 2 -1}; B = {1 0; 0 1}; beta = 64", COUNTEREXAMPLE),
    ("fw-rem-limit", "tokens = {1 0; 2 1; 2 -1; 0 .5}; B = {1 0; 0 1}; beta = 64", HOLDS),
    ("tf-lem-5", "X = zeros(2, 2, 2); X[0,0,0] = 1; X[1,1,0] = 2; X[1,1,1] = 1; y = {1 -1}; v = {1 -1}; z = {1 0; 1 0}", COUNTEREXAMPLE),
    ("tf-lem-5", "X = zeros(2, 2, 2); X[0,0,0] = 1; X[1,1,0] = 1; X[1,1,1] = 1; y = {1 -1}; v = {1 -1}; z = {1 0; 1 0}", HOLDS),
    ("tf-thm-4", TWO_INPUTS + "W0 = {3 0; 0 0}; steps = 400000", COUNTEREXAMPLE),
    ("tf-thm-4", TWO_INPUTS + "W0 = {1 0; -3 0}; steps = 400000", HOLDS),
    ("tf-thm-4", TWO_INPUTS + "W0 = {0 0; 0 0}; steps = 400000", HOLDS),
    ("tf-thm-4", "X = zeros(1, 2, 2); X[0,0,0] = 1; y = {1}; v = {1 -1}; z = zeros(1, 2); z[0,0] = 1; W0 = {3 0; 0 0}", HOLDS),
    ("tf-thm-4", "X = zeros(1, 3, 2); X[0,0,0] = 1; X[0,1,1] = 1; y = {1}; v = {1 -1}; z = zeros(1, 2); z[0,0] = 1; W0 = {3 0; 0 0}", LEAVES),
    ("lm-rem-lyapunov-localmax", "tokens = {1; -.8; -.2}; epsilon = .4; gamma = .5; steps = 1", COUNTEREXAMPLE),
    ("lm-rem-lyapunov-localmax", "tokens = {1; -1; .25; -.25}; epsilon = 4; gamma = .5; steps = 9", HOLDS),
    ("lm-rem-lyapunov-localmax", "tokens = {1; -.8; -.2}; epsilon = 0; gamma = .5; steps = 1", LEAVES),
)


def shrunk(program, claim):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([os.path.abspath(program), "check", claim, "--shrink", "--counterexample", "none", "--trials", "1", "--json"],
                             capture_output=True, text=True, cwd=folder, check=True)
    return json.loads(run.stdout)["shrunk"]["instance"]


def judge(claim, text):
    """Tells what is decided; 1 when it is no counterexample."""
    if claim not in JUDGES:
        sys.exit(f"judge: {claim} is none of " + ", ".join(JUDGES))
    verdict, why = JUDGES[claim](read(text))
    print(f"{claim}: {verdict}: {why}\n    {text}")
    return verdict != COUNTEREXAMPLE


def check_controls():
    faults = 0
    for claim, text, expected in CONTROLS:
        verdict, why = JUDGES[claim](read(text))
        if verdict != expected:
            print(f"{claim}: {text}: {verdict} ({why}), should be: {expected}")
            faults += 1
    return faults


def main(program, wanted):
    if program == "-":
        told = json.load(sys.stdin)
        return judge(told["id"], told["shrunk"]["instance"]) if "shrunk" in told else "no counterexample that was shrunk"
    if any(claim not in JUDGES for claim in wanted):
        sys.exit("judge: knows " + ", ".join(JUDGES))
    skipped = IRRATIONAL + (() if os.environ.get("TROP_TEST_FULL") else SLOW)
    claims = wanted or [claim for claim in JUDGES if claim not in skipped]
    return check_controls() + sum(judge(claim, shrunk(program, claim)) for claim in claims) > 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
