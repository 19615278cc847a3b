/* tree_localmax.c -- a localmax step through a tree (tree_localmax.h).
 *
 *   C_i = { j : <y_i, k_j> - m_i + shift + delta m_i >= 0 },   m_i = max_j <y_i, k_j>,
 *
 * with shift = epsilon, delta = 0, or for the relative form shift = 0, delta = epsilon. For
 * each row, in the tree's order: the exact maximiser by branch and bound, begun at that of the
 * row before; then the tokens above the cut, whole boxes at a time (kernel_half.h).
 *
 * Errors. Scores are taken on t = k - o (tree_wide.h), o the middle of the cloud: what is
 * computed, for a token or a box, is within b = 2 trop_decide_bound of <y, k - o>, and o drops
 * out of differences. A token whose score is more than 2 b below the incumbent's cannot be
 * a maximiser. The cut m - shift - delta m, less <y, o>, is
 * top - shift - delta whole, with top the computed score of the maximiser on t and whole that
 * on k itself; it is off by b + |delta| b' + 2^-50 of its terms, b' the bound of scores on k.
 * What lies within that of the cut is decided by trop_decide_score, as on the direct path.
 */
#include "attend/tree/tree_localmax.h"

#include "attend/attend_internal.h"
#include "attend/decide.h"
#include "attend/tree/tree_digits.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Prices in token pairs of the direct path, 0.14 ns each where these were measured (AVX-512,
 * few members): a token's part in the tree and its row's notes, 0.45 us; a wide node met, 20 ns;
 * a block of eight tokens met, 10 ns. */
#define TOKEN_COST 3200.0
#define NODE_COST 140.0
#define BLOCK_COST 70.0

#define CHUNK TROP_KERNEL_HALF_ROWS /* rows dealt out together */

/* One worker's row. */
struct view_of_row {
    struct trop_kernel_half_query *query;
    const struct trop_scene *scene;
    const struct trop_tree_wide *wide;
    const double *y;     /* (d) the query itself */
    int64_t place, best; /* the incumbent: its place, and its index */
    int64_t start;       /* of a worker's first row: where the next search begins */
    int distinct;        /* 1: no other point ties with it */
    double top, slack;   /* its score; twice the bound of scores */
    double shift, delta;
};

struct trop_tree_localmax {
    int64_t capacity, workers;
    const struct trop_kernel_half *half;
    struct trop_tree_wide *wide;
    struct trop_tree_digits digits;
    struct view_of_row *row;              /* (workers, ROWS) */
    struct trop_kernel_half_query *query; /* the same */
    int64_t *stack;                       /* (workers, 2 wide nodes) */
    double *bound;                        /* (n) */
};

static void tree_free(void *tree)
{
    struct trop_tree_localmax *t = tree;

    if (!t) {
        return;
    }
    trop_tree_wide_free(t->wide);
    TROP_FREE(t->row, t->query, t->stack, t->bound, t);
}

static enum trop_status create(void **out, int64_t n, int64_t d, int64_t workers,
                               const struct trop_kernel *kernel)
{
    if (d < 1 || d > TROP_KERNEL_HALF_D) {
        return trop_fail(TROP_ERR_ARG, "d = %lld: through a tree it must be from 1 to %d",
                         (long long)d, TROP_KERNEL_HALF_D);
    }
    if (n < 1 || n > TROP_TREE_DIGITS_MOST) {
        return trop_fail(TROP_ERR_ARG, "n = %lld: through a tree it must be from 1 to %lld",
                         (long long)n, (long long)TROP_TREE_DIGITS_MOST);
    }
    struct trop_tree_localmax *t = trop_alloc(1, sizeof *t);
    if (!t) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree");
    }
    t->capacity = n;
    t->workers = workers;
    t->half = kernel->half;
    if (!TROP_ALLOC(TROP_PART(t->row, trop_alloc_product(workers, TROP_KERNEL_HALF_ROWS)),
                    TROP_PART(t->query, trop_alloc_product(workers, TROP_KERNEL_HALF_ROWS)),
                    TROP_PART(t->bound, n)) ||
        trop_tree_wide_create(&t->wide, n, d, 1 + 2 * d) != TROP_OK) {
        tree_free(t);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld rows", (long long)n);
    }
    t->stack = trop_alloc(trop_alloc_product(workers, 2 * t->wide->room), sizeof *t->stack);
    if (!t->stack) {
        tree_free(t);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld workers", (long long)workers);
    }
    *out = t;
    return TROP_OK;
}

