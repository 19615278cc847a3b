/* attend_pairs_single.c -- softmax in single precision by pairs: each score and power serves two
 * rows.
 *
 * With the token m of attend_single.c, z_j = x_j - m, and b = beta t log2(e) where queries are the
 * keys times t > 0 (attend_pairs.c says which tokens),
 *
 *   b <x_i, x_j> = b <x_i, m> + b |z_i|^2 / 2 + g_j - b |z_i - z_j|^2 / 2,
 *   g_j = b (<m, z_j> + |z_j|^2 / 2).
 *
 * The first two terms are the row's own. So row i averages with weights 2^(g_j) u_ij,
 *
 *   u_ij = 2^(-b |z_i - z_j|^2 / 2) = u_ji <= 1:
 *
 * masses of the tokens, once for all, and a symmetric part for which no row needs a maximum, at any
 * distance of the cloud from 0. The exponent is taken as <q_i, q_j> - h_j - h_i with
 * q_j = fl(sqrt(b) z_j), h_j = fl(|q_j|^2 / 2). What is summed up is 2^(g_j) (x_j - m), of which
 * x_i - m is subtracted at the end, in double: two fma for a pair and coordinate, where rows by
 * themselves take two fma and two subtractions.
 *
 * Errors. e = 2^-24, R2 the largest |q_j|^2, K = TROP_PAIRS_SINGLE_LIFT. What is off by the same in
 * all weights of a row does not count. In powers of two an exponent is off by
 *
 *   the coordinates of q     2 e R2 in the product, e R2 in h_j
 *   h_j, and h_i - K         e R2 / 2 each, and e K
 *   the chain of d fma       d e (3/2) R2
 *   the last subtraction     e (2 R2 + K)
 *
 * at most e ((d + 4) (3/2) R2 + 2 K) in all, and g_j, in double, by 2^-28 as long as
 * (d + 4) 2^-53 b (|m| R + R^2) is below that, R = max |z_j|. A weight is off by a factor within
 * exp(+-delta) (1 +- 2^-22) (1 +- e), delta = ln 2 times that, 2^-22 for the power of two
 * (attend_single.c) and e for the mass.
 *
 * Sums. A number passes through 32 additions of a lane and 4 of the tree as a row's, or through 8
 * in a chunk and 64 of chunks as a column's: M = 73 with its own product; blocks are added in
 * double. Off the diagonal N = sum_j fl(2^(g_j) z_j) u_ij and T = sum_j 2^(g_j) u_ij are summed up;
 * N - z_i T is off by (2 M + 1) e R T, and R is at most 2 D_i. The token itself adds nothing to it,
 * and its weight to the total in double: one that hears little of others hardly moves, as it
 * should. Powers below 2^-125 are dropped. Masses lie within 2^-55 and 2^55, and a row's own weight
 * is lifted by 2^K: what is dropped, and what underflows, is below n 2^-54 of the total; 512
 * 2^(55 + K) does not overflow. With attend_single.c's bound of what that makes of an average, row
 * i is off by at most
 *
 *   error D_i,   error = 1.06 (delta + 2^-22 + 300 e + n 2^-54).
 *
 * Clouds for which delta is above 2^-6, or masses lie farther apart, are done by rows.
 *
 * Maximisers. Row i compares <q_i, q_j> - h_j + g_j; as above, with the roundings of g_j and of two
 * additions, that is off by at most e ((d + 8) (3/2) R2 + 3 max |g_j|) + 2^-28. Blocks within two
 * such bounds and two of the scores in double are scored again, in double.
 */
#include "attend/attend_pairs.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-24
#define LOG2E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1
#define FINEST 0x1p-6    /* the largest delta */
#define WIDEST 110.0     /* powers of two between two masses, at most */
#define SMALLEST 0x1p-60 /* R2, at least: products of coordinates do not underflow */
#define LIFTED 0x1p40    /* 2^K */
#define STRIP TROP_SINGLE_STRIP
#define WIDE TROP_PAIRS_SINGLE_BLOCK

/* ---- memory ---------------------------------------------------------------------------------- */

