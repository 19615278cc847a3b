/* cells_scaled.c -- exact sums whose values leave double: a value and a power of two.
 *
 * A score has three factors, a normal two. With tokens of 1e300 or 1e-300 they are outside double,
 * while what is made of them, a distance to a wall or a comparison of energies, is not. An exact
 * sum (attend/exact.h) has room for them, in digits of 32 bits, digit k weighing 2^(32 k - 3222).
 * The value is its 64 leading bits, the last of them set when anything follows, rounded to double:
 * so it is the sum correctly rounded, whatever the power, and scaling the factors by powers of two
 * changes the power alone. Scaling them beforehand would lose small coordinates beside large ones.
 */
#include "shape/cells/cells_internal.h"

#include "attend/exact.h"

#include <math.h>

#define WEIGHT 3222 /* digit 0 weighs 2^-WEIGHT */
#define LEAST 0x1p-1074

/* Digit k as an unsigned number; 0 below the lowest. */
static uint64_t digit(const struct trop_exact *sum, int64_t k)
{
    return k >= sum->low ? (uint64_t)sum->digit[k] : 0;
}

struct trop_cells_scaled trop_cells_scaled_sum(struct trop_exact *sum)
{
    int sign = trop_exact_sign(sum), shift = 0;

    if (sign == 0) {
        return (struct trop_cells_scaled){ 0 };
    }
    for (int64_t k = sum->low; sign < 0 && k < sum->high; k++) {
        sum->digit[k] = -sum->digit[k];
    }
    trop_exact_sign(sum); /* moves the carries up */
    int64_t top = sum->high - 1;
    while (sum->digit[top] == 0) {
        top--;
    }
    uint64_t lead = digit(sum, top) << 32 | digit(sum, top - 1), rest = digit(sum, top - 2);
    for (; lead >> 63 == 0; shift++) { /* at most 31: the top digit is not 0 */
        lead = lead << 1 | (rest >> 31 & 1);
        rest = rest << 1 & 0xffffffffU;
    }
    for (int64_t k = top - 3; k >= sum->low; k--) {
        rest |= digit(sum, k);
    }
    lead |= rest != 0;
    return (struct trop_cells_scaled){ sign * ldexp((double)lead, -64),
                                       32 * (top - 1) - WEIGHT - shift + 64 };
}

double trop_cells_scaled_double(struct trop_cells_scaled a)
{
    double value = ldexp(a.value, (int)a.power);

    return value == 0 && a.value != 0 ? copysign(LEAST, a.value) : value;
}

double trop_cells_scaled_ratio(struct trop_cells_scaled a, struct trop_cells_scaled b)
{
    return trop_cells_scaled_double(
        (struct trop_cells_scaled){ a.value / b.value, a.power - b.power });
}