/* ---- the maximiser -------------------------------------------------------------------- */

static const double *key_at(const struct view_of_row *row, int64_t place)
{
    return row->scene->keys + row->wide->token[place] * row->scene->d;
}

static void lead(struct view_of_row *row, int64_t place, double score)
{
    row->place = place;
    row->best = row->wide->token[place];
    row->top = score;
    row->query->low = score - row->slack;
}

/* A token that may be a maximiser: better, tied or worse than the incumbent, exactly. */
static void candidate(void *context, int64_t place, double score)
{
    struct view_of_row *row = context;
    int64_t d = row->scene->d;
    int sign = 1;

    if (place == row->place) {
        return;
    }
    if (!(score > row->top + row->slack)) {
        sign = trop_decide_score(row->y, key_at(row, place), key_at(row, row->place), d, 0, 0);
    }
    if (sign < 0) {
        return;
    }
    if (sign > 0) {
        row->distinct = 1;
    } else if (!trop_decide_equal(key_at(row, place), key_at(row, row->place), d)) {
        row->distinct = 0;
    }
    if (sign > 0 || row->wide->token[place] < row->best) {
        lead(row, place, score);
    }
}

/* The row's place, best, distinct and top; the search begins at the incumbent. */
static void maximise(struct view_of_row *row, const struct trop_tree_localmax *t, int64_t *stack)
{
    row->slack = 4 * trop_decide_bound(row->query->y, row->wide->reach, row->scene->d);
    row->distinct = 1;
    lead(row, row->place, trop_tree_wide_score(row->wide, row->query->y, row->place));
    t->half->maximise(row->query, &row->wide->view, stack);
}

/* ---- the set ---------------------------------------------------------------------------- */

static int inside(void *context, int64_t place)
{
    const struct view_of_row *row = context;
    return trop_decide_score(row->y, key_at(row, place), key_at(row, row->place), row->scene->d,
                             row->shift, row->delta) >= 0;
}

/* The query of token i and its cut. */
static void aim(struct view_of_row *row, const struct trop_tree_localmax *t, int64_t i,
                int64_t *stack)
{
    const struct trop_scene *s = row->scene;
    int zero = 1;

    row->y = s->y + i * s->d;
    for (int64_t c = 0; c < s->d; c++) {
        row->query->y[c] = s->scale_y ? ldexp(row->y[c], -s->scale_y) : row->y[c];
        row->query->size[c] = fabs(row->query->y[c]);
        zero &= row->y[c] == 0;
    }
    if (zero) {
        /* Every score of a query 0 is 0: all tokens tie, and all are members. */
        const struct trop_tree *tree = row->wide->tree;
        row->distinct = 1;
        for (int64_t c = 0; c < tree->d; c++) {
            row->distinct &= tree->low[c] == tree->high[c];
        }
        row->best = 0;
        row->query->low = row->query->high = -INFINITY;
    } else {
        maximise(row, t, stack);
        /* The cut, and how far around it rounding may deceive. */
        double shift = ldexp(row->shift, -(s->scale_k + s->scale_y)), whole = 0, blur = 0;
        /* Scaled scores are below 2^810: so large a shift takes in everything. */
        shift = shift < 0x1p900 ? shift : 0x1p900;
        if (row->delta != 0) {
            for (int64_t c = 0; c < s->d; c++) {
                whole = fma(row->query->y[c], s->keyst[c * s->stride + row->best], whole);
            }
            whole *= row->delta;
            blur = fabs(row->delta) * trop_decide_bound(row->query->y, s->reach, s->d);
        }
        double at = row->top - shift - whole;
        double slack =
            row->slack + blur + 0x1p-50 * (fabs(row->top) + shift + fabs(whole)) + 0x1p-1070;
        row->query->low = at - slack;
        row->query->high = at + slack;
        if (!(row->query->low >= -DBL_MAX &&
              row->query->high <= DBL_MAX)) { /* decide all exactly */
            row->query->low = -DBL_MAX;
            row->query->high = DBL_MAX;
        }
    }
}

