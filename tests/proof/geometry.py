"""Commands whose proofs are of clouds, and an independent decision whether a claim of these kinds is proved."""
from fractions import Fraction


def numbers(array):
    """The rows of a table, or a list, as fractions."""
    if isinstance(array["doubles"], str):
        return [Fraction(float.fromhex(word)) for word in array["doubles"].split()]
    return [[Fraction(float.fromhex(word)) for word in row.split()] for row in array["doubles"]]


def origin_outside(proof, claim):
    tokens = numbers(proof["inputs"][claim["of"]["tokens"]])
    direction = numbers(claim["witness"]["direction"])
    return all(sum(a * b for a, b in zip(token, direction)) < 0 for token in tokens)


def cells(draw):
    """A cloud that is off the origin, mostly."""
    n, d = draw.randint(1, 12), draw.randint(1, 5)
    shift = [draw.uniform(-4, 4) for _ in range(d)]
    rows = [[draw.gauss(0, 1) + by for by in shift] for _ in range(n)]
    return ["cells"], {"tokens": rows}


COMMANDS = [cells]
DECIDE = {"origin-outside": origin_outside}
