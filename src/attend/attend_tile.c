/* attend_tile.c -- softmax, hardmax and localmax by tiles of rows.
 *
 * The kernels (kernel_tile.h) take a few rows over all columns in one or two passes; what
 * must be exact is decided from the maxima of spans of columns (attend_settle.c).
 *
 * Softmax. Weights are exp(beta s_j - c), c rounded, taken by one fma: the logit is off by
 * u |beta s_j - c| beside beta times the error of the score. The common factor e^-c cancels.
 * c is beta b where
 *
 *   b = |y_i| max_j |k_j|, rounded up, so that s_j <= b and b - s_j <= 2 b,
 *
 * and the new error, u beta (b - s_j) at most 2 u beta b, is of the order of the error of a
 * chain of d products, whose bound is (d + 4) u beta sum_c |y_c k_jc|. One pass is then
 * enough, and the maxima of spans are noted on the way. Only the range is a question: with
 * beta (b - s_ii) <= 500 the largest weight is at least e^-500, and weights that vanish,
 * below e^-745, are e^-245 of it. Otherwise c is beta times the maximum, which takes a pass
 * of its own. Which of the two holds is a function of the row and of the tokens it sees.
 *
 * Where queries are keys, or t > 0 times keys, and their lengths are much alike, all rows have one
 * c. With t = 1 weights are symmetric to the last bit, as scores are: exp(beta s_ij - c) serves
 * rows i and j (kernel_copies_softmax.h). c is then beta b with
 *
 *   b = t max_j |k_j|^2, rounded up, where beta (b - t min_i |k_i|^2) <= TROP_KERNEL_ALIKE.
 *
 * With t = 1 the error of a logit is u beta (b - s_ij) = u beta (b - |k_i|^2) + u beta (|k_i|^2 -
 * s_ij): at most TROP_KERNEL_ALIKE u, which is less than the sums of weights may lose (about 36 u),
 * and u beta |k_i| |k_i - k_j|, which is at most 2 u beta |k_i| max_j |k_j| as above. The largest
 * weight is at least e^-TROP_KERNEL_ALIKE; s_ij <= b needs no row's length, so that tokens at 0 are
 * fine.
 *
 * Rows whose scores are too coarse for beta (trop_row_coarse) are done one at a time. Many tokens
 * that are their own queries are done by pairs (attend_pairs.c, attend_pairs_single.c).
 */
#include "attend/attend_internal.h"

#include "attend/attend_shift.h"
#include "attend/decide.h"
#include "base/alloc.h"
#include "base/math/log.h"
#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------- */

int trop_attend_tile_create(struct trop_attend *a, int unit)
{
    int64_t size =
        trop_alloc_product((a->capacity + TROP_STRIP - 1) / TROP_STRIP * TROP_STRIP, a->scene.d);

    int made = TROP_ALLOC(TROP_PART(a->packed_x, size), TROP_PART(a->tiles, a->workers),
                          TROP_PART(a->tags, a->stride + TROP_STRIP),
                          TROP_PART(a->norm, a->capacity), TROP_PART(a->norm_least, a->capacity));
    a->packed_keys = unit ? trop_alloc(size, sizeof *a->packed_keys) : a->packed_x;
    if (!made || !a->packed_keys) {
        return 0;
    }
    for (int64_t j = 0; j < a->capacity; j++) {
        a->tags[j] = trop_kernel_tag(j);
    }
    for (int64_t w = 0; w < a->workers; w++) {
        struct trop_tile *tile = a->tiles + w;
        int64_t d = a->scene.d, rows = a->capacity < TROP_TILE ? a->capacity : TROP_TILE;
        /* Whole groups, as kernel.h collects from. */
        tile->spans = (a->capacity / trop_attend_settle_span(d) / TROP_LANES + 1) * TROP_LANES;
        made &= TROP_ALLOC(TROP_PART(tile->y, trop_alloc_product(rows, d)),
                           TROP_PART(tile->anchor, trop_alloc_product(rows, d)),
                           TROP_PART(tile->out, trop_alloc_product(rows, d)),
                           TROP_PART(tile->score, TROP_TILE_CHUNK * TROP_BLOCK),
                           TROP_PART(tile->top, trop_alloc_product(rows, tile->spans)));
    }
    return made && trop_attend_pairs_create(a);
}