/* The sets of the tokens at `count` places of the tree's order, as sums. The search for a
 * maximiser begins at that of the row before. */
static void look(struct view_of_row *row, const struct trop_tree_localmax *t, int64_t first,
                 int64_t count, int64_t *stack)
{
    struct trop_kernel_half_query *query[TROP_KERNEL_HALF_ROWS];
    int64_t place = row[0].start;

    for (int64_t r = 0; r < count; r++) {
        row[r].place = place;
        aim(row + r, t, t->wide->tree->order[first + r], stack);
        place = row[r].place;
        query[r] = row[r].query;
    }
    row[0].start = place;
    t->half->count(query, count, &t->wide->view, stack);
}

/* ---- rows --------------------------------------------------------------------------------- */

struct sweep {
    struct trop_tree_localmax *tree;
    struct trop_attend *attend;
    double *displacement;
    struct trop_attend_note *notes;
};

static void finish(const struct sweep *sweep, const struct view_of_row *row, int64_t i)
{
    const struct trop_scene *s = row->scene;
    uint64_t total[2 + 2 * TROP_KERNEL_HALF_COLUMNS];

    /* The sums of the lanes. */
    for (int64_t k = 0; k < 2 + 2 * row->wide->view.columns; k++) {
        total[k] = 0;
        for (int l = 0; l < TROP_LANES; l++) {
            total[k] += row->query->sum[k][l];
        }
    }
    sweep->attend->trouble[i] = total[0] == 0 && row->delta != 0 ? trop_rule_localmax_empty : NULL;
    sweep->tree->bound[i] = trop_tree_digits_displace(sweep->displacement + i * s->d,
                                                      &sweep->tree->digits, s, total, i);
    if (sweep->notes) {
        struct trop_attend_note *note = sweep->notes + i;
        struct trop_row plain = { .scene = row->scene,
                                  .i = i,
                                  .n = row->scene->n,
                                  .y = row->y,
                                  .best = row->best,
                                  .distinct = row->distinct };
        trop_attend_note_take(note, &plain, 0);
        /* The maximiser is a member of every set that has one. */
        note->only = total[0] == 1 ? row->best : -1;
        note->alone = note->only == i;
        note->set = total[0] > 0 ? total[0] + total[1] : 0;
    }
}

/* A worker's rows, ready for their first queries. */
static struct view_of_row *begin(struct trop_tree_localmax *t, const struct trop_scene *s,
                                 int64_t worker)
{
    struct view_of_row *row = t->row + worker * TROP_KERNEL_HALF_ROWS;
    int relative = s->numbers.form == TROP_FORM_RELATIVE;

    for (int64_t r = 0; r < TROP_KERNEL_HALF_ROWS; r++) {
        row[r].scene = s;
        row[r].wide = t->wide;
        row[r].shift = relative ? 0 : s->numbers.epsilon;
        row[r].delta = relative ? s->numbers.epsilon : 0;
        row[r].start = 0;
        row[r].query = t->query + worker * TROP_KERNEL_HALF_ROWS + r;
        row[r].query->context = row + r;
        row[r].query->inside = inside;
        row[r].query->candidate = candidate;
        row[r].query->nodes = row[r].query->blocks = 0;
    }
    return row;
}

/* Chunk k of the deal: even ones first, then odd ones backwards, so that two halves of the
 * deal, or many parts of it, have about the same work. */
static int64_t dealt(int64_t k, int64_t chunks)
{
    int64_t even = (chunks + 1) / 2;
    return k < even ? 2 * k : 2 * (chunks - 1 - k) + 1;
}

