/* number.c -- numbers of files as doubles.
 *
 * All are little endian. F64 and F32 are IEEE 754's binary64 and binary32. F16 is its binary16:
 * sign, 5 bits of exponent e, 10 of fraction f, for (1 + f / 2^10) 2^(e - 15), f 2^-24 when e = 0,
 * infinity or NaN when e = 31. BF16 is the upper half of a binary32. The others are whole numbers
 * in two's complement; BOOL is a byte.
 */
#include "io/number.h"

#include <math.h>
#include <string.h>

const char *const trop_number_name[TROP_NUMBER_TYPES] = { "F64", "F32", "F16", "BF16", "I64",
                                                          "I32", "I16", "I8",  "U8",   "BOOL" };
const int64_t trop_number_width[TROP_NUMBER_TYPES] = { 8, 4, 2, 2, 8, 4, 2, 1, 1, 1 };

int64_t trop_number_find(const char *name)
{
    for (int64_t k = 0; k < TROP_NUMBER_TYPES; k++) {
        if (strcmp(name, trop_number_name[k]) == 0) {
            return k;
        }
    }
    return -1;
}

static inline uint64_t bits_of(const unsigned char *bytes, int64_t width)
{
    uint64_t bits = 0;

    for (int64_t k = width - 1; k >= 0; k--) {
        bits = bits << 8 | bytes[k];
    }
    return bits;
}

static inline double single(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double half(uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023);
    double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);

    if (exponent == 31) {
        size = fraction == 0 ? INFINITY : NAN;
    }
    return bits >> 15 ? -size : size;
}

/* Sign extension without a shift of a negative number: the sign bit is flipped, and its weight
 * subtracted. */
static double whole(uint64_t bits, int64_t width)
{
    const uint64_t sign = (uint64_t)1 << (8 * width - 1);
    const uint64_t wide = (bits ^ sign) - sign;
    int64_t value;

    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

static double one(const unsigned char *bytes, enum trop_number_type type, int64_t width)
{
    const uint64_t bits = bits_of(bytes, width);
    double value;

    switch (type) {
    case TROP_NUMBER_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    case TROP_NUMBER_F32:
        return single((uint32_t)bits);
    case TROP_NUMBER_F16:
        return half(bits);
    case TROP_NUMBER_BF16:
        return single((uint32_t)bits << 16);
    case TROP_NUMBER_I64:
    case TROP_NUMBER_I32:
    case TROP_NUMBER_I16:
    case TROP_NUMBER_I8:
        return whole(bits, width);
    case TROP_NUMBER_U8:
    case TROP_NUMBER_BOOL:
        return (double)bits;
    case TROP_NUMBER_TYPES:
        break;
    }
    return NAN;
}

void trop_number_copy(double *out, const unsigned char *bytes, int64_t type, int64_t count)
{
    const int64_t width = trop_number_width[type];

    if (type == TROP_NUMBER_F32) { /* nearly all tensors, in a loop that is simple enough */
        for (int64_t k = 0; k < count; k++) {
            out[k] = single((uint32_t)bits_of(bytes + 4 * k, 4));
        }
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        out[k] = one(bytes + width * k, (enum trop_number_type)type, width);
    }
}
