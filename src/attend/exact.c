/* exact.c -- sums of products of doubles, without error.
 *
 * A finite double is m 2^e with an integer |m| < 2^53 and e >= -1074. A product
 * of three is an integer of at most 159 bits times 2^e with -3222 <= e <= 2913.
 * The sum is held in fixed point: digit k weighs 2^(32 k - 3222). Nothing rounds,
 * overflows or underflows, whatever the sizes of the factors, so no scaling is
 * needed; 204 digits reach 2^3306, far above 2^30 products below 2^3072 each.
 *
 * Digits are signed 64-bit and carries are left in them until the sign is asked
 * for: one addition changes a digit by less than 2^33.
 */
#include "attend/exact.h"

#include <math.h>
#include <string.h>

#define LEAST 3222 /* digit 0 weighs 2^-LEAST */
#define PARTS 6    /* 32-bit digits of a product of three 53-bit integers */

void trop_exact_clear(struct trop_exact *sum)
{
    memset(sum, 0, sizeof *sum);
    sum->low = TROP_EXACT_DIGITS;
    sum->high = 0;
}

/* value = +-mantissa 2^exponent; returns 1 when it is negative. */
static int split(uint64_t *mantissa, int64_t *exponent, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int64_t field = (int64_t)(bits >> 52 & 0x7ff);

    *mantissa = bits & 0xfffffffffffffU;
    if (field > 0) {
        *mantissa |= 0x10000000000000U;
        *exponent = field - 1075;
    } else {
        *exponent = -1074;
    }
    return (int)(bits >> 63);
}

/* product <- product * factor, in digits of 32 bits, schoolbook. */
static void multiply(uint64_t product[PARTS], uint64_t factor)
{
    uint64_t result[PARTS + 2] = { 0 };
    uint64_t part[2] = { factor & 0xffffffffU, factor >> 32 };

    for (int b = 0; b < 2; b++) {
        uint64_t carry = 0;
        for (int k = 0; k < PARTS; k++) {
            /* (2^32-1)^2 + 2 (2^32-1) < 2^64 */
            uint64_t t = product[k] * part[b] + result[k + b] + carry;
            result[k + b] = t & 0xffffffffU;
            carry = t >> 32;
        }
        result[PARTS + b] += carry;
    }
    memcpy(product, result, PARTS * sizeof *product);
}

static void accumulate(struct trop_exact *sum, double a, double b, double c, int negative)
{
    uint64_t ma, mb, mc;
    int64_t ea, eb, ec;

    negative ^= split(&ma, &ea, a) ^ split(&mb, &eb, b) ^ split(&mc, &ec, c);
    if (ma == 0 || mb == 0 || mc == 0) {
        return;
    }
    uint64_t product[PARTS] = { ma & 0xffffffffU, ma >> 32 };
    multiply(product, mb);
    multiply(product, mc);

    int64_t place = ea + eb + ec + LEAST;
    int64_t first = place / 32;
    int shift = (int)(place % 32);
    for (int k = 0; k < PARTS; k++) {
        uint64_t t = product[k] << shift;
        int64_t low = (int64_t)(t & 0xffffffffU), high = (int64_t)(t >> 32);
        sum->digit[first + k] += negative ? -low : low;
        sum->digit[first + k + 1] += negative ? -high : high;
    }
    sum->low = first < sum->low ? first : sum->low;
    sum->high = first + PARTS + 1 > sum->high ? first + PARTS + 1 : sum->high;
}

void trop_exact_add(struct trop_exact *sum, double a, double b, double c)
{
    accumulate(sum, a, b, c, 0);
}

void trop_exact_subtract(struct trop_exact *sum, double a, double b, double c)
{
    accumulate(sum, a, b, c, 1);
}

/* Carries moved up: afterwards every digit but the top one is in [0, 2^32), and the
 * sign of the number is that of the top digit, or that of any other digit. */
static void normalise(struct trop_exact *sum)
{
    int64_t carry = 0;

    for (int64_t k = sum->low; k < TROP_EXACT_DIGITS - 1; k++) {
        int64_t t = sum->digit[k] + carry;
        sum->digit[k] = t & 0xffffffff;
        carry = (t - sum->digit[k]) / ((int64_t)1 << 32);
        int64_t beyond = k >= sum->high;
        sum->high = beyond ? k + 1 : sum->high;
        if (beyond && carry == 0) {
            return;
        }
    }
    sum->digit[TROP_EXACT_DIGITS - 1] += carry;
    sum->high = TROP_EXACT_DIGITS;
}

int trop_exact_sign(struct trop_exact *sum)
{
    normalise(sum);
    for (int64_t k = sum->high - 1; k >= sum->low; k--) {
        if (sum->digit[k] != 0) {
            return sum->digit[k] > 0 ? 1 : -1;
        }
    }
    return 0;
}

static void negate(struct trop_exact *sum)
{
    for (int64_t k = sum->low; k < sum->high; k++) {
        sum->digit[k] = -sum->digit[k];
    }
}

double trop_exact_value(struct trop_exact *sum)
{
    double value = 0;
    int sign = trop_exact_sign(sum);

    if (sign < 0) {
        negate(sum);
        normalise(sum);
    }
    int64_t top = sum->high - 1;
    while (top >= sum->low && sum->digit[top] == 0) {
        top--;
    }
    /* Three digits hold 65 bits or more: what is left below is under an ulp. */
    for (int64_t k = top; k >= sum->low && k > top - 3; k--) {
        value += ldexp((double)sum->digit[k], (int)(32 * k - LEAST));
    }
    if (sign < 0) {
        value = -value;
        negate(sum);
        normalise(sum);
    }
    return value;
}
