"""schedules.py -- numbers that vary with the step t (docs/flow.md, `tropism help flow`).

    number          constant               harmonic      1/(t+1)
    fw              2/(t+2)                 superexp:a    1 - exp(-a (t+1))
    geometric:e0,r  e0 r^t                  power:e0,s    e0 (t+1)^-s
    cosine:a,b      a + b cos t             linear:b0,b1  b0 + b1 t
    @FILE           a number for each step, the last of which holds on

value(text, t, files) -> (fraction, error): the double that the program steps with is within error of the
fraction, absolutely. The error is 0 where the double is known: constants, lists, one correctly rounded
division (fw, harmonic), and linear schedules whose sums are doubles themselves. The others are made of
library functions that are within 1 ulp (docs/reproducibility.md) and of one or two roundings more: 4 ulp.
"""
from decimal import Decimal, localcontext
from fractions import Fraction
import math

U = Fraction(1, 2 ** 53)


def decimal_cosine(t):
    """cos t with 40 digits, t a whole number: the series after halving the angle 20 times."""
    with localcontext() as context:
        context.prec = 60
        x = Decimal(t) / 2 ** 20
        term, total, k = Decimal(1), Decimal(1), 0
        while abs(term) > Decimal(10) ** -58:
            k += 2
            term = -term * x * x / (k * (k - 1))
            total += term
        for _ in range(20):
            total = 2 * total * total - 1
        return total


def entries(text, files):
    """The numbers of an @FILE."""
    return [float(word) for word in files[text[1:]].replace(",", " ").split()]


def value(text, t, files=None):
    text = str(text)
    if text.startswith("@"):
        numbers = entries(text, files)
        return Fraction(numbers[min(t, len(numbers) - 1)]), Fraction(0)
    name, _, rest = text.partition(":")
    if name == "fw":
        return Fraction(2 / (t + 2)), Fraction(0)
    if name == "harmonic":
        return Fraction(1 / (t + 1)), Fraction(0)
    if name not in ("superexp", "geometric", "power", "cosine", "linear"):
        return Fraction(float(text)), Fraction(0)
    numbers = [Fraction(float(word)) for word in rest.split(",")]
    with localcontext() as context:
        context.prec = 50
        decimals = [Decimal(f.numerator) / Decimal(f.denominator) for f in numbers]
        if name == "superexp":
            result = Fraction(1 - (-decimals[0] * (t + 1)).exp())
            scale = abs(result)  # expm1 is one of the library's functions
        elif name == "geometric":
            result = numbers[0] * numbers[1] ** t
            scale = abs(result)
        elif name == "power":
            result = Fraction(decimals[0] * Decimal(t + 1) ** -decimals[1])
            scale = abs(result)
        elif name == "cosine":
            result = numbers[0] + numbers[1] * Fraction(decimal_cosine(t))
            scale = abs(numbers[0]) + abs(numbers[1])
        else:
            result = numbers[0] + numbers[1] * t
            if Fraction(float(numbers[1] * t)) == numbers[1] * t and Fraction(float(result)) == result:
                return result, Fraction(0)
            scale = abs(numbers[0]) + abs(numbers[1] * t)
    if t == 0 and name in ("geometric", "power"):
        return numbers[0], Fraction(0)
    return result, 4 * 2 * U * scale


def constant(text):
    try:
        return math.isfinite(float(str(text)))
    except ValueError:
        return False
