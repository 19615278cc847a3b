"""Counterexamples of one's own claims in files, and `python -m tropism`, which judges them again."""

import importlib
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
import zipfile
from fractions import Fraction

import numpy as np
import pytest

import tropism as tr
from tropism.__main__ import main
from tropism._claim import case as cases
from tropism._claim import find

SCRIPT = """
import numpy as np
import tropism as tr

print("the module runs")

@tr.claim("sum", "The sum is at most 3.")
def total(x, label, third):
    return tr.at_most(x.sum(), 3, 0, name="sum")

@total.draw
def _(rng):
    return {"x": rng.integers(0, 3, size=4), "label": "a b", "third": 0.1}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def python(*arguments, code=0):
    """A fresh process: what it printed, and said beside that."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def write(name, text):
    pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(name).write_text(textwrap.dedent(text))


VALUES = {
    "doubles": np.array([[0.1, -0.0, 5e-324], [np.nan, np.inf, -1 / 3]]),
    "narrow": np.array([1.1, 2.2], dtype=np.float32),
    "whole": np.array([-(2**63), 2**63 - 1]),
    "truths": np.array([True, False]),
    "pairs": np.array([1 + 2j]),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "empty": np.zeros((0, 3)),
    "zero_d": np.array(2.5),
    "third": 1 / 3,
    "minus_zero": -0.0,
    "not_a_number": float("nan"),
    "endless": float("-inf"),
    "flag": True,
    "small": -7,
    "large": 10**40,
    "exact": Fraction(-22, 7),
    "file": "names of numpy.savez are names like others, ü",
}


def test_every_bit_comes_back():
    case = cases.as_case(VALUES, "test")
    cases.write("x.npz", case, {"claim": "x"})
    again, about = cases.read("x.npz")
    assert cases.same(case, again) and about["claim"] == "x"
    with np.load("x.npz") as plain:  # NumPy alone reads it
        assert plain["third"] == 1 / 3 and plain["whole"][1] == 2**63 - 1
    cases.write("y.npz", case, {"claim": "x"})
    assert open("x.npz", "rb").read() == open("y.npz", "rb").read()


def test_same_sees_bits():
    one = cases.as_case({"x": np.array([0.0])}, "test")
    for other in (np.array([-0.0]), np.array([0]), np.array([[0.0]]), 0.0):
        assert not cases.same(one, cases.as_case({"x": other}, "test"))
    assert not cases.same({"x": 1}, {"x": 1.0}) and not cases.same({"x": 1}, {"x": True})
    assert cases.same({"x": float("nan")}, {"x": float("nan")})


def test_a_script_in_a_fresh_process():
    """The claim is in __main__, and its check is not behind a guard."""
    write("lemma.py", SCRIPT + "\nresult = total.check()\nprint(result.verdict, result.trial)\nprint('the end')\n")
    out, _ = python("lemma.py")
    trial = int(out.split("violated ")[1].split()[0])
    os.mkdir("elsewhere")
    os.rename("sum-counterexample.npz", "elsewhere/case.npz")
    os.chdir("elsewhere")
    out, said = python("-m", "tropism", "check", "case.npz")
    assert out.startswith("sum: violated\n") and "the module runs" not in out
    assert f"tropism: running {os.path.realpath('../lemma.py')}, which defines sum\n" in said
    assert "the end" not in said and "has changed" not in said  # it stops where its own check begins
    assert os.listdir() == ["case.npz"]
    x = np.load("case.npz")["x"]
    np.testing.assert_array_equal(x, np.random.default_rng([0, trial]).integers(0, 3, size=4))
    out, _ = python("-m", "tropism", "check", "case.npz", "--json", "--report", "page.html")
    told = json.loads(out)
    assert (told["verdict"], told["tightest"]["measured"], told["untested"]) == ("violated", x.sum(), None)
    assert "Verdict of sum: violated." in open("page.html").read()


def test_it_is_judged_as_the_source_says_now():
    write("lemma.py", SCRIPT + "\ntotal.check()\n")
    python("lemma.py")
    write("lemma.py", SCRIPT.replace("3, 0,", "8, 0,") + "\ntotal.check()\n")
    out, said = python("-m", "tropism", "check", "sum-counterexample.npz")
    assert out.startswith("sum: holds\n")
    assert "lemma.py has changed since sum-counterexample.npz was written" in said


