#!/usr/bin/env python3
"""Checks the proof files of tropism (docs/proofs.md), and shares no code with it.

    python3 tropism_verify.py FILE.json|FOLDER... [--input NAME=FILE.npy]

Says of every claim "verified", "refused" with the inequality that fails, or "cannot decide" with the precision that was
tried; of several files, or every .json in a folder, the claims that are not verified. Exit codes 0, 1, 2 for the worst
of all, 3 for a wrong command line. It needs Python 3.8 or later and its standard
library. Parts 1 to 4 read a file and compute; part 5 has a function for each kind of claim: the proof that
docs/proofs.md gives in words. No floating point number is added, multiplied or compared: doubles become integers over a
power of two, exactly. What it rests on: Python's integers, fractions, JSON and SHA-256, and this file.
"""
import array, ast, hashlib, json, math, os, re, sys
from decimal import Decimal
from fractions import Fraction
from operator import mul
from types import SimpleNamespace

# ---- 1. verdicts, and limits that keep time and memory bounded -----------------------------------

FORMAT = 1
FILE_MAX = 128 << 20  # bytes of a proof, or of a file of an input; judged before it is read
ITEMS_MAX = 2000000  # commas and brackets of a proof
BITS_MAX = 1 << 31  # of an array: numbers times the bits of each
DIGITS_MAX = 4000  # of an integer in decimal
WORK_MAX = 1 << 32  # products of one claim
PRECISIONS = (64, 128, 256, 512, 1024, 2048)  # bits that are tried

VERDICTS = ("verified", "refused", "cannot decide")  # by exit code
SEVERE = ("verified", "cannot decide", "refused")  # the worst of several counts

class Refused(Exception):
    """The proof does not prove its claim."""

class Undecided(Exception):
    """An enclosure is too wide to tell, or a file is not here."""

def need(truth, words, *values):
    if not truth:
        raise Refused(words.format(*values))

def show(value):
    """A number for a sentence: exactly when that is short, otherwise 17 digits of it."""
    if isinstance(value, Interval):
        return "[%s, %s]" % (show(value.low), show(value.high))
    top, below = Fraction(value).numerator, Fraction(value).denominator
    short = top.bit_length() + below.bit_length() < 60
    return str(value) if short else "{:.16e}".format(Decimal(top) / below)

def less(what, a, b, sign="<"):
    """Refuses unless a < b, for fractions, integers or intervals; undecided where these overlap."""
    (a_low, a_high), (b_low, b_high) = ends(a), ends(b)
    if not (a_high < b_low or (sign == "<=" and a_high == b_low)):
        false = a_low > b_high or (sign == "<" and a_low == b_high)
        raise (Refused if false else Undecided)("%s: %s %s %s %s" % (
            what, show(a), sign, show(b), "is not true" if false else "is open"))

def at_most(what, a, b):
    less(what, a, b, "<=")

def ends(value):
    return (value.low, value.high) if isinstance(value, Interval) else (value, value)

# ---- 2. exact numbers and enclosures -------------------------------------------------------------