void trop_attend_tile_free(struct trop_attend *a)
{
    for (int64_t w = 0; a->tiles && w < a->workers; w++) {
        struct trop_tile *tile = a->tiles + w;
        TROP_FREE(tile->y, tile->anchor, tile->out, tile->score, tile->top);
    }
    trop_alloc_free(a->tiles);
    if (a->packed_keys != a->packed_x) {
        trop_alloc_free(a->packed_keys);
    }
    TROP_FREE(a->packed_x, a->tags, a->norm, a->norm_least);
    trop_attend_pairs_free(a);
}

/* ---- a tile's rows ------------------------------------------------------------------------ */

static void norms(struct trop_attend *a, int64_t first, int64_t last)
{
    const struct trop_scene *s = &a->scene;

    memset(a->norm + first, 0, (size_t)(last - first) * sizeof *a->norm);
    for (int64_t c = 0; c < s->d; c++) {
        const double *k = s->keyst + c * s->stride;
        for (int64_t j = first; j < last; j++) {
            a->norm[j] += k[j] * k[j];
        }
    }
}

/* norm and norm_least of all tokens up to each, from their squares. */
static void extremes(struct trop_attend *a)
{
    double most = 0, least = INFINITY;

    for (int64_t j = 0; j < a->scene.n; j++) {
        most = a->norm[j] > most ? a->norm[j] : most;
        least = a->norm[j] < least ? a->norm[j] : least;
        a->norm[j] = most;
        a->norm_least[j] = least;
    }
}

void trop_attend_tile_norms(struct trop_attend *a)
{
    norms(a, 0, a->scene.n);
    extremes(a);
}

/* The strips of a range of blocks, and their tokens' norms. */
static void prepare(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_attend *a = context;
    const struct trop_scene *s = &a->scene;
    const struct trop_kernel_tile *kernel = s->kernel->tile;

    (void)worker;
    first *= TROP_BLOCK;
    last = last * TROP_BLOCK < s->n ? last * TROP_BLOCK : s->n;
    kernel->pack(a->packed_x, s->xt, s->stride, first, last, s->d);
    if (s->keyst != s->xt) {
        kernel->pack(a->packed_keys, s->keyst, s->stride, first, last, s->d);
    }
    if (s->numbers.rule->exponential) {
        norms(a, first, last);
    }
}

void trop_attend_tile_begin(struct trop_attend *a)
{
    trop_attend_single_begin(a);
    trop_parallel(a->workers, (a->scene.n + TROP_BLOCK - 1) / TROP_BLOCK, prepare, a);
    if (a->scene.numbers.rule->exponential) {
        extremes(a);
    }
    a->paired = trop_attend_pairs_begin(a);
}

static void displace(double *out, const struct trop_attend *a, const struct trop_tile *tile,
                     int64_t r)
{
    const struct trop_scene *s = &a->scene;
    double total = tile->total[r];

    for (int64_t c = 0; c < s->d; c++) {
        double value = total > 0 ? tile->out[r * s->d + c] / total : 0;
        out[c] = s->scale_x ? ldexp(value, s->scale_x) : value;
    }
}

/* ---- softmax --------------------------------------------------------------------------------- */

/* What the rows share that see the tokens up to last. */
static struct trop_attend_shift shared(const struct trop_attend *a, double beta, int64_t last)
{
    return (struct trop_attend_shift){ .d = a->scene.d,
                                       .beta = beta,
                                       .multiple = a->multiple,
                                       .most = a->norm[last],
                                       .least = a->norm_least[last] };
}

double trop_attend_tile_reach(const struct trop_attend *a, int64_t last)
{
    const struct trop_attend_shift shift = shared(a, 0, last);
    return trop_attend_shift_reach(&shift);
}

/* 1 when one pass is enough, with c in shift[r]. */
static int one_pass(struct trop_tile *tile, const struct trop_attend *a, int64_t r)
{
    const struct trop_attend_shift shift = shared(a, tile->beta, tile->visible[r] - 1);

    return trop_attend_shift_once(&tile->shift[r], &shift, tile->y + r * tile->d, 1,
                                  a->scene.keyst + tile->index[r], a->scene.stride);
}

