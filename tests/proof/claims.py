"""Checks whose counterexamples have a proof, and a second decision about formulas: by Python itself, in fractions, with
exponentials of 100 digits."""
import decimal
import itertools
import os
import re
from fractions import Fraction

FULL = os.environ.get("TROP_TEST_FULL") == "1"
SHORT = 1 << 12  # bits of a fraction; longer ones are rounded to as many, which is far beyond what is compared


class Vector(tuple):
    """A list of the formulas."""
    def __add__(self, other):
        assert len(self) == len(other)
        return Vector(a + b for a, b in zip(self, other))

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Vector(-a for a in self)

    def __mul__(self, by):
        return Vector(a * by for a in self)

    def __truediv__(self, by):
        return Vector(a / by for a in self)

    __rmul__ = __mul__


def vector(value):
    """With vectors in the place of lists, at any depth, and fractions in the place of whole numbers."""
    if isinstance(value, (list, tuple)):
        return Vector(map(vector, value))
    if type(value) is int:
        return Fraction(value)
    if isinstance(value, Fraction) and value.denominator.bit_length() > SHORT:
        return Fraction(round(value * (1 << SHORT)), 1 << SHORT)
    return value


def number(text):
    return Fraction(float.fromhex(text))


def given(value):
    if isinstance(value, str):
        return number(value)
    if isinstance(value["doubles"], str):
        return Vector(map(number, value["doubles"].split()))
    return Vector(Vector(map(number, row.split())) for row in value["doubles"])


def dot(a, b):
    return Vector(dot(row, b) for row in a) if a and isinstance(a[0], tuple) else total(s * t for s, t in zip(a, b))


def total(values):
    values = list(values)
    made = values[0] if values else 0
    for value in values[1:]:
        made = made + value
    return made


def exponential(x):
    with decimal.localcontext() as context:
        context.prec = 100
        x = Fraction(x)
        return Fraction((decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator)).exp())


def top(values):
    return Vector(Fraction(k) for k, value in enumerate(values) if value == max(values))


def determinant(rows):
    if not rows:
        return Fraction(1)
    return total((-1) ** k * row[0] * determinant([other[1:] for other in rows[:k] + rows[k + 1:]])
                 for k, row in enumerate(rows))


def solve(columns, target):
    """Least squares by Cramer's rule, which must be a solution."""
    gram = [[dot(a, b) for b in columns] for a in columns]
    right = [dot(a, target) for a in columns]
    whole = determinant(gram)
    made = [determinant([row[:k] + [t] + row[k + 1:] for row, t in zip(gram, right)]) / whole
            for k in range(len(columns))]
    assert all(total(f * column[a] for f, column in zip(made, columns)) == target[a] for a in range(len(target)))
    return Vector(made)


def semidefinite(m):
    """By all principal minors."""
    assert all(m[a][b] == m[b][a] for a in range(len(m)) for b in range(len(m)))
    sets = [[a for a in range(len(m)) if k >> a & 1] for k in range(1 << len(m))]
    return all(determinant([[m[a][b] for b in one] for a in one]) >= 0 for one in sets)


NAMES = {"__builtins__": {}, "range": lambda *ends: range(*map(int, ends)), "len": len, "all": all, "any": any,
         "sum": total, "max": max, "min": min, "abs": abs, "dot": dot, "exp": exponential, "top": top, "solve": solve,
         "semidefinite": semidefinite, "Fraction": Fraction, "vector": vector, "int": int,
         "at": lambda values, k: values[int(k)] if k >= 0 and k == int(k) else 1 / 0}


def python_of(text):
    """Whole numbers as fractions; brackets are places or vectors by themselves, so indices go through a function."""
    text = re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"Fraction(\1)", text)
    while True:  # the innermost place after a name or a bracket
        found = re.search(r"((?:\b(?!for\b|in\b|if\b|and\b|or\b|else\b)[A-Za-z_]\w*)|\))\[([^\[\]]*)\]", text)
        if not found:
            return text
        start = found.start(1)
        if found.group(1) == ")":
            depth = 0
            while True:
                depth += {")": 1, "(": -1}.get(text[start], 0)
                if depth == 0:
                    break
                start -= 1
            start = re.search(r"\w*\Z", text[:start]).start()
        text = "%sat(%s, %s)%s" % (text[:start], text[start:found.end(1)], found.group(2), text[found.end():])


def lines_of(text, names):
    """Runs definitions, and gives the truth of statements."""
    for line in text.split("; "):
        definition = re.match(r"(\w+) = (.*)", line)
        value = vector(eval(python_of(definition.group(2) if definition else line), names))
        if definition:
            names[definition.group(1)] = value
        else:
            yield value


def counterexample(proof, claim):
    names = dict(NAMES, **{name: given(value) for name, value in claim["of"]["numbers"].items()})
    for text in claim["of"]["formulas"]:
        steps = re.match(r"for (\w+) in (range\(.*?\)+|\w+): (.*)", text)
        if not steps:
            if not all(value is True for value in lines_of(text, names)):
                return False
            continue
        for t in eval(python_of(steps.group(2)), names):
            names[steps.group(1)] = vector(t)
            if not all(value is True for value in lines_of(steps.group(3), names)):
                return False
    return True


CLAIMS = ["fw-lem-hull", "fw-rem-sparsity", "fw-rem-own-cell", "fw-rem-own-cell-weak", "fw-rate-exponential",
          "fw-thm-3.1", "fw-rem-limit", "lm-rem-lyapunov-localmax", "fw-prop-collapse-origin", "tf-lem-5"]


KNOWN, FOUND = itertools.cycle(CLAIMS), itertools.cycle(CLAIMS)


def known(draw):
    """The first known counterexample of each claim in turn."""
    return ["check", next(KNOWN), "--counterexample", "none", "--trials", "1"], {}


def found(draw):
    """What a search finds, as it is or made small; of theorem 3.1 it has thousands of steps."""
    claim = next(FOUND)
    if claim == "fw-thm-3.1" and not FULL:
        claim = next(FOUND)
    return ["check", claim, "--counterexample", "none", "--trials", "1", "--search", "60", "--restarts", "60", "--seed",
            str(draw.randrange(1000)), "--shrink=" + draw.choice(["yes", "no"])], {}


COMMANDS = [known, found]
DECIDE = {"counterexample": counterexample}