class Exact:
    """An array of numbers ints[k] unit, row after row; the unit is 2^-shift."""
    def __init__(self, shape, ints, shift):
        self.shape, self.ints, self.shift, self.unit = tuple(shape), ints, shift, Fraction(1, 1 << shift)
    @classmethod
    def of_floats(cls, shape, floats):
        """Of finite doubles, with one power of two for all."""
        parts = float.as_integer_ratio
        shift = max((parts(value)[1].bit_length() - 1 for value in floats), default=0)
        size = max((parts(value)[0].bit_length() for value in floats), default=0)
        need(len(floats) * (shift + size) <= BITS_MAX, "numbers too many, or too far apart")
        return cls(shape, [(top << shift) // below for top, below in map(parts, floats)], shift)
    def rows(self):
        width = self.shape[1]
        return [self.ints[i * width:(i + 1) * width] for i in range(self.shape[0])]
    def __getitem__(self, k):
        return self.ints[k] * self.unit
    def __len__(self):
        return len(self.ints)

def dot(a, b):
    return sum(map(mul, a, b))

def rounded(value, bits, up):
    """A dyadic fraction of about so many bits, not below (up) or not above value."""
    move = bits - value.numerator.bit_length() + value.denominator.bit_length()
    top, below = value.numerator << max(move, 0), value.denominator << max(-move, 0)
    whole = -(-top // below) if up else top // below
    return Fraction(whole << max(-move, 0), 1 << max(move, 0))

class Interval:
    """Numbers from low to high, fractions; every operation rounds outwards to so many bits."""
    def __init__(self, low, high, bits):
        self.low, self.high, self.bits = rounded(low, bits, False), rounded(high, bits, True), bits
    @classmethod
    def of(cls, value, bits):
        return cls(*map(Fraction, ends(value)), bits)
    def __add__(self, other):
        return Interval(self.low + ends(other)[0], self.high + ends(other)[1], self.bits)
    def __neg__(self):
        return Interval(-self.high, -self.low, self.bits)
    def __sub__(self, other):
        return self + -other
    def __mul__(self, other):
        corners = [a * b for a in ends(self) for b in ends(other)]
        return Interval(min(corners), max(corners), self.bits)
    def __truediv__(self, other):
        low, high = map(Fraction, ends(other))
        if low <= 0 <= high:
            raise Undecided("division by %s" % show(other))
        return self * Interval(1 / high, 1 / low, self.bits)
    def __abs__(self):
        low = max(self.low, -self.high, Fraction(0))
        return Interval(low, max(-self.low, self.high), self.bits)
    __radd__, __rmul__ = __add__, __mul__

def integer_root(n, k):
    """The largest whole number w with w^k <= n, by Newton's iteration from above."""
    w, v = (n > 0) << -(-n.bit_length() // k), 0
    while v < w:
        w, v = v or w, ((k - 1) * (v or w) + n // (v or w) ** (k - 1)) // k
    return w

def root(value, k, bits):
    """The k-th root of a fraction or an interval: floor(x^(1/k) 2^m) and one more enclose it."""
    def floor(x):
        need(x >= 0, "root of {}, which is below 0", show(x))
        move = bits + 8 + max(0, x.denominator.bit_length() - x.numerator.bit_length()) // k
        return integer_root((x.numerator << k * move) // x.denominator, k), 1 << move
    (low, one), (high, other) = map(floor, map(Fraction, ends(value)))
    return Interval(Fraction(low, one), Fraction(high + 1, other), bits)

def exp(value, bits):
    """Of a fraction or an interval, at most 2^20 in size."""
    low, high = map(Fraction, ends(value))
    if max(-low, high) > 1 << 20:
        raise Undecided("exp of %s" % show(value))
    return Interval(exp_ends(low, bits)[0], exp_ends(high, bits)[1], bits)

def exp_ends(x, bits):
    """exp(x) = exp(y)^(2^k) for 0 <= y = x / 2^k <= 1/2, and 1 / exp(-x) below 0. In units 2^-work: y is cut by less
    than 1, and so exp(y) by less than 2. Term n is floor(term y / n): its loss is at most half of the loss before, plus
    1, so below 2; the terms left out, with a factor of at most 1/2 from each to the next, add up to less than 6."""
    if x < 0:
        low, high = exp_ends(-x, bits)
        return 1 / high, 1 / low
    k = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 2)
    work = bits + 2 * k + 16
    y, total, term, n = (x.numerator << work) // (x.denominator << k), 0, 1 << work, 0
    while term:
        total, n = total + term, n + 1
        term = (term * y >> work) // n
    low, high = Fraction(total, 1 << work), Fraction(total + 2 * n + 8, 1 << work)
    for _ in range(k):
        low, high = rounded(low * low, work, False), rounded(high * high, work, True)
    return low, high

def log(value, bits):
    """Of a positive fraction or interval: log x = k log 2 + 2 artanh((m - 1) / (m + 1)) where
    x = m 2^k, 1/2 <= m <= 2, and log 2 = 2 artanh(1/3)."""
    def both(x):
        need(x > 0, "log of {}, which is not above 0", show(x))
        k, work = x.numerator.bit_length() - x.denominator.bit_length(), bits + 32
        m = x / Fraction(2) ** k
        return 2 * (k * artanh(Fraction(1, 3), work) + artanh((m - 1) / (m + 1), work))
    low, high = map(both, map(Fraction, ends(value)))
    return Interval(low.low, high.high, bits)

def artanh(t, bits):
    """sum t^(2 n + 1) / (2 n + 1), |t| <= 1/3. In units 2^-work: a power of |t| loses at most 1/9 of the loss before, 1
    by its square's and 1 by its own floor, so below 3; a quotient 1 more; the powers left out are below 4, 4/9, ..., so
    below 5 in all."""
    work = bits + 16
    power = (abs(t.numerator) << work) // t.denominator
    square, total, n = power * power >> work, 0, 0
    while power:
        total, n = total + power // (2 * n + 1), n + 1
        power = power * square >> work
    value = Interval(Fraction(total, 1 << work), Fraction(total + 4 * n + 5, 1 << work), work)
    return value if t >= 0 else -value

def power(x, y, bits):
    """x^y of a positive fraction or interval, y a fraction."""
    return exp(log(x, bits + 32) * Fraction(y), bits)

# ---- 3. types of the members of a claim ----------------------------------------------------------
#
# A type is a function (value, size, inputs) that returns what the function of the kind gets. size gives lengths their
# values: the first array of length "n" sets it, all others must agree.

HEX = re.compile(r"(-?0x[01](?:\.[0-9a-f]{1,13})?)p([+-][0-9]{1,4})\Z")
WHOLE = re.compile(r"-?[0-9]{1,%d}\Z" % DIGITS_MAX)
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}\Z")

def float_of(text):
    """The double that C's %a wrote; a number that is none is refused, not rounded."""
    match = HEX.match(text) if isinstance(text, str) else None
    power = int(match.group(2)) if match else 9999
    need(-1074 <= power <= 1023, "{!r:.40} is no hexadecimal double", text)
    value = float.fromhex(text)  # which rounds below 2^-1022 alone
    need(math.ldexp(value, -power) == float.fromhex(match.group(1)), "{!r:.40} is no double", text)
    return value

def double(value, size, inputs):
    return Fraction(float_of(value))

def integer(low, high):
    """A whole number from low to high; the name of a length stands for indices below it."""
    def of(value, size, inputs=None):
        top = size[high] - 1 if isinstance(high, str) else high
        need(type(value) is int and low <= value <= top, "{!r:.40} is no whole number from {} to {}", value, low, top)
        return value
    return of

def that(test, words):
    """A value of JSON that passes a test, as it is."""
    def of(value, size, inputs):
        need(test(value), "{!r:.40} is no {}", value, words)
        return value
    return of

def choice(*values):
    return that(lambda value: isinstance(value, str) and value in values, "word of " + ", ".join(values))

def maybe(of):  # null is None
    return lambda value, size, inputs: None if value is None else of(value, size, inputs)

def shape_of(value, lengths, size):
    """The shape of an array, each length of which is a number or the name of one."""
    shape = value.get("shape") if isinstance(value, dict) else None
    need(isinstance(shape, list) and len(shape) == len(lengths), "no array of {} axes", len(lengths))
    for length, name in zip(shape, lengths):
        need(type(length) is int and 0 <= length <= FILE_MAX // 8, "{!r:.40} is no length", length)
        wanted = size.setdefault(name, length) if isinstance(name, str) else name
        need(length == wanted, "shape {}: {} is {}", shape, name, wanted)
    need(math.prod(shape) <= FILE_MAX // 8, "shape {}: too many numbers", shape)
    return tuple(shape)

def words_of(value, key, shape):
    """{"shape": ..., key: text}: the numbers of a list; of a table, texts for the rows."""
    need(set(value) == {"shape", key}, "an array has shape and {}", key)
    texts = [value[key]] if len(shape) == 1 else value[key]
    need(isinstance(texts, list) and all(isinstance(text, str) for text in texts) and
         len(texts) == (1 if len(shape) == 1 else shape[0]), "a text, or one for each row")
    words = [text.split(" ") if text else [] for text in texts]
    need(all(len(row) == shape[-1] for row in words), "a row has {} numbers", shape[-1])
    return [word for row in words for word in row]

def doubles(*lengths):
    """An array of doubles, or the name of an input that is one."""
    def of(value, size, inputs):
        if not isinstance(value, str):
            shape = shape_of(value, lengths, size)
            return Exact.of_floats(shape, list(map(float_of, words_of(value, "doubles", shape))))
        need(value in inputs.arrays, "there is no input {!r:.40}", value)
        given = inputs.arrays[value]
        shape = shape_of(given, lengths, size)
        if value not in inputs.known:
            inputs.known[value] = (inputs.read(value, given, shape) if "file" in given else of(given, size, inputs))
        return inputs.known[value]
    return of

def integers(low, high, *lengths):
    """A list of whole numbers, each as integer(low, high)."""
    def of(value, size, inputs):
        words = words_of(value, "integers", shape_of(value, lengths, size))
        need(all(map(WHOLE.match, words)), "there is a word that is no whole number")
        return [integer(low, high)(int(word), size) for word in words]
    return of

class Inputs:
    """Arrays by name; those that claims are about."""
    def __init__(self, arrays, folder, given):
        self.arrays, self.folder, self.given, self.known = arrays, folder, given, {}
    def read(self, name, value, shape):
        """The doubles of a .npy file, which must have the hash."""
        need(set(value) == {"shape", "sha256", "file"}, "an array has shape, sha256 and file")
        need(isinstance(value["file"], str) and NAME.match(value["file"]),
             "{!r:.40} is no name of a file beside the proof", value["file"])
        path = self.given.get(name, os.path.join(self.folder, value["file"]))
        data = bytes_of(path)
        found = hashlib.sha256(data).hexdigest()
        need(value["sha256"] == found, "{}: its SHA-256 is {}", path, found)
        start = 10 + int.from_bytes(data[8:10], "little")
        head = "{'descr':'<f8','fortran_order':False,'shape':(%s),}" % (
            "%d," % shape if len(shape) == 1 else ",".join(map(str, shape)))
        need(data[:8] == b"\x93NUMPY\x01\x00" and len(data) == start + 8 * math.prod(shape) and
             b"".join(data[10:start].split()) == head.encode(), "{}: is no .npy of {}", path, head)
        values = array.array("d", data[start:])
        if sys.byteorder == "big":
            values.byteswap()
        need(all(map(math.isfinite, values)), "{}: a number is not finite", path)
        return Exact.of_floats(shape, values)

def bytes_of(path):
    """A whole file whose size is judged first."""
    try:
        if not os.path.isfile(path):
            raise Undecided("%s: there is no such file" % path)
        with open(path, "rb") as file:
            data = file.read(FILE_MAX + 1) if os.path.getsize(path) <= FILE_MAX else None
    except OSError as error:
        raise Undecided("%s: %s" % (path, error.strerror))
    need(data is not None and len(data) <= FILE_MAX, "{}: above {} bytes", path, FILE_MAX)
    return data

# ---- 4. kinds, claims and files ------------------------------------------------------------------

KINDS = {}

TEXT = that(lambda value: isinstance(value, str), "text")
OBJECT = that(lambda value: isinstance(value, dict), "object")
WORDS = that(lambda value: isinstance(value, list) and all(isinstance(word, str) for word in value), "list of texts")
CLAIM = {"kind": that(lambda value: isinstance(value, str) and value in KINDS, "kind"), "says": TEXT, "symbols": TEXT,
         "of": OBJECT, "witness": OBJECT}
PROOF = {"tropism_proof": integer(FORMAT, FORMAT), "written_by": TEXT, "command": WORDS,
         "claims": that(lambda value: isinstance(value, list) and value, "list of claims"),
         "inputs": that(lambda value: isinstance(value, dict) and all(map(NAME.match, value)), "table of named inputs")}

def kind(name, says, symbols, of, witness):
    """Registers the function (of, witness, bits) that checks claims of a kind: it raises, or returns. says, symbols: a
    text with {names} of lengths and of members of `of`, or a function of it. of, witness: types, in reading order."""
    def register(check):
        KINDS[name] = SimpleNamespace(says=says, symbols=symbols, of=of, witness=witness, check=check)
        return check
    return register

def members(value, types, size, inputs, where):
    """An object with exactly these members, each of its type; .size has the lengths."""
    need(isinstance(value, dict) and set(value) == set(types), "{} must have {}", where, list(types))
    made = SimpleNamespace(size=size)
    for key, of_type in types.items():
        try:
            setattr(made, key, of_type(value[key], size, inputs))
        except Refused as refusal:
            raise Refused("%s.%s: %s" % (where, key, refusal))
    return made

def sentence(form, of):
    """Doubles are written as %.17g, in C as in Python."""
    if callable(form):
        return form(of)
    texts = {key: "%.17g" % value if isinstance(value, Fraction) else str(value)
             for key, value in vars(of).items() if isinstance(value, (Fraction, int, str))}
    return form.format(**dict(texts, **of.size))

def judge(claim, inputs):
    """What a claim says, the verdict, and why."""
    says, why = "?", ""
    try:
        claim, size = members(claim, CLAIM, {}, inputs, "claim"), {}
        row = KINDS[claim.kind]
        of = members(claim.of, row.of, size, inputs, "of")
        says, symbols = sentence(row.says, of), sentence(row.symbols, of)
        need(claim.says == says, "says {!r:.300}: must be {!r}", claim.says, says)
        need(claim.symbols == symbols, "symbols {!r:.300}: must be {!r}", claim.symbols, symbols)
        witness = members(claim.witness, row.witness, size, inputs, "witness")
        for bits in PRECISIONS:
            try:
                row.check(of, witness, bits)
                return says, "verified", ""
            except Undecided as undecided:
                why = "%s, with %d bits" % (undecided, bits)
    except Refused as refusal:
        return says, "refused", str(refusal)
    except Undecided as undecided:
        why = str(undecided)
    except (ArithmeticError, LookupError, TypeError, ValueError, MemoryError, RecursionError) as error:
        return says, "refused", "malformed: %s: %.200s" % (type(error).__name__, error)
    return says, "cannot decide", why

def parse(data):
    """Strict JSON: whole numbers alone, no key twice, of bounded size and depth."""
    def whole(text):
        need(WHOLE.match(text), "{:.40}: no whole number", text)
        return int(text)
    def unique(pairs):
        made = dict(pairs)
        need(len(made) == len(pairs), "one of the keys {:.200} stands twice", str(list(made)))
        return made
    need(sum(map(data.count, (b",", b"[", b"{"))) <= ITEMS_MAX, "more than {} values", ITEMS_MAX)
    try:
        return json.loads(data.decode("utf-8"), parse_float=whole, parse_int=whole,
                          parse_constant=whole, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise Refused("no JSON of a proof: %.200s" % error)

def verify(path, given=None, tell=print):
    """The verdict on a file; tell gets what is to be printed, line by line."""
    verdicts = set()
    try:
        proof = members(parse(bytes_of(path)), PROOF, {}, None, "proof")
        inputs = Inputs(proof.inputs, os.path.dirname(os.path.abspath(path)), given or {})
        for k, claim in enumerate(proof.claims):
            says, verdict, why = judge(claim, inputs)
            verdicts.add(verdict)
            tell("%d. %s: %s%s" % (k + 1, verdict, says, "\n   " + why if why else ""))
        unused = sorted(set(inputs.arrays) - set(inputs.known))
        need(not unused or verdicts != {"verified"}, "no claim is about the inputs {}", unused)
    except (Refused, Undecided) as failure:
        tell("   %s" % failure)
        verdicts.add("refused" if isinstance(failure, Refused) else "cannot decide")
    verdict = max(verdicts, key=SEVERE.index)
    tell("%s: %s" % (path, verdict))
    return verdict

# ---- 5. what each kind claims, and why a checked witness proves it: 5a. geometry ------------------

def times(b, scale, tokens):
    """B x of every token, B a matrix or a number times the identity: rows, and their shift."""
    need((b is None) != (scale is None), "one of key_query and scale must be null")
    if b is None:
        b, shift = scale.numerator, scale.denominator.bit_length() - 1
        return [[b * t for t in x] for x in tokens.rows()], tokens.shift + shift
    return [[dot(row, x) for row in b.rows()] for x in tokens.rows()], tokens.shift + b.shift

def bounded(products):
    """A file of any size must end; a proof of the program has far fewer."""
    if products > WORK_MAX:
        raise Undecided("it would take %d products" % products)

def need_top(i, y, tokens, among, at, sign="<"):
    """<y, x_at> is the largest score; with "<" only what is at the same place has it too."""
    top = dot(y, tokens[at])
    score, j = max(((dot(y, tokens[j]), j) for j in among if tokens[j] != tokens[at]), default=(top - 1, at))
    less("of token %d, score %d below score %d" % (i, j, at), score, top, sign)

@kind("origin-outside", says="The origin is outside the convex hull of the {n} tokens in dimension {d}.",
      symbols="0 is not in conv{{x_0, ..., x_(n-1)}}",
      of={"tokens": doubles("n", "d")}, witness={"direction": doubles("d")})
def origin_outside(of, witness, bits):
    """<w, x_j> < 0 for every token, so for every convex combination of tokens; but <w, 0> = 0."""
    for j, token in enumerate(of.tokens.rows()):
        less("<w, x_%d> < 0" % j, dot(token, witness.direction.ints), 0)

def eliminated(rows, most):
    """Pivots (place, row): independent combinations of rows of integers, at most so many of them, each 0 at the places
    of those before it. Quotients are whole (Bareiss): minors of the rows."""
    pivots = []
    for row in rows:
        last = 1
        for k, pivot in pivots:
            row = [(a * pivot[k] - row[k] * b) // last for a, b in zip(row, pivot)]
            last = pivot[k]
        if any(row):
            pivots.append((next(k for k, a in enumerate(row) if a), row))
        if len(pivots) >= most:
            break
    return pivots

def vanishing(columns, guess):
    """Factors with sum factor_k column_k = 0, near a multiple of a guess, if elimination finds some: those without a
    pivot keep what was guessed. The multiple, by Cramer's rule, saves quotients."""
    pivots = eliminated(zip(*columns), len(columns) - 1)
    scale = max((abs(row[k]) for k, row in pivots[-1:]), default=1)
    made = [Fraction(factor) * scale for factor in guess]
    for k, row in reversed(pivots):
        made[k] -= dot(row, made) / row[k]
    return made

def solution(columns, target, words):
    """Factors with sum factor_k column_k = target, of integers; that they do is checked."""
    *made, last = vanishing(columns + [[-t for t in target]], [0] * len(columns) + [1])
    need(columns and last and all(dot(row, made) == t * last for row, t in zip(zip(*columns), target)), words)
    return [factor / last for factor in made]

@kind("origin-inside", says="The origin is in the convex hull of the {n} tokens in dimension {d}.",
      symbols="0 = sum_i lambda_i x_i, lambda >= 0, sum_i lambda_i = 1",
      of={"tokens": doubles("n", "d")}, witness={"atoms": integers(0, "n", "m")})
def origin_inside(of, witness, bits):
    """Weights that solve sum_i lambda_i (x_i, 1) = (0, 1) exactly are not below 0."""
    tokens, m = of.tokens.rows(), of.size["m"]
    bounded(m * m * (of.size["d"] + m) << 10)
    atoms, origin = [tokens[i] + [1] for i in witness.atoms], [0] * of.size["d"] + [1]
    for weight, i in zip(solution(atoms, origin, "no combination of the atoms is the origin"), witness.atoms):
        at_most("weight of token %d" % i, 0, weight)

@kind("hull-outline", says="The convex hull of the {n} tokens in the plane has these {k} vertices and no others.",
      symbols="conv{{x_0, ..., x_(n-1)}} = conv{{x_i : i in outline}}, counterclockwise",
      of={"tokens": doubles("n", 2), "outline": integers(0, "n", "k")}, witness={})
def hull_outline(of, witness, bits):
    """No token is to the right of an edge, so edges are in the boundary; they go around once, so they are all of it."""
    tokens, k = of.tokens.rows(), of.size["k"]
    need(k >= 3 and k == len({tuple(tokens[i]) for i in of.outline}), "{} corners, or one of them stands twice", k)
    bounded(len(tokens) * k)
    for e in range(k):
        (ax, ay), (bx, by), (cx, cy) = [tokens[of.outline[(e + j) % k]] for j in range(3)]
        ux, uy = bx - ax, by - ay
        less("turn at corner %d" % ((e + 1) % k), 0, ux * (cy - by) - uy * (cx - bx))
        at_most("right of edge %d" % e, ux * ay - uy * ax, min(ux * y - uy * x for x, y in tokens))

@kind("hull-vertices", says="Each of these {k} tokens is a vertex of the convex hull of all {n}, in dimension {d}.",
      symbols="<w_v, x_v> > <w_v, x_j> where x_j is not x_v, for v in vertices",
      of={"tokens": doubles("n", "d"), "vertices": integers(0, "n", "k")}, witness={"directions": doubles("k", "d")})
def hull_vertices(of, witness, bits):
    """<w, x_v> is above what every other token has, so above what any combination of them has."""
    tokens = of.tokens.rows()
    bounded(len(of.tokens) * of.size["k"])
    need(len(set(of.vertices)) == of.size["k"], "a vertex stands twice")
    for v, w in zip(of.vertices, witness.directions.rows()):
        need_top(v, w, tokens, range(len(tokens)), v)

CLOUD = {"tokens": doubles("n", "d"), "key_query": maybe(doubles("d", "d")), "scale": maybe(double)}
CELLS = {**CLOUD, "vertices": integers(0, "n", "k"), "labels": integers(-1, "n", "n")}
CELLS_SYMBOLS = "<B x_i, x_l> > <B x_i, x_v> for v in vertices, where x_v is not x_l, l = labels_i"

@kind("cells", symbols=CELLS_SYMBOLS, of=CELLS, witness={"walls": integers(0, "n", "w", 2)},
      says="Of the cells of these {k} tokens, each of the {n} is in that of its label and in no other, "
           "or on a wall between two where the label is -1.")
def cells(of, witness, bits):
    """The label alone has the largest score; on a wall the next two of `walls` have it."""
    tokens, walls = of.tokens.rows(), list(witness.walls)
    bounded(len(of.tokens) * (of.size["k"] + of.size["d"]))
    need(len(walls) == 2 * of.labels.count(-1), "walls: a pair for each label -1")
    for i, (y, label) in enumerate(zip(times(of.key_query, of.scale, of.tokens)[0], of.labels)):
        (a, b), walls = (walls[:2], walls[2:]) if label < 0 else ((label, label), walls)
        need({a, b} <= set(of.vertices) and (label >= 0 or tokens[a] != tokens[b]), "token {}", i)
        need_top(i, y, tokens, of.vertices, a, "<" if label >= 0 else "<=")
        need_top(i, y, tokens, of.vertices, b, "<" if label >= 0 else "<=")

@kind("generic", symbols=CELLS_SYMBOLS + "; labels_v = v", of=CELLS, witness={},
      says="Each of the {n} tokens is in the cell of one of these {k} alone, and these are in their "
           "own: where they are all the vertices, the hypotheses of theorem 4.2 hold.")
def generic(of, witness, bits):
    """As cells, without walls."""
    need(all(of.labels[v] == v for v in of.vertices), "a vertex is not in its own cell")
    cells(of, SimpleNamespace(walls=[]), bits)

# ---- 5b. flow ------------------------------------------------------------------------------------
#
# Tokens x_i move by x_i + gamma (a_i - x_i), or under dx_i/dt = a_i - x_i, a_i the mean of the set C_i = { j : <B x_i,
# x_j> >= max_l <B x_i, x_l> - epsilon } by mass, or of the distinct points there where ties is "points". In each step
# gamma and epsilon may be anything between their ends.

COUNT, TINY = integer(0, 1 << 63), Fraction(1, 1 << 1100)
FLOW = {**CLOUD, "masses": maybe(doubles("n")), "ties": choice("points", "indices"),
        "pace": choice("steps", "ode"), "step": COUNT, "gamma_low": double, "gamma_high": double,
        "epsilon_low": double, "epsilon_high": double, "epsilon_now": maybe(double), "groups": COUNT}
SETS = {"classes": integers(0, "n", "n"), "inside": integers(0, 1, "n"), "listens": integers(0, "n", "h", 2)}

def masses_of(of):
    masses = of.masses.ints if of.masses else [1] * of.size["n"]
    need(all(mass > 0 for mass in masses), "masses must be above 0")
    return masses

def classes_of(of, witness):
    """Tokens with one set, `hear`: a closed group, the tokens of the class that are inside of it;
    or whole closed groups of other classes, with all of the class itself (own) or none of it. Its
    other tokens (moving) head for z = top / weight, the mean of those closed groups."""
    members, core, heard, made = {}, {}, {}, []
    share, rows, first = masses_of(of), of.tokens.rows(), {}
    if of.ties == "points":  # the first token at each point counts 1, others 0
        share = [int(first.setdefault(tuple(x), i) == i) for i, x in enumerate(rows)]
    def mean(tokens):  # its numerator and denominator
        columns = zip(*[[share[j] * t for t in rows[j]] for j in tokens])
        return [sum(column) for column in columns], sum(share[j] for j in tokens)
    for i, (k, inside) in enumerate(zip(witness.classes, witness.inside)):
        members.setdefault(k, []).append(i)
        core.setdefault(k, []).extend([i] * inside)
    for k, g in zip(witness.listens[::2], witness.listens[1::2]):
        heard.setdefault(k, set()).add(g)
    need(all(core.get(g) and g not in heard for k in heard for g in heard[k]) and
         set(heard) <= set(members), "listens: what is listened to must be a closed group")
    for k, all_of in members.items():
        closed, source = k not in heard, [j for g in heard.get(k, [k]) for j in core[g]]
        need(core[k] if closed else core[k] in ([], all_of), "class {} is inside in part", k)
        (top, weight), own = mean(source), not closed and core[k] != []
        own_top, own_weight = mean(core[k]) if own else (top, weight)
        made.append(SimpleNamespace(name=k, closed=closed, members=all_of, core=core[k], top=top, weight=weight,
                                    hear=set(source + core[k]), own=own, moving=core[k] != all_of or not closed,
                                    plain=[t * weight for t in own_top] == [t * own_weight for t in top]))
    closed = sum(one.closed for one in made)
    need(closed == of.groups and all(one.weight for one in made), "the closed groups are {}", closed)
    return made

def lasting(of, witness):
    """The classes, when Q1 and Q2 hold at all corners of what tokens move in (docs/proofs.md), in integers."""
    bounded(3 * len(of.tokens) * (of.size["n"] + of.size["d"]))
    classes, tokens = classes_of(of, witness), of.tokens.rows()
    queries, shift = times(of.key_query, of.scale, of.tokens)
    now = of.epsilon_low if of.epsilon_now is None else of.epsilon_now
    low, high, now = [epsilon * (1 << shift + of.tokens.shift) for epsilon in (of.epsilon_low, of.epsilon_high, now)]
    need(0 <= low <= high and now <= high and 0 <= of.gamma_low <= of.gamma_high <= 1, "ends are out of order")
    need(of.pace == "steps" or high == now == 0, "the ODE has epsilon = 0")
    whole = of.pace == "steps" and of.gamma_high == 1  # a step may go all the way
    for one in classes:
        place, others = tokens[min(one.hear)], [j for j in range(len(tokens)) if j not in one.hear]
        single = all(tokens[j] == place for j in one.hear)
        need(single or not (whole and one.moving) or (high > 0 and of.ties == "indices"),
             "gamma = 1: class {} listens to several points", one.name)
        corners = [("x_%d" % i, queries[i], 1) for i in one.members]
        if not one.closed:
            z = times(of.key_query, of.scale, Exact((1, len(one.top)), one.top, 0))[0][0]
            corners.append(("z_%d" % one.name, z, one.weight))
        for name, y, weight in corners:
            scores = [dot(y, x) for x in tokens]
            least = min(scores[j] for j in one.hear)
            at_most("Q1, spread of the scores of %s in its set" % name,
                    max(scores[j] for j in one.hear) - least, (now if one.closed else low) * weight)
            if others:
                best = max(others, key=scores.__getitem__)
                less("Q2, <B %s, x_%d> + epsilon below its set" % (name, best), scores[best] + high * weight, least)
            for other in classes:
                if other.moving and not (other is one and one.own):
                    there = single and other.top == [t * other.weight for t in place]
                    less("Q2, <B %s, z_%d> + epsilon below its set" % (name, other.name),
                         dot(y, other.top) + high * weight * other.weight, least * other.weight,
                         "<=" if high == 0 and (there or not whole) else "<")
    return classes

def sets_kind(name, words, symbols, one_more):
    def says(of):
        return sentence("From step {step} on these {n} tokens in dimension {d} move " +
                        ("under dx/dt = average - x" if of.pace == "ode" else "by steps x + gamma (average - x) with "
                         "gamma from {gamma_low} to {gamma_high} and epsilon from {epsilon_low} to {epsilon_high}") +
                        (", falling no faster than 1 - gamma from {epsilon_now}" if of.epsilon_now else "") +
                        ": " + words + "; closed groups: {groups}.", of)
    @kind(name, says, symbols, of=FLOW, witness=SETS)
    def check(of, witness, bits):
        for one in lasting(of, witness):
            need(one_more(one, of.tokens.rows()), "class {} is not of this kind", one.name)

sets_kind("theorem-4.2", "each always follows one point that never moves",
          "a_i(t) = x_l(i), x_l(i)(t) = x_l(i) for all t",
          lambda one, tokens: all(tokens[j] == tokens[min(one.hear)] for j in one.hear))
sets_kind("quiescence", "each always listens to its own group and nobody else, whose mean never moves",
          "C_i(t) = G(i), a_i(t) = mean of G(i) for all t", lambda one, tokens: not one.moving)
sets_kind("fixed-point", "each always listens to the same others, closed groups beside its own perhaps",
          "C_i(t) = C_i for all t", lambda one, tokens: True)

def left_of(of, bits):
    """What is left of the way after of.steps, null: infinitely many, or of.time."""
    need((of.pace == "ode") == (of.law == "ode") and of.time >= 0, "the pace is {}", of.pace)
    if of.law == "ode":
        return exp(-of.time, bits)
    need(of.law != "constant" or 0 < of.gamma_low == of.gamma_high, "gamma must be constant, above 0")
    need(of.law == "constant" or of.step > 0 or of.gamma_high == 1, "the first gamma is 1")
    if not of.steps:
        return Interval.of(0 if of.steps is None else 1, bits)
    if of.law != "constant":
        a, b = of.step, of.step + of.steps
        return Interval.of(Fraction(a, b) * (Fraction(a + 1, b + 1) if of.law == "fw" else 1), bits)
    left, part, count = Interval.of(1, bits), Interval.of(1 - of.gamma_low, bits), of.steps
    while count:
        left, part, count = left * part if count % 2 else left, part * part, count // 2
        part = part if part.high > TINY else Interval(0, TINY, bits)
        left = left if left.high > TINY else Interval(0, TINY, bits)
    return left

@kind("closed-form",
      says=lambda of: sentence(
          ("After time {time}" if of.law == "ode" else "In the limit" if of.steps is None else
           "After {steps} steps") + " from step {step} on, gamma {law}, the exact flow of these {n} "
          "tokens is within {error} of the later ones in every coordinate.", of),
      symbols="|z_i + prod (1 - gamma) (x_i - z_i) - later_i| <= error",
      of={**FLOW, "law": choice("constant", "harmonic", "fw", "ode"), "steps": maybe(COUNT),
          "time": double, "later": doubles("n", "d"), "error": double}, witness=SETS)
def closed_form(of, witness, bits):
    """The sets last, so every average is the constant z, and of x - z a product is left."""
    left, tokens, unit = left_of(of, bits), of.tokens.rows(), 1 << of.tokens.shift
    for one in lasting(of, witness):
        need(one.plain, "class {}: the mean of its own is not at its limit", one.name)
        for i in one.members:
            for c, (x, top) in enumerate(zip(tokens[i], one.top)):
                z, later = Fraction(top, one.weight * unit), of.later[i * of.size["d"] + c]
                at_most("error of token %d, coordinate %d" % (i, c),
                        abs(left * (Fraction(x, unit) - z) + (z - later)), of.error)

@kind("consensus",
      says=lambda of: sentence("No two of these {n} tokens" + (", as directions," if of.space == "sphere" else "") +
                               " are farther apart than {diameter}, nor will be while tokens move towards "
                               "averages of tokens.", of), symbols="|x_i - x_j| <= diameter, and hulls do not grow",
      of={"tokens": doubles("n", "d"), "diameter": double, "space": choice("flat", "sphere")}, witness={})
def consensus(of, witness, bits):
    """All pairs. Of directions: <x, y> >= (1 - D^2 / 2) |x| |y|, where D^2 < 2."""
    rows, least = of.tokens.rows(), 1 - of.diameter ** 2 / 2
    bounded(len(of.tokens) * len(rows))
    squares, most = [dot(x, x) for x in rows], of.diameter ** 2 * (1 << 2 * of.tokens.shift)
    need(of.diameter >= 0 and (least > 0 or of.space == "flat"), "the diameter must be below sqrt(2)")
    for i, x in enumerate(rows):
        for j in range(i):
            both = dot(x, rows[j])
            if of.space == "sphere":
                need(both > 0, "tokens {} and {} are not in one hemisphere", i, j)
                at_most("(cos of tokens %d and %d)^2" % (i, j), least ** 2 * squares[i] * squares[j], both ** 2)
            else:
                at_most("|x_%d - x_%d|^2" % (i, j), squares[i] + squares[j] - 2 * both, most)

@kind("residual",
      says="At these {n} tokens in dimension {d} no softmax average, beta = {beta}, is farther than {residual} from "
      "its token.", symbols="|sum_j m_j e^(beta <B x_i, x_j>) (x_j - x_i)| <= residual sum_j m_j e^(beta <B x_i, x_j>)",
      of={**CLOUD, "masses": maybe(doubles("n")), "beta": double, "residual": double}, witness={})
def residual(of, witness, bits):
    """Squared, by enclosures of e^(beta (score - best score)), which below e^-9999 are [0, that]."""
    rows, zero, unit = of.tokens.rows(), Interval.of(0, bits), 1 << of.tokens.shift
    bounded(len(of.tokens) * len(rows) << 10)
    queries, shift = times(of.key_query, of.scale, of.tokens)
    need(of.residual >= 0, "the residual is below 0")
    for i, x in enumerate(rows):
        scores = [of.beta * Fraction(dot(queries[i], y), unit << shift) for y in rows]
        best = max(scores)
        weights = [mass * (exp(s - best, bits) if s - best > -9999 else Interval(0, exp(-9999, bits).high, bits))
                   for s, mass in zip(scores, masses_of(of))]
        moves = [sum((w * Fraction(y[c] - x[c], unit) for w, y in zip(weights, rows)), zero) for c in range(len(x))]
        total = sum(weights, zero) * of.residual
        at_most("residual of token %d, squared" % i, sum((m * m for m in moves), zero), total * total)

def need_semidefinite(rows, what):
    """Gaussian elimination meets no pivot below 0, and none that is 0 beside other numbers."""
    while rows:
        head, rows = rows[0], rows[1:]
        at_most("pivot of " + what, 0, head[0])
        need(head[0] != 0 or not any(head), "{}: a pivot 0 beside other numbers", what)
        rows = [[t - (row[0] * s / head[0] if head[0] else 0) for t, s in zip(row[1:], head[1:])] for row in rows]

@kind("threshold-bound",
      says="Under localmax with an epsilon of at least {epsilon} and a constant gamma below 1 these {n} tokens "
      "in dimension {d} come to one point.", symbols="(x - y)' (B + B') (x - y) < 4 epsilon for x, y in the hull",
      of={**CLOUD, "epsilon": double}, witness={"share": integer(0, 1), "shift": double})
def threshold_bound(of, witness, bits):
    """With A = (B + B')/2, M = share A + shift I and M - A semidefinite: x'Mx is convex and nowhere below x'Ax."""
    d, b, tokens = of.size["d"], of.key_query, of.tokens.rows()
    bounded(d * d * (len(tokens) ** 2 + d << 6))
    need((b is None) != (of.scale is None), "one of key_query and scale must be null")
    a = [[(b[i * d + j] + b[j * d + i]) / 2 if b else of.scale * (i == j) for j in range(d)] for i in range(d)]
    m = [[witness.share * a[i][j] + witness.shift * (i == j) for j in range(d)] for i in range(d)]
    need_semidefinite(m, "M")
    need_semidefinite([[s - t for s, t in zip(*both)] for both in zip(m, a)], "M - A")
    most = 2 * of.epsilon * (1 << 2 * of.tokens.shift)
    for i, x in enumerate(tokens):
        for j in range(i):
            u = [s - t for s, t in zip(x, tokens[j])]
            less("(x_%d - x_%d)' M (x_%d - x_%d)" % (i, j, i, j), dot(u, [dot(row, u) for row in m]), most)

# ---- 5c. margin ----------------------------------------------------------------------------------

class Constraints:
    """<A_j, W> >= right, or = right where equal, A_j = (x_plus - x_minus) z'. x and z are integers:
    unit times A_j is meant. plus or minus -1 is the origin; at: the input and the token."""
    def __init__(self, points, queries, rows, data=None):
        x, self.z, self.data = points.rows() + [[0] * points.shape[1]], queries.rows(), data
        self.d, self.c, self.unit = points.shape[1], queries.shape[1], points.unit * queries.unit
        self.rows = [SimpleNamespace(left=[a - b for a, b in zip(x[plus], x[minus])], asked=asked, z=self.z[asked],
                                     equal=equal, right=right, at=at) for plus, minus, asked, equal, right, at in rows]
        self.plain = all(row.right == 1 and not row.equal for row in self.rows)
    def values(self, w):
        """<A_j, W> of every row."""
        bounded(self.d * (self.c * len(self.z) + len(self.rows)))
        images = [[dot(row, z) for row in w.rows()] for z in self.z]
        return [dot(row.left, images[row.asked]) * self.unit * w.unit for row in self.rows]
    def combine(self, pairs):
        """The sum of factor A_j / unit over pairs (j, factor), query by query."""
        sums, made = {}, [[0] * self.c for _ in range(self.d)]
        for j, factor in pairs:
            old = sums.get(self.rows[j].asked, [0] * self.d)
            sums[self.rows[j].asked] = [a + factor * b for a, b in zip(old, self.rows[j].left)]
        for asked, left in sums.items():
            made = [[b + a * z for b, z in zip(row, self.z[asked])] for a, row in zip(left, made)]
        return made
    def product(self, j, k):
        """<A_j, A_k> / unit^2."""
        return dot(self.rows[j].left, self.rows[k].left) * dot(self.rows[j].z, self.rows[k].z)

GIVEN = {"points": doubles("points", "rows"), "queries": doubles("queries", "columns"),
         "plus": integers(-1, "points", "m"), "minus": integers(-1, "points", "m"),
         "asked": integers(0, "queries", "m"), "equal": integers(0, 1, "m"), "right": doubles("m")}
DATA = {"model": choice("prompt", "cross", "self", "sequence", "label"), "n": integer(1, FILE_MAX),
        "T": integer(1, FILE_MAX), "mask": choice("full", "causal"), "row": integer(0, "T"),
        "tokens": doubles("tokens", "d"), "keys": maybe(doubles("tokens", "dk")), "labels": maybe(doubles("n")),
        "queries": maybe(doubles("queries", "d")), "decoder": maybe(doubles("d")), "select": integers(0, "T", "inputs"),
        "relaxed": maybe(integers(0, 1, "n")), **dict.fromkeys(("ties", "shares"), maybe(integers(0, 1, "table")))}

def problem(value, size, inputs):
    """The constraints themselves, or those of training data and a selection (docs/proofs.md)."""
    need(isinstance(value, dict), "a problem is an object")
    if "model" in value:
        size["n"], size["T"] = (DATA[key](value.get(key), size, inputs) for key in ("n", "T"))
        made = constraints_of(members(value, DATA, size, inputs, "problem"))
    else:
        of = members(value, GIVEN, size, inputs, "problem")
        rows = range(len(of.plus))
        made = Constraints(of.points, of.queries, zip(of.plus, of.minus, of.asked, of.equal,
                                                      (of.right[j] for j in rows), rows))
    size.update(constraints=len(made.rows), rows=made.d, columns=made.c)
    return made

def constraints_of(data):
    """A row for each token that must lose to the selected one; of a share, to be equal to it."""
    T, places, rows = data.T, data.T if data.model == "sequence" else 1, []
    need(data.tokens.shape[0] == data.n * T and len(data.select) == data.n * places and
         all(len(table) == len(data.select) * T for table in (data.ties, data.shares) if table),
         "the numbers of inputs and tokens do not agree")
    points, one = data.model == "prompt" and data.keys or data.tokens, Exact((1, 1), [1], 0)
    asking = {"sequence": data.queries or points, "self": points, "cross": data.queries}.get(data.model, one)
    need(asking, "there are no queries")
    for ask, best in enumerate(data.select):
        i, place = divmod(ask, places)
        if data.model == "label":
            need(data.labels, "there are no labels")
            sides = (i * T + best, -1) if data.labels[i] > 0 else (-1, i * T + best)
            rows.append((*sides, 0, 0, 1, (i, best)))
            continue
        asked = {"prompt": 0, "self": i * T + data.row}.get(data.model, ask)
        share = data.shares[ask * T:ask * T + T] if data.shares else [0] * T
        seen = place + 1 if data.mask == "causal" and places > 1 else T
        need(best < seen and asked < asking.shape[0] and (not any(share) or share.index(1) == best),
             "input {}: its token is masked or not the first of its share", ask)
        for t in range(seen):
            if t != best and share[t]:
                rows.append((i * T + t, i * T + best, asked, 1, 0, (ask, t)))
            elif t != best and not (data.ties and data.ties[ask * T + t]):
                right = 0 if data.relaxed and data.relaxed[i] else 1
                rows.append((i * T + best, i * T + t, asked, 0, right, (ask, t)))
    return Constraints(points, asking, rows, data)

DUALS = {"l1": "linf", "linf": "l1", "l2": "l2", "lp": "lp", "nuclear": "spectral", "spectral": "nuclear"}
def exponent(value, size, inputs):
    p = double(value, size, inputs)
    need(1 < p <= 1000, "p is {}: must be above 1, at most 1000", show(p))
    return p

OF = {"problem": problem, "norm": choice(*DUALS), "p": maybe(exponent)}
BOUND = dict(OF, value=double)
WEIGHTS = {"weights": maybe(doubles("rows", "columns")), "left": maybe(doubles("rows", "rank")),
           "right": maybe(doubles("columns", "rank"))}
MULTIPLIERS = {"at": integers(0, "constraints", "k"), "multipliers": doubles("k")}
BASIS = {"basis": maybe(doubles("side", "basis"))}
BOTH = dict(upper=double, lower=double, **WEIGHTS, **MULTIPLIERS, **BASIS)

def named(of):
    need((of.norm == "lp") == (of.p is not None), "p belongs to the norm lp alone")
    return "l_p norm, p = %.17g," % of.p if of.norm == "lp" else of.norm + " norm"

def valued(of, value):
    return SimpleNamespace(**dict(vars(of), value=value))

def norm_at_most(what, of, dual, matrix, bound, basis, bits):
    """Refuses unless |matrix| <= bound in the norm, or its dual, of a matrix of integers."""
    need((of.norm == "lp") == (of.p is not None), "p belongs to the norm lp alone")
    norm, sizes = DUALS[of.norm] if dual else of.norm, [abs(x) for row in matrix for x in row if x]
    at_most(what, 0, bound)
    square = dot(sizes, sizes) * (min(len(matrix), len(matrix[0])) if norm == "nuclear" else 1)
    if norm in ("l1", "linf"):
        at_most(what, sum(sizes) if norm == "l1" else max(sizes, default=0), bound)
    elif norm == "lp" and sizes:
        less(what, 0, bound)
        p = of.p / (of.p - 1) if dual else of.p
        at_most(what + ", in powers", sum(power(x / bound, p, bits) for x in sizes), 1)
    elif norm == "l2" or square <= bound ** 2:  # of singular values by the Frobenius norm
        at_most(what + ", squared", square, bound ** 2)
    else:
        columns, f, one = turned(matrix, basis, square=True)
        size = (sum(root(dot(b, b), 2, bits) for b in columns) if norm == "nuclear" else
                root(max(sum(abs(dot(a, b)) for b in columns) for a in columns), 2, bits))
        at_most(what + ", squared", size * size, bound ** 2 * one * (1 - f))

def turned(matrix, basis, square=False):
    """The columns of B = M V for a basis V of the shorter side, of numbers in units 1 / sqrt(one), and the largest sum
    f of moduli of a row of V'V - I; f < 1 where V must be square."""
    matrix = list(zip(*matrix)) if len(matrix[0]) > len(matrix) else matrix
    need(basis and basis.shape[0] == len(matrix[0]) and basis.shape[1], "no basis of this side")
    v, one = list(zip(*basis.rows())), 1 << 2 * basis.shift
    bounded(len(v) * len(v[0]) * (len(v) + len(matrix)) + len(v) ** 2 * len(matrix))
    f = Fraction(max(sum(abs(dot(a, b) - one * (a is b)) for b in v) for a in v), one)
    if square:
        need(len(v) == basis.shape[0], "the basis must be square")
        less("the basis is orthogonal up to f", f, 1)
    return [[dot(row, column) for row in matrix] for column in v], f, one

def weights_of(witness):
    """W, where it is given as two factors their product."""
    if not witness.weights:
        need(witness.left and witness.right, "there are no weights")
        left, right = witness.left, witness.right
        ints = [dot(a, b) for a in left.rows() for b in right.rows()]
        return Exact((left.shape[0], right.shape[0]), ints, left.shift + right.shift)
    return witness.weights

def feasible(given, w, bits):
    """m and far: some W' with |W' - W|_F <= far meets the constraints when it is divided by m; m
    None: 0 meets them. What W misses is mended: equations, and inequalities that become some."""
    rows, values = given.rows, given.values(w)
    if not any(row.right for row in rows):
        return None, 0
    fixed = any(row.equal and row.right for row in rows)  # then W cannot be divided
    mended = [j for j, row in enumerate(rows) if row.equal]
    for _ in range(8):
        far = mend(given, mended, [values[j] - rows[j].right for j in mended], bits)
        least = [value - far * root(given.product(j, j), 2, bits).high * given.unit if far else value
                 for j, value in enumerate(values)]
        m = 1 if fixed else min(least[j] for j, row in enumerate(rows) if row.right)
        m = min(m, 1) if any(rows[j].right for j in mended) else m  # r / m >= r of what has become r
        short = [j for j, row in enumerate(rows) if least[j] < m * row.right and j not in mended]
        if not short:
            less("the least margin is positive", 0, m)
            return m, far
        mended += short
    raise Refused("W misses constraint %d: it has %s" % (short[0], show(values[short[0]])))

def mend(given, at, misses, bits):
    """At least |D|_F of D = sum c_j A_j, <A_j, D> = -miss_j for j in at: |D|^2 = -sum c_j miss_j."""
    if not any(misses):
        return 0
    need(len(at) <= 120, "{} equations are too many", len(at))
    one = max(miss.denominator for miss in misses)  # a power of two
    target = [int(-miss * one) for miss in misses]
    c = solution([[given.product(j, k) for k in at] for j in at], target, "equations contradict")
    return root(dot(c, target) / one ** 2 / given.unit ** 2, 2, bits).high

@kind("margin-upper", symbols="|W| <= {value}, A W >= r", of=BOUND, witness=dict(WEIGHTS, **BASIS), says=lambda of:
      sentence("A W with " + named(of) + " at most {value} satisfies the {constraints} constraints.", of))
def margin_upper(of, witness, bits):
    """W + D, divided by m, meets the constraints; |W| + |D| <= value m, |D| <= sqrt(count) |D|_F."""
    given, w = of.problem, weights_of(witness)
    m, far = feasible(given, w, bits)
    if m is None:
        return at_most("0 <= value", 0, of.value)
    count = (min(given.d, given.c) if of.norm == "nuclear" else
             given.d * given.c if of.norm == "l1" or of.p and of.p < 2 else 1)
    bound = (of.value * m - far * root(count, 2, bits).high) / w.unit
    if of.norm == "nuclear" and not witness.weights:
        pairs = zip(zip(*witness.left.rows()), zip(*witness.right.rows()))
        at_most("sum |k_i| |q_i| <= value m", sum(root(dot(a, a) * dot(b, b), 2, bits) for a, b in pairs), bound)
    else:
        norm_at_most("|W| <= value m", of, False, w.rows(), bound, witness.basis, bits)

def combined(given, witness):
    """A'lambda in integers, their unit, and r'lambda."""
    pairs, unit = list(zip(witness.at, witness.multipliers.ints)), witness.multipliers.unit
    need(all(a < b for a, b in zip(witness.at, witness.at[1:])), "at must ascend")
    need(all(given.rows[j].equal or a >= 0 for j, a in pairs), "an inequality's multiplier is < 0")
    return given.combine(pairs), unit * given.unit, unit * sum(a * given.rows[j].right for j, a in pairs)

@kind("margin-lower", symbols="A W >= r implies |W| >= {value}", of=BOUND, witness=dict(MULTIPLIERS, **BASIS),
      says=lambda of: sentence("Every W that satisfies the {constraints} constraints has " + named(of) +
                               " at least {value}.", of))
def margin_lower(of, witness, bits):
    """|W| |A'lambda|_dual >= <W, A'lambda> >= r'lambda >= value |A'lambda|_dual."""
    matrix, unit, paid = combined(of.problem, witness)
    at_most("0 <= value", 0, of.value)
    if of.value:
        less("0 < r'lambda", 0, paid)
        norm_at_most("|A'lambda| <= r'lambda / value", of, True, matrix, paid / of.value / unit, witness.basis, bits)

@kind("margin-infeasible", says="No W satisfies the {constraints} constraints.",
      symbols="A W >= r has no solution", of={"problem": problem}, witness=MULTIPLIERS)
def margin_infeasible(of, witness, bits):
    """A'lambda = 0 and r'lambda > 0, for lambda as given, or as elimination finds it nearby."""
    rows, at, (matrix, _, paid) = of.problem.rows, witness.at, combined(of.problem, witness)
    if any(map(any, matrix)):
        need(len(at) <= 150, "{} multipliers are too many", len(at))
        columns = [[a * b for a in rows[j].left for b in rows[j].z] for j in at]
        near = vanishing(columns, [witness.multipliers[k] for k in range(len(at))])
        need(not any(map(any, of.problem.combine(zip(at, near)))), "A'lambda is not 0")
        need(all(rows[j].equal or a >= 0 for j, a in zip(at, near)), "a multiplier is below 0")
        paid = sum(a * rows[j].right for j, a in zip(at, near))
    less("0 < r'lambda", 0, paid)

def both(of, witness, bits):
    less("0 < lower", 0, witness.lower)
    margin_upper(valued(of, witness.upper), witness, bits)
    margin_lower(valued(of, witness.lower), witness, bits)

def distance(of, witness, bits):
    """W, m, and at least |W/m - W*|, W* the one W of least norm; l2 and lp alone."""
    need(of.norm in ("l2", "lp") and of.problem.plain, "l2 or lp, and right sides 1")
    both(of, witness, bits)
    w, p, far = weights_of(witness), of.p or 2, witness.upper ** 2 - witness.lower ** 2
    if far > 0 and p <= 2:
        far = root(far / (p - 1), 2, bits).high
    elif far > 0:
        far = power(witness.upper, p, bits) - power(witness.lower, p, bits)
        far = power(far.high * power(2, p - 1, bits).high, 1 / p, bits).high
    return w, feasible(of.problem, w, bits)[0], far

def score(data, ask, t):
    """y <v, x_t> of a token of an input, times a power of two that all share."""
    i, d = ask * data.n // len(data.select), len(data.decoder)
    token = data.tokens.ints[(i * data.T + t) * d:(i * data.T + t + 1) * d]
    return dot(token, data.decoder.ints) * data.labels.ints[i]

def leads(given, w):
    """(input, token), <A_j, W>, and how much more the selected token scores, of every row."""
    data = given.data
    need(data and data.model != "label" and data.labels and data.decoder, "there are no scores")
    need(not data.ties, "of tokens that need not lose no margin is known")
    return [(row, value, score(data, row.at[0], data.select[row.at[0]]) - score(data, *row.at))
            for row, value in zip(given.rows, given.values(w))]

@kind("margin-local", says=lambda of: "The selection is locally optimal in the %s: at the W of least "
      "norm, tokens with as high a score have a margin above 1." % named(of).rstrip(","),
      symbols="y_i v'x_it >= y_i v'x_ia implies <x_ia - x_it, W* z_i> > 1", of=OF, witness=BOTH)
def margin_local(of, witness, bits):
    """The margin at W/m exceeds 1 by more than |A_j|_dual |W/m - W*|."""
    w, m, far = distance(of, witness, bits)
    for row, value, lead in leads(of.problem, w):
        if lead <= 0:
            what = "input %d: token %d, with as high a score, is no support" % row.at
            less(what, 1, value / m)
            if far > 0:
                norm_at_most(what, of, True, [[a * b for b in row.z] for a in row.left],
                             (value / m - 1) / far / of.problem.unit, None, bits)

@kind("margin-rank", says="The W of least l2 norm has a rank from {low} to {high}.",
      symbols="{low} <= rank W* <= {high}", witness=BOTH,
      of=dict(OF, low=integer(0, FILE_MAX), high=integer(0, FILE_MAX)))
def margin_rank(of, witness, bits):
    """Below: |W V y| > |W - m W*| |V y| for `low` columns V. Above: W* is a sum of left z'."""
    w, m, far = distance(of, witness, bits)
    need(of.norm == "l2", "the norm must be l2")
    if of.low:
        columns, f, one = turned(w.rows(), witness.basis)
        need(len(columns) == of.low, "the basis must have {} columns", of.low)
        least = min(2 * dot(a, a) - sum(abs(dot(a, b)) for b in columns) for a in columns)
        less("far^2 |V y|^2 < |W V y|^2", max(far * m, 0) ** 2 * (1 + f), least * w.unit ** 2 / one)
    if of.high < min(of.problem.d, of.problem.c):
        sides = [row.left for row in of.problem.rows], [row.z for row in of.problem.rows]
        need(any(len(eliminated(side, of.high + 1)) <= of.high for side in sides),
             "neither differences nor queries have rank {}", of.high)

@kind("margin-tail", says="Of the nuclear norm of a W of least norm, at most the share {tail} lies "
      "beyond its largest {rank} singular values.", symbols="sum_(k > {rank}) sigma_k <= {tail} |W*|",
      of=dict(OF, tail=double, rank=integer(0, FILE_MAX)), witness=BOTH)
def margin_tail(of, witness, bits):
    """sum sigma_k (1 - s_k) <= upper - lower, s_k singular values of A'lambda lower / r'lambda."""
    need(of.norm == "nuclear", "the norm must be nuclear")
    both(of, witness, bits)
    (matrix, unit, paid), upper, lower = combined(of.problem, witness), witness.upper, witness.lower
    columns, f, one = turned(matrix, witness.basis, square=True)
    rest = columns[of.rank:]
    most = max((sum(abs(dot(a, b)) for b in rest) for a in rest), default=0)
    s = root(Fraction(most) / one / (1 - f), 2, bits).high * unit * lower / paid
    less("s_%d < 1" % (of.rank + 1), s, 1)
    at_most("(upper - lower) / (1 - s)", (upper - lower) / (1 - s) if rest else 0, of.tail * lower)

@kind("path-bracket", says="Over the W with {norm} norm at most {radius}, the least of log(L(W) - L*)"
      "/{radius} is from {low} to {high}, for the {loss} loss L and its infimum L*.",
      symbols="e^({low} R) <= min_(|W| <= R) L(W) - L* <= e^({high} R), R = {radius}",
      of=dict(OF, loss=choice("logistic", "exponential", "correlation"), radius=double, low=double,
              high=double), witness=dict(MULTIPLIERS, lower=double, weights=doubles("rows", "columns")))
def path_bracket(of, witness, bits):
    """Above: the loss of a W in the ball. Below: some lead is at most R / lower, a share at least 1/(1 + e^(that))."""
    data, w, inputs = of.problem.data, weights_of(witness), {}
    margin_lower(valued(of, witness.lower), SimpleNamespace(basis=None, **vars(witness)), bits)
    less("0 < R and lower", 0, min(of.radius, witness.lower))
    norm_at_most("|W| <= R", of, False, w.rows(), of.radius / w.unit, None, bits)
    need(of.problem.plain and data, "right sides must be 1")
    for row, value, lead in leads(of.problem, w):
        less("input %d: token %d scores less than the selected one" % row.at, 0, lead)
        inputs.setdefault(row.at[0], []).append((exp(-value, bits), lead))
    unit = data.tokens.unit * data.decoder.unit * data.labels.unit
    least, most = (exp(rate * of.radius, bits) * len(data.select) for rate in (of.low, of.high))
    total, share = 0, Interval.of(unit, bits) / (1 + exp(of.radius / witness.lower, bits))
    for ask, shares in inputs.items():
        best = score(data, ask, data.select[ask]) * unit
        drop = sum(a * lead for a, lead in shares) * unit / (1 + sum(a for a, _ in shares))
        total = rise(of.loss, best, drop, bits) + total
        at_most("n e^(low R) <= the rise of input %d for every W" % ask, least,
                rise(of.loss, best, share * min(lead for _, lead in shares), bits))
    at_most("L(W) - L* <= e^(high R)", total, most)

def rise(loss, best, drop, bits):
    """l(best - drop) - l(best), which grows with drop; of logistic log(1 + (e^drop - 1) e^-best / (1 + e^-best))."""
    size, tiny = exp(-best, bits), ends(drop)[1] < Fraction(1, 1 << 64)
    if loss != "correlation":  # x <= e^x - 1 <= x + x^2 and x - x^2 <= log(1 + x) <= x
        drop = drop * Interval(1, 1 + ends(drop)[1], bits) if tiny else exp(drop, bits) - 1
        drop = size * drop / (1 + size if loss == "logistic" else 1)
    if loss == "logistic":
        small = ends(drop)[1] < Fraction(1, 1 << 64)
        drop = drop * Interval(1 - ends(drop)[1], 1, bits) if small else log(1 + drop, bits)
    return drop

# ---- 5d. counterexamples: formulas about numbers -------------------------------------------------
#
# A part of Python's grammar, read by ast and evaluated here: definitions "y = ...", statements, and steps "for t in
# range(9): x = ...". Values are whole numbers, fractions, intervals in the place of long fractions, lists, and truths.

FORMULA = re.compile(r"[A-Za-z0-9_ +*/()\[\],<>=!:;-]{1,1000}\Z")  # no texts, no attributes, no points
LONG = 4096  # bits of a fraction that stays one
EFFORT = 6 << 20  # values that are made, and their words of 64 bits
SIGNS = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}

class Formulas:
    """What names stand for: numbers that are given, and definitions; variables: of steps and of "for" in brackets."""
    def __init__(self, of, bits):
        self.of, self.names, self.variables, self.bits = of, dict(of.numbers), {}, bits
    def need(self, truth, words, *values):
        if not truth:
            raise Refused("%s: %s" % (self.text, words.format(*values)))
    def spend(self, effort):
        self.of.effort = getattr(self.of, "effort", 0) + effort
        if self.of.effort > EFFORT:
            raise Undecided("%s: more than %d operations" % (self.text, EFFORT))

    def run(self, text):
        """The lines of a formula, one after the other."""
        self.text = text
        try:
            nodes = ast.parse(text).body
        except (SyntaxError, MemoryError):
            raise Refused("%s: cannot be read" % text)
        for node in nodes:
            for _ in self.each(node) if isinstance(node, ast.For) else [None]:
                for line in node.body if isinstance(node, ast.For) else [node]:
                    self.line(line)
    def line(self, node):
        self.said = "it is not true"
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.names[self.name(node.targets[0], {**self.of.numbers, **self.variables})] = self.value(node.value)
        else:
            self.need(isinstance(node, ast.Expr), "no definition, statement or step")
            self.need(self.truth(self.value(node.value)), "{}", self.said)
    def name(self, node, taken):
        self.need(isinstance(node, ast.Name) and node.id not in FUNCTIONS and node.id not in taken, "not a new name")
        return node.id
    def each(self, node):
        """Gives a variable the items of a list, one by one."""
        name, items = self.name(node.target, {**self.names, **self.variables}), self.value(node.iter)
        self.need(isinstance(items, (list, range)) and not getattr(node, "is_async", 0), "{} in no list", name)
        for item in items:
            self.spend(1)
            self.variables[name] = item
            yield
            del self.variables[name]
    def value(self, node):
        self.spend(1)
        return NODES.get(type(node).__name__, Formulas.unknown)(self, node)
    def unknown(self, node):
        self.need(False, "{} is no part of formulas", type(node).__name__)

    # types: a value of another one is refused
    def truth(self, value):
        self.need(isinstance(value, bool), "{} is no truth", shown(value))
        return value
    def number(self, value):
        self.need(type(value) in (int, Fraction, Interval), "{} is no number", shown(value))
        return value
    def whole(self, value):
        self.need(type(value) in (int, Fraction) and value.denominator == 1, "{} is no whole number", shown(value))
        return int(value)
    def listed(self, value):
        """What goes through a list comes here first: a short text makes lists that stand in one another often."""
        self.need(isinstance(value, list), "{} is no list", shown(value))
        self.spend(1 + len(value))
        return value
    def made(self, value):
        """A number that was computed; an interval where it is long."""
        if not isinstance(value, Interval):
            size = value.numerator.bit_length() + value.denominator.bit_length()
            self.spend(size >> 6)
            value = value if size <= LONG else Interval.of(value, self.bits)
        if isinstance(value, Interval):
            size = max(max(end.numerator.bit_length(), end.denominator.bit_length()) for end in ends(value))
            self.spend(16 + (size >> 4))
            if size > 8 * LONG:
                raise Undecided("%s: a number is too large, or too near to 0" % self.text)
        return value

    # nodes
    def constant(self, node):
        self.need(type(node.value) is int and node.value < 1 << 63, "{!r:.40} is no whole number", node.value)
        return node.value
    def known(self, node):
        self.need(node.id in self.variables or node.id in self.names, "{} has no meaning", node.id)
        return self.variables[node.id] if node.id in self.variables else self.names[node.id]
    def collected(self, node, depth=0):
        if depth == len(node.generators):
            self.spend(4)
            return [self.value(node.elt)]
        found, said = [], self.said
        for _ in self.each(node.generators[depth]):
            chosen = all([self.truth(self.value(test)) for test in node.generators[depth].ifs])
            self.said = said
            found += self.collected(node, depth + 1) if chosen else []
        return found
    def subscript(self, node):
        at = getattr(node.slice, "value", None) if type(node.slice).__name__ == "Index" else node.slice  # Python 3.8
        values, at = self.value(node.value), self.whole(self.value(at))
        self.need(isinstance(values, list) and 0 <= at < len(values), "there is no place {}", at)
        return values[at]
    def junction(self, node):
        parts = [self.truth(self.value(part)) for part in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    def signed(self, node):
        return self.times(-1, self.value(node.operand)) if isinstance(node.op, ast.USub) else self.unknown(node.op)
    def operation(self, node):
        a, b, how = self.value(node.left), self.value(node.right), type(node.op).__name__
        return (self.plus(a, b) if how == "Add" else self.plus(a, self.times(-1, b)) if how == "Sub" else
                self.times(a, b) if how == "Mult" else self.over(a, b) if how == "Div" else
                self.power(a, b) if how == "Pow" else self.unknown(node.op))
    def compare(self, node):
        values = [self.value(part) for part in [node.left, *node.comparators]]
        return all([self.holds(a, SIGNS.get(type(op).__name__), b) for op, a, b in zip(node.ops, values, values[1:])])
    def call(self, node):
        name = getattr(node.func, "id", "")
        self.need(name in FUNCTIONS and not node.keywords, "{} is no function of formulas", name)
        return FUNCTIONS[name](self, *[self.value(part) for part in node.args])

    # arithmetic
    def plus(self, a, b):
        if isinstance(a, list):
            self.need(len(a) == len(self.listed(b)), "vectors of {} and {} numbers", len(a), len(b))
            return [self.plus(*pair) for pair in zip(a, b)]
        return self.made(self.number(a) + self.number(b))
    def times(self, a, b):
        if isinstance(b, list):
            a, b = b, a
        if isinstance(a, list):
            return [self.times(item, b) for item in self.listed(a)]
        return self.made(self.number(a) * self.number(b))
    def over(self, a, b):
        self.need(not isinstance(self.number(b), (int, Fraction)) or b != 0, "division by 0")
        one = Fraction(1) if not isinstance(b, Interval) else Interval.of(1, self.bits)
        return self.times(a, self.made(one / b))
    def power(self, a, b):
        """Whole powers by repeated squares, others of numbers above 0."""
        if isinstance(self.number(b), Interval) or b.denominator > 1:
            return exp_of(self, self.times(log_of(self, a), b))
        self.need(abs(b) <= 1 << 20, "{} is too large a power", b)
        made, count = 1, abs(int(b))
        while count:
            made, count = self.times(made, a) if count % 2 else made, count // 2
            a = self.times(a, a) if count else a
        return made if b >= 0 else self.over(1, made)
    def same(self, a, b):
        """Whether two values are equal; None: that is open."""
        if isinstance(a, list):
            equal = len(a) == len(self.listed(b))
            parts = [self.same(*pair) for pair in zip(a, b)] if equal else [False]
            return False if False in parts else None if None in parts else True
        (a_low, a_high), (b_low, b_high) = ends(self.number(a)), ends(self.number(b))
        return False if a_high < b_low or b_high < a_low else True if a_low == a_high == b_low == b_high else None
    def holds(self, a, sign, b):
        if sign in ("==", "!="):
            equal = self.same(a, b)
            if equal is None:
                raise Undecided("%s: whether two numbers are equal is open" % self.text)
            true = equal == (sign == "==")
        else:
            self.need(sign, "a comparison that is no part of formulas")
            (a_low, a_high), (b_low, b_high) = map(ends, (self.number(a), self.number(b))[::-1 if ">" in sign else 1])
            true = a_high < b_low or a_high <= b_low and "=" in sign
            if not true and not (a_low > b_high or a_low == b_high and "=" not in sign):
                raise Undecided("%s: %s %s %s is open" % (self.text, show(a), sign, show(b)))
        if not true:
            where = ", ".join("%s = %s" % pair for pair in self.variables.items() if isinstance(pair[1], int))
            self.said = "%s %s %s is not true%s" % (shown(a), sign, shown(b), " for " * bool(where) + where)
        return true

def shown(value):
    """A value for a sentence; of a list the first numbers."""
    if isinstance(value, list):
        return "[%s]" % ", ".join(["[...]" if isinstance(item, list) else shown(item) for item in value[:4]] +
                                  ["..."] * (len(value) > 4))
    return show(value) if type(value) in (int, Fraction, Interval) else str(value)

def dot_of(f, a, b):
    """Of two vectors; of a matrix the vector of its rows' products."""
    if f.listed(a) and isinstance(a[0], list):
        return [dot_of(f, row, b) for row in a]
    f.need(len(a) == len(f.listed(b)), "vectors of {} and {} numbers", len(a), len(b))
    return sum_of(f, [f.times(*pair) for pair in zip(a, b)])

def sum_of(f, values):
    made = values[0] if f.listed(values) else 0
    for value in values[1:]:
        made = f.plus(made, value)
    return made

def largest(f, *values):
    """Of a list, or of several numbers."""
    lows, highs = zip(*[ends(f.number(value)) for value in (f.listed(values[0]) if len(values) == 1 else values)])
    return max(lows) if lows == highs else Interval(max(lows), max(highs), f.bits)

def top(f, values):
    """The places of the largest number: others are equal to it, or below."""
    best = max(range(len(f.listed(values))), key=lambda k: ends(f.number(values[k]))[0])
    ties = [k == best or f.same(value, values[best]) for k, value in enumerate(values)]
    if not all(tie or f.holds(value, "<", values[best]) for tie, value in zip(ties, values)):
        raise Undecided("%s: which number is the largest is open" % f.text)
    return [k for k, tie in enumerate(ties) if tie]

def exp_of(f, value):
    """Below e^-9999 it is from 0 to 2^-1100."""
    f.spend(4 * f.bits)
    if ends(f.number(value))[1] < -9999:
        return Interval(Fraction(0), TINY, f.bits)
    return 1 if f.same(value, 0) else f.made(exp(value, f.bits))

def log_of(f, value):
    f.spend(4 * f.bits)
    return f.made(log(f.number(value), f.bits))

def whole_of(f, columns):
    """Vectors of fractions times one number that makes all of them whole, in integers; their elimination is paid."""
    one = 1
    for value in [value for column in columns for value in f.listed(column)]:
        f.need(type(value) in (int, Fraction), "{} is no exact number", show(f.number(value)))
        one = one * value.denominator // math.gcd(one, value.denominator)
        f.need(one.bit_length() <= LONG, "numbers too far apart")
    made, count = [[int(value * one) for value in column] for column in columns], len(columns)
    size = max((abs(value).bit_length() for column in made for value in column), default=0)  # of minors count times
    f.spend(count ** 2 * max(map(len, made), default=0) * (16 + (count * size >> 9) ** 2))
    return made

def solve(f, columns, target):
    """Numbers with sum numbers_k columns_k = target."""
    if not f.listed(columns):
        f.need(not any(target), "there is no solution")
        return []
    *made, last = whole_of(f, [*columns, target])
    f.need(len({len(column) for column in made}) == 1 and len(last) == len(made[0]), "vectors of different lengths")
    return solution(made, last, "%s: there is no solution" % f.text)

def semidefinite(f, matrix):
    """Whether x'Mx >= 0 for all x, of a symmetric M."""
    f.need(all(len(f.listed(row)) == len(matrix) for row in f.listed(matrix)), "the matrix is not square")
    f.need(f.same(matrix, [list(column) for column in zip(*matrix)]), "the matrix is not symmetric")
    try:
        need_semidefinite([list(map(Fraction, row)) for row in whole_of(f, matrix)], "the matrix")
    except Refused as refusal:
        f.said = str(refusal)
        return False
    return True

NODES = {"Constant": Formulas.constant, "Name": Formulas.known, "ListComp": Formulas.collected,
         "GeneratorExp": Formulas.collected, "Subscript": Formulas.subscript, "BoolOp": Formulas.junction,
         "UnaryOp": Formulas.signed, "BinOp": Formulas.operation, "Compare": Formulas.compare, "Call": Formulas.call,
         "List": lambda f, node: [f.value(item) for item in node.elts],
         "IfExp": lambda f, node: f.value(node.body if f.truth(f.value(node.test)) else node.orelse)}
FUNCTIONS = {"range": lambda f, *ends: range(*map(f.whole, ends)), "len": lambda f, values: len(f.listed(values)),
             "all": lambda f, values: all(list(map(f.truth, f.listed(values)))),
             "any": lambda f, values: any(list(map(f.truth, f.listed(values)))),
             "sum": sum_of, "dot": dot_of, "max": largest, "top": top, "exp": exp_of, "solve": solve,
             "min": lambda f, *values: f.times(-1, largest(f, *f.times(-1, list(values)))),
             "abs": lambda f, value: f.made(abs(f.number(value))),
             "log": log_of, "semidefinite": semidefinite}

def numbers_of(value, size, inputs):
    """Named numbers, vectors and matrices."""
    need(isinstance(value, dict) and all(re.match(r"[A-Za-z]\w{0,30}\Z", key) for key in value), "no named numbers")
    made = {}
    for name, given in value.items():
        shape = inputs.arrays.get(given, {}) if isinstance(given, str) else given
        rank = len(shape["shape"]) if isinstance(shape, dict) and isinstance(shape.get("shape"), list) else 0
        need(rank < 3 and name not in FUNCTIONS, "{}: no number, vector or matrix, or a function's name", name)
        size[name] = []
        if rank:
            lengths = {}
            array = doubles(*map(str, range(rank)))(given, lengths, inputs)
            size[name], all_of = list(lengths.values()), [array[k] for k in range(len(array))]
            width = array.shape[-1]
            made[name] = all_of if rank == 1 else [all_of[i * width:(i + 1) * width] for i in range(array.shape[0])]
        else:
            made[name] = double(given, size, inputs)
    return made

def formulas_of(value, size, inputs):
    need(isinstance(value, list) and 0 < len(value) <= 64 and all(isinstance(text, str) and FORMULA.match(text)
                                                                   for text in value), "no list of formulas")
    need(set(size) <= set(re.findall(r"\w+", " ".join(value))), "no formula is about a number")
    return value

@kind("counterexample", of={"numbers": numbers_of, "formulas": formulas_of}, witness={},
      says=lambda of: "With %s each of these holds: %s." % (", ".join(
          name + (" (%s)" % ", ".join(map(str, shape)) if shape else "") for name, shape in of.size.items()),
          "; ".join(of.formulas)), symbols=lambda of: of.formulas[-1])
def counterexample(of, witness, bits):
    """Each definition and step is computed, each statement is true."""
    formulas = Formulas(of, bits)
    for text in of.formulas:
        formulas.run(text)

# ---- 5e. heads -----------------------------------------------------------------------------------
#
# Row i of a head sees some keys, and selects the one with the largest <q_i, k_t> among them.

HEAD = {"queries": doubles("n", "d"), "keys": doubles("n", "d"), "mask": choice("none", "causal"),
        "window": integer(0, FILE_MAX), "rows": integers(0, "n", "m"), "selected": integers(0, "n", "m")}
ROWS = "In this head of {n} tokens in dimension {d} each of these {m} rows "

def rivals(of):
    """(place, i, a, t) for the keys t that row i sees and that differ from the one that it selects, a."""
    n, keys = of.size["n"], of.keys.rows()
    bounded(4 * len(of.rows) * len(of.keys))
    need(len(set(of.rows)) == len(of.rows), "a row stands twice")
    for place, (i, a) in enumerate(zip(of.rows, of.selected)):
        seen = range(max(0, i - of.window + 1) if of.window else 0,
                     i + 1 if of.mask == "causal" else min(n, i + of.window) if of.window else n)
        need(a in seen, "row {} does not see token {}", i, a)
        yield from ((place, i, a, t) for t in seen if keys[t] != keys[a])

@kind("head-flip", says=ROWS + "keeps the token that it selects while its query moves by less than its radius, keys "
      "held; a move by at most its upper end makes another as good.", witness={},
      symbols="radius_i <= min_t <q_i, k_a - k_t> / |k_a - k_t| <= upper_i, a = selected_i, k_t seen, k_t != k_a",
      of={**HEAD, "radius": doubles("m"), "upper": doubles("m")})
def head_flip(of, witness, bits):
    """<q + e, k_a - k_t> > 0 where |e| |k_a - k_t| < <q, k_a - k_t>; e against k_a - k_t of that length makes it 0."""
    queries, keys, least = of.queries.rows(), of.keys.rows(), {}
    for place, i, a, t in rivals(of):
        gap = [x - y for x, y in zip(keys[a], keys[t])]
        lead = dot(queries[i], gap)
        at_most("row %d: score of token %d <= that of %d" % (i, t, a), 0, lead)
        ratio = Fraction(lead * lead, dot(gap, gap))
        least[place] = min(least.get(place, ratio), ratio)
    for place, i in enumerate(of.rows):
        need(place in least, "row {} sees one key alone", i)
        square = least[place] * of.queries.unit ** 2
        at_most("row %d: 0 <= radius" % i, 0, min(of.radius[place], of.upper[place]))
        at_most("row %d: radius^2 <= lead^2 / |k_a - k_t|^2" % i, of.radius[place] ** 2, square)
        at_most("row %d: lead^2 / |k_a - k_t|^2 <= upper^2" % i, square, of.upper[place] ** 2)

@kind("head-rounding", says=ROWS + "keeps the token that it selects when queries and keys are rounded to {format}.",
      symbols="<q, k_a - k_t> > u A + u (1 + u) (P_a + P_t) + h ((1 + u) (K_a + K_t + 2 Q) + 2 d h)", witness={},
      of={**HEAD, "format": choice("bfloat16", "float16")})
def head_rounding(of, witness, bits):
    """Rounding to p bits moves x by at most u |x| + h, u = 2^-p, h = 2^(e - p), up to the largest number: the symbols,
    times (1 / u h)^2 over the unit, are of integers."""
    p, e, top = (8, -126, 128) if of.format == "bfloat16" else (11, -14, 16)
    one, tiny, most = 1 << p, 1 << p - e, ((1 << p) - 1) << top - p
    queries, keys, shifts = of.queries.rows(), of.keys.rows(), (of.queries.shift, of.keys.shift)
    size, asking = [[list(map(abs, row)) for row in table] for table in (keys, queries)]
    for i, a in zip(of.rows, of.selected):
        need(max(asking[i]) <= most << shifts[0] and max(size[a]) <= most << shifts[1], "row {} is out of range", i)
    for place, i, a, t in rivals(of):
        q, gap = asking[i], [x - y for x, y in zip(keys[a], keys[t])]
        need(max(size[t]) <= most << shifts[1], "token {} is out of range", t)
        sums = (sum(size[a]) + sum(size[t]) << shifts[0]) + (2 * sum(q) << shifts[1])
        moved = one * dot(q, map(abs, gap)) + (one + 1) * (dot(q, size[a]) + dot(q, size[t]))
        less("row %d: what rounding takes of its lead over token %d" % (i, t),
             moved * tiny ** 2 + one * (one + 1) * tiny * sums + (2 * len(q) * one ** 2 << sum(shifts)),
             dot(queries[i], gap) * (one * tiny) ** 2)

@kind("head-reach", says="For each of {k} of these {n} keys some mixture of these {m} queries has a lead of at least "
      "its low over the others, in logits, and none has one above its high.",
      symbols="low_j <= max_c min_t scale sum_i c_i <q_i, k_j - k_t> <= high_j, c >= 0, sum_i c_i = 1, k_t != k_j",
      of={"queries": doubles("m", "d"), "keys": doubles("n", "d"), "scale": double, "tokens": integers(0, "n", "k"),
          "low": doubles("k"), "high": doubles("k")},
      witness={"query": integers(0, "m", "k", "a"), "query_weight": doubles("k", "a"),
               "key": integers(0, "n", "k", "b"), "key_weight": doubles("k", "b")})
def head_reach(of, witness, bits):
    """Above: the least is at most the mean over t by the weights of keys; below: the mixture of queries itself."""
    queries, keys, scale = of.queries.rows(), of.keys.rows(), of.scale * of.queries.unit * of.keys.unit
    bounded(2 * (len(of.tokens) + 1) * (len(of.queries) + len(of.keys)) +
            of.size["d"] * (len(witness.query) + len(witness.key)))
    need(len(set(of.tokens)) == len(of.tokens), "a token stands twice")
    def mixed(name, vectors, place):
        width = of.size["a" if name == "query" else "b"]
        pairs = [(getattr(witness, name + "_weight").ints[k], getattr(witness, name)[k])
                 for k in range(place * width, place * width + width)]
        need(all(weight >= 0 for weight, _ in pairs) and any(weight for weight, _ in pairs), "weights of a mixture")
        columns = zip(*[[weight * x for x in vectors[k]] for weight, k in pairs])
        return [sum(column) for column in columns], sum(weight for weight, _ in pairs), {k for w, k in pairs if w}
    less("0 < scale", 0, of.scale)
    for place, j in enumerate(of.tokens):
        (q, total, _), (other, one, chosen) = mixed("query", queries, place), mixed("key", keys, place)
        rest = [dot(q, key) for key in keys if key != keys[j]]
        need(rest and all(keys[t] != keys[j] for t in chosen), "token {}: no other key, or not one", j)
        at_most("token %d: low" % j, of.low[place] * total, scale * (dot(q, keys[j]) - max(rest)))
        gap = [one * x - y for x, y in zip(keys[j], other)]
        at_most("token %d: high" % j, scale * max(dot(query, gap) for query in queries), of.high[place] * one)

# ---- 6. the command line -------------------------------------------------------------------------

def files_of(paths):
    """Those named, and of folders every .json inside, in the order of names."""
    for path in paths:
        found = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        yield from sorted(name for name in found if name.endswith(".json")) if os.path.isdir(path) else [path]

def main(words):
    paths, given = [], {}
    for k, word in enumerate(words):
        if k and words[k - 1] == "--input" and "=" in word:
            given.update([word.split("=", 1)])
        elif word != "--input":
            paths.append(word)
    if not paths or any(path.startswith("-") for path in paths):
        print(__doc__)
        return 0 if paths == ["--help"] else 3
    if len(paths) == 1 and not os.path.isdir(paths[0]):
        return VERDICTS.index(verify(paths[0], given))
    counts = dict.fromkeys(VERDICTS, 0)
    for path in files_of(paths):
        lines = []
        verdict = verify(path, given, lines.append)
        counts[verdict] += 1
        print("\n".join(lines[-1:] if verdict == "verified" else lines))
    worst = max((verdict for verdict in VERDICTS if counts[verdict]), key=SEVERE.index, default="cannot decide")
    print("%d files, %s: %s" % (sum(counts.values()), ", ".join("%d %s" % (counts[v], v) for v in VERDICTS), worst))
    return VERDICTS.index(worst)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
