"""cells.py -- what the manual says of the cells of a cloud (docs/geometry.md), for numbers without rounding.

A `View` is a cloud with its matrix B, its queries and the vertices to which the cells belong, all of them integers times powers of
two: tokens are x 2^e, B is b 2^f, so that <B x, v> is an integer times 2^(2e + f) (`score unit`).

Decisions are compared with equality. Bounds of numbers, u = 2^-53:
  margins, walls, gaps, c0   true sign and 1/32 of the value (docs: How it is certified); beside it the least positive double
  energies                   the sum of d^2 products of three numbers: (2 d + 4) u of the sum of their sizes
"""
from fractions import Fraction

from harness import Difference, equal, number
from rational import dot, integers, minus, power, root, times

U = Fraction(1, 1 << 53)
LEAST = Fraction(1, 1 << 1074)
LARGEST = Fraction(2) ** 1024 - Fraction(2) ** 970


def value(text):
    """A printed double as a fraction; 'inf' stays."""
    text = number(text)
    return text if text is None or text in (float("inf"), float("-inf")) or text != text else Fraction(text)


def near(field, expected, got, allowed):
    """|got - expected| <= allowed in fractions; what leaves double may be infinite or the least positive double."""
    found = value(got)
    if isinstance(found, float):
        sign = 1 if found > 0 else -1
        if found == found and sign * Fraction(expected) + allowed >= LARGEST:
            return []
    elif found is not None and abs(found - expected) <= allowed + LEAST:
        return []
    return [Difference(field, show(expected), got, f"allowed {show(allowed)}")]


def show(x):
    try:
        return float(x)
    except OverflowError:
        return f"about 2^{(x.numerator.bit_length() - x.denominator.bit_length())}"


def signed(field, expected, got):
    """True sign, and a relative error of 1/32."""
    if expected is None:
        return equal(field, "inf", got)
    found = number(got)
    if found is None or (found > 0) != (expected > 0) or (found < 0) != (expected < 0):
        return [Difference(field, show(expected), got, "sign")]
    return near(field, expected, got, abs(expected) / 32)


