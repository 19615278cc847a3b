"""test_hostile.py -- files that are no proofs are refused in bounded time and memory, and the enclosures of the
checker hold the true values, computed here by the decimal module."""
import ast
import decimal
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKER = os.path.join(HERE, "..", "..", "verify", "tropism_verify.py")
sys.path.insert(0, os.path.dirname(CHECKER))

import tropism_verify as checker

SECONDS, BYTES = 20, 2 << 30  # of the processor, of memory; both are far above what is needed
ONE = {"shape": [1, 1], "doubles": ["-0x1p+0"]}


def proof(tokens=ONE, direction={"shape": [1], "doubles": "0x1p+0"}, **others):
    """A proof that is verified, but for what is given."""
    says = "The origin is outside the convex hull of the 1 tokens in dimension 1."
    claim = {"kind": "origin-outside", "says": says, "symbols": checker.KINDS["origin-outside"].symbols.format(),
             "of": {"tokens": "tokens"}, "witness": {"direction": direction}}
    whole = {"tropism_proof": 1, "written_by": "", "command": [], "claims": [claim], "inputs": {"tokens": tokens}}
    whole.update(others)
    return json.dumps(whole)


def with_token(word):
    return proof(tokens={"shape": [1, 1], "doubles": [word]})


def beside(**others):
    return proof(tokens={"shape": [1, 1], "sha256": "0" * 64, "file": "x.npy", **others})


FINE = proof()
HOSTILE = {
    "empty": "",
    "no JSON": "tropism",
    "binary": "\x00\x01",
    "null": "null",
    "a list": "[]",
    "no members": "{}",
    "two values": FINE + FINE,
    "no claims": proof(claims=[]),
    "a claim that is null": proof(claims=[None]),
    "another format": proof(tropism_proof=2),
    "a format that is true": proof(tropism_proof=True),
    "a member too many": proof(more=1),
    "an input too many": proof(inputs={"tokens": ONE, "more": ONE}),
    "a name with a slash": proof(inputs={"tokens": ONE, "../more": ONE}),
    "an input of itself": proof(tokens="tokens"),
    "a cycle": proof(inputs={"tokens": "other", "other": "tokens"}),
    "an unknown kind": FINE.replace("origin-outside", "origin-inside-out"),
    "a kind that is a list": FINE.replace('"kind": "origin-outside"', '"kind": []'),
    "other words": FINE.replace("outside the", "outside of the"),
    "other symbols": FINE.replace("0 is not in", "0 is never in"),
    "a key twice": FINE.replace('"kind"', '"kind": "origin-outside", "kind"'),
    "NaN": FINE.replace("[1, 1]", "[1, NaN]"),
    "infinity": FINE.replace("[1, 1]", "[1, -Infinity]"),
    "a float": FINE.replace("[1, 1]", "[1, 1.0]"),
    "a huge exponent of JSON": FINE.replace("[1, 1]", "[1, 1e999999999]"),
    "a huge integer": FINE.replace("[1, 1]", "[1, " + "9" * 10**6 + "]"),
    "a huge shape": FINE.replace("[1, 1]", "[4000000000, 4000000000]"),
    "a large shape": FINE.replace("[1, 1]", "[16000000, 1]"),
    "a negative shape": FINE.replace("[1, 1]", "[-1, -1]"),
    "a shape that is true": FINE.replace("[1, 1]", "[1, true]"),
    "a shape of three": FINE.replace("[1, 1]", "[1, 1, 1]"),
    "no tokens": proof(tokens={"shape": [0, 1], "doubles": []}, direction={"shape": [1], "doubles": "0x0p+0"}),
    "two directions": proof(direction={"shape": [2], "doubles": "0x1p+0 0x1p+0"}),
    "another count": proof(direction={"shape": [1], "doubles": "0x1p+0 0x1p+0"}),
    "a direction of zero": proof(direction={"shape": [1], "doubles": "0x0p+0"}),
    "a direction that is wrong": proof(direction={"shape": [1], "doubles": "-0x1p+0"}),
    "nan": with_token("nan"),
    "inf": with_token("-inf"),
    "a decimal": with_token("-1"),
    "a huge exponent": with_token("-0x1p99999999"),
    "a huge exponent, signed": with_token("-0x1p+99999999"),
    "above double": with_token("-0x1p+1024"),
    "below double": with_token("-0x1p-1075"),
    "digits below double": with_token("-0x1.8p-1074"),
    "too many digits": with_token("-0x1.00000000000001p+0"),
    "a fraction": with_token("-1/1"),
    "a denominator of 0": with_token("-1/0"),
    "digits of another script": with_token("-0x1p+\u0661"),
    "a newline": with_token("-0x1p+0\n"),
    "two blanks": with_token(" -0x1p+0"),
    "deep lists": proof(claims="@").replace('"@"', "[" * 10**6 + "]" * 10**6),
    "deep objects": proof(claims="@").replace('"@"', '{"a":' * 10**5 + "1" + "}" * 10**5),
    "many values": proof(command="@").replace('"@"', "[" + '"",' * 2000001 + '""]'),
    "a file of another folder": beside(file="../x.npy"),
    "a file of the root": beside(file="/etc/passwd"),
    "a file and numbers": beside(doubles=["-0x1p+0"]),
    "a file with another hash": beside(),
}


