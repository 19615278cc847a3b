/* attend_single.c -- rows in single precision: what is prepared, and how far off they are.
 *
 * Tokens are centred and scaled, z_j = fl((x_j - m) 2^-k) with m a token that every row sees:
 * the one nearest to the mean, or token 0 under the causal mask. R_i = max |x_j - m| over what
 * row i sees, and D_i = max |x_j - x_i|. As m is seen, |x_i - m| <= D_i and R_i <= 2 D_i.
 * Scores change by a number that the columns of a row have in common, which neither the
 * maximisers nor softmax notice.
 *
 * Softmax. With e = 2^-24 and q = fl(beta log2(e) y 2^k), the score s_j = <q, z_j> is a logit
 * in powers of two. N = |q| R_i 2^-k bounds it. The chain of d products with rounded factors
 * is off by (d + 4) e N, the difference s_j - c from |c| <= N by 2 e N, so a logit is off by
 *
 *   delta = ln 2 (1.01 (d + 6) e N + 2.02 e N),
 *
 * and a weight by a factor within exp(+-delta) (1 +- eta), eta = 2^-22 from the power of two
 * (lanes_*.h: 1.57 e from the polynomial, 1 e from its last rounding, 0.4 e from the others)
 * plus e from the mass. Weights off by |h_j| <= h change an average by
 *
 *   |sum_j p_j h_j (v_j - v)| / (1 - h) <= h / (1 - h) sqrt(sum_j p_j |v_j - v|^2)
 *                                       <= h / (1 - h) D_i,       v_j = x_j - x_i, v its mean.
 *
 * In a block a lane adds 16 numbers and the tree 4: 20 e of the sum of weights, 21 e of the sum
 * of w_j |v_j|; the differences z_j - z_i are off by e |v_j| + 2 e R_i <= 5 e D_i. Weights
 * below 2^-125 are dropped: with c - s_i <= 60, masses within 2^-20 of each other, n 2^-45 of
 * the sum. c is s_i + min(60, N - s_i); should a score turn out to be
 * above c + 60, the row is done again with c the largest score. Together, for delta <= 2^-6, row
 * i is off by at most
 *
 *   error_i D_i,   error_i = 1.06 (delta + 2^-22 + 48 e + n 2^-45).
 *
 * Rows of larger delta are done in double.
 *
 * Maximisers. Maxima of spans are taken in single precision with their bound, and spans that
 * may hold the maximum are scored again in double: what follows is as exact as ever.
 */
#include "attend/attend_internal.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNIT 0x1p-24
#define LOG2E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1
#define FINEST 0x1p-6  /* the largest delta of a row in single precision */
#define RANGE 60.0     /* powers of two that the largest weight may lie below 1 */
#define SPREAD 0x1p-20 /* of masses */
#define NARROW 0x1p-60 /* the smallest radius of what a row sees, of the whole */
#define TINY 0x1p-140  /* what underflow may lose of a score */

static int64_t padded(int64_t n)
{
    return (n + TROP_SINGLE_STRIP - 1) / TROP_SINGLE_STRIP * TROP_SINGLE_STRIP;
}

/* ---- memory ------------------------------------------------------------------------------- */

static int single_create(struct trop_single *tile, int64_t n, int64_t d)
{
    int64_t rows = n < TROP_TILE ? n : TROP_TILE;

    tile->d = d;
    tile->span = d < 16 ? TROP_BLOCK : TROP_SINGLE_STRIP;
    tile->spans = n / tile->span + 1;
    return TROP_ALLOC(TROP_PART(tile->y, trop_alloc_product(rows, d)),
                      TROP_PART(tile->anchor, trop_alloc_product(rows, d)),
                      TROP_PART(tile->out, trop_alloc_product(rows, d)),
                      TROP_PART(tile->top, trop_alloc_product(rows, tile->spans)),
                      TROP_PART(tile->score, TROP_TILE_CHUNK * TROP_BLOCK));
}

