/* attend_pairs.c -- softmax of many tokens with symmetric scores: each pair of tokens once.
 *
 * Where queries are the keys times t > 0, s_ij = t <x_i, x_j> is symmetric, and so are weights
 * with one c for all rows, w_ij = exp(beta s_ij - c). An exponential then serves two rows, and so
 * does a score: for a pair and its two rows 3 d fma and one exponential, where rows by themselves
 * take 4 d and two.
 *
 * c. Two cases, by the tokens and the options alone; b = t max_j |x_j|^2, rounded up.
 *
 *   beta b <= TROP_KERNEL_RANGE:  c = 0. Then |beta s_ij| <= 500 and no weight leaves the range of
 *   double; a row's own weight is at least 1, so that its total is, and with |x| <= 2^100 the sums
 *   stay below 2^722 2^101 n. The logit is off by u |beta s_ij| beside beta times the error of the
 *   score: never more than that error's own bound, (d + 4) u beta t sum_c |x_ic x_jc|, whatever the
 *   lengths of the tokens. (A c of the order of beta b adds u c to every logit of every row, which
 *   is more than that for short tokens: attend_tile.c allows it up to TROP_KERNEL_ALIKE.)
 *
 *   Otherwise c = beta b where lengths are alike, with the error that attend_tile.c derives.
 *
 * The kernel multiplies <x_i, x_j> by the rounded beta t. Against the score of the query y_i =
 * fl(t x_i), on which rows are defined, that is one more rounding of every product and one of
 * beta t: 2 u beta t sum_c |x_ic x_jc|, and (d + 2) u in all is inside of the (d + 4) u of
 * trop_decide_bound.
 *
 * Sums. A term w_ij (x_j - x_i) is taken from the token itself, so that it is exact zero for tokens
 * at one place and displacements keep their relative precision (row.c). It is rounded by the
 * subtraction and, where it begins a chain, as a product; then it passes through at most 32
 * additions of a lane and 3 of the tree as a row's, or 8 of a chunk, 32 of chunks and one of the
 * meeting as a column's, and one for each meeting of its block, with itself in three parts. With
 *
 *   M = 44 + blocks,   e = (d + 3) u beta t max_j sum_c |x_ic x_jc| + 2 u,
 *
 * the first part of e the logit's error (c = 0), the second the exponential's, row i is off by at
 * most (2 e + (2 M + 4) u) sum_j w_ij |x_j - x_i| / sum_j w_ij, up to terms in u^2: once for the
 * sum and once for the total, and the division.
 *
 * Order. Tokens are cut into blocks by n alone. In the first round every block meets itself; then
 * they meet in pairs as in a tournament, in each round each block at most one other. Pairs of a
 * round share no row, so that any number of workers takes them, and a row's sums grow in the order
 * of rounds: a meeting waits until both blocks have been in the rounds before.
 *
 * Maximisers. Blocks that may hold a row's are noted on the way (kernel_pairs.h), by computed
 * scores with 2 bounds of their errors, and scored again as attend_settle.c does. With t = 1 the
 * scores are the row's own to the last bit. Otherwise they are not, but for t between 2^-100 and
 * 2^100 the bound of the row's serves, as above, up to what underflows: d 2^-974 of a product of
 * coordinates, and of fl(t x_i) with |x_j| <= 2^100. A bound of 2^-900 has room for that, and a row
 * with a smaller one looks at all blocks.
 */
#include "attend/attend_pairs.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/math/log.h"
#include "base/parallel.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#define WIDE TROP_PAIRS_BLOCK
#define BITS 64           /* of near: a bit stands for every 64th block */
#define LONGEST 0x1p200   /* |x|^2 of the longest token */
#define STRONGEST 0x1p100 /* t, and 1 / t */
#define HALF 0.5          /* of the time of rows by themselves, in the dimensions of trees */

/* ---- memory -------------------------------------------------------------------------------- */

int trop_attend_pairs_create(struct trop_attend *a)
{
    if (a->capacity <= TROP_KERNEL_ALONE) {
        return 1;
    }
    struct trop_attend_pairs *p = trop_alloc(1, sizeof *p);
    a->pairs = p;
    if (!p) {
        return 0;
    }
    /* Fewer tokens than there is room for are cut into no more columns than this. */
    int64_t room = a->capacity / WIDE + 2 * TROP_ATTEND_PAIRS_LEAST;
    int64_t rows = trop_alloc_product(room, WIDE);
    int made = TROP_ALLOC(
        TROP_PART(p->worker, a->workers), TROP_PART(p->out, trop_alloc_product(rows, a->scene.d)),
        TROP_PART(p->total, rows), TROP_PART(p->top, rows), TROP_PART(p->slack, rows),
        TROP_PART(p->near, rows), TROP_PART(p->done, room));
    for (int64_t w = 0; p->worker && w < a->workers; w++) {
        double *scratch = trop_alloc(trop_pairs_scratch(a->scene.d), sizeof *scratch);
        made &= scratch != NULL;
        if (scratch) {
            trop_pairs_place(p->worker + w, scratch, a->scene.d);
        }
    }
    return made && trop_attend_pairs_single_create(a);
}

