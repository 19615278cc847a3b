"""clouds.py -- clouds of tokens by kind, most of them degenerate on purpose, and simpler ones of them.

    make(kind, n, d, rng)   -> n lists of d doubles
    text(rows)              -> the .csv of them; every double reads back to the same bits
    scaled(rows)            -> (whole numbers, e) with x = whole * 2^-e, exactly
    simpler(rows)           -> clouds with fewer tokens or fewer bits, the simplest first

Where a decision is made for the real numbers that doubles stand for (docs/rules.md), it is made wrong,
if ever, where many scores are equal (lattice, duplicates, antipodal, axes), nearly equal (near: one ulp
apart), or of very different size (huge, tiny, outlier, scales).
"""
import math

KINDS = ("gaussian", "dyadic", "lattice", "duplicates", "collinear", "equal", "sphere", "axes", "polygon",
         "antipodal", "near", "outlier", "huge", "tiny", "scales", "origin")


def gaussian(n, d, rng):
    return [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)]


def dyadic(n, d, rng):
    """Eighths in [-2, 2]: scores have few bits, so that some tie."""
    return [[rng.randint(-16, 16) / 8 for _ in range(d)] for _ in range(n)]


def lattice(n, d, rng):
    """Whole numbers from -2 to 2: scores tie, and places repeat."""
    return [[float(rng.randint(-2, 2)) for _ in range(d)] for _ in range(n)]


def duplicates(n, d, rng):
    """A few places, each of them taken by many tokens."""
    places = gaussian(max(1, n // 4), d, rng)
    return [list(rng.choice(places)) for _ in range(n)]


def collinear(n, d, rng):
    """On a line through the origin or beside it, exactly: base + k step of small whole numbers."""
    base = [rng.choice((0.0, 0.0, 1.0)) for _ in range(d)]
    step = [float(rng.randint(-2, 2)) for _ in range(d)]
    return [[b + k * s for b, s in zip(base, step)] for k in (rng.randint(-8, 8) / 4 for _ in range(n))]


def equal(n, d, rng):
    place = [rng.gauss(0, 1) for _ in range(d)]
    return [list(place) for _ in range(n)]


def sphere(n, d, rng):
    """On the unit sphere up to rounding."""
    rows = gaussian(n, d, rng)
    lengths = [math.sqrt(math.fsum(c * c for c in row)) or 1.0 for row in rows]
    return [[c / length for c in row] for row, length in zip(rows, lengths)]


def axes(n, d, rng):
    """Plus and minus the unit vectors, and the origin: on the sphere and in the centre, exactly."""
    rows = []
    for _ in range(n):
        row = [0.0] * d
        k = rng.randrange(2 * d + 1)
        if k:
            row[(k - 1) // 2] = 1.0 if k % 2 else -1.0
        rows.append(row)
    return rows


def polygon(n, d, rng):
    """A regular polygon in the first two coordinates (of the line: its projection)."""
    angles = [2 * math.pi * k / n for k in range(n)]
    return [([math.cos(a), math.sin(a)] + [0.0] * d)[:d] for a in angles]


def antipodal(n, d, rng):
    """Pairs x, -x; one that is left over is the origin."""
    half = gaussian(n // 2, d, rng)
    rows = half + [[-c for c in row] for row in half] + [[0.0] * d] * (n % 2)
    rng.shuffle(rows)
    return [list(row) for row in rows]


def near(n, d, rng):
    """Within a few ulp of one place: all scores are nearly the same."""
    place = [rng.gauss(0, 1) for _ in range(d)]
    rows = []
    for _ in range(n):
        row = list(place)
        for c in range(d):
            for _ in range(rng.randrange(3)):
                row[c] = math.nextafter(row[c], rng.choice((-math.inf, math.inf)))
        rows.append(row)
    return rows


def outlier(n, d, rng):
    """One token far away: 1e8 times the others."""
    rows = gaussian(n, d, rng)
    k = rng.randrange(n)
    rows[k] = [1e8 * c for c in rows[k]]
    return rows


def huge(n, d, rng):
    """Of size 1e150: scores are near 1e300."""
    return [[1e150 * c for c in row] for row in gaussian(n, d, rng)]


def tiny(n, d, rng):
    """Of size 1e-150: scores are near 1e-300, and their products with anything small underflow."""
    return [[1e-150 * c for c in row] for row in gaussian(n, d, rng)]


def scales(n, d, rng):
    """Every coordinate with a power of two of its own."""
    return [[math.ldexp(rng.randint(-7, 7), rng.randint(-60, 20)) for _ in range(d)] for _ in range(n)]


def origin(n, d, rng):
    """Some tokens at the origin, whose scores are all 0, some with signed zeros."""
    rows = dyadic(n, d, rng)
    for row in rows:
        if rng.random() < 0.3:
            row[:] = [rng.choice((0.0, -0.0)) for _ in range(d)]
    return rows


def make(kind, n, d, rng):
    return globals()[kind](n, d, rng)


def text(rows):
    return "".join(",".join(repr(c) for c in row) + "\n" for row in rows)


def scaled(rows):
    """Whole numbers over one power of two: sums and products of them are exact and fast."""
    ratios = [[c.as_integer_ratio() for c in row] for row in rows]
    e = max((q.bit_length() - 1 for row in ratios for _, q in row), default=0)
    return [[p << (e - q.bit_length() + 1) for p, q in row] for row in ratios], e


def rounded(c, bits):
    """c with so many significant bits."""
    if c == 0 or not math.isfinite(c):
        return c
    m, e = math.frexp(c)
    return math.ldexp(round(math.ldexp(m, bits)), e - bits)


def dropped(rows):
    """Lists of indices to keep: halves, then all but one."""
    n = len(rows)
    if n > 3:
        yield list(range(n // 2))
        yield list(range(n // 2, n))
    for gone in range(min(n, 12) if n > 1 else 0):
        yield [i for i in range(n) if i != gone]


def simpler(rows):
    """Clouds with as many tokens and plainer coordinates (dropped() makes fewer tokens)."""
    seen = [rows]
    for bits in (1, 2, 4, 8, 16):
        plain = [[rounded(c, bits) for c in row] for row in rows]
        if plain not in seen:
            seen.append(plain)
            yield plain
    if len(rows) <= 12:
        for i, row in enumerate(rows):
            for c, value in enumerate(row):
                for other in (0.0, 1.0, -1.0, rounded(value, 2)):
                    if value not in (0.0, 1.0, -1.0) and other != value:
                        yield [[other if (k, e) == (i, c) else v for e, v in enumerate(r)]
                               for k, r in enumerate(rows)]


def smaller(case, rows, options, steps=()):
    """Cases with fewer tokens (x.csv, and m.csv with them), without one of the options, with fewer steps, with plainer numbers."""
    for keep in dropped(rows):
        files = {"x.csv": text([rows[i] for i in keep])}
        if "m.csv" in case.files:
            masses = case.files["m.csv"].split()
            files["m.csv"] = "".join(masses[i] + "\n" for i in keep)
        yield case.changed(files=files)
    for name in options:
        if name in case.options:
            yield case.changed(options={name: ...})
    for few in steps:
        if int(case.options["steps"]) > int(few):
            yield case.changed(options={"steps": few})
    for plain in simpler(rows):
        yield case.changed(files={"x.csv": text(plain)})
