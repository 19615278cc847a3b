"""Commands whose proofs are of clouds, and an independent decision whether a claim of these kinds is proved."""
from fractions import Fraction


def numbers(array):
    """The rows of a table, or a list, as fractions."""
    if isinstance(array["doubles"], str):
        return [Fraction(float.fromhex(word)) for word in array["doubles"].split()]
    return [[Fraction(float.fromhex(word)) for word in row.split()] for row in array["doubles"]]


def array(proof, value):
    """Of a claim: in it, or an input, or None."""
    return None if value is None else numbers(proof["inputs"][value] if isinstance(value, str) else value)


def integers(value):
    rows = [value["integers"]] if isinstance(value["integers"], str) else value["integers"]
    return [int(word) for row in rows for word in row.split()]


def dot(a, b):
    return sum(s * t for s, t in zip(a, b))


def form(proof, of, x):
    """B x."""
    if of["key_query"] is None:
        return [Fraction(float.fromhex(of["scale"])) * t for t in x]
    assert of["scale"] is None
    return [dot(row, x) for row in array(proof, of["key_query"])]


def determinant(rows):
    """Of a matrix of fractions, by its first column."""
    if not rows:
        return Fraction(1)
    return sum((-1) ** k * row[0] * determinant([other[1:] for other in rows[:k] + rows[k + 1:]])
               for k, row in enumerate(rows) if row[0] != 0)


def origin_outside(proof, claim):
    tokens = array(proof, claim["of"]["tokens"])
    direction = numbers(claim["witness"]["direction"])
    return all(dot(token, direction) < 0 for token in tokens)


def origin_inside(proof, claim):
    """Cramer's rule for the normal equations of sum_i lambda_i (x_i, 1) = (0, 1), then these themselves."""
    tokens = array(proof, claim["of"]["tokens"])
    columns = [tokens[i] + [Fraction(1)] for i in integers(claim["witness"]["atoms"])]
    gram = [[dot(a, b) for b in columns] for a in columns]
    right = [column[-1] for column in columns]
    whole = determinant(gram)
    weights = [determinant([row[:k] + [t] + row[k + 1:] for row, t in zip(gram, right)]) / whole
               for k in range(len(columns))]
    sums = [dot(weights, row) for row in zip(*columns)]
    return min(weights) >= 0 and sums == [0] * len(tokens[0]) + [1]


def chain(points):
    """Half of the outline of sorted points, counterclockwise."""
    made = []
    for p in points:
        while len(made) > 1 and ((made[-1][0] - made[-2][0]) * (p[1] - made[-2][1]) -
                                 (made[-1][1] - made[-2][1]) * (p[0] - made[-2][0])) <= 0:
            made.pop()
        made.append(p)
    return made[:-1]


def hull_outline(proof, claim):
    """The monotone chain."""
    tokens = [tuple(x) for x in array(proof, claim["of"]["tokens"])]
    points = sorted(set(tokens))
    outline = chain(points) + chain(points[::-1])
    given = [tokens[i] for i in integers(claim["of"]["outline"])]
    return len(given) > 2 and any(outline[k:] + outline[:k] == given for k in range(len(outline)))


def hull_vertices(proof, claim):
    tokens = array(proof, claim["of"]["tokens"])
    directions = numbers(claim["witness"]["directions"])
    return all(dot(w, tokens[v]) > dot(w, x) for w, v in zip(directions, integers(claim["of"]["vertices"]))
               for x in tokens if x != tokens[v])


def cells(proof, claim):
    """From the definition of a cell; the witness must name two with the largest score for each wall."""
    of, walls = claim["of"], integers(claim["witness"].get("walls", {"integers": ""}))
    tokens, labels, vertices = array(proof, of["tokens"]), integers(of["labels"]), integers(of["vertices"])
    for x, label in zip(tokens, labels):
        scores = {tuple(tokens[v]): dot(form(proof, of, x), tokens[v]) for v in vertices}
        best = [at for at, score in scores.items() if score == max(scores.values())]
        named = {tuple(tokens[walls.pop(0)]) for _ in range(2)} if label < 0 else {tuple(tokens[label])}
        if not named <= set(best) or len(named) != (2 if label < 0 else 1) or (label >= 0 and len(best) > 1):
            return False
    return not walls and all(label < 0 or label in vertices for label in labels)


def generic(proof, claim):
    labels, vertices = integers(claim["of"]["labels"]), integers(claim["of"]["vertices"])
    return cells(proof, claim) and min(labels) >= 0 and all(labels[v] == v for v in vertices)


def any_matrix(draw, d):
    """Words and a file for B: none, a number, or a matrix of small whole numbers or of any."""
    how = draw.randrange(4)
    if how < 2:
        return (["--key-query", draw.choice(["-1", "0.3", "2", "0"])] if how else []), {}
    entry = (lambda: float(draw.randint(-2, 2))) if how == 2 else (lambda: draw.gauss(0, 1))
    return [], {"key_query": [[entry() for _ in range(d)] for _ in range(d)]}


def cloud(draw, most, dimensions=5):
    """Gaussian off the origin, or on a lattice, where much is tied."""
    n, d = draw.randint(1, most), draw.randint(1, dimensions)
    shift = [draw.choice([0, 0, draw.uniform(-4, 4)]) for _ in range(d)]
    if draw.random() < 0.4:
        return [[float(draw.randint(-2, 2)) for _ in range(d)] for _ in range(n)]
    return [[draw.gauss(0, 1) + by for by in shift] for _ in range(n)]


def any_cells(draw):
    tokens = cloud(draw, 16)
    words, files = any_matrix(draw, len(tokens[0]))
    return ["cells", *words], {"tokens": tokens, **files}


COMMANDS = [any_cells]
DECIDE = {"origin-outside": origin_outside, "origin-inside": origin_inside, "hull-outline": hull_outline,
          "hull-vertices": hull_vertices, "cells": cells, "generic": generic}