int trop_attend_pairs_single_create(struct trop_attend *a)
{
    struct trop_attend_pairs *p = a->pairs;
    int64_t d = a->scene.d, size = (a->capacity + STRIP - 1) / STRIP * STRIP;
    int64_t weights = TROP_PAIRS_ROWS * TROP_PAIRS_SINGLE_STRIDE;
    /* Blocks are at most one more than full ones, or few. */
    int64_t room = (a->capacity / WIDE + TROP_ATTEND_PAIRS_LEAST) * WIDE;
    int made =
        TROP_ALLOC(TROP_PART(p->single, a->workers), TROP_PART(p->z, trop_alloc_product(size, d)),
                   TROP_PART(p->lift, trop_alloc_product(room, d)), TROP_PART(p->half, size),
                   TROP_PART(p->mass, size), TROP_PART(p->exponent, size));

    for (int64_t w = 0; made && w < a->workers; w++) {
        struct trop_pairs_single *s = p->single + w;
        s->d = d;
        made = TROP_ALLOC(TROP_PART(s->weight, weights),
                          TROP_PART(s->column, trop_alloc_product(d, WIDE)),
                          TROP_PART(s->chunk_total, WIDE), TROP_PART(s->column_total, WIDE),
                          TROP_PART(s->column_top, WIDE), TROP_PART(s->row_top, WIDE));
    }
    return made;
}

void trop_attend_pairs_single_free(struct trop_attend *a)
{
    struct trop_attend_pairs *p = a->pairs;

    for (int64_t w = 0; p->single && w < a->workers; w++) {
        struct trop_pairs_single *s = p->single + w;
        TROP_FREE(s->weight, s->column, s->chunk_total, s->column_total, s->column_top, s->row_top);
    }
    TROP_FREE(p->single, p->z, p->lift, p->half, p->mass, p->exponent);
}

/* ---- what is loaded -------------------------------------------------------------------------- */

/* g_j of a token, in double. */
static double power_of(const struct trop_attend *a, int64_t j)
{
    const struct trop_scene *s = &a->scene;
    const double *x = s->x + j * s->d, *m = s->x + a->centre * s->d;
    double sum = 0;

    for (int64_t c = 0; c < s->d; c++) {
        double z = x[c] - m[c];
        sum = fma(m[c] + 0.5 * z, z, sum);
    }
    return a->pairs->unit * sum;
}

/* The tokens of some strips. */
static void fill(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_attend *a = context;
    struct trop_attend_pairs *p = a->pairs;
    const struct trop_scene *s = &a->scene;
    const double *m = s->x + a->centre * s->d;
    double root = sqrt(p->unit), scale = ldexp(1, -a->exponent);

    (void)worker;
    for (int64_t j = first * STRIP; j < last * STRIP; j++) {
        int64_t at = j / STRIP * STRIP * s->d + j % STRIP;
        double g = j < s->n ? power_of(a, j) : 0, square = 0;
        p->exponent[j] = (float)g;
        p->mass[j] = j < s->n ? (float)trop_exp_inline(LN2 * (g - p->middle)) : 0;
        for (int64_t c = 0; c < s->d; c++) {
            double z = j < s->n ? s->x[j * s->d + c] - m[c] : 0;
            float q = (float)(root * z);
            square += (double)q * (double)q;
            p->z[at + c * STRIP] = q;
            p->lift[(j / p->size * s->d + c) * WIDE + j % p->size] =
                (float)((double)p->mass[j] * (z * scale));
        }
        p->half[j] = j < s->n ? (float)(0.5 * square) : TROP_PAIRS_SINGLE_NOWHERE;
    }
}