void trop_attend_pairs_free(struct trop_attend *a)
{
    struct trop_attend_pairs *p = a->pairs;

    if (!p) {
        return;
    }
    for (int64_t w = 0; p->worker && w < a->workers; w++) {
        trop_alloc_free(p->worker[w].weight); /* where the scratch begins */
    }
    trop_attend_pairs_single_free(a);
    TROP_FREE(p->worker, p->out, p->total, p->top, p->slack, p->near, (void *)p->done, p);
}

/* ---- which tokens ---------------------------------------------------------------------------- */

/* 1 when scores are symmetric and the weights softmax's of one mass. */
static int symmetric(const struct trop_attend *a)
{
    const struct trop_scene *s = &a->scene;

    return a->pairs && !a->alone && s->n > TROP_KERNEL_ALONE && s->numbers.rule->exponential &&
           s->numbers.mask != TROP_MASK_CAUSAL && !s->mass && a->multiple >= 1 / STRONGEST &&
           a->multiple <= STRONGEST && !s->scale_x && !s->scale_k && !s->scale_y;
}

void trop_attend_alone(struct trop_attend *attend, int alone)
{
    attend->alone = alone;
}

double trop_attend_cost(const struct trop_attend *a)
{
    const struct trop_scene *s = &a->scene;
    struct trop_row row = { .scene = s };
    double n = (double)s->n, square = 0;

    for (int64_t c = 0; c < s->d; c++) {
        square += s->reach[c] * s->reach[c];
    }
    int paired = symmetric(a) && !a->single &&
                 trop_row_beta(&row) * a->multiple * square <= TROP_KERNEL_RANGE;
    return (paired ? HALF : 1) * n * n;
}

