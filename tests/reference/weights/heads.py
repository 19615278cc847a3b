"""heads.py -- heads and losses of trained attention, with many digits (docs/train.md, docs/gradients.md).

A head h reads a number off the attended token o; its gradient is a vector. A loss l of the margin
f = y h(o) falls with f:

    linear     v'o                 v
    relu       sum_k max(0, v_k'o) sum of the v_k with v_k'o > 0
    quadratic  v'o - lambda |o|^2  v - 2 lambda o

    logistic log(1 + e^-f), exponential e^-f, correlation -f, log -log f (next-token data: f is the
    attention that the word which follows receives, so that h is linear in the attention).

Numbers are Decimals of DIGITS digits with exponents without bounds that matter: e^-1000000 is a number
like others. A double enters exactly, up to 10^-DIGITS of itself.
"""
import decimal
from decimal import Decimal

DIGITS = 60
CONTEXT = decimal.Context(prec=DIGITS, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
decimal.setcontext(CONTEXT)
decimal.DefaultContext.prec = DIGITS
decimal.DefaultContext.Emax = decimal.MAX_EMAX
decimal.DefaultContext.Emin = decimal.MIN_EMIN
ZERO, ONE, TWO = Decimal(0), Decimal(1), Decimal(2)
SMALL = Decimal("1e-25")


def exact(x):
    """A double, a list of doubles, or lists of them, as Decimals."""
    return [exact(y) for y in x] if isinstance(x, (list, tuple)) else +Decimal(x)


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), ZERO)


def expm1(r):
    """e^r - 1 to a relative 10^-35 at least, also for tiny r."""
    if abs(r) > SMALL:
        return r.exp() - 1  # 60 digits less the 25 that cancel
    return r * (1 + r / 2 * (1 + r / 3 * (1 + r / 4)))


def log1p(r):
    if abs(r) > SMALL:
        return (1 + r).ln()
    return r * (1 - r * (ONE / 2 - r * (ONE / 3 - r / 4)))


def head_value(head, v, lam, o):
    if head == "relu":
        return sum((max(ZERO, dot(row, o)) for row in v), ZERO)
    linear = dot(v[0], o)
    return linear - lam * dot(o, o) if head == "quadratic" else linear


def head_gradient(head, v, lam, o):
    if head == "relu":
        on = [row for row in v if dot(row, o) > 0]
        return [sum((row[k] for row in on), ZERO) for k in range(len(o))]
    if head == "quadratic":
        return [a - 2 * lam * b for a, b in zip(v[0], o)]
    return v[0]


def head_size(head, v, lam, o):
    """Componentwise size of the numbers that the gradient of the head is made of."""
    size = [sum((abs(row[k]) for row in v), ZERO) for k in range(len(o))]
    return [a + 2 * abs(lam * b) for a, b in zip(size, o)] if head == "quadratic" else size


def loss_value(loss, f):
    if loss == "logistic":
        return log1p((-f).exp()) if f > 0 else log1p(f.exp()) - f
    if loss == "exponential":
        return (-f).exp()
    return -f if loss == "correlation" else -f.ln()


def loss_slope(loss, f):
    if loss == "logistic":
        return -1 / (1 + f.exp())
    if loss == "exponential":
        return -(-f).exp()
    return Decimal(-1) if loss == "correlation" else -1 / f


def loss_rise(loss, b, drop, f):
    """l(f) - l(b) for f = b - drop, drop >= 0, without cancellation."""
    if loss == "logistic":
        return log1p(-loss_slope(loss, b) * expm1(drop))
    if loss == "exponential":
        return (-b).exp() * expm1(drop)
    if loss == "correlation":
        return drop
    return -log1p(-drop / b) if 2 * drop < b else (b / f).ln()