class View:
    def __init__(self, tokens, matrix, queries, vertices):
        self.d = len(tokens[0])
        self.e, self.x, self.q = integers(tokens, queries)
        self.f, self.b = integers(matrix)
        self.unit, self.score = power(self.e), power(2 * self.e + self.f)
        self.vertices = vertices
        self.corners = [self.x[v] for v in vertices]
        self.symmetric = all(self.b[i][j] == self.b[j][i] for i in range(self.d) for j in range(i))
        self.transposed = [list(row) for row in zip(*self.b)]
        self.scores = [[dot(y, v) for v in self.corners] for y in (times(self.b, x) for x in self.x)]
        self.wall_squares = {}

    def wall2(self, i, j):
        """|B'(v_i - v_j)|^2 in units of 2^(2 (e + f))."""
        key = (min(i, j), max(i, j))
        if key not in self.wall_squares:
            w = times(self.transposed, minus(self.corners[i], self.corners[j]))
            self.wall_squares[key] = dot(w, w)
        return self.wall_squares[key]

    def label(self, scores):
        """(vertex or -1, margin); the margin is None where there is no other vertex."""
        best = max(range(len(scores)), key=lambda k: scores[k])
        if len(scores) == 1:
            return self.vertices[best], None
        lead = scores[best] - max(s for k, s in enumerate(scores) if k != best)
        return (self.vertices[best] if lead else -1), lead * self.score

    def wall(self, scores):
        """The distance to the nearest wall of the best vertex; None where there is none."""
        best = max(range(len(scores)), key=lambda k: scores[k])
        walls = [Fraction((scores[best] - scores[k]) ** 2, self.wall2(best, k)) for k in range(len(scores)) if k != best and self.wall2(best, k)]
        return root(min(walls)) * self.unit if walls else None

    def labelled(self, prefix, got, rows):
        """Labels and margins of every row; walls of some rows when there are many."""
        found = []
        labels, margins, walls = (got[prefix + name] for name in ("labels", "margins", "walls"))
        every = max(1, len(rows) * len(self.vertices) // 500)
        for i, scores in enumerate(rows):
            label, margin = self.label(scores)
            found += equal(f"{prefix}labels[{i}]", label, labels[i])
            found += signed(f"{prefix}margins[{i}]", margin, margins[i])
            if i % every == 0:
                found += signed(f"{prefix}walls[{i}]", self.wall(scores), walls[i])
        return found

    def owners(self):
        own = []
        for k, v in enumerate(self.vertices):
            row = self.scores[v]
            own.append(all(row[k] > row[j] for j in range(len(row)) if j != k))
        return own

    def cells(self, got):
        """labels, margins, walls, owns_cell, c0, partition, generic, obstacle, voronoi, gaps, energies."""
        found = self.labelled("", got, self.scores)
        own = self.owners()
        found += equal("owns_cell", own, got["owns_cell"])
        pairs = [(i, j) for i in range(len(self.vertices)) for j in range(len(self.vertices)) if i != j]
        leads = [self.scores[self.vertices[i]][i] - self.scores[self.vertices[i]][j] for i, j in pairs]
        found += signed("c0", min(leads) * self.score if leads else None, got["c0"])
        partition = all(self.wall2(i, j) for i, j in pairs if i < j)
        found += equal("partition", partition, got["partition"])
        on_wall = [i for i, row in enumerate(self.scores) if self.label(row)[0] == -1]
        generic = all(own) and not on_wall
        found += equal("generic", generic, got["generic"])
        found += self.obstacle(got["obstacle"], generic, on_wall)
        return found + self.voronoi(got) + self.energies(got) + self.gaps(got)

    def obstacle(self, text, generic, on_wall):
        if generic or not isinstance(text, str):
            return equal("obstacle", None if generic else "a sentence", text)
        numbers = [int(w) for w in text.replace("x_", " ").replace(">", " ").replace(":", " ").split() if w.isdigit()]
        if text.startswith("vertex") and len(numbers) == 2:
            v, w = numbers
            if v in self.vertices and w in self.vertices:
                row = self.scores[v]
                if v != w and row[self.vertices.index(v)] <= row[self.vertices.index(w)]:
                    return []
        elif text.startswith("token") and len(numbers) == 3:
            t, v, w = numbers
            if t in on_wall and v != w and v in self.vertices and w in self.vertices:
                row = self.scores[t]
                if row[self.vertices.index(v)] == row[self.vertices.index(w)] == max(row):
                    return []
        return [Difference("obstacle", "a true one", text, "")]

    def voronoi(self, got):
        """J counts as equal within 8 (d + 2) u of the largest sum of sizes of its terms (docs: How it is certified)."""
        found = []
        energy = [self.scores[v][k] for k, v in enumerate(self.vertices)]
        size = max(self.size(v) for v in self.corners)
        spread, allowed = max(energy) - min(energy), 8 * (self.d + 2) * U * size
        if not self.symmetric or spread > allowed * Fraction(33, 32) or spread * Fraction(33, 32) < allowed or spread == 0:
            found += equal("voronoi", self.symmetric and spread <= allowed, got["voronoi"])
        if not self.symmetric:
            return found + equal("voronoi_labels", None, got["voronoi_labels"])
        for i, row in enumerate(self.scores):
            # <B (x - v), x - v> less the part that all share: <B v, v> - 2 <B x, v>
            form = [energy[k] - 2 * row[k] for k in range(len(row))]
            best = [k for k in range(len(row)) if form[k] == min(form)]
            found += equal(f"voronoi_labels[{i}]", self.vertices[best[0]] if len(best) == 1 else -1, got["voronoi_labels"][i])
        return found

    def size(self, x):
        """sum of |x_a B_ac x_c|."""
        return sum(abs(x[a] * self.b[a][c] * x[c]) for a in range(self.d) for c in range(self.d))

    def energies(self, got):
        found = []
        for i, x in enumerate(self.x):
            expected = Fraction(dot(times(self.b, x), x)) / 2 * self.score
            found += near(f"energies[{i}]", expected, got["energies"][i], (2 * self.d + 4) * U * self.size(x) / 2 * self.score + self.d * self.d * LEAST)
        return found

    def gaps(self, got):
        found, largest = [], 0
        for i, x in enumerate(self.x):
            y = times(self.b, x)
            # the maximum of a linear functional over the cloud is attained at a vertex; tokens are asked all the same
            gap = max(dot(y, z) for z in self.x) - dot(y, x) if len(self.x) <= 64 else max(self.scores[i] + [dot(y, x)]) - dot(y, x)
            largest = max(largest, gap)
            found += signed(f"gaps[{i}]", gap * self.score, got["gaps"][i])
        return found + signed("gap_max", largest * self.score, got["gap_max"])

    def dominance(self, got, eta):
        if eta is None:
            return equal("dominance", None, got["dominance"])
        found, least = [], Fraction(eta) / self.score
        for i, row in enumerate(self.scores):
            holds = [self.vertices[k] for k in range(len(row)) if all(row[k] - row[j] >= least for j in range(len(row)) if j != k)]
            label = got["dominance"][i]
            if (label not in holds) if holds else label != -1:
                found.append(Difference(f"dominance[{i}]", holds or -1, label, f"eta {eta!r}"))
        return found