FORMULAS = {
    "a power of a power": "10**10**10 > 0",
    "powers of powers": "x = 2**9999; y = x**9999; z = y**9999; z**9999 > 0",
    "squares": "x = [3]; " + "x = [a * a for a in x]; " * 30 + "x[0] > 0",
    "long fractions": "x = 1 / 3; for",
    "fractions that grow": "sum([1 / (k + 2) for k in range(9000)]) > 100",
    "a sum of fractions": "sum(1 / (k + 1) for k in range(10**9)) > 1",
    "a range": "all(k >= 0 for k in range(10**18))",
    "a list of a range": "len([k for k in range(10**18)]) > 0",
    "ranges in ranges": "max([sum([k for k in range(9999)]) for j in range(9999)]) > 0",
    "steps without end": "for t in range(10**18): x = t",
    "lists of lists": "x = [1, 1]; " + "x = [x, x]; " * 60 + "x == x",
    "lists of lists of nothing": "x = [[], []]; " + "x = [x, x]; " * 60 + "-x == x",
    "lists of lists as a number": "x = [[], []]; " + "x = [x, x]; " * 60 + "x > 0",
    "lists of lists as a matrix": "x = [[], []]; " + "x = [x, x]; " * 60 + "dot(x, []) == 0",
    "lists of lists as vectors": "x = [[], []]; " + "x = [x, x]; " * 60 + "x + x == x",
    "lists of lists with a sum": "x = [[], []]; " + "x = [x, x]; " * 60 + "sum(x) == 0",
    "a row many times": "x = [k for k in range(99999)]; semidefinite([x for k in range(99999)])",
    "a column many times": "x = [k for k in range(99999)]; solve([x for k in range(99999)], x) == 0",
    "exp": "exp(10**6) > 0",
    "an exp of an exp": "exp(exp(exp(exp(10)))) > 0",
    "exps": "sum(exp(1 / (k + 2)) for k in range(10**6)) > 10**7",
    "log of 0": "log(0) < 0",
    "a root of -1": "(0 - 1)**(1 / 2) > 0",
    "division by 0": "1 / 0 > 0",
    "an equation": "solve([[k + j * j for j in range(200)] for k in range(200)], [j for j in range(200)]) == []",
    "a matrix": "semidefinite([[1 / (j + k + 1) for j in range(100)] for k in range(100)])",
    "a matrix that is semidefinite but for rounding": "semidefinite([[3, 1], [1, 1 / 3 - 1 / 10**20]])",
    "a matrix of long numbers": "a = 1 / 3**1000; semidefinite([[a + j + k for j in range(20)] for k in range(20)])",
    "equations of long numbers": "a = 1 / 3**1000; solve([[a + j * k for j in range(20)] for k in range(20)], [a for k in range(20)]) == 0",
    "exps of nothing": "sum(exp(-10**6) for k in range(10**6)) > 10**7",
    "logs": "sum(log(k + 2) for k in range(10**6)) > 10**9",
    "roots": "sum((k + 2)**(1 / 2) for k in range(10**6)) > 10**12",
    "no statement": "x",
    "a number": "1",
    "an import": "__import__(0) == 0",
    "a module": "import os",
    "an attribute": "(1).real == 1",
    "a text": "'a' == 'a'",
    "a text of triple quotes": 'len("""a""") == 1',
    "a lambda": "(lambda: 1)() == 1",
    "a name": "open(0) == 0",
    "a function as a value": "x = max; 1 > 0",
    "a function that is defined": "max = 1; 1 > 0",
    "a number that is defined": "one = 2; one > 1",
    "a variable that is a number": "all(one > 1 for one in [2])",
    "walrus": "(x := 1) == 1",
    "stars": "max(*[1, 2]) == 2",
    "keywords": "max([1], default=0) == 1",
    "an asynchronous list": "[k async for k in [1]] == [1]",
    "a list of two names": "[a for a, b in [[1, 1]]] == [1]",
    "two names": "x = y = 1",
    "a list of names": "[x, y] = [1, 1]",
    "a slice": "[1, 2][0:1] == [1]",
    "a place from the end": "[1, 2][-1] == 2",
    "a place that is none": "[1, 2][1 / 2] == 2",
    "a truth as a number": "(1 > 0) + 1 == 2",
    "a truth that is equal": "(1 > 0) == 1",
    "numbers as truths": "all([1])",
    "a list as a number": "[1] > 0",
    "lists of two lengths": "[1] + [1, 2] == [2, 3]",
    "no largest": "max([]) == 0",
    "no places": "top([]) == []",
    "is": "1 is 1",
    "in": "1 in [1]",
    "bits": "1 << 2 == 4",
    "floors": "7 // 2 == 3",
    "points": "0.1 + 0.2 > 0",
    "a hexadecimal": "0x1p0 > 0",
    "depth": "(" * 150 + "1" + ")" * 150 + " == 0",
    "signs": "-" * 990 + "1 == 0",
    "places of places": "one" + "[0]" * 300 + " == 0",
    "sums of sums": "1" + " + 1" * 240 + " == 0",
    "brackets": "[" * 199 + "]" * 199 + " == 0",
    "unbalanced": "(" * 900,
    "too long": "1 + " * 260 + "1 > 0",
    "a newline": "1 > 0\n2 > 1",
    "a comment": "1 > 0 # 2",
    "nothing": "",
    "an end": "1 > 0; raise",
    "a condition": "if 1 > 0: x = 1",
    "a step in a step": "for t in range(2): for s in range(2): x = s",
}


