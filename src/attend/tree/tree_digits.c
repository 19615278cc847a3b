/* tree_digits.c -- tokens as whole numbers, so that sums over them are exact (tree_digits.h).
 *
 * Errors, in units (1 unit = 2^-shift). q is within 0.51 of x - low: the difference is taken
 * as an exact sum of two doubles, and the floor of that sum plus 1/2. So an average of q less
 * q_i is within 1.02 of the true one, in every coordinate: sqrt(d) 1.02 units in length. The
 * division and the conversion of the whole number to double add 3 u relative to the
 * displacement, and a subnormal result 2^-1074. All is divided by D_i = max_j |x_j - x_i|.
 *
 * Masses off by e_j (|e_j| <= mass_error, in units of mu) change the average by
 * |sum e_j (x_j - average)| / sum mu_j <= 2 D_i |C| mass_error / sum_C mu_j.
 *
 * D_i is at least the largest distance in one coordinate, which the corners of the cloud
 * tell; it is at least half of the longest side, so that a unit is at most 2^-55 D_i.
 */
#include "attend/tree/tree_digits.h"

#include "attend/attend_internal.h"
#include "attend/exact.h"
#include "base/math/dd.h"
#include "base/parallel.h"

#include <math.h>

#define UNIT 0x1p-53
#define LOW 0xffffffffU
#define MASS_BITS 56

/* ---- numbers to digits ------------------------------------------------------------------ */

/* 2^shift may not be a double; its two factors are. */
static void unit_of(double unit[2], int shift)
{
    unit[0] = ldexp(1.0, shift / 2);
    unit[1] = ldexp(1.0, shift - shift / 2);
}

static double factor_of(const struct trop_tree_digits *g)
{
    return g->halves ? 0.5 : 1.0;
}

static uint64_t digits_of(const struct trop_tree_digits *g, double x, int64_t c)
{
    double factor = factor_of(g);
    struct trop_dd t = trop_dd_sum(factor * x, -factor * g->low[c]);
    double value = t.high * g->unit[0] * g->unit[1], whole = floor(value);
    double rest = (value - whole) + t.low * g->unit[0] * g->unit[1];

    return (uint64_t)((int64_t)whole + (int64_t)floor(rest + 0.5));
}

void trop_tree_digits_measure(struct trop_tree_digits *g, const struct trop_scene *s)
{
    double longest = 0;
    int exponent = 0;

    for (int64_t c = 0; c < s->d; c++) {
        g->low[c] = g->high[c] = s->x[c];
    }
    for (int64_t k = 0; k < s->n * s->d; k++) {
        double *low = g->low + k % s->d, *high = g->high + k % s->d;
        *low = s->x[k] < *low ? s->x[k] : *low;
        *high = s->x[k] > *high ? s->x[k] : *high;
    }
    g->halves = 0;
    for (int64_t c = 0; c < s->d; c++) {
        g->halves |= !(g->high[c] - g->low[c] < 0x1p1000);
    }
    for (int64_t c = 0; c < s->d; c++) {
        double side = factor_of(g) * g->high[c] - factor_of(g) * g->low[c];
        longest = side > longest ? side : longest;
    }
    frexp(longest, &exponent);
    g->shift = TROP_KERNEL_HALF_BITS - exponent;
    unit_of(g->unit, g->shift);
    g->mass_error = 0;
    if (s->mass) {
        double most = 0;
        for (int64_t j = 0; j < s->n; j++) {
            most = s->mass[j] > most ? s->mass[j] : most;
        }
        frexp(most, &exponent);
        unit_of(g->mass_unit, MASS_BITS - exponent);
        for (int64_t j = 0; j < s->n; j++) {
            double value = s->mass[j] * g->mass_unit[0] * g->mass_unit[1];
            double error = fabs(value - floor(value + 0.5));
            g->mass_error = error > g->mass_error ? error : g->mass_error;
        }
    }
}

int64_t trop_tree_digits_columns(const struct trop_scene *scene)
{
    return scene->mass ? 1 + 2 * scene->d : scene->d;
}

/* mu q = high 2^56 + low, by halves of 32 bits. */
static void multiply(uint64_t *low, uint64_t *high, uint64_t mu, uint64_t q)
{
    uint64_t a = (mu & LOW) * (q & LOW), b = (mu >> 32) * (q & LOW), c = (mu & LOW) * (q >> 32);
    uint64_t middle = (a >> 32) + (b & LOW) + (c & LOW);
    uint64_t bottom = (a & LOW) | middle << 32;
    uint64_t top = (mu >> 32) * (q >> 32) + (b >> 32) + (c >> 32) + (middle >> 32);

    *low = bottom & ((UINT64_C(1) << MASS_BITS) - 1);
    *high = bottom >> MASS_BITS | top << (64 - MASS_BITS);
}

struct filling {
    struct trop_tree_wide *wide;
    const struct trop_tree_digits *digits;
    const struct trop_scene *scene;
};

static void fill_places(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct filling *f = context;
    int64_t width = (1 + f->wide->view.columns) * TROP_LANES;

    (void)worker;
    for (int64_t p = first; p < last; p++) {
        if (f->wide->token[p] >= 0) {
            uint64_t *digit = f->wide->digit + p / TROP_LANES * width + p % TROP_LANES;
            const struct trop_scene *s = f->scene;
            uint64_t mu =
                s->mass ? ((uint64_t)floor(s->mass[f->wide->token[p]] * f->digits->mass_unit[0] *
                                               f->digits->mass_unit[1] +
                                           0.5))
                        : 0;
            digit[0] = trop_kernel_tag(f->wide->token[p]);
            for (int64_t c = 0; c < s->d; c++) {
                uint64_t q = digits_of(f->digits, s->x[f->wide->token[p] * s->d + c], c);
                if (s->mass) {
                    multiply(digit + (2 + 2 * c) * TROP_LANES, digit + (3 + 2 * c) * TROP_LANES, mu,
                             q);
                } else {
                    digit[(1 + c) * TROP_LANES] = q;
                }
            }
            if (s->mass) {
                digit[TROP_LANES] = mu;
            }
        }
    }
}

