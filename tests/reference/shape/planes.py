"""planes.py -- the polygons of `tropism cells` in the plane (docs/geometry.md, Polygons).

A cell is the hull cut by the half-planes <B x, v_i - v_j> >= 0 of all other vertices, exactly; its corners are then known, and those of
the program are within `band` of them, as many and in the same order. An area is off by at most the perimeter times the band.
Cones and erosions have sides within `inset_band` of the true lines: so their area lies between those of the same polygon with every
line moved inwards and outwards by it.
"""
from fractions import Fraction

import polygons
from cells import LEAST, U, near, show, value
from harness import Difference, equal
from rational import dot, minus, power, root, times


def check(view, got, eta, erode, most=9):
    if view.d != 2:
        return equal("cells", None, got["cells"]) + equal("band", None, got["band"])
    found = []
    listed = [cell["vertex"] for cell in got["cells"]]
    if listed != view.vertices:
        return equal("cells[].vertex", view.vertices, listed)
    hull = polygons.hull([tuple(x) for x in view.x])
    diameter = root(max((dot(e, e) for e in (minus(a, b) for a in hull for b in hull)), default=0)) * view.unit
    reach = root(max(dot(x, x) for x in hull)) * view.unit
    found += near("band", 4 * U * diameter + 2 * U * reach, got["band"], (4 * U * diameter + 2 * U * reach) / 1024)
    step = max(1, len(listed) // (most if len(listed) < 40 else 4))
    for k in range(0, len(listed), step):
        cell = got["cells"][k]
        lines = [times(view.transposed, minus(view.corners[k], view.corners[j])) for j in range(len(listed)) if j != k]
        found += whole(view, hull, lines, cell, value(got["band"]), diameter)
        if k % (3 * step):
            continue
        found += inset(view, hull, lines, cell, "dominance", eta, 0, got["inset_band"], diameter)
        if erode is not None:
            found += inset(view, hull, lines, cell, "eroded", eta or 0, erode, got["inset_band"], diameter)
        else:
            found += equal("cells[].eroded", None, cell["eroded"])
        if found:
            break
    return found


def whole(view, hull, lines, cell, band, diameter):
    mine = hull
    for a, b in lines:
        mine = polygons.cut(mine, a, b, 0)
    mine = [(Fraction(x) * view.unit, Fraction(y) * view.unit) for x, y in mine]
    theirs = [(value(x), value(y)) for x, y in cell["polygon"]]
    name = f"cells[{cell['vertex']}]"
    shown = [[show(c) for c in p] for p in mine]
    # places are rounded once more when they are printed
    reach = band + U * max([abs(c) for p in mine for c in p], default=0) + 2 * LEAST
    if not same(mine, theirs, reach):
        return [Difference(name + ".polygon", shown, cell["polygon"], f"{len(mine)} corners, band {show(band)}")]
    allowed = 8 * diameter * band + 32 * U * diameter ** 2
    return near(name + ".area", polygons.area(mine), cell["area"], allowed)


def same(mine, theirs, reach):
    """Whether both go around the same corners: each is within reach of the other's, in one order; corners nearer than that are one."""
    def close(p, q):
        return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 <= reach * reach
    if not mine or not theirs:
        return mine == theirs
    if not all(any(close(p, q) for q in theirs) for p in mine):
        return False
    for start in range(len(mine)):
        place, turned, good = 0, mine[start:] + mine[:start], True
        for q in theirs:
            ahead = next((k for k in range(place, len(turned)) if close(turned[k], q)), None)
            good, place = good and ahead is not None, ahead or place
        if good:
            return True
    return False


def rough(square):
    """A root with 64 bits: small fractions stay small."""
    found = root(square)
    shift = 64 - found.numerator.bit_length() + found.denominator.bit_length()
    return Fraction(int(found * power(shift))) * power(-shift)


def inset(view, hull, lines, cell, field, eta, radius, band, diameter):
    name = f"cells[{cell['vertex']}].{field}"
    if eta is None:
        return equal(name, None, cell[field]) + equal(name + "_area", None, cell[field + "_area"])
    if value(diameter) < Fraction(1, 10 ** 300):
        return []  # geometry.md: cones and erosions of subnormal clouds have few bits
    eta, radius, band = Fraction(eta) / view.score, Fraction(radius) / view.unit, value(band) / view.unit
    corners = [[value(c) / view.unit for c in p] for p in cell[field]]
    areas = []
    lengths = [rough(a * a + b * b) for a, b in lines]
    for moved in (band, -band):
        mine = hull
        if len(hull) > 2:
            box = max(abs(c) for p in hull for c in p) * 2 + band
            mine = [(-box, -box), (box, -box), (box, box), (-box, box)]
            for a, b, c in polygons.sides(hull):
                mine = polygons.cut(mine, a, b, c + (radius + moved) * rough(a * a + b * b))
        elif radius + moved > 0 and moved > 0:
            mine = []
        for (a, b), length in zip(lines, lengths):
            mine = polygons.cut(mine, a, b, eta + (radius + moved) * length)
        areas.append(polygons.area(mine))
        if moved < 0 and not mine and corners and radius > band:
            return [Difference(name, [], cell[field], "no such point")]
        if moved > 0 and polygons.area(mine) and not corners:
            return [Difference(name, [[show(c * view.unit) for c in p] for p in mine], cell[field], "not empty")]
    slack = 32 * U * diameter ** 2 + LEAST
    found = value(cell[field + "_area"])
    if len(hull) > 2:
        # a corner is on two sides, each within the band of its line, and within all others
        for x, y in corners:
            for (a, b), offset, length in [((a, b), eta, length) for (a, b), length in zip(lines, lengths)] + \
                    [((a, b), c, rough(a * a + b * b)) for a, b, c in polygons.sides(hull)]:
                if a * x + b * y - offset < (radius - 2 * band - 4 * U * (abs(x) + abs(y)) - 64 * LEAST / view.unit) * length:
                    return [Difference(name, "within its lines", cell[field], f"corner {show(x * view.unit)}, {show(y * view.unit)}")]
        if not isinstance(found, float) and abs(polygons.area([tuple(p) for p in corners]) * view.unit ** 2 - found) > 2 * slack:
            return [Difference(name + "_area", show(polygons.area([tuple(p) for p in corners]) * view.unit ** 2), cell[field + "_area"], "of its corners")]
    if isinstance(found, float):
        return near(name + "_area", areas[0] * view.unit ** 2, cell[field + "_area"], slack)
    if not areas[0] * view.unit ** 2 - slack <= found <= areas[1] * view.unit ** 2 + slack:
        return [Difference(name + "_area", [show(a * view.unit ** 2) for a in areas], cell[field + "_area"], "between these")]
    return []