/* The numbers of all rows; 0: they are done by rows. */
static int measure(struct trop_attend *a)
{
    struct trop_attend_pairs *p = a->pairs;
    const struct trop_scene *s = &a->scene;
    struct trop_row row = { .scene = s };
    double d = (double)s->d, radius = a->radius[s->n - 1], least = 0, most = 0, far = 0;

    p->unit = trop_row_beta(&row) * a->multiple * LOG2E;
    for (int64_t c = 0; c < s->d; c++) {
        far = fma(s->reach[c], s->reach[c], far);
    }
    /* R2, with the roundings of q, and what g_j is off by, with |m| R + R^2 at most 3 |reach| R. */
    double square = p->unit * radius * radius * (1 + 0x1p-20);
    double blur = (d + 4) * 0x1.8p-52 * p->unit * sqrt(far) * radius;
    double delta =
        LN2 * (1.01 * UNIT * ((d + 4) * 1.5 * square + 2 * TROP_PAIRS_SINGLE_LIFT) + 0x1p-28);
    if (!(p->unit > 0 && square >= SMALLEST && blur <= 0x1p-28 && delta <= FINEST)) {
        return 0;
    }
    for (int64_t j = 0; j < s->n; j++) { /* g of the centre is 0 */
        double g = power_of(a, j);
        least = g < least ? g : least;
        most = g > most ? g : most;
    }
    if (!(most - least <= WIDEST)) {
        return 0;
    }
    p->middle = 0.5 * (least + most);
    p->doubt = 1.01 * UNIT * ((d + 8) * 1.5 * square + 3 * fmax(most, -least)) + 0x1p-28;
    for (int64_t i = 0; i < s->n; i++) {
        a->error[i] = 1.06 * (delta + 0x1p-22 + 300 * UNIT + (double)s->n * 0x1p-54);
    }
    return 1;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static struct trop_pairs_single_side side_of(const struct trop_attend *a, int64_t k)
{
    const struct trop_attend_pairs *p = a->pairs;
    int64_t d = a->scene.d, first = k * p->size, at = k * WIDE, left = a->scene.n - first;

    return (struct trop_pairs_single_side){
        .count = left < p->size ? (left + STRIP - 1) / STRIP * STRIP : p->size,
        .bit = UINT64_C(1) << k % 64,
        .z = p->z + first * d,
        .lift = p->lift + at * d,
        .half = p->half + first,
        .mass = p->mass + first,
        .exponent = p->exponent + first,
        .out = p->out + at * d,
        .total = p->total + at,
        .top = p->top + at,
        .slack = p->slack + at,
        .near = p->near + at,
    };
}

static void meet(struct trop_attend *a, int64_t worker, int64_t low, int64_t high)
{
    struct trop_pairs_single_side row = side_of(a, low), column = side_of(a, high);

    a->scene.kernel->single->meet(a->pairs->single + worker, &row, &column);
}

/* Sums are cleared, and every block meets itself. */
static void first_round(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_attend *a = context;
    const struct trop_scene *s = &a->scene;
    struct trop_attend_pairs *p = a->pairs;

    for (int64_t k = first; k < last; k++) {
        struct trop_pairs_single_side side = side_of(a, k);
        memset(side.out, 0, (size_t)(s->d * WIDE) * sizeof *side.out);
        memset(side.total, 0, WIDE * sizeof *side.total);
        for (int64_t r = 0; r < side.count; r++) {
            int64_t i = k * p->size + r;
            double bound = i < s->n ? trop_decide_bound(s->y + i * s->d, s->reach, s->d) : 0;
            p->slack[k * WIDE + r] = 2 * p->doubt + 4 * p->unit / a->multiple * bound;
            side.top[r] = (double)side.half[r] + (double)side.exponent[r]; /* of itself */
            side.near[r] = side.bit;
        }
        meet(a, worker, k, k);
    }
}

int trop_attend_pairs_single_begin(struct trop_attend *a)
{
    if (!a->single_ready || !measure(a)) {
        return 0;
    }
    trop_attend_pairs_cut(a, STRIP, WIDE);
    trop_parallel(a->workers, (a->scene.n + STRIP - 1) / STRIP, fill, a);
    a->pairs->meet = meet;
    trop_parallel(a->workers, a->pairs->blocks, first_round, a);
    trop_attend_pairs_rounds(a);
    return 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The log of the sum of exp(beta s) of row i. */
static double scale_of(const struct trop_attend *a, int64_t i, double total)
{
    const struct trop_scene *s = &a->scene;
    const double *x = s->x + i * s->d, *m = s->x + a->centre * s->d;
    double own = 0;

    for (int64_t c = 0; c < s->d; c++) {
        double z = x[c] - m[c];
        own = fma(x[c], m[c], fma(0.5 * z, z, own));
    }
    return LN2 * (a->pairs->unit * own + a->pairs->middle - TROP_PAIRS_SINGLE_LIFT) +
           trop_log(total);
}

void trop_attend_pairs_single_rows(const struct trop_attend_sweep *sweep, int64_t first,
                                   int64_t last, int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    const struct trop_attend_pairs *p = a->pairs;
    const struct trop_scene *s = &a->scene;
    struct trop_tile *tile = a->tiles + worker;
    const double *m = s->x + a->centre * s->d;

    for (int64_t i = first; i < last; i++) {
        int64_t block = i / p->size, r = i % p->size, at = block * WIDE + r;
        const double *sum = p->out + block * WIDE * s->d + r;
        double total = p->total[at] + (double)p->mass[i] * LIFTED;
        a->trouble[i] = NULL;
        for (int64_t c = 0; c < s->d; c++) {
            double z = s->x[i * s->d + c] - m[c];
            sweep->displacement[i * s->d + c] =
                (ldexp(sum[c * WIDE], a->exponent) - z * p->total[at]) / total;
        }
        if (sweep->notes) {
            trop_attend_settle_begin(tile, a);
            double bound = trop_attend_settle_add(tile, a, i);
            trop_attend_pairs_spans(tile, a, 0, NAN, p->near[at]);
            trop_attend_settle_softmax(sweep, worker, 0, bound, scale_of(a, i, total));
        }
    }
}
