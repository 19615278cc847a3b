"""hulls.py -- the convex hull of a cloud of integers, exactly.

Points are placed one after the other (beneath-beyond; Edelsbrunner 1987, chapter 8): the facets that a point sees strictly go,
their horizon is coned from it. The boundary stays a triangulated sphere also for degenerate clouds: a point that is in the
affine hull of a ridge sees neither of its facets strictly, so no new facet is flat. What the point adds to the volume is, for each
facet it sees, a determinant, which is <normal, p> - offset when normals are vectors of minors.

A flat cloud of dimension k is looked at in k of its coordinates, an affine bijection on its hull: vertices, faces and
edges stay what they are, and lengths of functionals and volumes are those of the Gram matrix of a frame.

A point is a vertex when the normals of the facets through it have rank k; two vertices are the ends of an edge when those
of their common facets have rank k - 1. The width in the plane is attained at the normal of an edge, in space at the
cross product of two edges; the least width over all these normals is the width, since any other has no smaller one.

`TooLarge` is raised where Python would take too long; Qhull (scipy's) is the judge there (`outside_judge`).
"""
import itertools
import math
from fractions import Fraction

import numpy
from rational import determinant, dot, feasible, minus, normal, rank, reduce, root, solve


class TooLarge(Exception):
    pass


