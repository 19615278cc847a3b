"""hull_measures.py -- the hull of a cloud as `tropism cells` reports it (docs/geometry.md, Hull), judged against hulls.py.

Bounds, u = 2^-53, R = max |x|, D the diameter, d coordinates:
  diameter     a root of d squares of rounded differences: (d + 6) u D
  volume       a sum of determinants over a triangulated boundary: each is off by 8 d^2 u of the product of its edges (Hadamard), and
               facets that Qhull merges are thinner than 64 d u (R + D), which changes the volume by that times the surface
  width        up to three dimensions: the width at a normal that rounding turns by 64 u D/width at most
  distance     16 u max |x_j - q| (docs)
  candidates   no deeper than 2.02 (d + 4) u |r| (docs), and the error of the height itself: 64 d u (R + D)
"""
import math
from fractions import Fraction

import hulls
import numpy
from cells import LEAST, U, near, show, value
from harness import Difference, equal, number
from rational import dot, integers, minus, power, root, times


def cover(view):
    """R: the largest |x|."""
    return root(max(dot(x, x) for x in view.x)) * view.unit


def thin(cloud):
    """Ratios of the widths of a cloud along axes of its own to the largest, in double: [] for one point; None beyond double."""
    shifted = [minus(row, cloud[0]) for row in cloud]
    largest = max(abs(c) for row in shifted for c in row)
    if largest == 0:
        return []
    x = numpy.array([[float(Fraction(c, largest)) for c in row] for row in shifted])
    x -= x.mean(0)
    found = []
    for _ in range(min(x.shape)):
        lengths = numpy.sqrt((x ** 2).sum(1))
        k = lengths.argmax()
        found.append(float(lengths[k]))
        if lengths[k] < 1e-300:
            break
        axis = x[k] / lengths[k]
        for _ in range(2):
            x = x - numpy.outer(x @ axis, axis)
    return [w / found[0] for w in found]


def sure(cloud, k):
    """Whether every direction of a hull of dimension k is thicker than 1e-10 of it: then the effective dimension is k (docs: a direction
    thinner than 1e-13 of the diameter does not count)."""
    return len([r for r in thin(cloud) if r > 1e-10]) == k


def vertices(view, hull, got):
    """In the plane and on a line the list is complete; above, a vertex that is missing is a candidate and hardly sticks out."""
    found = []
    mine, theirs = set(hull.vertices), got["vertices"]
    if theirs != sorted(set(theirs)):
        found.append(Difference("vertices", "ascending", theirs, ""))
    for v in theirs:
        if v not in mine:
            found.append(Difference("vertices", "no vertex", v, "listed, is in the hull of the others"))
    for v in mine - set(theirs):
        others = [hull.cloud[i] for i in hull.own if i != v]
        out = root(hulls.nearest([minus(x, hull.cloud[v]) for x in others], None)[0]) * view.unit if len(others) <= 40 else 0
        if hull.k <= 2 or v not in got["candidates"] or out > 64 * view.d * U * 2 * cover(view):
            found.append(Difference("vertices", "a vertex", v, f"missing, sticks out by {show(out)}"))
    return found


def faces(view, hull, got):
    found = []
    mine = set(hull.edges())
    theirs = got["edges"]
    if theirs is not None:
        theirs = {tuple(e) for e in theirs}
        gone = sorted(e for e in mine - theirs if set(e) <= set(got["vertices"]))
        if gone:
            found.append(Difference("edges", "edges", gone[:4], "missing"))
        more = sorted(theirs - mine)
        # every facet has just k tokens: nothing is in doubt
        simple = sum(len(f) for f in hull.on.values()) == hull.k * len(hull.planes)
        if more and (hull.k <= 3 or simple and slim(hull) < 1e9):  # in a thin hull rounding leaves pairs in doubt
            found.append(Difference("edges", "no edges", more[:4], "listed"))
    else:
        found += equal("edges", "a list", None)
    theirs = set(got["candidates"])
    gone = sorted(set(hull.boundary()) - theirs)
    if gone:
        found.append(Difference("candidates", "on the boundary", gone[:4], "missing"))
    reach = root(sum(max(abs(x[c]) for x in view.x) ** 2 for c in range(view.d))) * view.unit
    deepest = Fraction(202, 100) * (view.d + 4) * U * reach + 64 * view.d * U * 2 * cover(view) + LEAST
    if hull.k == view.d:
        for t in sorted(theirs - set(hull.boundary()))[:6]:
            depth = hull.depth(view.x[t]) * view.unit
            if depth > deepest:
                found.append(Difference("candidates", "not one", t, f"{show(depth)} deep, at most {show(deepest)}"))
    return found


