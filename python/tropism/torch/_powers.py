"""Powers sgn(x)|x|^e, the precision of dual variables, and dual norms.

**Exponents.** A p that was meant as a fraction is taken as one: 1.1 is 11/10, so that 1/(p - 1) is
10 and not 9.999999999999991. Integers up to 64 and halves are products and roots; other powers are
torch's, whose error is about one unit in the last place.

**Which precision the dual needs.** With the potential |w|^p / p the dual of a weight is u =
sgn(w)|w|^(p-1), and w = sgn(u)|u|^r, r = 1/(p - 1). For p near 1 u is close to +-1 whatever w is:
at p = 1.01 the weights 1e-3 and 1 have the duals 0.933 and 1. Hence

    dw / w = r du / u :

a rounding of u by the relative amount s is a rounding of w by r s. Gradient descent rounds w by at
most v, the unit roundoff of the parameter (2^-24 in float32, 2^-8 in bfloat16), in each step, and
loses a step that is smaller than that. A master of unit roundoff s with r s <= 2 v rounds and loses
at most twice as much:

    parameter   master    for
    float32     float32   r <= 2, that is p >= 1.5 (s = v)
    float32     float64   p < 1.5: r s = r 2^-53 <= 2^-23 down to p - 1 = 2^-30
    bfloat16    float32   r <= 2^17
    float16     float32   r <= 2^14
    float64     float64   always: nothing wider is at hand, and w carries r 2^-53 for each step

After K steps w is off sgn(U)|U|^r, U being the exact dual, by at most

    |w| (r (K + 5) s max_k |u_k| / |U| + 6 s + v) :

K sums and the start round u, the last power and the rounding to the parameter do the rest. Tests
compare trajectories with that. At p = 1.01 in float32 with a float64 master and K = 10^6 steps
that do not cancel, r K s = 100 * 10^6 * 1.1e-16 = 1.1e-8, a fifth of the rounding of w itself.

The range is the other limit. For p > 2 the dual of a small weight is very small: |w| = 1e-5 has
1e-35 at p = 8, the end of float32, and 1e-300 at p = 61, the end of float64. So p > 8 takes
float64. For p near 1 it is w that leaves the range: u = 0.3 at p = 1.01 is w = 5e-53, which is 0 in
float32. The weight is 0 and its dual goes on: it is not dead, as it would be if w were the state.
Upwards, w is infinite from u = 2.43 at p = 1.01 on (float32 and bfloat16): choose the step so that
it is not reached.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Union

import torch

from ._each import Each, Tensors

Exponent = Union[Fraction, float]


def exponent(x: float) -> Exponent:
    """x as the fraction with the smallest denominator up to 1000 that rounds to it, else x."""
    near = Fraction(x).limit_denominator(1000)
    return near if float(near) == x else x


def less_one(p: float) -> Exponent:
    """p - 1."""
    e = exponent(p)
    return e - 1


def inverse(p: float) -> Exponent:
    """1/(p - 1), which is also q - 1."""
    return 1 / less_one(p)


def dual(p: float) -> Exponent:
    """q = p/(p - 1)."""
    return 1 + inverse(p)


def _integer_power(xs: Tensors, n: int, each: Each) -> Tensors:
    """xs^n by squaring, n >= 1; may change xs."""
    result: Tensors = []
    while True:
        if n & 1:
            result = each.times_(result, xs) if result else each.clone(xs)
        n >>= 1
        if n == 0:
            return result
        xs = each.times_(xs, xs)


def power(xs: Tensors, e: Exponent, each: Each) -> Tensors:
    """xs^e for xs >= 0 and e > 0; may change xs."""
    if e == 1:
        return xs
    if not isinstance(e, Fraction) or e.denominator > 2 or e > 64:
        return each.pow_(xs, float(e))
    if e.denominator == 1:
        return _integer_power(xs, int(e), each)
    whole = int(e)
    if whole == 0:
        return each.sqrt_(xs)
    roots = each.sqrt_(each.clone(xs))
    return each.times_(_integer_power(xs, whole, each), roots)


def signed_power(xs: Tensors, e: Exponent, each: Each) -> Tensors:
    """sgn(xs)|xs|^e, new tensors; e > 0. NaN stays NaN, 0 stays 0."""
    if e == 1:
        return each.clone(xs)
    if e > 1:  # x |x|^(e-1) needs no sign
        return each.times_(power(each.absolute(xs), e - 1, each), xs)
    return each.times_(power(each.absolute(xs), e, each), each.sign(xs))


def power_sums(ys: Tensors, q: Exponent, each: Each) -> Tensors:
    """sum |y|^q of each tensor."""
    return each.total(power(each.absolute(ys), q, each))


def master_dtype(dtype: torch.dtype, amplification: float, wide: bool = False) -> torch.dtype:
    """The narrowest dtype of a dual variable whose rounding, amplified, is within twice that of a
    parameter of this dtype. wide: its range is needed too.
    """
    if dtype == torch.float64 or wide:
        return torch.float64
    unit = torch.finfo(dtype).eps / 2
    return torch.float32 if amplification * 2.0**-24 <= 2 * unit else torch.float64


def mirror_master(dtype: torch.dtype, p: float) -> torch.dtype:
    """The dtype of the dual of lp mirror descent."""
    return master_dtype(dtype, 1 / (p - 1), wide=p > 8)
