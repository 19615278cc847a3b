"""polygons.py -- convex polygons cut by half-planes, in fractions.

A half-plane is (a, b, c): the points with a x + b y >= c. A polygon is a list of its corners, counterclockwise; a segment has two,
a point one, the empty set none. Cutting keeps the closed side: what is left may be a segment or a point, and is then kept as such.
"""
from fractions import Fraction


def turn(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def tidy(corners):
    """Without doubles, and without corners between their neighbours."""
    corners = [p for k, p in enumerate(corners) if p != corners[k - 1] or len(set(corners)) == 1]
    if len(set(corners)) <= 2:
        return list(dict.fromkeys(corners))
    if all(turn(corners[0], corners[1], p) == 0 for p in corners):
        return [min(corners), max(corners)]
    return [p for k, p in enumerate(corners) if turn(corners[k - 1], p, corners[(k + 1) % len(corners)]) != 0]


def hull(points):
    """The convex hull of points in the plane, counterclockwise."""
    points = sorted(set(points))
    if len(points) < 3:
        return points
    chains = []
    for order in (points, points[::-1]):
        chain = []
        for p in order:
            while len(chain) > 1 and turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def cut(corners, a, b, c):
    if not corners:
        return []
    heights = [a * p[0] + b * p[1] - c for p in corners]
    if all(h >= 0 for h in heights):
        return corners
    if len(corners) == 2:
        (p, q), (h, g) = corners, heights
        if h < 0 and g < 0:
            return []
        if h < 0:
            p, q, h, g = q, p, g, h
        return tidy([p, between(p, q, h, g)])
    kept = []
    for k, (p, h) in enumerate(zip(corners, heights)):
        q, g = corners[(k + 1) % len(corners)], heights[(k + 1) % len(corners)]
        if h >= 0:
            kept.append(p)
        if h * g < 0:
            kept.append(between(p, q, h, g))
    return tidy(kept) if kept else []


def between(p, q, h, g):
    t = Fraction(h) / (h - g)
    return (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))


def sides(corners):
    """The half-planes whose meet is a polygon with an interior."""
    found = []
    for k, p in enumerate(corners):
        q = corners[(k + 1) % len(corners)]
        a, b = p[1] - q[1], q[0] - p[0]
        found.append((a, b, a * p[0] + b * p[1]))
    return found


def area(corners):
    if len(corners) < 3:
        return Fraction(0)
    return sum((turn(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)), Fraction(0)) / 2