def measures(view, hull, got):
    found = equal("dimension", hull.k, got["dimension"])
    diameter = root(hull.diameter2()) * view.unit
    reach = cover(view)
    found += near("diameter", diameter, got["diameter"], (view.d + 6) * U * diameter)
    square = hull.width2()
    width = None if square is None else root(square) * view.unit
    if width is None:
        pass
    elif hull.k <= 3:
        slack = 64 * U * (diameter + (reach if hull.k < view.d else 0)) * (diameter / width if width else 1)
        found += near("width", width, got["width"], slack)
        found += near("width_lower", width, got["width_lower"], slack)
    elif got["width"] is not None:
        if value(got["width_lower"]) > width * (1 + 8 * U) + LEAST:
            found.append(Difference("width_lower", show(width), got["width_lower"], "above the width"))
        if value(got["width"]) > diameter * (1 + 16 * U):
            found.append(Difference("width", show(diameter), got["width"], "above the diameter"))
        if value(got["width"]) < value(got["width_lower"]):
            found.append(Difference("width", got["width_lower"], got["width"], "below its lower bound"))
    if hull.k > 6:
        return found + equal("volume", None, got["volume"])
    allowed = 0
    if hull.k == view.d and hull.k > 1:
        edges = sum(math.prod(root(dot(e, e)) for e in (minus(hull.at[i], hull.at[hull.frame[0]]) for i in c)) for c in hull.facets) / math.factorial(hull.k)
        surface = sum(root(dot(m, m)) for m, _ in hull.facets.values()) / math.factorial(hull.k - 1)
        allowed = (8 * hull.k ** 2 * U * edges + 64 * hull.k * U * (reach + diameter) / view.unit * surface) * view.unit ** hull.k
    elif hull.k:
        # a flat cloud is projected on axes of its own, which are off by a few u R
        allowed = 64 * hull.k ** 2 * view.d * U * (diameter + reach) * diameter ** (hull.k - 1)
    return found + near("volume", hull.volume() * view.unit ** hull.k, got["volume"], allowed)


def origin(view, hull, got):
    found = []
    side, atoms = got["origin.side"], got["origin.atoms"]
    found += equal("contains_origin", {"inside": True, "outside": False, "touching": None}.get(side), got["contains_origin"])
    square, _ = hulls.nearest(view.x, atoms)
    distance, reach = root(square) * view.unit, cover(view)
    found += near("origin.distance", distance, got["origin.distance"], 16 * U * reach + view.d * LEAST)  # of a point whose coordinates are rounded
    if value(got["origin.lower"]) > distance * (1 + U / 4):
        found.append(Difference("origin.lower", show(distance), got["origin.lower"], "above the distance"))
    if side == "inside" and square:
        found.append(Difference("origin.side", "outside", side, show(distance)))
    if side == "outside":
        e, w = integers([[number(c) for c in got["origin.direction"]]])
        if any(dot(w[0], x) >= 0 for x in view.x):
            found.append(Difference("origin.direction", "separates", got["origin.direction"], ""))
        found += near("|origin.direction|", 1, float(root(dot(w[0], w[0])) * power(e)), (view.d + 8) * U)
    elif any(number(c) for c in got["origin.direction"]) and side == "inside":
        found.append(Difference("origin.direction", "zero", got["origin.direction"], side))
    if side == "touching":
        far = distance
        if not square and hull is not None:
            far = hull.depth([0] * view.d) * view.unit / slim(hull) if hull.k == view.d else 0
        if far > 64 * (view.d + 4) * U * reach:
            found.append(Difference("origin.side", "proved", side, f"{show(far)} from the boundary"))
    weights = [Fraction(number(w)) for w in got["origin.weights"]]
    found += near("sum of origin.weights", 1, float(sum(weights)), 4 * (len(weights) + 4) * U)
    place = [sum(w * view.x[a][c] for w, a in zip(weights, atoms)) for c in range(view.d)]
    # the nearest point up to rounding: as far as the distance allows, and weights that are off by a few u
    off = root(dot(place, place)) * view.unit - distance
    if any(w < 0 for w in weights) or off > 64 * (len(weights) + 4) * U * reach + view.d * LEAST:
        found.append(Difference("origin.weights", "the nearest point", got["origin.weights"], f"off by {show(off)}"))
    return found