def npy(head, body=b"\x00\x00\x00\x00\x00\x00\xf0\xbf"):
    """A .npy file with this dictionary; its number is -1."""
    head = head.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + body


HEAD = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }"
FILES = {
    "fine": (npy(HEAD), 0),
    "empty": (b"", 1),
    "no magic": (b"x" * 80, 1),
    "of another shape": (npy(HEAD.replace("(1, 1)", "(1,)")), 1),
    "in Fortran's order": (npy(HEAD.replace("False", "True")), 1),
    "big-endian": (npy(HEAD.replace("<", ">")), 1),
    "too long": (npy(HEAD, bytes(16)), 1),
    "too short": (npy(HEAD, bytes(7)), 1),
    "not finite": (npy(HEAD, b"\x00\x00\x00\x00\x00\x00\xf8\xff"), 1),
    "with pickles": (npy("__import__('os').abort()"), 1),
}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def check(path, *words):
    """The exit code of the checker under limits, and what it prints; a traceback is a failure."""
    run = subprocess.run([sys.executable, "-W", "error", CHECKER, path, *words], capture_output=True, text=True,
                         preexec_fn=limit)
    assert run.stderr == "" and run.returncode in (0, 1, 2, 3), (path, words, run.returncode, run.stderr[-2000:])
    return run.returncode, run.stdout