static void softmax_double(const struct trop_attend_sweep *sweep, const int64_t *list,
                           int64_t count, int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    struct trop_tile *tile = a->tiles + worker;
    double bound[TROP_TILE];

    trop_attend_settle_begin(tile, a);
    for (int64_t k = 0; k < count; k++) {
        struct trop_row probe = { .scene = &a->scene };
        probe.bound = trop_attend_settle_add(tile, a, list[k]);
        bound[tile->rows - 1] = probe.bound;
        tile->beta = trop_row_beta(&probe);
        if (trop_row_coarse(&probe)) {
            tile->rows--;
            trop_attend_row_alone(sweep, list[k], worker);
        }
    }
    const struct trop_kernel_tile *kernel = a->scene.kernel->tile;
    int again[TROP_TILE], passes = 1;
    for (int64_t r = 0; r < tile->rows; r++) {
        again[r] = !one_pass(tile, a, r);
        passes += again[r];
    }
    if (passes > 1) {
        kernel->tops(tile);
    }
    for (int64_t r = 0; r < tile->rows; r++) {
        if (again[r]) {
            double top = trop_attend_settle_top(tile, r);
            tile->shift[r] = tile->beta * top;
            tile->least[r] = top - TROP_ATTEND_SHIFT_VANISH / tile->beta;
        }
    }
    kernel->soften(tile);
    for (int64_t r = 0; r < tile->rows; r++) {
        tile->peak[r] = trop_attend_settle_top(tile, r);
    }
    for (int64_t r = 0; r < tile->rows; r++) {
        a->trouble[tile->index[r]] = NULL;
        displace(sweep->displacement + tile->index[r] * a->scene.d, a, tile, r);
        if (sweep->notes) {
            trop_attend_settle_softmax(sweep, worker, r, bound[r],
                                       tile->shift[r] + trop_log(tile->total[r]));
        }
    }
}

/* The rows of the worker's tile in single precision. */
static void softmax_single(const struct trop_attend_sweep *sweep, int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    struct trop_tile *tile = a->tiles + worker;
    struct trop_single *single = a->singles + worker;

    trop_attend_single_soften(a, worker);
    trop_attend_settle_begin(tile, a);
    for (int64_t r = 0; r < single->rows; r++) {
        int64_t i = single->index[r];
        double bound = trop_attend_settle_add(tile, a, i);
        a->trouble[i] = NULL;
        trop_attend_single_displace(sweep->displacement + i * a->scene.d, a, worker, r);
        if (sweep->notes) {
            trop_attend_single_sieve(a, worker, r, bound);
            trop_attend_settle_softmax(sweep, worker, r, bound,
                                       trop_attend_single_scale(a, worker, r));
        }
    }
}

void trop_attend_tile_softmax(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                              int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    int64_t list[TROP_TILE];

    for (int64_t i = first; i < last;) {
        int64_t count = 0;
        trop_attend_single_clear(a, worker);
        for (int64_t k = 0; i < last && k < TROP_TILE; i++, k++) {
            if (!trop_attend_single_soften_add(a, worker, i)) {
                list[count++] = i;
            }
        }
        if (count > 0) {
            softmax_double(sweep, list, count, worker);
        }
        if (a->singles[worker].rows > 0) {
            softmax_single(sweep, worker);
        }
    }
}

/* ---- hardmax --------------------------------------------------------------------------------- */

/* A tile of the rows from first on, with the maxima of their spans; returns the next row. */
static int64_t tops(struct trop_attend *a, double *bound, int64_t first, int64_t last,
                    int64_t worker)
{
    struct trop_tile *tile = a->tiles + worker;
    int64_t i = first;

    trop_attend_settle_begin(tile, a);
    trop_attend_single_clear(a, worker);
    for (; i < last && tile->rows < TROP_TILE; i++) {
        bound[i - first] = trop_attend_settle_add(tile, a, i);
        if (a->single_ready) {
            trop_attend_single_tops_add(a, worker, i);
        }
    }
    if (a->single_ready) {
        a->scene.kernel->single->tops(a->singles + worker);
    } else {
        a->scene.kernel->tile->tops(tile);
    }
    for (int64_t r = 0; r < tile->rows; r++) {
        if (a->single_ready) {
            trop_attend_single_sieve(a, worker, r, bound[r]);
        } else {
            tile->peak[r] = trop_attend_settle_top(tile, r);
        }
    }
    return i;
}

