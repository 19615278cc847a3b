/* margin_farkas_prime.c -- arithmetic modulo primes between 2^30 and 2^31.
 *
 * Primes are told by the test of Miller and Rabin to the bases 2, 3, 5 and 7, which is a proof
 * below 3,215,031,751 (Pomerance, Selfridge, Wagstaff 1980). Doubles are whole multiples of powers
 * of two, and 2 can be inverted, so that sums and products of them have residues; all are taken
 * times 2^1127. Eliminations multiply by Montgomery's rule: t / 2^32 modulo p is
 * (t + m p) / 2^32 with m = - t / p modulo 2^32, below 2 p for t below 2^32 p.
 */
#include "margin/farkas/margin_farkas_prime.h"

#include <math.h>

#define SHIFT 1127 /* residues are of 2^SHIFT x */

static uint32_t power_of(uint32_t a, uint32_t e, uint32_t p)
{
    uint64_t square = a % p, out = 1;

    for (; e > 0; e >>= 1) {
        out = e & 1U ? out * square % p : out;
        square = square * square % p;
    }
    return (uint32_t)out;
}

/* n is odd, above 7. */
static int is_prime(uint32_t n)
{
    const uint32_t bases[] = { 2, 3, 5, 7 };
    uint32_t odd = n - 1;
    int twos = 0;

    for (; odd % 2 == 0; odd /= 2) {
        twos++;
    }
    for (int k = 0; k < 4; k++) {
        uint64_t x = power_of(bases[k], odd, n);
        int passed = x == 1 || x == n - 1;
        for (int i = 1; i < twos && !passed; i++) {
            x = x * x % n;
            passed = x == n - 1;
        }
        if (!passed) {
            return 0;
        }
    }
    return 1;
}

void trop_margin_farkas_prime_below(struct trop_margin_farkas_prime *out, uint32_t under)
{
    uint32_t p = under % 2 == 0 ? under - 1 : under - 2, inverse = 1;

    while (!is_prime(p)) {
        p -= 2;
    }
    for (int k = 0; k < 5; k++) { /* Newton: 1/p to 2, 4, .., 32 bits */
        inverse *= 2U - p * inverse;
    }
    out->p = p;
    out->inverse = 0U - inverse;
    out->power[0] = 1;
    for (int64_t e = 1; e < TROP_MARGIN_FARKAS_PRIME_POWERS; e++) {
        const uint32_t twice = 2 * out->power[e - 1]; /* below 2^32 */
        out->power[e] = twice >= p ? twice - p : twice;
    }
}

uint32_t trop_margin_farkas_prime_residue(const struct trop_margin_farkas_prime *prime, double x)
{
    int e;
    const int64_t whole = (int64_t)ldexp(frexp(fabs(x), &e), 53);

    if (whole == 0) {
        return 0;
    }
    const uint32_t size = trop_margin_farkas_prime_times(prime, (uint32_t)(whole % prime->p),
                                                         prime->power[e - 53 + SHIFT]);
    return x < 0.0 && size != 0 ? prime->p - size : size;
}

uint32_t trop_margin_farkas_prime_times(const struct trop_margin_farkas_prime *prime, uint32_t a,
                                        uint32_t b)
{
    return (uint32_t)((uint64_t)a * b % prime->p);
}

uint32_t trop_margin_farkas_prime_less(const struct trop_margin_farkas_prime *prime, uint32_t a,
                                       uint32_t b)
{
    return a >= b ? a - b : a + (prime->p - b);
}

uint32_t trop_margin_farkas_prime_over(const struct trop_margin_farkas_prime *prime, uint32_t a)
{
    return power_of(a, prime->p - 2, prime->p);
}

void trop_margin_farkas_prime_eliminate(const struct trop_margin_farkas_prime *prime, uint32_t *row,
                                        const uint32_t *other, uint32_t factor, int64_t n)
{
    const uint32_t p = prime->p, inverse = prime->inverse;
    const uint64_t shifted = ((uint64_t)factor << 32) % p;

    for (int64_t c = 0; c < n; c++) {
        const uint64_t t = shifted * other[c];
        const uint32_t m = (uint32_t)t * inverse;
        const uint32_t twice = (uint32_t)((t + (uint64_t)m * p) >> 32);
        const uint32_t product = twice >= p ? twice - p : twice;
        row[c] = row[c] >= product ? row[c] - product : row[c] + (p - product);
    }
}
