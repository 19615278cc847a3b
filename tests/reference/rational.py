"""rational.py -- linear algebra and linear programs over the integers, without any rounding.

A double is an integer times a power of two, so a cloud of doubles is a cloud of integers times one power of two
(`integers`); signs, ranks and determinants of it are those of integers. Elimination is fraction-free (Bareiss 1968:
every entry is a minor of the matrix, divisions leave no remainder).

The linear program is: is there l >= 0 with A l = b? Primal simplex on artificial variables with Bland's rule, which cannot
cycle; the tableau is kept as integers over one common denominator, the last pivot.
"""
import math
from fractions import Fraction


def integers(*clouds):
    """Rows of doubles (several clouds) as rows of integers times 2^e, one e for all: (e, cloud, ...)."""
    ratios = [[[float(c).as_integer_ratio() for c in row] for row in cloud] for cloud in clouds]
    shift = max((q.bit_length() - 1 for cloud in ratios for row in cloud for _, q in row), default=0)
    whole = [[[(p << shift) // q for p, q in row] for row in cloud] for cloud in ratios]
    common = 0
    for cloud in whole:
        for row in cloud:
            for c in row:
                common |= abs(c)
    twos = (common & -common).bit_length() - 1 if common else 0
    return (twos - shift, *[[[c >> twos for c in row] for row in cloud] for cloud in whole])


def power(e):
    """2^e, exactly."""
    return Fraction(1 << e) if e >= 0 else Fraction(1, 1 << -e)


def root(square):
    """The square root of a rational number >= 0, with a relative error below 2^-60."""
    square = Fraction(square)
    if square == 0:
        return Fraction(0)
    shift = 128 - square.numerator.bit_length() + square.denominator.bit_length()
    shift += shift & 1
    scaled = (square.numerator << shift) // square.denominator if shift >= 0 else square.numerator // (square.denominator << -shift)
    return Fraction(math.isqrt(scaled)) * power(-shift // 2)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def times(matrix, x):
    return [dot(row, x) for row in matrix]


def reduce(matrix):
    """Fraction-free Gauss-Jordan of integers: (rows, pivot columns, pivot rows of the input, common pivot)."""
    rows = [list(row) for row in matrix]
    order = list(range(len(rows)))
    columns, last, k = [], 1, 0
    for c in range(len(rows[0]) if rows else 0):
        hit = next((r for r in range(k, len(rows)) if rows[r][c]), None)
        if hit is None:
            continue
        rows[k], rows[hit] = rows[hit], rows[k]
        order[k], order[hit] = order[hit], order[k]
        head, pivot = rows[k], rows[k][c]
        for r, row in enumerate(rows):
            if r != k:
                factor = row[c]
                rows[r] = [(pivot * x - factor * y) // last for x, y in zip(row, head)]
        last = pivot
        columns.append(c)
        k += 1
        if k == len(rows):
            break
    return rows[:k], columns, order[:k], last


def rank(matrix):
    return len(reduce(matrix)[1]) if matrix else 0


def determinant(matrix):
    """Of integers, by Bareiss."""
    rows, sign, last = [list(row) for row in matrix], 1, 1
    n = len(rows)
    for k in range(n):
        hit = next((r for r in range(k, n) if rows[r][k]), None)
        if hit is None:
            return 0
        if hit != k:
            rows[k], rows[hit], sign = rows[hit], rows[k], -sign
        pivot, head = rows[k][k], rows[k]
        for r in range(k + 1, n):
            factor = rows[r][k]
            rows[r] = [(pivot * x - factor * y) // last for x, y in zip(rows[r], head)]
        last = pivot
    return sign * last if n else 1


def normal(directions, k):
    """A vector of minors that is orthogonal to k - 1 independent integer directions of R^k; None when they are not independent."""
    if k == 1:
        return [1]
    if k == 2:
        (x, y), = directions
        return [y, -x]
    if k == 3:
        (a, b, c), (x, y, z) = directions
        found = [b * z - c * y, c * x - a * z, a * y - b * x]
        return found if any(found) else None
    rows, columns, _, last = reduce(directions)
    if len(columns) < k - 1:
        return None
    free = next(c for c in range(k) if c not in columns)
    found = [0] * k
    found[free] = last
    for row, c in zip(rows, columns):
        found[c] = -row[free]
    return found


def solve(matrix, right):
    """The solution of a square system of rationals as fractions; None when it is singular."""
    n = len(matrix)
    rows = [[Fraction(x) for x in row] + [Fraction(b)] for row, b in zip(matrix, right)]
    for k in range(n):
        hit = next((r for r in range(k, n) if rows[r][k]), None)
        if hit is None:
            return None
        rows[k], rows[hit] = rows[hit], rows[k]
        pivot = rows[k][k]
        rows[k] = [x / pivot for x in rows[k]]
        for r in range(n):
            if r != k and rows[r][k]:
                factor = rows[r][k]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[k])]
    return [row[-1] for row in rows]


def feasible(columns, right):
    """Whether some l >= 0 has sum_j l_j columns[j] = right, all integers."""
    m, n = len(right), len(columns)
    rows = []
    for r in range(m):
        sign = -1 if right[r] < 0 else 1
        rows.append([sign * column[r] for column in columns] + [sign * right[r]])
    cost = [sum(row[j] for row in rows) for j in range(n + 1)]  # what the artificial variables add up to
    basis, last = [n + r for r in range(m)], 1
    while cost[n] > 0:
        enter = next((j for j in range(n) if cost[j] > 0), None)
        if enter is None:
            return False
        leave = None
        for r in range(m):
            if rows[r][enter] > 0:
                if leave is None:
                    leave = r
                else:
                    less = rows[r][n] * rows[leave][enter] - rows[leave][n] * rows[r][enter]
                    if less < 0 or (less == 0 and basis[r] < basis[leave]):
                        leave = r
        head, pivot = rows[leave], rows[leave][enter]
        for r in range(m):
            if r != leave:
                factor = rows[r][enter]
                rows[r] = [(pivot * x - factor * y) // last for x, y in zip(rows[r], head)]
        factor = cost[enter]
        cost = [(pivot * x - factor * y) // last for x, y in zip(cost, head)]
        basis[leave], last = enter, pivot
    return True