int trop_attend_single_create(struct trop_attend *a)
{
    int64_t size = padded(a->capacity), rows = a->workers * TROP_TILE;
    int made = TROP_ALLOC(TROP_PART(a->singles, a->workers),
                          TROP_PART(a->packed_single, trop_alloc_product(size, a->scene.d)),
                          TROP_PART(a->mass_single, size), TROP_PART(a->radius, a->capacity),
                          TROP_PART(a->error, a->capacity), TROP_PART(a->bound_single, rows),
                          TROP_PART(a->factor_single, rows));

    for (int64_t w = 0; made && w < a->workers; w++) {
        made = single_create(a->singles + w, a->capacity, a->scene.d);
    }
    return made;
}

void trop_attend_single_free(struct trop_attend *a)
{
    for (int64_t w = 0; a->singles && w < a->workers; w++) {
        TROP_FREE(a->singles[w].y, a->singles[w].anchor, a->singles[w].out, a->singles[w].top,
                  a->singles[w].score);
    }
    TROP_FREE(a->singles, a->packed_single, a->mass_single, a->radius, a->error, a->bound_single,
              a->factor_single);
}

void trop_attend_precision(struct trop_attend *attend, int single)
{
    attend->single = single;
}

double trop_attend_error(const struct trop_attend *attend)
{
    double most = 0;
    for (int64_t i = 0; attend->single_ready && i < attend->scene.n; i++) {
        most = attend->error[i] > most ? attend->error[i] : most;
    }
    return most;
}

/* ---- once per sweep -------------------------------------------------------------------------- */

static double distance2(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t c = 0; c < d; c++) {
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    }
    return sum;
}

/* The token that scores are taken from. query: (d) scratch for the mean. */
static int64_t centre_of(const struct trop_scene *s, double *mean)
{
    int64_t best = 0;

    if (s->numbers.mask == TROP_MASK_CAUSAL) {
        return 0;
    }
    for (int64_t c = 0; c < s->d; c++) {
        mean[c] = 0;
    }
    for (int64_t j = 0; j < s->n; j++) {
        for (int64_t c = 0; c < s->d; c++) {
            mean[c] += s->x[j * s->d + c] / (double)s->n;
        }
    }
    double least = INFINITY;
    for (int64_t j = 0; j < s->n; j++) {
        double far = distance2(s->x + j * s->d, mean, s->d);
        best = far < least ? j : best;
        least = far < least ? far : least;
    }
    return best;
}

/* Masses divided by the largest; 0 when they are too far apart. */
static int masses(struct trop_attend *a)
{
    const struct trop_scene *s = &a->scene;
    double most = s->mass ? 0 : 1;

    for (int64_t j = 0; s->mass && j < s->n; j++) {
        most = s->mass[j] > most ? s->mass[j] : most;
    }
    a->mass_most = most;
    for (int64_t j = 0; s->mass && j < s->n; j++) {
        if (!(s->mass[j] >= SPREAD * most)) {
            return 0;
        }
        a->mass_single[j] = (float)(s->mass[j] / most);
    }
    return 1;
}

/* Centred and scaled tokens of a range of blocks. */
static void pack(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_attend *a = context;
    const struct trop_scene *s = &a->scene;
    const double *m = s->x + a->centre * s->d;
    double scale = ldexp(1, -a->exponent);

    (void)worker;
    last = last * TROP_BLOCK < padded(s->n) ? last * TROP_BLOCK : padded(s->n);
    for (int64_t j = first * TROP_BLOCK; j < last; j++) {
        float *to = a->packed_single + j / TROP_SINGLE_STRIP * TROP_SINGLE_STRIP * s->d +
                    j % TROP_SINGLE_STRIP;
        const double *x = s->x + j * s->d;
        for (int64_t c = 0; c < s->d; c++) {
            to[c * TROP_SINGLE_STRIP] = j < s->n ? (float)((x[c] - m[c]) * scale) : 0;
        }
    }
}