def test_a_module_of_a_package():
    write("lemmas/__init__.py", "")
    write("lemmas/numbers.py", "three = 3\n")
    write("lemmas/inner/__init__.py", "")
    write("lemmas/inner/sums.py", SCRIPT.replace("import numpy as np", "from ..numbers import three")
          .replace("3, 0,", "three, 0,"))
    python("-c", "from lemmas.inner.sums import total; total.check(counterexample='x.npz')")
    os.mkdir("elsewhere")
    os.chdir("elsewhere")
    out, _ = python("-m", "tropism", "check", "../x.npz")
    assert out.startswith("sum: violated\n")


def test_a_claim_is_where_it_is_made():
    """The conclusion is a function of another file."""
    write("functions.py", "import tropism as tr\ndef small(x):\n    return tr.at_most(x, 3, 0)\n")
    write("lemma.py", """
        import tropism as tr
        from functions import small
        lemma = tr.claim("small", "x is at most 3.")(small)
        lemma.draw(lambda rng: {"x": rng.integers(9)})
        if __name__ == "__main__":
            lemma.check()
        """)
    python("lemma.py")
    os.mkdir("elsewhere")
    os.chdir("elsewhere")
    out, _ = python("-m", "tropism", "check", "../small-counterexample.npz")
    assert out.startswith("small: violated\n")


def test_a_package_of_the_same_name():
    """The file names a package that Python has itself: it is that one which is imported."""
    write("json/tool.py", SCRIPT)
    path = os.path.abspath("json/tool.py")
    cases.write("x.npz", cases.as_case({"x": np.zeros(4)}, "test"),
                {"claim": "sum", "module": "json.tool", "source": path, "sha256": None})
    _, said = python("-m", "tropism", "check", "x.npz", code=2)
    assert f"{path}: does not define sum" in said and "the module runs" not in said


def test_a_module_that_is_imported_from_elsewhere(monkeypatch):
    for root in ("one", "two"):
        write(f"{root}/lemmas/__init__.py", "")
        write(f"{root}/lemmas/sums.py", SCRIPT)
    monkeypatch.syspath_prepend("one")
    importlib.import_module("lemmas.sums")
    try:
        with pytest.raises(tr.Error, match="two/lemmas/sums.py: is not where lemmas.sums is imported from"):
            find.load("sum", os.path.abspath("two/lemmas/sums.py"), "lemmas.sums")
    finally:
        del sys.modules["lemmas.sums"], sys.modules["lemmas"]


def test_a_file_that_is_no_module_of_that_name():
    write("lemma.py", SCRIPT)
    cases.write("x.npz", cases.as_case({"x": np.ones(4), "label": "a", "third": 0.5}, "test"),
                {"claim": "sum", "module": "json.tool", "source": os.path.abspath("lemma.py"), "sha256": None})
    assert python("-m", "tropism", "check", "x.npz")[0].startswith("sum: violated\n")


def test_a_source_that_moved():
    write("lemma.py", SCRIPT + "\ntotal.check()\n")
    python("lemma.py")
    os.rename("lemma.py", "other.py")
    _, said = python("-m", "tropism", "check", "sum-counterexample.npz", code=1)
    assert "lemma.py: is not there; --source FILE.py says where sum is defined now" in said
    out, _ = python("-m", "tropism", "check", "sum-counterexample.npz", "--source", "other.py")
    assert out.startswith("sum: violated\n")
    write("empty.py", "import tropism as tr\ntr.claim('difference', 's')(lambda x: True)\n")
    _, said = python("-m", "tropism", "check", "sum-counterexample.npz", "--source", "empty.py", code=2)
    assert "empty.py: does not define sum; it has difference" in said
    write("broken.py", "1 / 0\n")
    _, said = python("-m", "tropism", "check", "sum-counterexample.npz", "--source", "broken.py", code=2)
    assert "broken.py: ZeroDivisionError: division by zero (broken.py, line 1)" in said


def test_a_claim_of_a_prompt():
    python("-c", SCRIPT + "\ntotal.check()")
    _, said = python("-m", "tropism", "check", "sum-counterexample.npz", code=2)
    assert "sum was defined at a prompt or in a notebook: judge it there" in said


def test_judge_takes_the_file():
    claim = tr.claim("sum", "s")(lambda x: tr.at_most(x.sum(), 3, 0))
    claim.draw(lambda rng: {"x": rng.integers(0, 3, size=4)})
    claim.check()
    assert claim.judge("sum-counterexample.npz").verdict == "violated"
    other = tr.claim("difference", "s")(lambda x: True)
    with pytest.raises(tr.Error, match="is an instance of sum, not of difference"):
        other.judge("sum-counterexample.npz")


# ---- files that are none -------------------------------------------------------------------------


class Runs:
    def __reduce__(self):
        return os.mkdir, ("it-ran",)


