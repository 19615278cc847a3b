"""rationals.py -- what the judges compute with: instances of claims, linear algebra and programs in rational numbers,
and exp and roots enclosed by them. Python's fractions alone."""
import itertools
import math
import re
from fractions import Fraction as Q

# ---- the text of an instance: "tokens = {1 0; 0 1}; B = zeros(1, 1); B[0,0] = -1; steps = 3" ----------------------

def number(text):
    return Q(float(text))


def zeros(shape):
    return [zeros(shape[1:]) for _ in range(shape[0])] if len(shape) > 1 else [Q(0)] * shape[0]


def read(text):
    case = {}
    for piece in re.findall(r"[^;{]*(?:\{[^}]*\})?[^;{]*", text):
        if not piece.strip():
            continue
        left, right = (part.strip() for part in piece.split("=", 1))
        place = re.fullmatch(r"(\w+)\[([\d,]+)\]", left)
        if place:
            at = case[place[1]]
            *outer, last = (int(k) for k in place[2].split(","))
            for k in outer:
                at = at[k]
            at[last] = number(right)
        elif right.startswith("{"):
            rows = [[number(word) for word in row.split()] for row in right.strip("{}").split(";")]
            case[left] = rows if len(rows) > 1 else rows[0]
        elif right.startswith("zeros"):
            case[left] = zeros([int(k) for k in right[6:-1].split(",")])
        else:
            case[left] = number(right)
    return case


# ---- linear algebra and programs --------------------------------------------------------------------------------

def dot(x, y):
    return sum((a * b for a, b in zip(x, y)), Q(0))


def apply(matrix, x):
    return [dot(row, x) for row in matrix]


def mix(gamma, x, y):
    return [(1 - gamma) * a + gamma * b for a, b in zip(x, y)]


def mean(points):
    return [sum(column, Q(0)) / len(points) for column in zip(*points)]


def minus(x, y):
    return [a - b for a, b in zip(x, y)]


def eliminate(rows):
    """The pivots of a matrix by rows, without exchanging columns; its rank is their number."""
    rows, pivots = [list(row) for row in rows], []
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows[len(pivots):] if row[column] != 0), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(len(pivots), pivot)
        for row in rows[len(pivots) + 1:]:
            factor = row[column] / pivot[column]
            row[:] = [a - factor * b for a, b in zip(row, pivot)]
        pivots.append(pivot[column])
    return pivots


def is_positive(matrix):
    """Symmetric and positive definite: Gauss without exchanges has positive pivots."""
    n = len(matrix)
    rows = [list(row) for row in matrix]
    if any(rows[i][j] != rows[j][i] for i in range(n) for j in range(n)):
        return False
    for k in range(n):
        if rows[k][k] <= 0:
            return False
        for row in rows[k + 1:]:
            factor = row[k] / rows[k][k]
            row[:] = [a - factor * b for a, b in zip(row, rows[k])]
    return True


def largest(cost, equations, right):
    """max <cost, w> over w >= 0 with equations w = right, which is bounded; None: there is no such w. Simplex with
    Bland's rule, in two phases."""
    m, n = len(equations), len(cost)
    sign = [-1 if b < 0 else 1 for b in right]
    table = [[s * a for a in row] + [Q(int(i == k)) for k in range(m)] + [s * b]
             for i, (row, b, s) in enumerate(zip(equations, right, sign))]
    basis = list(range(n, n + m))

    def solve(costs, columns):
        while True:
            price = [costs[k] - sum(costs[basis[i]] * table[i][k] for i in range(m)) for k in range(columns)]
            enter = next((k for k in range(columns) if price[k] > 0), None)
            if enter is None:
                return sum((costs[basis[i]] * table[i][-1] for i in range(m)), Q(0))
            ratios = [(table[i][-1] / table[i][enter], basis[i], i) for i in range(m) if table[i][enter] > 0]
            row = min(ratios)[2]
            table[row] = [a / table[row][enter] for a in table[row]]
            for i in range(m):
                if i != row and table[i][enter] != 0:
                    factor = table[i][enter]
                    table[i] = [a - factor * b for a, b in zip(table[i], table[row])]
            basis[row] = enter

    if solve([Q(0)] * n + [Q(-1)] * m, n + m) < 0:
        return None
    # An artificial variable that stays in the basis at 0 is driven out, or its row says nothing.
    for i in range(m):
        enter = next((k for k in range(n) if table[i][k] != 0), None) if basis[i] >= n else None
        if enter is not None:
            table[i] = [a / table[i][enter] for a in table[i]]
            for other in range(m):
                if other != i and table[other][enter] != 0:
                    factor = table[other][enter]
                    table[other] = [a - factor * b for a, b in zip(table[other], table[i])]
            basis[i] = enter
    return solve(list(cost) + [Q(0)] * m, n)


def hull_equations(points, x):
    return [list(row) for row in zip(*points)] + [[Q(1)] * len(points)], list(x) + [Q(1)]


def in_hull(points, x):
    return bool(points) and largest([Q(0)] * len(points), *hull_equations(points, x)) is not None


def distinct(points):
    return [list(p) for p in dict.fromkeys(map(tuple, points))]


def vertices(points):
    points = distinct(points)
    return [p for p in points if not in_hull([q for q in points if q != p], p)]


def is_edge(corners, v, w):
    """The middle of v and w is no combination in which another vertex takes part."""
    cost = [Q(int(u not in (v, w))) for u in corners]
    return largest(cost, *hull_equations(corners, mean([v, w]))) == 0


def solve(matrix, right):
    n = len(matrix)
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [a / rows[k][k] for a in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [row[-1] for row in rows]


def shortest(rows):
    """The shortest W with <a, W> >= 1 for every row, by its support; None: there is none."""
    for size in range(1, len(rows) + 1):
        for support in itertools.combinations(range(len(rows)), size):
            gram = [[dot(rows[i], rows[j]) for j in support] for i in support]
            if len(eliminate(gram)) < size:
                continue
            multipliers = solve(gram, [Q(1)] * size)
            if min(multipliers) < 0:
                continue
            w = [sum(m * rows[i][k] for m, i in zip(multipliers, support)) for k in range(len(rows[0]))]
            if all(dot(row, w) >= 1 for row in rows):
                return w
    return None


# ---- exp, enclosed ----------------------------------------------------------------------------------------------

PLACES = 10 ** 40


def outward(low, high):
    """On a grid of 1e-40, so that numbers do not grow."""
    return Q((low * PLACES).__floor__(), PLACES), Q((high * PLACES).__ceil__(), PLACES)


def exp(x):
    """exp of a rational, in units of 1e-60: the series of x / 2^k below 1/2, squared k times. Every term is rounded
    down once, with the error of the one before it halved or more, the argument by a unit, and the terms that are left
    out sum to less than 1e-62: less than 200 units in all."""
    unit, halvings = 10 ** 60, 0
    while abs(x) > Q(1, 2):
        x, halvings = x / 2, halvings + 1
    argument, total, term = (x * unit).__floor__(), unit, unit
    for k in range(1, 41):
        term = term * argument // (k * unit)
        total += term
    low, high = Q(total - 200, unit), Q(total + 200, unit)
    for _ in range(halvings):
        low, high = outward(low * low, high * high)
    return outward(low, high)


def root(x):
    """The square root of a rational, enclosed."""
    low = math.isqrt((x * PLACES * PLACES).__floor__())
    return Q(low, PLACES), Q(low + 1, PLACES)