void trop_attend_single_begin(struct trop_attend *a)
{
    const struct trop_scene *s = &a->scene;
    double most = 0;

    a->single_ready = 0;
    memset(a->error, 0, (size_t)a->capacity * sizeof *a->error);
    if (!a->single || s->scale_x || s->scale_k || s->scale_y || s->keys != s->x || !masses(a)) {
        return;
    }
    a->centre = centre_of(s, a->query);
    for (int64_t j = 0; j < s->n; j++) {
        double far = distance2(s->x + j * s->d, s->x + a->centre * s->d, s->d);
        most = far > most ? far : most;
        /* d + 4 roundings of the square, one of the root. */
        a->radius[j] = sqrt(most) * (1 + 0x1p-53 * (double)(s->d + 6));
    }
    if (!(most > 0x1p-900)) {
        return;
    }
    frexp(a->radius[s->n - 1], &a->exponent);
    trop_parallel(a->workers, (s->n + TROP_BLOCK - 1) / TROP_BLOCK, pack, a);
    a->single_ready = 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void trop_attend_single_clear(struct trop_attend *a, int64_t worker)
{
    struct trop_single *tile = a->singles + worker;

    tile->keys = tile->values = a->packed_single;
    tile->mass = a->scene.mass ? a->mass_single : NULL;
    tile->rows = 0;
}

/* Adds token i's row with query factor * y; returns N, which bounds its scores. */
static double single_add(struct trop_single *tile, const struct trop_attend *a, int64_t i,
                         double factor)
{
    const struct trop_scene *s = &a->scene;
    int64_t r = tile->rows, at = i / TROP_SINGLE_STRIP * TROP_SINGLE_STRIP * s->d;
    double square = 0;

    tile->index[r] = i;
    tile->visible[r] = s->numbers.mask == TROP_MASK_CAUSAL ? i + 1 : s->n;
    for (int64_t c = 0; c < s->d; c++) {
        float q = (float)(factor * s->y[i * s->d + c]);
        tile->y[r * s->d + c] = q;
        square += (double)q * (double)q;
        tile->anchor[r * s->d + c] =
            a->packed_single[at + c * TROP_SINGLE_STRIP + i % TROP_SINGLE_STRIP];
    }
    tile->rows++;
    double radius = ldexp(a->radius[tile->visible[r] - 1], -a->exponent);
    return sqrt(square) * radius * (1 + 0x1p-20);
}

int trop_attend_single_soften_add(struct trop_attend *a, int64_t worker, int64_t i)
{
    struct trop_single *tile = a->singles + worker;
    int64_t d = a->scene.d, r = tile->rows;
    double factor = ldexp(a->scene.numbers.beta * LOG2E, a->exponent), self = 0;

    if (!a->single_ready || !(factor < 0x1p100)) {
        return 0;
    }
    double most = single_add(tile, a, i, factor);
    double delta = LN2 * UNIT * most * (1.01 * (double)(d + 6) + 2.02);
    double radius = ldexp(a->radius[tile->visible[r] - 1], -a->exponent);
    for (int64_t c = 0; c < d; c++) {
        self += (double)tile->y[r * d + c] * (double)tile->anchor[r * d + c];
    }
    tile->shift[r] = (float)(self + (most - self < RANGE ? most - self : RANGE));
    if (!(delta <= FINEST && radius >= NARROW)) {
        tile->rows--;
        return 0;
    }
    a->error[i] = 1.06 * (delta + 0x1p-22 + 48 * UNIT + (double)tile->visible[r] * 0x1p-45);
    a->factor_single[worker * TROP_TILE + r] = a->scene.numbers.beta * LOG2E;
    a->bound_single[worker * TROP_TILE + r] = 1.01 * UNIT * (double)(d + 6) * most + TINY;
    return 1;
}

/* The largest score of a row whose maxima are known. */
static float top_of(const struct trop_single *tile, int64_t r)
{
    const float *top = tile->top + r * tile->spans;
    float most = -INFINITY;

    for (int64_t k = 0; k * tile->span < tile->visible[r]; k++) {
        most = top[k] > most ? top[k] : most;
    }
    return most;
}

void trop_attend_single_soften(struct trop_attend *a, int64_t worker)
{
    struct trop_single *tile = a->singles + worker;
    int again = 0;

    a->scene.kernel->single->soften(tile);
    for (int64_t r = 0; r < tile->rows; r++) {
        float most = top_of(tile, r);
        if (most - tile->shift[r] > RANGE) {
            tile->shift[r] = most;
            again = 1;
        }
    }
    if (again) {
        a->scene.kernel->single->soften(tile);
    }
}

void trop_attend_single_tops_add(struct trop_attend *a, int64_t worker, int64_t i)
{
    struct trop_single *tile = a->singles + worker;
    const double *y = a->scene.y + i * a->scene.d;
    int64_t d = a->scene.d, r = tile->rows;
    double size = 0;
    int exponent = 0;

    for (int64_t c = 0; c < d; c++) {
        size = fabs(y[c]) > size ? fabs(y[c]) : size;
    }
    frexp(size, &exponent);
    double most = single_add(tile, a, i, ldexp(1, -exponent));
    a->factor_single[worker * TROP_TILE + r] = ldexp(1, -(exponent + a->exponent));
    a->bound_single[worker * TROP_TILE + r] = 1.01 * UNIT * (double)(d + 6) * most + TINY;
}

/* What lies between the scores in double of row r and those here, with room for the rounding
 * of both: to be added to the latter. */
static double offset_of(const struct trop_attend *a, const double *y, double bound)
{
    const struct trop_scene *s = &a->scene;
    const double *m = s->x + a->centre * s->d;
    double shift = 0, size = 0;

    for (int64_t c = 0; c < s->d; c++) {
        shift += y[c] * m[c];
        size += fabs(y[c] * m[c]);
    }
    return shift + 0x1p-40 * size + 4 * bound;
}

void trop_attend_single_sieve(struct trop_attend *a, int64_t worker, int64_t r, double bound)
{
    const struct trop_scene *s = &a->scene;
    const struct trop_single *single = a->singles + worker;
    struct trop_tile *tile = a->tiles + worker;
    const float *top = single->top + r * single->spans;
    int64_t n = single->visible[r];
    int half = single->span > tile->span; /* two spans there are one here */
    double factor = a->factor_single[worker * TROP_TILE + r];
    double doubt = a->bound_single[worker * TROP_TILE + r];
    /* Whatever is largest in single precision, in double or in truth stays. */
    double cut = (double)top_of(single, r) - 2 * doubt - 4 * factor * bound;
    /* The others are bounded for a rule that asks which spans reach its threshold. */
    int bounded = (s->numbers.rule->uses & TROP_RULE_USES_EPSILON) != 0;
    double offset = bounded ? offset_of(a, s->y + single->index[r] * s->d, bound) : -INFINITY;

    tile->peak[r] = -INFINITY;
    for (int64_t k = 0; k * tile->span < n; k++) {
        int64_t first = k * tile->span;
        double *to = tile->top + r * tile->spans + k;
        double here = (double)top[k >> half];
        if (here >= cut) {
            int64_t last = first + tile->span < n ? first + tile->span : n;
            *to = s->kernel->tile->peak(tile->y + r * s->d, tile->keys, first, last, s->d);
            tile->peak[r] = *to > tile->peak[r] ? *to : tile->peak[r];
        } else {
            double upper = bounded ? (here + doubt) / factor : 0;
            *to = upper + 0x1p-40 * fabs(upper) + offset;
        }
    }
}

double trop_attend_single_scale(const struct trop_attend *a, int64_t worker, int64_t r)
{
    const struct trop_scene *s = &a->scene;
    const struct trop_single *tile = a->singles + worker;
    const double *y = s->y + tile->index[r] * s->d, *m = s->x + a->centre * s->d;
    double shift = 0;

    for (int64_t c = 0; c < s->d; c++) {
        shift += y[c] * m[c];
    }
    return fma(s->numbers.beta, shift, LN2 * (double)tile->shift[r]) + trop_log(tile->total[r]) +
           trop_log(a->mass_most);
}

void trop_attend_single_displace(double *out, const struct trop_attend *a, int64_t worker,
                                 int64_t r)
{
    const struct trop_single *tile = a->singles + worker;

    for (int64_t c = 0; c < tile->d; c++) {
        out[c] = ldexp(tile->out[r * tile->d + c] / tile->total[r], a->exponent);
    }
}
