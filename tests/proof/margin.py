"""Commands whose proofs are of max-margin problems and of paths, and independent decisions whether a claim of these
kinds is proved: dense rows, fractions and, where a root or a power occurs, 90 decimal digits."""
import decimal
import itertools
import json
from fractions import Fraction

from geometry import numbers

D = decimal.Decimal
decimal.getcontext().prec = 90
CLOSE = D(10) ** -60  # what rounding of the 90 digits may add up to, relatively


def dec(value):
    value = Fraction(value)
    return D(value.numerator) / D(value.denominator)


# ---- the problem, by rows A_j, each a list of fractions ---------------------------------------------


def array(proof, value):
    """Numbers of an array in the claim or among the inputs; None for null."""
    value = proof["inputs"][value] if isinstance(value, str) else value
    return None if value is None else numbers(value) if "doubles" in value else list(
        map(int, value["integers"].split()))


def outer(left, right):
    return [a * b for a in left for b in right]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def rows_of(proof, problem):
    """(A_j, is an equation, right side, input, token) for every constraint."""
    def get(name):
        return array(proof, problem[name])
    if "points" in problem:
        points, queries = get("points"), get("queries")
        zero = [Fraction(0)] * len(points[0])
        columns = [get(name) for name in ("plus", "minus", "asked", "equal", "right")]
        return [(outer(minus(points[p] if p >= 0 else zero, points[m] if m >= 0 else zero), queries[q]), e, r, j, 0)
                for j, (p, m, q, e, r) in enumerate(zip(*columns))]
    n, T, model = problem["n"], problem["T"], problem["model"]
    tokens, keys, asks, select = get("tokens"), get("keys"), get("queries"), get("select")
    relaxed, ties, shares = get("relaxed"), get("ties"), get("shares")
    if model == "label":
        return [(tokens[i * T + t] if y > 0 else [-a for a in tokens[i * T + t]], 0, 1, i, t)
                for i, (t, y) in enumerate(zip(select, get("labels")))]
    rows = []
    for i, k in itertools.product(range(n), range(T) if model == "sequence" else (0,)):
        ask = i * T + k if model == "sequence" else i
        own = (keys or tokens)[i * T:i * T + T] if model == "prompt" else tokens[i * T:i * T + T]
        z = ([Fraction(1)] if model == "prompt" else own[problem["row"]] if model == "self" else
             asks[ask] if asks else own[k])
        best = select[ask]
        for t in range(k + 1 if model == "sequence" and problem["mask"] == "causal" else T):
            if t == best or (ties and ties[ask * T + t]):
                continue
            if shares and shares[ask * T + t]:
                rows.append((outer(minus(own[t], own[best]), z), 1, 0, ask, t))
            else:
                rows.append((outer(minus(own[best], own[t]), z), 0, 0 if relaxed and relaxed[i] else 1, ask, t))
    return rows


# ---- linear algebra by fractions, norms by decimals --------------------------------------------------


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), 0 * a[0] if a else 0)


def solved(rows, right):
    """A solution of the equations, free unknowns 0; None: there is none. Gauss and Jordan."""
    table, places = [list(map(Fraction, row)) + [Fraction(b)] for row, b in zip(rows, right)], []
    width = len(rows[0])
    for k in range(width):
        pivot = next((i for i in range(len(places), len(table)) if table[i][k]), None)
        if pivot is None:
            continue
        at = len(places)
        table[at], table[pivot] = table[pivot], table[at]
        table[at] = [a / table[at][k] for a in table[at]]
        for i, row in enumerate(table):
            if i != at and row[k]:
                table[i] = [a - row[k] * b for a, b in zip(row, table[at])]
        places.append(k)
    if any(row[-1] for row in table[len(places):]):
        return None
    out = [Fraction(0)] * width
    for row, k in zip(table, places):
        out[k] = row[-1]
    return out


def matrix(flat, columns):
    return [flat[k:k + columns] for k in range(0, len(flat), columns)]