def slim(hull):
    """Diameter over width: what a thin simplex makes of rounding in the weights of a point inside."""
    square = hull.width2() if hull.k else None
    return root(hull.diameter2() / square) if square else 1


def inside(view, hull, got):
    """query_inside: 1 and -1 are proved; 0 is near the boundary."""
    found = []
    for i, q in enumerate(view.q):
        said = got["query_inside"][i]
        true = hull.has(q)
        if (said == 1 and true < 0) or (said == -1 and true >= 0) or said not in (-1, 0, 1):
            found.append(Difference(f"query_inside[{i}]", "inside" if true >= 0 else "outside", said, ""))
        if said == 0 and true:
            reach = root(max(dot(e, e) for e in (minus(x, q) for x in view.x))) * view.unit
            far = hull.depth(q) if true > 0 else root(hulls.nearest([minus(x, q) for x in view.x], None)[0])
            if far * view.unit > 64 * (view.d + 4) * U * reach * (slim(hull) if true > 0 else 1) and hull.k == view.d:
                found.append(Difference(f"query_inside[{i}]", true, said, f"{show(far * view.unit)} from the boundary"))
    return found


def eroded(view, hull, got, eta, radius):
    """Whether the ball around a token is in a cone; either answer where rounding decides: a few u of the diameter in depth, of the
    terms in a lead. Of a flat hull no ball is a part."""
    if radius is None:
        return equal("eroded", None, got["eroded"])
    if got["eroded"] is None:
        return equal("eroded", "a list", None)
    found = []
    least, radius = Fraction(eta or 0), Fraction(radius)
    slack = 64 * view.d * U * 2 * cover(view)
    rows = range(0, len(view.x), max(1, len(view.x) // 8))
    for i in rows:
        row, x = view.scores[i], view.x[i]
        depth = hull.depth(x) * view.unit if hull.k == view.d else 0
        terms = sum(times([[abs(c) for c in r] for r in view.b], [abs(c) for c in x]))
        surely, perhaps = [], []
        for k in (k for k in range(len(row)) if row[k] == max(row)):  # a lead of at least 0
            slacks, errors = [depth - radius], [slack if radius else 0]
            for j in range(len(row)):
                if j != k:
                    reach = radius * root(view.wall2(k, j)) * power(view.e + view.f)
                    slacks.append((row[k] - row[j]) * view.score - least - reach)
                    size = terms * max(abs(c) for v in (view.corners[j], view.corners[k]) for c in v) * view.score
                    errors.append(16 * (view.d + 4) * U * (size + least + reach) + LEAST if radius else 0)
            if all(s >= e for s, e in zip(slacks, errors)):
                surely.append(view.vertices[k])
            if all(s >= -e for s, e in zip(slacks, errors)):
                perhaps.append(view.vertices[k])
        label = got["eroded"][i]
        if (label not in perhaps) if label != -1 else surely:
            found.append(Difference(f"eroded[{i}]", surely or perhaps or -1, label, f"radius {show(radius)}"))
    return found