def archive(name, **members):
    with zipfile.ZipFile(name, "w") as file:
        for member, content in members.items():
            file.writestr(member + ".npy", content)


def about(**entries):
    buffer = io.BytesIO()
    words = json.dumps({"format": cases.FORMAT, "claim": "sum", "source": None, "entries": entries})
    np.lib.format.write_array(buffer, np.array(words))
    return buffer.getvalue()


def test_reading_runs_nothing():
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.array([Runs()], dtype=object), allow_pickle=True)
    archive("x.npz", tropism=about(x={"kind": "array"}), x=buffer.getvalue())
    with pytest.raises(tr.Error, match="x.npz: is damaged: Object arrays cannot be loaded"):
        cases.read("x.npz")
    pathlib.Path("y.npz").write_bytes(pickle.dumps(Runs()))
    with pytest.raises(tr.Error, match="is not a counterexample that Python wrote"):
        cases.read("y.npz")
    assert not os.path.exists("it-ran")


@pytest.mark.parametrize("members", [
    {},
    {"x": b"what"},
    {"tropism": b"what"},
    {"tropism": about(x={"kind": "array"})},  # which is not there
    {"tropism": about(x={"kind": "array"}), "x": b"what"},
    {"tropism": about(x={"kind": "strange", "value": "1"})},
    {"tropism": about(x={"kind": "int", "value": "one"})},
    {"tropism": about(x={"kind": "fraction", "value": "1/0"})},
    {"tropism": about(x=3)},
])
def test_damaged_files(members):
    archive("x.npz", **members)
    with pytest.raises(tr.Error, match="^x.npz: is ") as found:
        cases.read("x.npz")
    assert found.value.status == "io"


def test_every_cut_and_many_changed_bytes():
    cases.write("x.npz", cases.as_case({"x": np.arange(3.0), "n": 10**30}, "test"), {"claim": "x"})
    whole = pathlib.Path("x.npz").read_bytes()
    damaged = [whole[:k] for k in range(0, len(whole), 7)]
    damaged += [whole[:k] + bytes([whole[k] ^ 0x41]) + whole[k + 1 :] for k in range(0, len(whole), 5)]
    for content in damaged:
        pathlib.Path("y.npz").write_bytes(content)
        try:
            case, _ = cases.read("y.npz")  # of bytes that say nothing, such as dates
        except tr.Error as error:
            assert str(error).startswith("y.npz: ")
        else:
            assert case["n"] == 10**30 and case["x"].tolist() == [0, 1, 2]


def test_files_of_others():
    pathlib.Path("x.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    _, said = python("-m", "tropism", "check", "x.h5", code=1)
    assert "'tropism check ID --instance FILE' judges those of the command line" in said
    _, said = python("-m", "tropism", "check", "nowhere.npz", code=1)
    assert "tropism: nowhere.npz: No such file or directory\n" in said
    np.savez("z.npz", x=np.zeros(3))
    _, said = python("-m", "tropism", "check", "z.npz", code=1)
    assert "z.npz: is not a counterexample of a claim, or is damaged" in said


# ---- python -m tropism -----------------------------------------------------------------------------


def test_the_program(capsys):
    def run(*arguments, code=0):
        try:
            assert main(list(arguments)) == code
        except SystemExit as end:  # of argparse
            assert (end.code or 0) == code
        return capsys.readouterr()

    out, said = run("--help")
    assert "judges the counterexample in FILE again" in out and "'tropism VERB'" in out and not said
    assert all(len(line) <= 80 for line in out.splitlines())
    out, _ = run("check", "--help")
    assert "judging runs the source file" in out and all(len(line) <= 80 for line in out.splitlines())
    assert run("--version").out == f"tropism {tr.__version__}\n"
    assert "which verb?" in run(code=2).err
    assert "chekc: unknown verb, did you mean check?" in run("chekc", code=2).err
    assert "flwo: unknown verb, did you mean flow?" in run("flwo", code=2).err
    assert "flow: is the command line's, 'tropism flow'; in Python it is tropism.flow()\n" in run("flow", code=2).err
    assert "plot: is the command line's, 'tropism plot'\n" in run("plot", code=2).err
    assert "required: FILE" in run("check", code=2).err
    assert run("check", "x.npz", "--jsn", code=2).err == (
        "tropism: unrecognized arguments: --jsn, did you mean --json?\nTry 'python -m tropism check --help'.\n")


def test_it_is_a_module():
    assert python("-m", "tropism", "--version")[0] == f"tropism {tr.__version__}\n"
    assert "unknown verb" in python("-m", "tropism", "chekc", code=2)[1]