/* 1 when what is loaded is done by pairs, with shift and close of the workers. */
static int serves(struct trop_attend *a)
{
    const struct trop_scene *s = &a->scene;
    struct trop_row widest = { .scene = s };

    a->pairs_shift = 0;
    if (!symmetric(a)) {
        return 0;
    }
    double square = a->norm[s->n - 1], beta = trop_row_beta(&widest);
    if (beta == 0) {
        return 1;
    }
    /* Scores of the largest coordinates of all. */
    widest.bound = a->multiple * trop_decide_bound(s->reach, s->reach, s->d);
    if (trop_row_coarse(&widest) || !(square >= TROP_KERNEL_SMALL && square <= LONGEST)) {
        return 0;
    }
    double b = trop_attend_tile_reach(a, s->n - 1);
    if (beta * b <= TROP_KERNEL_RANGE) {
        return 1;
    }
    a->pairs_shift = beta * b;
    return beta * (b - a->multiple * a->norm_least[s->n - 1]) <= TROP_KERNEL_ALIKE;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static struct trop_pairs_side side_of(const struct trop_attend *a, int64_t k)
{
    const struct trop_attend_pairs *p = a->pairs;
    int64_t d = a->scene.d, first = k * p->size, at = k * WIDE;

    return (struct trop_pairs_side){
        .count = first + p->size < a->scene.n ? p->size : a->scene.n - first,
        .bit = UINT64_C(1) << k % BITS,
        .x = a->scene.x + first * d,
        .packed = a->packed_x + first * d,
        .out = p->out + at * d,
        .total = p->total + at,
        .top = p->top + at,
        .slack = p->slack + at,
        .near = p->near + at,
    };
}

/* Sums are cleared, and every block meets itself. */
static void first_round(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_attend *a = context;
    const struct trop_scene *s = &a->scene;
    struct trop_attend_pairs *p = a->pairs;

    for (int64_t k = first; k < last; k++) {
        struct trop_pairs_side side = side_of(a, k);
        memset(side.out, 0, (size_t)(s->d * WIDE) * sizeof *side.out);
        memset(side.total, 0, WIDE * sizeof *side.total);
        for (int64_t i = 0; i < side.count; i++) {
            /* Two bounds of the errors of row i's scores, in the units of <x_i, x_j>. */
            double bound = trop_decide_bound(s->y + (k * p->size + i) * s->d, s->reach, s->d);
            p->slack[k * WIDE + i] =
                a->multiple == 1 || bound >= TROP_KERNEL_SMALL ? 2 * bound / a->multiple : INFINITY;
            side.top[i] = -INFINITY; /* so that the first bit of near is the only one */
        }
        s->kernel->pairs->own(p->worker + worker, &side);
    }
}

static void meet(struct trop_attend *a, int64_t worker, int64_t low, int64_t high)
{
    struct trop_pairs_side rows = side_of(a, low), columns = side_of(a, high);

    a->scene.kernel->pairs->meet(a->pairs->worker + worker, &rows, &columns);
}

/* Block k has been in all meetings before `round`. */
static void await(struct trop_attend_pairs *p, int64_t k, int64_t round)
{
    while (atomic_load_explicit(&p->done[k], memory_order_acquire) < round) {
        sched_yield();
    }
}

/* Workers take meetings in the order of rounds. Whatever a meeting waits for has been taken before
 * it, so that one of them always goes on, and nobody waits for the end of a round. */
static void later_rounds(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_attend *a = context;
    struct trop_attend_pairs *p = a->pairs;
    int64_t circle = (p->blocks - 1) | 1, each = (circle + 1) / 2, k;

    (void)first;
    (void)last;
    while ((k = atomic_fetch_add(&p->next, 1)) < circle * each) {
        /* The places are made even in number; all but the last lie on a circle. In meeting 0 the
         * round's own place meets the last one; in meeting m the places m to the left and m to the
         * right of the round's own meet. */
        int64_t round = k / each, m = k % each;
        int64_t one = m == 0 ? circle : (round + m) % circle, two = (round - m + circle) % circle;
        int64_t low = one < two ? one : two, high = one < two ? two : one;
        await(p, low, round);
        if (high < p->blocks) {
            await(p, high, round);
            p->meet(a, worker, low, high);
            atomic_store_explicit(&p->done[high], round + 1, memory_order_release);
        }
        atomic_store_explicit(&p->done[low], round + 1, memory_order_release);
    }
}

void trop_attend_pairs_cut(struct trop_attend *a, int64_t strip, int64_t most)
{
    struct trop_attend_pairs *p = a->pairs;
    int64_t blocks = (a->scene.n + most - 1) / most;

    blocks = blocks < TROP_ATTEND_PAIRS_LEAST ? TROP_ATTEND_PAIRS_LEAST : blocks;
    p->size = ((a->scene.n + blocks - 1) / blocks + strip - 1) / strip * strip;
    p->blocks = (a->scene.n + p->size - 1) / p->size;
    for (int64_t k = 0; k < p->blocks; k++) {
        atomic_store(&p->done[k], 0);
    }
    atomic_store(&p->next, 0);
}

void trop_attend_pairs_rounds(struct trop_attend *a)
{
    trop_parallel(a->workers, a->workers, later_rounds, a);
}

int trop_attend_pairs_begin(struct trop_attend *a)
{
    struct trop_attend_pairs *p = a->pairs;
    struct trop_row row = { .scene = &a->scene };

    if (a->single) {
        return symmetric(a) && trop_attend_pairs_single_begin(a);
    }
    if (!serves(a)) {
        return 0;
    }
    trop_attend_pairs_cut(a, TROP_STRIP, WIDE);
    p->meet = meet;
    for (int64_t w = 0; w < a->workers; w++) {
        p->worker[w].beta = trop_row_beta(&row) * a->multiple;
        p->worker[w].shift = a->pairs_shift;
        p->worker[w].close = a->pairs_shift == 0;
    }
    trop_parallel(a->workers, p->blocks, first_round, a);
    trop_attend_pairs_rounds(a);
    return 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* peak and top of row r of the tile: the spans of the blocks that may hold a maximiser. most: its
 * score where it is known to the last bit, else NAN. */
void trop_attend_pairs_spans(struct trop_tile *tile, const struct trop_attend *a, int64_t r,
                             double most, uint64_t near)
{
    const struct trop_attend_pairs *p = a->pairs;
    int64_t n = a->scene.n, spans = (n + tile->span - 1) / tile->span;
    double *top = tile->top + r * tile->spans;

    for (int64_t k = 0; k < spans; k++) {
        top[k] = -INFINITY;
    }
    for (int64_t b = 0; b < p->blocks; b++) {
        int64_t first = b * p->size, last = first + p->size < n ? first + p->size : n;
        for (int64_t k = first / tile->span; near >> b % BITS & 1 && k * tile->span < last; k++) {
            int64_t from = k * tile->span, to = from + tile->span < n ? from + tile->span : n;
            top[k] = most == most ? most
                                  : a->scene.kernel->tile->peak(tile->y + r * tile->d, tile->keys,
                                                                from, to, tile->d);
        }
    }
    tile->peak[r] = trop_attend_settle_top(tile, r);
}

void trop_attend_pairs_rows(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                            int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    const struct trop_attend_pairs *p = a->pairs;
    struct trop_tile *tile = a->tiles + worker;
    int64_t d = a->scene.d;

    if (a->single) {
        trop_attend_pairs_single_rows(sweep, first, last, worker);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        int64_t block = i / p->size, row = i % p->size, at = block * WIDE + row;
        a->trouble[i] = NULL;
        double *out = sweep->displacement + i * d;
        const double *sum = p->out + block * WIDE * d + row;
        for (int64_t c = 0; c < d; c++) {
            out[c] = sum[c * WIDE] / p->total[at];
        }
        if (sweep->notes) {
            trop_attend_settle_begin(tile, a);
            double bound = trop_attend_settle_add(tile, a, i);
            trop_attend_pairs_spans(tile, a, 0, a->multiple == 1 ? p->top[at] : NAN, p->near[at]);
            trop_attend_settle_softmax(sweep, worker, 0, bound,
                                       a->pairs_shift + trop_log(p->total[at]));
        }
    }
}
