"""Commands whose proofs are of attention heads, and an independent decision whether a claim of these kinds is proved."""
import itertools
import os
from fractions import Fraction

from geometry import array, dot, integers, numbers

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "stories260K.bin")


def sees(of, i, t):
    """Whether row i sees token t."""
    return (of["mask"] == "none" or t <= i) and (of["window"] == 0 or abs(i - t) < of["window"])


def rows(proof, of):
    """Of each row its query, the key that it selects, and the different ones that it sees; None: it does not see it."""
    queries, keys, n = array(proof, of["queries"]), array(proof, of["keys"]), len(array(proof, of["keys"]))
    assert of["mask"] in ("none", "causal") and of["window"] >= 0
    for i, a in zip(integers(of["rows"]), integers(of["selected"])):
        others = [keys[t] for t in range(n) if sees(of, i, t) and keys[t] != keys[a]]
        yield queries[i], keys[a], others if a >= 0 and sees(of, i, a) else None


def flip(proof, claim):
    """The move to the nearest tie with k_t is the way to a hyperplane, whose length squared is a fraction."""
    of = claim["of"]
    for (q, best, others), radius, upper in zip(rows(proof, of), numbers(of["radius"]), numbers(of["upper"])):
        if not others or radius < 0 or upper < 0:
            return False
        moves = []
        for key in others:
            way = [s - t for s, t in zip(best, key)]
            factor = dot(q, way) / dot(way, way)
            moves.append(sum((factor * c) ** 2 for c in way))
            if factor < 0:
                return False
        if not radius**2 <= min(moves) <= upper**2:
            return False
    return True


def rounding(proof, claim):
    """The least score difference is at the corners of a box of all that rounding can make of q, k_a and k_t."""
    of = claim["of"]
    bits, lowest, largest = {"bfloat16": (8, -126, Fraction(0xff, 256) * 2**128), "float16": (11, -14, 65504)}[of["format"]]

    def moved(x):
        size = abs(x) / 2**bits + Fraction(2) ** (lowest - bits)
        return x - size, x + size

    for q, best, others in rows(proof, of):
        if others is None or max(map(abs, q + best)) > largest:
            return False
        for key in others:
            least = sum(min(s * (a - b) for s, a, b in itertools.product(moved(x), moved(y), moved(z)))
                        for x, y, z in zip(q, best, key))
            if least <= 0 or max(map(abs, key)) > largest:
                return False
    return True


def reach(proof, claim):
    """By the table of scores: of the mixture of its rows every difference, of that of its columns every row."""
    of, witness, scale = claim["of"], claim["witness"], Fraction(float.fromhex(claim["of"]["scale"]))
    keys = array(proof, of["keys"])
    scores = [[scale * dot(q, key) for key in keys] for q in array(proof, of["queries"])]
    tokens, low, high = integers(of["tokens"]), numbers(of["low"]), numbers(of["high"])

    def mixtures(name):
        chosen, weights = integers(witness[name]), numbers(witness[name + "_weight"])
        return [list(zip(chosen[p * len(row):], row)) for p, row in enumerate(weights)]

    for j, least, most, by, against in zip(tokens, low, high, mixtures("query"), mixtures("key")):
        others = [t for t in range(len(keys)) if keys[t] != keys[j]]
        whole, half = sum(weight for _, weight in by), sum(weight for _, weight in against)
        if (scale <= 0 or not others or min(w for _, w in by + against) < 0 or min(whole, half) <= 0 or
                min(t for t, _ in by + against) < 0 or any(w and keys[t] == keys[j] for t, w in against)):
            return False
        leads = [sum(weight * (scores[i][j] - scores[i][t]) for i, weight in by) / whole for t in others]
        excess = [row[j] - sum(weight * row[t] for t, weight in against) / half for row in scores]
        if min(leads) < least or max(excess) > most:
            return False
    return True


def arrays(draw, n, d):
    """Gaussian, or of few small numbers, where much is tied and keys are equal."""
    if draw.random() < 0.4:
        return [[float(draw.randint(-2, 2)) for _ in range(d)] for _ in range(n)]
    size = draw.choice([1, 1, 2.0**draw.randint(-30, 14)])
    return [[draw.gauss(0, 1) * size for _ in range(d)] for _ in range(n)]


def any_arrays(draw):
    n, d = draw.randint(1, 12), draw.randint(1, 5)
    words = ["inspect", "--mask", draw.choice(["none", "none", "causal"]), "--measure", "flip,reach"]
    words += draw.choice([[], [], ["--scale", repr(draw.uniform(0.1, 3))]])
    return words, {name: arrays(draw, n, d) for name in "qkv"}


def any_model(draw):
    ids = ",".join(str(draw.randint(3, 511)) for _ in range(draw.randint(1, 6)))
    words = ["inspect", MODEL, "--ids", ids, "--layers", str(draw.randrange(5)), "--heads", str(draw.randrange(8))]
    at = draw.choice([[], ["--at", str(draw.randrange(1 + ids.count(",")))]])
    return words + ["--measure", "flip,reach"] + at, {}


COMMANDS = [any_arrays, any_model]
DECIDE = {"head-flip": flip, "head-rounding": rounding, "head-reach": reach}