void trop_attend_tile_hardmax(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                              int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    struct trop_tile *tile = a->tiles + worker;
    double bound[TROP_TILE];
    struct trop_row row;

    for (int64_t i = first; i < last;) {
        i = tops(a, bound, i, last, worker);
        for (int64_t r = 0; r < tile->rows; r++) {
            int64_t t = tile->index[r];
            struct trop_attend_note *note = sweep->notes ? sweep->notes + t : NULL;
            trop_attend_settle_row(&row, a, tile, worker, r, bound[r]);
            trop_attend_settle_note(note, &row, tile, r, sweep->margins);
            trop_attend_note_weigh(&row, note);
            a->trouble[t] = row.trouble;
            trop_row_displace(sweep->displacement + t * a->scene.d, &row);
        }
    }
}

/* ---- localmax -------------------------------------------------------------------------------- */

/* What the exact membership of a column is decided from. */
struct doubt {
    const struct trop_scene *scene;
    const struct trop_tile *tile;
    int64_t best[TROP_TILE];
    double shift, delta;
};

static int member(void *context, int64_t r, int64_t j)
{
    const struct doubt *doubt = context;
    const struct trop_scene *s = doubt->scene;
    const double *y = s->y + doubt->tile->index[r] * s->d;

    return trop_decide_score(y, s->keys + j * s->d, s->keys + doubt->best[r] * s->d, s->d,
                             doubt->shift, doubt->delta) >= 0;
}

/* Maximisers, notes of them, and where the sets begin. */
static void localmax_tops(struct trop_tile *tile, struct doubt *doubt, const double *bound,
                          const struct trop_attend_sweep *sweep, int64_t worker)
{
    const struct trop_attend *a = sweep->attend;
    struct trop_row row;

    for (int64_t r = 0; r < tile->rows; r++) {
        double cut, slack;
        trop_attend_settle_row(&row, a, tile, worker, r, bound[r]);
        trop_attend_settle_note(sweep->notes ? sweep->notes + tile->index[r] : NULL, &row, tile, r,
                                sweep->margins);
        doubt->best[r] = row.best;
        trop_row_cut(&cut, &slack, &row, doubt->shift, doubt->delta);
        /* Not -INFINITY, which stands for no column. */
        tile->low[r] = cut - slack > -DBL_MAX ? cut - slack : -DBL_MAX;
        tile->high[r] = cut + slack > -DBL_MAX ? cut + slack : -DBL_MAX;
        tile->least[r] = tile->low[r];
    }
}

void trop_attend_tile_localmax(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                               int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    struct trop_tile *tile = a->tiles + worker;
    int relative = a->scene.numbers.form == TROP_FORM_RELATIVE;
    double bound[TROP_TILE], epsilon = a->scene.numbers.epsilon;
    struct doubt doubt = { .scene = &a->scene,
                           .tile = tile,
                           .shift = relative ? 0 : epsilon,
                           .delta = relative ? epsilon : 0 };

    for (int64_t i = first; i < last;) {
        i = tops(a, bound, i, last, worker);
        localmax_tops(tile, &doubt, bound, sweep, worker);
        tile->decide = member;
        tile->context = &doubt;
        a->scene.kernel->tile->level(tile);
        for (int64_t r = 0; r < tile->rows; r++) {
            int64_t t = tile->index[r];
            a->trouble[t] = relative && tile->members[r] == 0 ? trop_rule_localmax_empty : NULL;
            displace(sweep->displacement + t * a->scene.d, a, tile, r);
            if (sweep->notes) {
                struct trop_attend_note *note = sweep->notes + t;
                int64_t members = tile->members[r];
                int causal = a->scene.numbers.mask == TROP_MASK_CAUSAL;
                note->only = members == 1 ? tile->lowest[r] : -1;
                note->alone = note->only == tile->index[r];
                note->set = causal ? (uint64_t)tile->lowest[r] : (uint64_t)members + tile->set[r];
                note->set = members ? note->set : 0;
            }
        }
    }
}

void trop_attend_tile_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct trop_attend_sweep *sweep = context;

    if (sweep->attend->paired) {
        trop_attend_pairs_rows(sweep, first, last, worker);
    } else {
        sweep->attend->scene.numbers.rule->tile(sweep, first, last, worker);
    }
}