static void sweep_chunks(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct sweep *sweep = context;
    struct trop_tree_localmax *t = sweep->tree;
    const struct trop_scene *s = &sweep->attend->scene;
    struct view_of_row *row = begin(t, s, worker);
    int64_t *stack = t->stack + worker * 2 * t->wide->room;
    int64_t chunks = (s->n + CHUNK - 1) / CHUNK;

    for (int64_t k = first; k < last; k++) {
        int64_t from = dealt(k, chunks) * CHUNK;
        int64_t count = from + CHUNK < s->n ? CHUNK : s->n - from;
        look(row, t, from, count, stack);
        for (int64_t r = 0; r < count; r++) {
            finish(sweep, row + r, t->wide->tree->order[from + r]);
        }
    }
}

static enum trop_status check(const struct trop_tree_localmax *t, const struct trop_scene *s)
{
    if (s->numbers.rule->tree != &trop_tree_localmax_engine || s->numbers.mask != TROP_MASK_FULL) {
        return trop_fail(TROP_ERR_ARG, "rule = %s: half-space sums are for localmax, mask = full",
                         s->numbers.rule->name);
    }
    if (s->n > t->capacity) {
        return trop_fail(TROP_ERR_ARG, "n = %lld: the tree has room for %lld", (long long)s->n,
                         (long long)t->capacity);
    }
    return TROP_OK;
}

static void prepare(struct trop_tree_localmax *t, const struct trop_scene *s)
{
    trop_tree_wide_build(t->wide, s, trop_tree_digits_columns(s), t->workers);
    trop_tree_digits_measure(&t->digits, s);
    trop_tree_digits_fill(t->wide, &t->digits, s, t->workers);
    trop_tree_wide_total(t->wide);
}

static enum trop_status rows(double *displacement, struct trop_attend_note *notes, double *bounds,
                             void *handle, struct trop_attend *attend, double accuracy)
{
    struct trop_tree_localmax *tree = handle;
    const struct trop_scene *s = &attend->scene;
    struct sweep sweep = {
        .tree = tree, .attend = attend, .displacement = displacement, .notes = notes
    };
    enum trop_status status = check(tree, s);

    if (status != TROP_OK) {
        return status;
    }
    prepare(tree, s);
    trop_parallel(tree->workers, (s->n + CHUNK - 1) / CHUNK, sweep_chunks, &sweep);
    if (bounds) {
        memcpy(bounds, tree->bound, (size_t)s->n * sizeof *bounds);
    }
    /* The first trouble of the rows, if any. */
    for (int64_t i = 0; i < attend->scene.n; i++) {
        if (attend->trouble[i]) {
            return trop_fail(TROP_ERR_NUMERIC, "token %lld: %s", (long long)i, attend->trouble[i]);
        }
        if (!(tree->bound[i] <= accuracy)) {
            return trop_fail(TROP_ERR_NUMERIC,
                             "accuracy = %g: the average of token %lld is good to %g only",
                             accuracy, (long long)i, tree->bound[i]);
        }
    }
    return TROP_OK;
}

/* ---- cost --------------------------------------------------------------------------------- */

#define SAMPLE 16 /* groups of rows */

static enum trop_status cost_of(double *cost, void *tree, struct trop_attend *attend,
                                double accuracy)
{
    struct trop_tree_localmax *t = tree;
    const struct trop_scene *s = &attend->scene;
    int64_t groups = s->n / CHUNK < SAMPLE ? 1 : SAMPLE, count = s->n < CHUNK ? s->n : CHUNK;
    double nodes = 0, blocks = 0;

    (void)accuracy;
    prepare(t, s);
    struct view_of_row *row = begin(t, s, 0);
    for (int64_t g = 0; g < groups; g++) {
        look(row, t, g * (s->n / groups), count, t->stack);
    }
    for (int64_t r = 0; r < count; r++) {
        nodes += (double)row[r].query->nodes / (double)(groups * count);
        blocks += (double)row[r].query->blocks / (double)(groups * count);
    }
    *cost = (double)s->n * (TOKEN_COST + NODE_COST * nodes + BLOCK_COST * blocks);
    return TROP_OK;
}

const struct trop_rule_tree trop_tree_localmax_engine = {
    .create = create,
    .free = tree_free,
    .rows = rows,
    .cost = cost_of,
};