void trop_tree_digits_fill(struct trop_tree_wide *wide, struct trop_tree_digits *digits,
                           const struct trop_scene *scene, int64_t workers)
{
    struct filling filling = { .wide = wide, .digits = digits, .scene = scene };

    trop_parallel(workers, wide->last, fill_places, &filling);
}

/* ---- sums to numbers ----------------------------------------------------------------------- */

/* (sum - count q) / count without masses: both parts are whole numbers below 2^62. */
static double plain_mean(uint64_t low, uint64_t high, uint64_t count, uint64_t q)
{
    int64_t below = (int64_t)(low - count * (q & LOW)), above = (int64_t)(high - count * (q >> 32));
    int64_t carry = below / (INT64_C(1) << 32);

    below -= carry * (INT64_C(1) << 32);
    return fma((double)(above + carry), 0x1p32, (double)below) / (double)count;
}

/* high 2^32 + low as two doubles, the second below 2^32. */
static struct trop_dd parts(uint64_t low, uint64_t high)
{
    return (struct trop_dd){ (double)(high + (low >> 32)) * 0x1p32, (double)(low & LOW) };
}

static struct trop_dd dd_of(struct trop_dd parts)
{
    return trop_dd_sum(parts.high, parts.low);
}

static void add_exactly(struct trop_exact *sum, struct trop_dd a, double factor)
{
    trop_exact_add(sum, a.high, factor, 1.0);
    trop_exact_add(sum, a.low, factor, 1.0);
}

/* The same mean with masses; columns: mu, then p_low and p_high by coordinate. */
static double heavy_mean(const uint64_t *total, int64_t columns, int64_t c, uint64_t q)
{
    const uint64_t *low = total + 2, *high = low + columns;
    struct trop_dd mass = parts(low[0], high[0]);
    struct trop_dd p_low = parts(low[1 + 2 * c], high[1 + 2 * c]);
    struct trop_dd p_high = parts(low[2 + 2 * c], high[2 + 2 * c]);
    struct trop_dd own = parts(q & LOW, q >> 32);
    struct trop_dd whole = dd_of(mass), moment = dd_of(p_high);

    moment =
        trop_dd_add((struct trop_dd){ moment.high * 0x1p56, moment.low * 0x1p56 }, dd_of(p_low));
    moment = trop_dd_less(moment, trop_dd_times(dd_of(own), whole));
    /* The moment is off by at most 2^-100 of 2^57 times the mass; where that matters it is computed
     * exactly. */
    if (!(fabs(moment.high) > 0x1p-80 * 0x1p57 * whole.high)) {
        struct trop_exact sum;
        trop_exact_clear(&sum);
        add_exactly(&sum, p_low, 1.0);
        add_exactly(&sum, p_high, 0x1p56);
        trop_exact_subtract(&sum, own.high, mass.high, 1.0);
        trop_exact_subtract(&sum, own.high, mass.low, 1.0);
        trop_exact_subtract(&sum, own.low, mass.high, 1.0);
        trop_exact_subtract(&sum, own.low, mass.low, 1.0);
        moment.high = trop_exact_value(&sum);
    }
    return moment.high / whole.high;
}

/* max_j |x_j - x_i| from below, or its half. */
static double far_from(const struct trop_tree_digits *g, const double *x, int64_t d)
{
    double far = 0, factor = factor_of(g);
    for (int64_t c = 0; c < d; c++) {
        double up = factor * g->high[c] - factor * x[c], down = factor * x[c] - factor * g->low[c];
        far = up > far ? up : far;
        far = down > far ? down : far;
    }
    return far * (1 - 0x1p-50);
}

double trop_tree_digits_displace(double *out, const struct trop_tree_digits *g,
                                 const struct trop_scene *s, const uint64_t *total, int64_t i)
{
    const double *x = s->x + i * s->d;
    int64_t columns = trop_tree_digits_columns(s);
    double far = far_from(g, x, s->d), root = sqrt((double)s->d), length = 0;
    double mass = s->mass ? dd_of(parts(total[2], total[2 + columns])).high : (double)total[0];
    double spread = s->mass ? 2 * g->mass_error * (double)total[0] : 0;

    for (int64_t c = 0; c < s->d; c++) {
        uint64_t q = digits_of(g, x[c], c);
        double mean = 0;
        if (mass > 0) {
            mean = s->mass ? heavy_mean(total, columns, c, q)
                           : plain_mean(total[2 + c], total[2 + columns + c], total[0], q);
        }
        out[c] = ldexp(mean, g->halves - g->shift);
        length += factor_of(g) * fabs(out[c]);
    }
    if (far == 0) { /* every token is here, and so is the average */
        return 0;
    }
    if (spread > 0) {
        spread = mass > spread ? spread / (mass - spread) : INFINITY;
    }
    double unit = ldexp(1.0, -g->shift) + 0x1p-1074; /* the second where results are subnormal */
    return 1.01 * ((root * 1.02 * unit + 3 * UNIT * length) / far + spread);
}