def hostile(folder):
    path = os.path.join(folder, "x.json")
    npy_path = os.path.join(folder, "x.npy")
    with open(npy_path, "wb") as file:
        file.write(npy(HEAD))

    def judged(text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return check(path)

    assert judged(FINE)[0] == 0, judged(FINE)
    assert judged(after(1))[0] == 0 and judged(after(None))[0] == 0, judged(after(1))
    assert judged(after(0))[0] == 1, judged(after(0))  # no step, and no token has moved
    assert judged(least("0x1p+0"))[0] == 0 and judged(least("0x1p+0", value="0x1p+1"))[0] == 1
    assert judged(least("0x0p+0"))[0] == 1, judged(least("0x0p+0"))  # multipliers of zero prove nothing
    assert judged(upper("0x1.5p+0"))[0] == 1, judged(upper("0x1.5p+0"))  # 10 / m is below 10 where m is 8
    assert judged(upper("0x1.5p+3"))[0] == 0, judged(upper("0x1.5p+3"))
    assert judged(sequence("0 0 1 1"))[0] == 0, judged(sequence("0 0 1 1"))  # the second place has the share
    assert judged(sequence("1 1 0 0"))[0] == 1 and judged(sequence("0 0 0 0"))[0] == 1
    assert judged(outline("0 1 2"))[0] == 0 and judged(outline("0 1 2 0 1 2"))[0] == 1  # once around
    assert judged(local("0 0 1"))[0] == 1, judged(local("0 0 1"))  # a token that is excused has no margin
    for name, text in HOSTILE.items():
        code, said = judged(text)
        # no token at all is outside of nothing: what is said of none is true
        assert code == (0 if name == "no tokens" and "verified" in said else 1), (name, code, said[:500])
        assert len(said) < 3000, name
    assert judged(formulas("one + 1 == 2"))[0] == 0, judged(formulas("one + 1 == 2"))
    assert judged(formulas("one + 1 == 3"))[0] == 1, judged(formulas("one + 1 == 3"))
    hostile_formulas(judged)
    import hashlib
    for name, (data, expected) in FILES.items():
        with open(npy_path, "wb") as file:
            file.write(data)
        code, said = judged(beside(sha256=hashlib.sha256(data).hexdigest()))
        assert code == expected, (name, said)
    os.remove(npy_path)
    assert judged(beside())[0] == 2  # a file that is not here
    assert check(os.path.join(folder, "nothing.json"))[0] == 2
    assert check(path, "--nonsense")[0] == 3 and check("--help")[0] == 0
    with open(path, "wb") as file:  # a gigabyte that takes no room
        file.truncate(1 << 30)
    code, said = check(path)
    assert code == 1 and "above" in said, said
    assert checker.verify(folder, {}, lambda line: None) == "cannot decide"  # a folder is no file


def one_claim(name, of, witness, inputs):
    """A proof of one claim, in the checker's own words."""
    kind = checker.KINDS[name]
    given = checker.members(of, kind.of, {}, checker.Inputs(inputs, "", {}), "of")
    return proof(inputs=inputs, claims=[{"kind": name, "says": checker.sentence(kind.says, given), "of": of,
                                         "symbols": checker.sentence(kind.symbols, given), "witness": witness}])


def formulas(*texts):
    """Of the number one = 1, in words that need not be read first."""
    says, symbols = "With one each of these holds: %s." % "; ".join(texts), texts[-1]
    return proof(inputs={}, claims=[{"kind": "counterexample", "says": says, "symbols": symbols, "witness": {},
                                     "of": {"numbers": {"one": "0x1p+0"}, "formulas": list(texts)}}])


def largest_of_enclosures():
    """Of 1 and a number from 1 to 2 it is open which is larger."""
    of = checker.SimpleNamespace(numbers={})
    f = checker.Formulas(of, 64)
    f.text, one, wide = "top", Fraction(1), checker.Interval(Fraction(1), Fraction(2), 64)
    for values in ([one, wide], [wide, one], [wide, wide]):
        try:
            assert False, checker.top(f, values)
        except checker.Undecided:
            pass
    assert checker.top(f, [one, Fraction(1), checker.Interval(Fraction(0), Fraction(1, 2), 64)]) == [0, 1]


def hostile_formulas(judged):
    """Of all, in this process, that operations are counted wherever they are made; of some, that they are few enough."""
    for name in ("a sum of fractions", "lists of lists"):
        code, said = judged(formulas("one == 1", FORMULAS[name]))
        assert code == 2 and len(said) < 6000, (name, code, said[:500])
    most, checker.EFFORT = checker.EFFORT, 1 << 16
    for name, text in FORMULAS.items():
        start = time.process_time()
        claim = json.loads(formulas("one == 1", text))["claims"][0]
        _, verdict, why = checker.judge(claim, checker.Inputs({}, "", {}))
        assert verdict in ("refused", "cannot decide") and len(why) < 3000, (name, verdict, why[:500])
        assert time.process_time() - start < 5, name
    checker.EFFORT = most


def after(steps):
    """Tokens 2 and 1 on a line, under Frank-Wolfe steps from the first on, which is 1: both are at 2 from then on."""
    zero, ends = "0x0p+0", {"shape": [2], "integers": "0 0"}
    of = {"tokens": "tokens", "key_query": None, "scale": "0x1p+0", "masses": None, "ties": "points", "pace": "steps",
          "step": 0, "gamma_low": zero, "gamma_high": "0x1p+0", "epsilon_low": zero, "epsilon_high": zero,
          "epsilon_now": None, "groups": 1, "law": "fw", "steps": steps, "time": zero, "later": "later", "error": zero}
    inputs = {"tokens": {"shape": [2, 1], "doubles": ["0x1p+1", "0x1p+0"]},
              "later": {"shape": [2, 1], "doubles": ["0x1p+1", "0x1p+1"]}}
    witness = {"classes": ends, "inside": {"shape": [2], "integers": "1 0"}, "listens": {"shape": [0, 2], "integers": []}}
    return one_claim("closed-form", of, witness, inputs)


def least(multiplier, value="0x1p+0"):
    """Every w with 1 w >= 1 is at least a value, by one multiplier."""
    one = {"shape": [1], "integers": "0"}
    of = {"problem": {"points": "one", "queries": "one", "plus": one, "minus": {"shape": [1], "integers": "-1"},
                      "asked": one, "equal": one, "right": {"shape": [1], "doubles": "0x1p+0"}},
          "norm": "l2", "p": None, "value": value}
    inputs = {"one": {"shape": [1, 1], "doubles": ["0x1p+0"]}}
    witness = {"at": one, "multipliers": {"shape": [1], "doubles": multiplier}, "basis": None}
    return one_claim("margin-lower", of, witness, inputs)


def upper(value):
    """Some w with w >= 10 is at most a value, by w = 9, which misses it."""
    one, given = {"shape": [1], "integers": "0"}, {"shape": [1, 1], "doubles": ["0x1p+0"]}
    of = {"problem": {"points": "one", "queries": "one", "plus": one, "minus": {"shape": [1], "integers": "-1"},
                      "asked": one, "equal": one, "right": {"shape": [1], "doubles": "0x1.4p+3"}},
          "norm": "l2", "p": None, "value": value}
    witness = {"weights": {"shape": [1, 1], "doubles": ["0x1.2p+3"]}, "left": None, "right": None, "basis": None}
    return one_claim("margin-upper", of, witness, {"one": given})


def sequence(shares):
    """Each of the tokens (1, 0) and (0, 1) asks for the first: a - c >= 1 of W = (a b, c d), and b - d >= 1 or = 0."""
    of = {"problem": {"model": "sequence", "n": 1, "T": 2, "mask": "full", "row": 0, "tokens": "tokens", "keys": None,
                      "queries": None, "labels": None, "decoder": None, "relaxed": None, "ties": None,
                      "select": {"shape": [2], "integers": "0 0"}, "shares": {"shape": [4], "integers": shares}},
          "norm": "l2", "p": None, "value": "0x1.8p-1"}
    weights = {"shape": [2, 2], "doubles": ["0x1p-1 0x0p+0", "-0x1p-1 0x0p+0"]}
    return one_claim("margin-upper", of, {"weights": weights, "left": None, "right": None, "basis": None},
                     {"tokens": {"shape": [2, 2], "doubles": ["0x1p+0 0x0p+0", "0x0p+0 0x1p+0"]}})


def outline(corners):
    """The hull of a triangle, counterclockwise."""
    count = len(corners.split())
    tokens = {"shape": [3, 2], "doubles": ["0x0p+0 0x0p+0", "0x1p+0 0x0p+0", "0x0p+0 0x1p+0"]}
    of = {"tokens": "tokens", "outline": {"shape": [count], "integers": corners}}
    return one_claim("hull-outline", of, {}, {"tokens": tokens})


def local(ties):
    """The first of (1, 0), (0, 1), (2, 0) is selected, the third scores more; W* has margin 1 over the second."""
    of = {"problem": {"model": "prompt", "n": 1, "T": 3, "mask": "full", "row": 0, "tokens": "tokens", "keys": None,
                      "queries": None, "labels": "label", "decoder": "decoder", "relaxed": None, "shares": None,
                      "select": {"shape": [1], "integers": "0"}, "ties": {"shape": [3], "integers": ties}},
          "norm": "l2", "p": None}
    inputs = {"tokens": {"shape": [3, 2], "doubles": ["0x1p+0 0x0p+0", "0x0p+0 0x1p+0", "0x1p+1 0x0p+0"]},
              "label": {"shape": [1], "doubles": "0x1p+0"}, "decoder": {"shape": [2], "doubles": "0x1p+0 0x0p+0"}}
    witness = {"weights": {"shape": [2, 1], "doubles": ["0x1p-1", "-0x1p-1"]}, "left": None, "right": None,
               "upper": "0x1.8p-1", "lower": "0x1p-1", "at": {"shape": [1], "integers": "0"},
               "multipliers": {"shape": [1], "doubles": "0x1p+0"}, "basis": None}
    return one_claim("margin-local", of, witness, inputs)


def head(upper="0x1p+0", rows="0", window=0, radius="0x1p+0", selected="0", keys=("0x1p+0", "-0x1p+0")):
    """A head of two tokens on a line, q_0 = 1 and q_1 = -2: row 0 selects token 0, and is at 1 from token 1."""
    count = len(rows.split())
    of = {"queries": "queries", "keys": "keys", "mask": "none", "window": window, "rows": {"shape": [count], "integers": rows},
          "selected": {"shape": [count], "integers": selected}, "radius": {"shape": [count], "doubles": radius},
          "upper": {"shape": [count], "doubles": upper}}
    inputs = {"queries": {"shape": [2, 1], "doubles": ["0x1p+0", "-0x1p+1"]}, "keys": {"shape": [2, 1], "doubles": list(keys)}}
    return one_claim("head-flip", of, {}, inputs)


def rounded(keys, name="float16"):
    """The same: row 0 keeps token 0."""
    one = {"shape": [1], "integers": "0"}
    of = {"queries": "queries", "keys": "keys", "mask": "none", "window": 0, "rows": one, "selected": one, "format": name}
    inputs = {"queries": {"shape": [2, 1], "doubles": ["0x1p+0", "-0x1p+1"]}, "keys": {"shape": [2, 1], "doubles": list(keys)}}
    return one_claim("head-rounding", of, {}, inputs)


def reached(key="1", weight="0x1p+0", low="0x1p+1", high="0x1p+1", scale="0x1p+0"):
    """Of the same token 0 leads by 2 at q_0, and by no more: no mixture of q_0 = 1 and q_1 = -2 is above 1."""
    one, table = {"shape": [1], "integers": "0"}, {"shape": [1, 1], "integers": ["0"]}
    of = {"queries": "queries", "keys": "keys", "scale": scale, "tokens": one, "low": {"shape": [1], "doubles": low},
          "high": {"shape": [1], "doubles": high}}
    witness = {"query": table, "query_weight": {"shape": [1, 1], "doubles": [weight]},
               "key": {"shape": [1, 1], "integers": [key]}, "key_weight": {"shape": [1, 1], "doubles": ["0x1p-3"]}}
    inputs = {"queries": {"shape": [2, 1], "doubles": ["0x1p+0", "-0x1p+1"]},
              "keys": {"shape": [2, 1], "doubles": ["0x1p+0", "-0x1p+0"]}}
    return one_claim("head-reach", of, witness, inputs)


def heads(folder):
    """What is right is verified, and what is nearly right is not."""
    largest, larger = "0x1.ffcp+15", "0x1.ffcp+16"  # 65504, and twice that
    cases = [
        (head(), 0), (head(upper="0x1.fffffffffffffp-1"), 1), (head(radius="0x1.0000000000001p+0"), 1),
        (head(radius="-0x1p+0"), 1), (head(upper="-0x1p+0"), 1), (head(selected="1"), 1), (head(window=1), 1),
        (head(rows="0 0", radius="0x1p+0 0x1p+0", upper="0x1p+0 0x1p+0", selected="0 0"), 1),
        (head(keys=("0x1p+0", "0x1p+0")), 1), (head(rows="1", selected="1", radius="0x1p+1", upper="0x1p+1"), 0),
        (head(rows="1", selected="0", radius="0x0p+0", upper="0x1p+1"), 1),
        (rounded(("0x1p+0", "0x1p-1")), 0), (rounded(("0x1p+0", "0x1.ff8p-1")), 1), (rounded((largest, "0x0p+0")), 0),
        (rounded(("0x1p+0", "0x1.ff7ff4p-1")), 1), (rounded(("0x1p+0", "0x1.ff7fe0p-1")), 0),  # 2 u + 2 u^2 and more of a lead
        (rounded((larger, "0x0p+0")), 1), (rounded((larger, "0x0p+0"), "bfloat16"), 0),
        (rounded(("0x1p+0", "0x1p+0")), 0), (rounded((larger, larger)), 1),
        (reached(), 0), (reached(low="0x1.0000000000001p+1"), 1), (reached(high="0x1.fffffffffffffp+0"), 1),
        (reached(key="0"), 1), (reached(weight="0x0p+0"), 1), (reached(weight="-0x1p+0"), 1),
        (reached(scale="0x0p+0", low="0x0p+0", high="0x0p+0"), 1), (reached(weight="0x1p+1000"), 0),
        (reached(scale="-0x1p+0", low="-0x1p+1", high="0x1p+2"), 1)]
    path = os.path.join(folder, "head.json")
    for k, (text, wanted) in enumerate(cases):
        with open(path, "w") as file:
            file.write(text)
        code, said = check(path)
        assert code == wanted, (k, said, text)


def enclosures(draw):
    """exp, log, powers and roots hold what 200 digits say, and are narrow."""
    context = decimal.getcontext()
    context.prec = 200
    near = decimal.Decimal(10) ** -190

    def exact(x):
        return decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator)

    def holds(interval, true, bits, *what):
        room = abs(true) * near
        assert exact(interval.low) <= true + room and true - room <= exact(interval.high), what
        assert interval.high - interval.low <= max(abs(interval.high), abs(interval.low)) / 2 ** (bits - 4), what

    for _ in range(400):
        bits = draw.choice([64, 128, 256])
        x = Fraction(draw.choice([draw.uniform(-1, 1), draw.uniform(-700, 700), draw.expovariate(1) * 1e-9]))
        holds(checker.exp(x, bits), exact(x).exp(), bits, "exp", x)
        y = Fraction(draw.choice([draw.random() + 1e-12, 2 ** draw.uniform(-1000, 1000)]))
        if abs(y - 1) > 1e-3:
            holds(checker.log(y, bits), exact(y).ln(), bits, "log", y)
        p = Fraction(draw.randint(-40, 40), 8)
        holds(checker.power(y, p, bits), exact(y) ** exact(p), bits, "power", y, p)
        t = Fraction(draw.uniform(0, 1 / 3))
        series = ((checker.exp_ends(t, bits), exact(t).exp()),
                  (checker.ends(checker.artanh(t, bits)), ((1 + exact(t)) / (1 - exact(t))).ln() / 2))
        for (low, high), true in series:  # before they are rounded to fewer bits
            assert exact(low) - near <= true <= exact(high) + near, ("series", t)
        k = draw.choice([2, 3, 5])
        low, high = checker.ends(checker.root(y, k, bits))
        assert low ** k <= y <= high ** k and high - low <= high / 2 ** (bits - 4), ("root", y, k)
    for n in [*range(300), 10**60, 10**60 - 1, 2**400 + 1]:
        for k in (2, 3):
            w = checker.integer_root(n, k)
            assert w**k <= n < (w + 1) ** k, (n, k)
    one, zero = checker.Interval(Fraction(1, 3), Fraction(2, 3), 64), checker.Interval(Fraction(-1), Fraction(1), 64)
    for value, low, high in ((one - one, Fraction(-1, 3), Fraction(1, 3)), (-one * 3, -2, -1), (one / 2, Fraction(1, 6),
                             Fraction(1, 3)), (one / one, Fraction(1, 2), 2), (abs(zero), 0, 1),
                             (abs(-one), Fraction(1, 3), Fraction(2, 3)), (1 + -one, Fraction(1, 3), Fraction(2, 3))):
        assert value.low <= low and high <= value.high and value.high - value.low - (high - low) < Fraction(1, 1 << 60)


def main():
    with open(CHECKER) as file:
        source = file.read()
    ast.parse(source, feature_version=(3, 8))
    for word in ("removeprefix", "removesuffix", "nextafter", "math.lcm", "zip(strict", "bit_count", "cbrt", "exp2"):
        assert word not in source, (word, "is not in Python 3.8")
    imports = {name.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import) for name in node.names}
    assert imports <= set(sys.stdlib_module_names), imports
    largest_of_enclosures()
    enclosures(random.Random(int(os.environ.get("TROP_TEST_SEED", "1"))))
    with tempfile.TemporaryDirectory() as folder:
        hostile(folder)
        heads(folder)
    print("hostile: %d files" % (len(HOSTILE) + len(FORMULAS) + len(FILES) + 5))


if __name__ == "__main__":
    main()