def singular(rows):
    """Singular values by one-sided Jacobi in decimals, largest first, of the shorter side."""
    rows = [list(map(dec, row)) for row in rows]
    if len(rows[0]) > len(rows):
        rows = [list(row) for row in zip(*rows)]
    columns = [list(column) for column in zip(*rows)]
    for _ in range(60):
        turned = False
        for k, l in itertools.combinations(range(len(columns)), 2):
            x, y = columns[k], columns[l]
            xx, yy, xy = dot(x, x), dot(y, y), dot(x, y)
            if abs(xy) <= D(10) ** -80 * (xx * yy).sqrt() or xy == 0:
                continue
            zeta = (yy - xx) / (2 * xy)
            t = (1 if zeta >= 0 else -1) / (abs(zeta) + (1 + zeta * zeta).sqrt())
            c = 1 / (1 + t * t).sqrt()
            columns[k] = [c * (a - t * b) for a, b in zip(x, y)]
            columns[l] = [c * (t * a + b) for a, b in zip(x, y)]
            turned = True
        if not turned:
            break
    return sorted((dot(column, column).sqrt() for column in columns), reverse=True)


DUALS = {"l1": "linf", "linf": "l1", "l2": "l2", "lp": "lp", "nuclear": "spectral", "spectral": "nuclear"}


def size(norm, p, flat, columns):
    """The norm of a matrix, in decimals; p a fraction."""
    if not any(flat):
        return D(0)
    if norm in ("l1", "linf"):
        return dec((sum if norm == "l1" else max)(map(abs, flat)))
    if norm == "l2":
        return dec(dot(flat, flat)).sqrt()
    if norm == "lp":
        top = max(map(abs, flat))
        return dec(top) * sum(dec(abs(a) / top) ** dec(p) for a in flat if a) ** (1 / dec(p))
    values = singular(matrix(flat, columns))
    return sum(values) if norm == "nuclear" else values[0]


def at_most(a, b):
    return a <= b * (1 + CLOSE)


class Claim:
    """What the kinds share."""

    def __init__(self, proof, claim):
        of, witness = claim["of"], claim["witness"]
        self.of, self.rows, self.norm = of, rows_of(proof, of["problem"]), of.get("norm")
        self.p = Fraction(float.fromhex(of["p"])) if of.get("p") else None
        assert self.p is None or 1 < self.p <= 1000
        self.q = self.p / (self.p - 1) if self.p else None
        if "at" in witness:
            self.at, self.multipliers = array(proof, witness["at"]), array(proof, witness["multipliers"])
            assert len(set(self.at)) == len(self.at)
        if witness.get("weights"):
            w = array(proof, witness["weights"])
            self.columns, self.w = len(w[0]), sum(w, [])
        elif witness.get("left"):
            left, right = array(proof, witness["left"]), array(proof, witness["right"])
            self.columns, self.w = len(right), [dot(a, b) for a in left for b in right]
        else:
            self.columns = len(array(proof, of["problem"]["queries"])[0]) if of["problem"].get("queries") else (
                1 if of["problem"].get("model") in ("prompt", "label") else
                len(array(proof, of["problem"].get("tokens"))[0]))

    def number(self, where, name):
        return Fraction(float.fromhex(where[name]))

    def mended(self):
        """W with the misses of equations, and of inequalities next to them, taken away; its least margin."""
        w, broken = list(self.w), [row for row in self.rows if row[1]]
        fixed = any(row[2] for row in broken)
        for _ in range(9):
            misses = [dot(row[0], self.w) - row[2] for row in broken]
            if any(misses):
                c = solved([[dot(a[0], b[0]) for b in broken] for a in broken], [-miss for miss in misses])
                w = [a + sum(x * row[0][k] for x, row in zip(c, broken)) for k, a in enumerate(self.w)]
            assert all(dot(row[0], w) == row[2] for row in broken)
            short = [row for row in self.rows if row not in broken and (fixed or not row[2])
                     and dot(row[0], w) < row[2]]
            if not short:
                break
            broken = broken + short
        assert not short
        return w, Fraction(1) if fixed else min(dot(row[0], w) for row in self.rows if row[2])

    def upper(self, value):
        """W proves that the least norm is at most value."""
        if not any(row[2] for row in self.rows):
            return value >= 0
        w, m = self.mended()
        return m > 0 and at_most(size(self.norm, self.p, w, self.columns), dec(value * m))

    def lower(self, value):
        assert all(self.rows[j][1] or a >= 0 for j, a in zip(self.at, self.multipliers))
        total = [sum(a * self.rows[j][0][k] for j, a in zip(self.at, self.multipliers))
                 for k in range(len(self.rows[0][0]) if self.rows else 0)]
        paid = sum(a * self.rows[j][2] for j, a in zip(self.at, self.multipliers))
        return value == 0 or value > 0 and paid > 0 and at_most(
            size(DUALS[self.norm], self.q, total, self.columns) * dec(value), dec(paid))

    def both(self, witness):
        """upper and lower of the witness, which it proves."""
        upper, lower = self.number(witness, "upper"), self.number(witness, "lower")
        assert lower > 0 and self.upper(upper) and self.lower(lower)
        return upper, lower

    def far(self, witness):
        """A bound of the distance between W / m and W*, both in decimals; W / m."""
        upper, lower = map(dec, self.both(witness))
        assert self.norm in ("l2", "lp") and all(row[2] == 1 and not row[1] for row in self.rows)
        p, m = dec(self.p or 2), min(dot(row[0], self.w) for row in self.rows)
        far = (max(upper ** 2 - lower ** 2, D(0)) / (p - 1)).sqrt() if p <= 2 else (
            2 ** (p - 1) * max(upper ** p - lower ** p, D(0))) ** (1 / p)
        return far, [a / m for a in self.w]