class Hull:
    def __init__(self, cloud, work=60000):
        self.cloud, self.work = cloud, work
        first = {}
        for i, x in enumerate(cloud):
            first.setdefault(tuple(x), i)
        self.first = [first[tuple(x)] for x in cloud]
        self.own = sorted(first.values())  # distinct points, by their first index
        base = cloud[self.own[0]]
        # far points first: they make a large simplex, and the later ones see little
        middle = [sum(cloud[i][c] for i in self.own) / len(self.own) if max(map(abs, base)) < 1 << 900 else 0 for c in range(len(base))]
        try:
            far = sorted(self.own, key=lambda i: -sum((float(x) - float(m)) ** 2 for x, m in zip(cloud[i], middle)))
        except OverflowError:
            far = sorted(self.own, key=lambda i: -sum(abs(x) for x in cloud[i]))
        base = far[0]
        others = far[1:]
        _, self.axes, rows, _ = reduce([minus(cloud[i], cloud[base]) for i in others]) if others else ([], [], [], 1)
        self.k = len(self.axes)
        self.frame = [base] + [others[r] for r in rows]
        self.at = {i: [cloud[i][c] for c in self.axes] for i in self.own}
        self.inner = [sum(self.at[i][c] for i in self.frame) for c in range(self.k)]
        self._place([i for i in far if i not in self.frame])
        self._planes()

    def _facet(self, corners):
        first, *rest = corners
        m = normal([minus(self.at[i], self.at[first]) for i in rest], self.k)
        offset = dot(m, self.at[first])
        if dot(m, self.inner) > offset * (self.k + 1):
            m, offset = [-c for c in m], -offset
        return m, offset

    def _place(self, rest):
        """facets: {corners: (normal, offset)}; content: the volume in these coordinates times k!."""
        frame = [minus(self.at[i], self.at[self.frame[0]]) for i in self.frame[1:]]
        self.content = abs(determinant(frame)) if self.k else 1
        self.facets = {}
        if self.k == 0:
            return
        for corners in itertools.combinations(sorted(self.frame), self.k):
            self.facets[corners] = self._facet(corners)
        done = 0
        for p in rest:
            done += len(self.facets)
            if done * (self.k + 1) > 4 * self.work:
                raise TooLarge
            x = self.at[p]
            ridges = {}
            for corners, (m, offset) in list(self.facets.items()):
                above = dot(m, x) - offset
                if above > 0:
                    self.content += above
                    del self.facets[corners]
                    for ridge in itertools.combinations(corners, self.k - 1):
                        ridges[ridge] = ridge not in ridges
            for ridge, alone in ridges.items():
                if alone:
                    corners = tuple(sorted(ridge + (p,)))
                    self.facets[corners] = self._facet(corners)
                    done += 8

    def _planes(self):
        """The facets' hyperplanes (coplanar simplices are one), and which points are on each."""
        planes = {}
        for m, offset in self.facets.values():
            g = math.gcd(*m)
            planes[tuple(c // g for c in m)] = offset // g
        self.planes = list(planes.items())
        if len(self.planes) * len(self.own) > self.work:
            raise TooLarge
        self.on = {i: [f for f, (m, offset) in enumerate(self.planes) if dot(m, self.at[i]) == offset] for i in self.own}
        self.vertices = [i for i in self.own if len(self.on[i]) >= self.k and
                         rank([self.planes[f][0] for f in self.on[i]]) == self.k]

    def edges(self):
        pairs = []
        for i, j in itertools.combinations(self.vertices, 2):
            common = set(self.on[i]) & set(self.on[j])
            if len(common) >= self.k - 1 and rank([self.planes[f][0] for f in common]) == self.k - 1:
                pairs.append((i, j))
        return pairs

    def boundary(self):
        """All tokens (doubles of points included) on the relative boundary; every token of a flat cloud."""
        flat = self.k < len(self.cloud[0])
        return [t for t, i in enumerate(self.first) if flat or self.on[i]]

    def gram(self):
        rows = [minus(self.cloud[i], self.cloud[self.frame[0]]) for i in self.frame[1:]]
        return rows, [[dot(a, b) for b in rows] for a in rows]

    def square(self, m):
        """|gradient|^2 of the functional <m, x in the axes> along the hull's own space."""
        if self.k == len(self.cloud[0]):
            return dot(m, m)
        rows, gram = self.gram()
        g = [dot(m, [row[c] for c in self.axes]) for row in rows]
        return dot(g, solve(gram, g))

    def volume(self):
        """In the hull's own dimension, as a Fraction with a relative error below 2^-59."""
        if self.k == 0:
            return Fraction(1)
        whole = Fraction(self.content, math.factorial(self.k))
        if self.k == len(self.cloud[0]):
            return whole
        rows, gram = self.gram()
        return whole * root(Fraction(determinant(gram), determinant([[row[c] for c in self.axes] for row in rows]) ** 2))

    def diameter2(self):
        return max((dot(e, e) for e in (minus(self.cloud[i], self.cloud[j]) for i, j in itertools.combinations(self.vertices, 2))), default=0)

    def width2(self):
        """The square of the width up to k = 3; above, of the least width at a facet's normal. None: too much work."""
        if self.k == 0:
            return Fraction(0)
        flat = self.k < len(self.cloud[0])
        if self.k == 3:
            edges = [minus(self.at[i], self.at[j]) for i, j in self.edges()]
            if flat and len(edges) > 40:
                return None
            # lengths in the axes of a flat hull are not its own: no shortlist by them
            normals = [m for m in (normal([a, b], 3) for a, b in itertools.combinations(edges, 2)) if m] if flat else \
                shortlist(edges, [self.at[i] for i in self.vertices])
        else:
            normals = [m for m, _ in self.planes]
        if self.k > 3 and (flat or len(normals) * len(self.vertices) > self.work):
            normals = normals[:64]
        return min(Fraction(spread(m, [self.at[i] for i in self.vertices]) ** 2) / self.square(m) for m in normals)

    def has(self, q):
        """1: q (integers of the same unit) is inside, 0: on the relative boundary, -1: outside."""
        if self.k < len(q):
            rows, _ = self.gram()
            if rank(rows + [minus(q, self.cloud[self.frame[0]])]) > self.k:
                return -1
        x = [q[c] for c in self.axes]
        signs = [offset - dot(m, x) for m, offset in self.planes]
        return -1 if any(s < 0 for s in signs) else int(all(s > 0 for s in signs))

    def depth(self, q):
        """Distance to the nearest facet's plane, negative outside (in the hull's own space)."""
        x = [q[c] for c in self.axes]
        if not self.planes:
            return Fraction(0)
        heights = ((offset - dot(m, x), self.square(m)) for m, offset in self.planes)
        return min((root(Fraction(h * h) / s) if h >= 0 else -root(Fraction(h * h) / s) for h, s in heights))


def spread(m, points):
    heights = [dot(m, x) for x in points]
    return max(heights) - min(heights)


def shortlist(edges, points):
    """Cross products of two edges whose width can be the least, found in double (with a generous allowance) and given exactly."""
    unit = max(abs(c) for e in edges for c in e).bit_length()
    shrink = Fraction(1, 1 << unit)
    e = numpy.array([[float(c * shrink) for c in edge] for edge in edges])
    x = numpy.array([[float((c - o) * shrink) for c, o in zip(p, points[0])] for p in points])
    a, b = numpy.triu_indices(len(edges), 1)
    cross = numpy.cross(e[a], e[b])
    length = numpy.sqrt((cross ** 2).sum(1))
    keep = length > 1e-12 * numpy.sqrt((e[a] ** 2).sum(1) * (e[b] ** 2).sum(1))
    a, b, cross, length = a[keep], b[keep], cross[keep], length[keep]
    heights = cross @ x.T
    width = (heights.max(1) - heights.min(1)) / length
    best = numpy.argsort(width)[:24]
    exact = (normal([edges[a[i]], edges[b[i]]], 3) for i in best)
    return [m for m in exact if m]


def member(points, q):
    """Whether q is a convex combination of the points (integers), by a linear program."""
    return feasible([list(p) + [1] for p in points], list(q) + [1])


def is_edge(points, i, j):
    """Whether two vertices of a hull are the ends of an edge: no combination of the others lies on their line."""
    along = minus(points[j], points[i])
    columns = [minus(p, points[i]) + [1] for l, p in enumerate(points) if l not in (i, j)]
    return not feasible(columns + [along + [0], [-c for c in along] + [0]], [0] * len(along) + [1])


def nearest(points, guess):
    """|p|^2 of the point p of the hull nearest to 0, exactly, by Wolfe's algorithm in fractions; `guess` names likely corners."""
    def affine(corral):
        size = len(corral)
        matrix = [[dot(points[i], points[j]) for j in corral] + [1] for i in corral] + [[1] * size + [0]]
        found = solve(matrix, [0] * size + [1])
        return found and found[:size]

    corral, weights = None, None
    if guess:
        found = affine(list(guess))
        if found and all(w > 0 for w in found):
            corral, weights = list(guess), found
    if corral is None:
        corral = [min(range(len(points)), key=lambda i: dot(points[i], points[i]))]
        weights = [Fraction(1)]
    while True:
        p = [dot(weights, [points[i][c] for i in corral]) for c in range(len(points[0]))]
        value, j = min((dot(p, x), i) for i, x in enumerate(points))
        if value >= dot(p, p):
            return dot(p, p), p
        corral, weights = corral + [j], weights + [Fraction(0)]
        while True:
            found = affine(corral)
            if all(w > 0 for w in found):
                weights = found
                break
            step = min(w / (w - v) for w, v in zip(weights, found) if v <= 0 and w != v)
            weights = [w + step * (v - w) for w, v in zip(weights, found)]
            kept = [i for i, w in enumerate(weights) if w > 0]
            corral, weights = [corral[i] for i in kept], [weights[i] for i in kept]


def outside_judge(cloud):
    """(volume, vertices, facets) by Qhull, for clouds of full dimension in general position."""
    from scipy.spatial import ConvexHull
    found = ConvexHull(numpy.array(cloud))
    return found.volume, sorted(int(i) for i in found.vertices), found