# ---- decisions -----------------------------------------------------------------------------------------


def margin_upper(proof, claim):
    it = Claim(proof, claim)
    return it.upper(it.number(claim["of"], "value"))


def margin_lower(proof, claim):
    it = Claim(proof, claim)
    return it.lower(it.number(claim["of"], "value"))


def margin_infeasible(proof, claim):
    """Multipliers of the constraints named that vanish: those given, else with as many of them as can be kept."""
    it = Claim(proof, claim)
    rows = [it.rows[j] for j in it.at]
    equations = [list(column) for column in zip(*(row[0] for row in rows))]
    rest = [-dot(equation, it.multipliers) for equation in equations]
    for order in itertools.islice(itertools.permutations(range(len(rows))), 720):
        change = solved([[equation[k] for k in order] for equation in equations], rest)
        factors = [it.multipliers[k] + change[order.index(k)] for k in range(len(rows))]
        if sum(a * row[2] for a, row in zip(factors, rows)) > 0 and all(
                row[1] or a >= 0 for a, row in zip(factors, rows)):
            return True
    return False


def scores(proof, claim, it):
    """Of every token of every input, and the one selected."""
    problem = claim["of"]["problem"]
    tokens, labels, v = (array(proof, problem[name]) for name in ("tokens", "labels", "decoder"))
    select, T = array(proof, problem["select"]), problem["T"]
    places = len(select) // len(labels)
    return [[dot(x, v) * labels[i // places] for x in tokens[i // places * T:i // places * T + T]]
            for i in range(len(select))], select


def margin_local(proof, claim):
    it = Claim(proof, claim)
    far, w = it.far(claim["witness"])
    gamma, select = scores(proof, claim, it)
    return all(dec(dot(row[0], w) - 1) * (1 + CLOSE) > size(DUALS[it.norm], it.q, row[0], it.columns) * far
               for row in it.rows if gamma[row[3]][row[4]] >= gamma[row[3]][select[row[3]]])


def margin_rank(proof, claim):
    it, low, high = Claim(proof, claim), claim["of"]["low"], claim["of"]["high"]
    far, w = it.far(claim["witness"])
    values = singular(matrix(w, it.columns))
    return it.norm == "l2" and (low == 0 or values[low - 1] * (1 + CLOSE) > far) and (
        high >= len(values) or span(it, high))


def span(it, high):
    """Whether no W in the span of the rows has a rank above high: their left or right factors have not."""
    rows = [matrix(row[0], it.columns) for row in it.rows]
    lefts = [list(column) for row in rows for column in zip(*row)]
    return min(rank(lefts), rank([line for row in rows for line in row])) <= high


def rank(rows):
    count, rows = 0, [list(row) for row in rows]
    for k in range(len(rows[0])):
        pivot = next((i for i in range(count, len(rows)) if rows[i][k]), None)
        if pivot is not None:
            rows[count], rows[pivot] = rows[pivot], rows[count]
            for i in range(count + 1, len(rows)):
                by = rows[i][k] / rows[count][k]
                rows[i] = [a - by * b for a, b in zip(rows[i], rows[count])] if by else rows[i]
            count += 1
    return count


def margin_tail(proof, claim):
    it = Claim(proof, claim)
    upper, lower = it.both(claim["witness"])
    total = [sum(a * it.rows[j][0][k] for j, a in zip(it.at, it.multipliers)) for k in range(len(it.w))]
    paid = sum(a * it.rows[j][2] for j, a in zip(it.at, it.multipliers))
    values, k = singular(matrix(total, it.columns)), claim["of"]["rank"]
    if k >= len(values):
        return True
    rest = 1 - values[k] * dec(lower / paid)
    return it.norm == "nuclear" and rest > 0 and at_most(dec(upper - lower),
                                                         dec(it.number(claim["of"], "tail") * lower) * rest)


def path_bracket(proof, claim):
    it, of = Claim(proof, claim), claim["of"]
    radius, low, high = (it.number(of, name) for name in ("radius", "low", "high"))
    lower = it.number(claim["witness"], "lower")
    assert lower > 0 and it.lower(lower) and at_most(size(it.norm, it.p, it.w, it.columns), dec(radius))
    gamma, select = scores(proof, claim, it)
    loss = {"logistic": lambda f: (1 + (-f).exp()).ln(), "exponential": lambda f: (-f).exp(),
            "correlation": lambda f: -f}[of["loss"]]
    context, rises, least = decimal.getcontext().copy(), D(0), []
    context.prec = 700
    with decimal.localcontext(context):
        share = 1 / (1 + dec(radius / lower).exp())
        for ask, best in enumerate(select):
            rivals = [row for row in it.rows if row[3] == ask]
            b, masses = dec(gamma[ask][best]), [(-dec(dot(row[0], it.w))).exp() for row in rivals]
            gaps = [b - dec(gamma[ask][row[4]]) for row in rivals]
            assert all(gap > 0 for gap in gaps)
            if rivals:
                drop = sum(mass * gap for mass, gap in zip(masses, gaps)) / (1 + sum(masses))
                rises += loss(b - drop) - loss(b)
                least.append(loss(b - min(gaps) * share) - loss(b))
        n = len(select)
        return radius > 0 and at_most(rises / n, (dec(high * radius)).exp()) and all(
            at_most(dec(low * radius).exp(), value / n) for value in least)


DECIDE = {"margin-upper": margin_upper, "margin-lower": margin_lower, "margin-infeasible": margin_infeasible,
          "margin-local": margin_local, "margin-rank": margin_rank, "margin-tail": margin_tail,
          "path-bracket": path_bracket}


# ---- commands --------------------------------------------------------------------------------------------


def data(draw, most=4):
    """Random training data; sometimes on a grid, where tokens repeat and constraints contradict."""
    n, T, d = draw.randint(1, most), draw.randint(2, most), draw.randint(1, most)
    grid = draw.random() < 0.3
    one = (lambda: float(draw.randint(-2, 2))) if grid else (lambda: draw.gauss(0, 1))
    made = {"X": [[[one() for _ in range(d)] for _ in range(T)] for _ in range(n)],
            "y": [draw.choice([-1, 1]) for _ in range(n)], "v": [draw.gauss(0, 1) for _ in range(d)]}
    if draw.random() < 0.5:
        made["z"] = [[one() for _ in range(d)] for _ in range(n)]
    return made


def norm(draw):
    name = draw.choice(["l2", "l2", *DUALS])
    return ["--norm", name] + (["--p", draw.choice(["1.25", "1.75", "2.5", "4"])] if name == "lp" else [])


def margin(draw):
    made = data(draw)
    n, T, d = len(made["X"]), len(made["X"][0]), len(made["X"][0][0])
    model = draw.choice(["cross"] * ("z" in made) + ["prompt", "self", "sequence", "label"])
    if model == "sequence":
        made.pop("z", None)
    if model == "prompt" and draw.random() < 0.3:
        made["K"] = [[[draw.gauss(0, 1) for _ in range(d + 1)] for _ in range(T)] for _ in range(n)]
    words, files = ["margin", "--model", model, *norm(draw)], {"data": json.dumps(made)}
    asks = n * T if model == "sequence" else n
    if model == "sequence" and draw.random() < 0.5:
        words += ["--mask", "causal", "--select", ",".join(str(draw.randint(0, q % T)) for q in range(asks))]
    elif model in ("prompt", "cross", "self") and draw.random() < 0.3:
        sets = [[draw.randrange(T)] + [t for t in range(T) if draw.random() < 0.3] for _ in range(n)]
        files["equal"] = json.dumps({"weights": [[float(t in row) for t in range(T)] for row in sets]})
    elif draw.random() < 0.3:
        words += ["--select", ",".join(str(draw.randrange(T)) for _ in range(asks))]
    if model in ("prompt", "cross") and draw.random() < 0.2 and "equal" not in files:
        words += ["--relaxed", "0"]
    return words, files


def constraints(draw):
    """A problem of its own, or of a graph: constraints that the proof has as they are, equations among them."""
    if draw.random() < 0.4:
        K, d, n, T = 5, draw.randint(2, 6), draw.randint(1, 4), draw.randint(2, 4)
        ids = [[draw.randrange(K) for _ in range(T)] for _ in range(n)]
        made = {"E": [[draw.gauss(0, 1) for _ in range(d)] for _ in range(K)], "ids": ids,
                "next": [draw.choice(row) for row in ids]}
        return ["margin", *norm(draw)], {"data": json.dumps(made)}
    d, c, points, queries, m = (draw.randint(1, most) for most in (4, 3, 6, 3, 8))
    flags = [int(draw.random() < 0.3) for _ in range(m)]
    some = draw.random() < 0.3
    made = {"format": "tropism problem", "layout": 1, "norm": "l2", "p": 2, "rows": d, "columns": c,
            "point": [[draw.gauss(0, 1) for _ in range(d)] for _ in range(points)],
            "query": [[draw.gauss(0, 1) for _ in range(c)] for _ in range(queries)],
            "right": [(draw.gauss(0, 1) if some else 0) if e else draw.choice([0, 1, 1]) for e in flags],
            "plus": [draw.randint(-1, points - 1) for _ in range(m)],
            "minus": [draw.randint(-1, points - 1) for _ in range(m)],
            "asked": [draw.randrange(queries) for _ in range(m)], "equal": flags, "input": [0] * m,
            "token": list(range(m))}
    return ["margin", *norm(draw)], {"problem": json.dumps(made)}


def ties(draw):
    """Several tokens of an input may win."""
    made = data(draw)
    T, asks = len(made["X"][0]), len(made["X"])
    words = [draw.sample(range(T), draw.randint(1, 2)) for _ in range(asks)]
    return ["margin", *norm(draw), "--model", "prompt", "--select",
            ",".join("|".join(map(str, sorted(row))) for row in words)], {"data": json.dumps(made)}


def path(draw):
    made = data(draw)
    words = ["path", "--radius", "%g,%g" % (draw.uniform(0.5, 4), draw.uniform(5, 40)), "--loss",
             draw.choice(["logistic", "exponential", "correlation"])]
    return words + (["--p", draw.choice(["1.5", "3"])] if draw.random() < 0.5 else []), {"data": json.dumps(made)}


COMMANDS = [margin, margin, constraints, ties, path]
