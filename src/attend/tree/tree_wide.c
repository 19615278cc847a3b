/* tree_wide.c -- a tree of boxes with eight children a node (tree_wide.h).
 *
 * A box as the kernels have it contains its points by a margin. With t = fl(k - o) monotone
 * in k, the points of a box [low, high] lie in [fl(low - o), fl(high - o)]; the half width is
 * the larger distance of these ends from the rounded middle, times 1 + 2^-50, which is more
 * than the two roundings it went through, plus 2^-1070 for what scaling may have lost.
 *
 * Errors. With size = sum_c |y_c| reach_c and u = 2^-53, the score of a point is off by at
 * most d u size (the chain) + u size (the rounding of t); the end of a box, whose centre and
 * half width are each at most reach (1 + 2^-49), by at most (2 d + 1) u size in the middle, the
 * half and their sum. Twice trop_decide_bound, 2 (d + 4) u size and more, covers both.
 */
#include "attend/tree/tree_wide.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define FULL 160 /* tokens, five leaves or more: what a wide node of leaves mostly has */

void trop_tree_wide_free(struct trop_tree_wide *w)
{
    if (!w) {
        return;
    }
    trop_tree_free(w->tree);
    TROP_FREE(w->box, w->child, w->node, w->leaf, w->equal, w->total, w->token, w->point, w->digit,
              w);
}

enum trop_status trop_tree_wide_create(struct trop_tree_wide **out, int64_t n, int64_t d,
                                       int64_t columns)
{
    struct trop_tree_wide *w = trop_alloc(1, sizeof *w);
    /* Leaves of 32 down to 17 tokens leave gaps of a sixth, and few are smaller. */
    int64_t lanes = (n / TROP_LANES + n / (3 * TROP_LANES) + 1) * TROP_LANES;

    if (!w) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree");
    }
    /* Even clouds need about n / 100. */
    w->room = n / 32 + 16;
    w->places = lanes;
    if (!TROP_ALLOC(
            TROP_PART(w->box, trop_alloc_product(w->room, 2 * d * TROP_LANES)),
            TROP_PART(w->child, w->room * TROP_LANES), TROP_PART(w->node, w->room),
            TROP_PART(w->leaf, w->room), TROP_PART(w->equal, w->room),
            TROP_PART(w->total, trop_alloc_product(w->room, (2 + 2 * columns) * TROP_LANES)),
            TROP_PART(w->token, lanes), TROP_PART(w->point, trop_alloc_product(lanes, d)),
            TROP_PART(w->digit, trop_alloc_product(lanes, 1 + columns))) ||
        trop_tree_create(&w->tree, n, d) != TROP_OK) {
        trop_tree_wide_free(w);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree of %lld tokens", (long long)n);
    }
    *out = w;
    return TROP_OK;
}

/* ---- boxes ---------------------------------------------------------------------------- */

static int64_t tokens_of(const struct trop_tree *t, int64_t node)
{
    return t->node[node].last - t->node[node].first;
}

static int splits(const struct trop_tree *t, int64_t node)
{
    return t->node[node].child > 0 && tokens_of(t, node) > TROP_TREE_WIDE_LEAF;
}

/* Opens the largest box until there are eight, or until all are small enough to fill wide
 * nodes of their own: FULL times a power of eight. They stay in the tree's order. */
static int open_boxes(int64_t *boxes, const struct trop_tree *t, int64_t node)
{
    int64_t enough = tokens_of(t, node) > FULL ? FULL : 0;
    int count = 1;

    while (enough > 0 && enough * TROP_LANES < tokens_of(t, node)) {
        enough *= TROP_LANES;
    }
    boxes[0] = node;
    while (count < TROP_LANES) {
        int at = -1;
        for (int l = 0; l < count; l++) {
            if (splits(t, boxes[l]) &&
                (at < 0 || tokens_of(t, boxes[l]) > tokens_of(t, boxes[at]))) {
                at = l;
            }
        }
        if (at < 0 || tokens_of(t, boxes[at]) <= enough) {
            break;
        }
        for (int l = count; l > at + 1; l--) {
            boxes[l] = boxes[l - 1];
        }
        boxes[at] = t->node[boxes[at]].child;
        boxes[at + 1] = boxes[at] + 1;
        count++;
    }
    return count;
}

static void place_box(struct trop_tree_wide *w, int64_t at, int l, int64_t node, int scale)
{
    int64_t d = w->tree->d;
    double *centre = w->box + at * 2 * d * TROP_LANES + l, *half = centre + d * TROP_LANES;

    for (int64_t c = 0; c < d; c++) {
        double low = ldexp(w->tree->low[node * d + c], -scale) - w->origin[c];
        double high = ldexp(w->tree->high[node * d + c], -scale) - w->origin[c];
        double middle = 0.5 * low + 0.5 * high;
        double wide = high - middle > middle - low ? high - middle : middle - low;
        centre[c * TROP_LANES] = middle;
        half[c * TROP_LANES] = wide * (1 + 0x1p-50) + 0x1p-1070;
    }
}

static int all_equal(const struct trop_tree *t, int64_t node)
{
    for (int64_t c = 0; c < t->d; c++) {
        if (t->low[node * t->d + c] != t->high[node * t->d + c]) {
            return 0;
        }
    }
    return 1;
}

/* Box l of wide node `at`; one that splits becomes a wide node of its own. */
static void place_child(struct trop_tree_wide *w, int64_t at, int l, int64_t node, int64_t *left)
{
    const struct trop_tree *t = w->tree;
    int64_t *child = w->child + at * TROP_LANES + l;
    int equal = all_equal(t, node);

    w->total[at * (2 + 2 * w->view.columns) * TROP_LANES + l] = (uint64_t)tokens_of(t, node);
    if (splits(t, node) && !equal && w->count < w->room) {
        w->node[w->count] = node;
        *child = w->count++;
        return;
    }
    w->leaf[at] = (unsigned char)(w->leaf[at] | 1 << l);
    w->equal[at] = (unsigned char)(w->equal[at] | equal << l);
    /* The tokens of the leaf get their places. A gap is left before them only if all tokens that
     * have no place yet still find room after it. */
    int64_t first = w->last, gap = -first & (TROP_LANES - 1);
    if (first + gap + *left <= w->places) {
        for (int64_t k = 0; k < gap; k++) {
            w->token[first++] = -1;
        }
    }
    for (int64_t p = t->node[node].first; p < t->node[node].last; p++) {
        w->token[first + p - t->node[node].first] = t->order[p];
    }
    w->last = first + tokens_of(t, node);
    *left -= tokens_of(t, node);
    *child = first;
}

/* ---- points --------------------------------------------------------------------------- */

struct filling {
    struct trop_tree_wide *wide;
    const struct trop_scene *scene;
};

static void fill_places(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct filling *filling = context;
    struct trop_tree_wide *w = filling->wide;
    const struct trop_scene *s = filling->scene;

    (void)worker;
    for (int64_t p = first; p < last; p++) {
        double *point = w->point + p / TROP_LANES * s->d * TROP_LANES + p % TROP_LANES;
        for (int64_t c = 0; c < s->d; c++) {
            point[c * TROP_LANES] =
                w->token[p] < 0 ? 0 : s->keyst[c * s->stride + w->token[p]] - w->origin[c];
        }
    }
}

void trop_tree_wide_build(struct trop_tree_wide *w, const struct trop_scene *scene, int64_t columns,
                          int64_t workers)
{
    struct filling filling = { .wide = w, .scene = scene };

    trop_tree_build(w->tree, scene->keys, scene->n, workers);
    w->view = (struct trop_kernel_half_view){
        .d = scene->d,
        .columns = columns,
        .box = w->box,
        .child = w->child,
        .leaf = w->leaf,
        .equal = w->equal,
        .total = w->total,
        .point = w->point,
        .digit = w->digit,
    };
    for (int64_t c = 0; c < w->tree->d; c++) {
        double low = ldexp(w->tree->low[c], -scene->scale_k),
               high = ldexp(w->tree->high[c], -scene->scale_k);
        w->origin[c] = 0.5 * low + 0.5 * high;
        low = fabs(low - w->origin[c]);
        high = fabs(high - w->origin[c]);
        w->reach[c] = low > high ? low : high;
    }
    w->node[0] = w->last = 0;
    w->count = 1;
    for (int64_t at = 0, left = scene->n; at < w->count; at++) {
        int64_t boxes[TROP_LANES], d = w->tree->d;
        int count = open_boxes(boxes, w->tree, w->node[at]);
        double *box = w->box + at * 2 * d * TROP_LANES;
        int64_t width = (2 + 2 * w->view.columns) * TROP_LANES;
        w->leaf[at] = w->equal[at] = 0;
        memset(w->total + at * width, 0, (size_t)width * sizeof *w->total);
        memset(box, 0, (size_t)(2 * d * TROP_LANES) * sizeof *box);
        for (int l = 0; l < TROP_LANES; l++) {
            if (l < count) {
                place_box(w, at, l, boxes[l], scene->scale_k);
                place_child(w, at, l, boxes[l], &left);
            } else {
                box[l] = NAN;
            }
        }
    }
    trop_parallel(workers, w->last, fill_places, &filling);
}

/* ---- totals --------------------------------------------------------------------------- */

/* Lane l of a node's totals from the tokens of its leaf. */
static void total_leaf(struct trop_tree_wide *w, uint64_t *total, int64_t first)
{
    int64_t columns = w->view.columns, last = first + (int64_t)total[0];

    for (int64_t p = first; p < last; p++) {
        const uint64_t *digit =
            w->digit + p / TROP_LANES * (1 + columns) * TROP_LANES + p % TROP_LANES;
        total[TROP_LANES] += digit[0];
        for (int64_t k = 0; k < columns; k++) {
            uint64_t value = digit[(1 + k) * TROP_LANES];
            total[(2 + k) * TROP_LANES] += value & 0xffffffffU;
            total[(2 + columns + k) * TROP_LANES] += value >> 32;
        }
    }
}

/* The same from the totals of the wide node below. */
static void total_below(const struct trop_tree_wide *w, uint64_t *total, int64_t below)
{
    int64_t width = 2 + 2 * w->view.columns;

    for (int64_t k = 1; k < width; k++) {
        const uint64_t *part = w->total + (below * width + k) * TROP_LANES;
        for (int l = 0; l < TROP_LANES; l++) {
            total[k * TROP_LANES] += part[l];
        }
    }
}

void trop_tree_wide_total(struct trop_tree_wide *w)
{
    int64_t width = (2 + 2 * w->view.columns) * TROP_LANES;

    /* Children come after their parents. */
    for (int64_t at = w->count - 1; at >= 0; at--) {
        for (int l = 0; l < TROP_LANES; l++) {
            uint64_t *total = w->total + at * width + l;
            if (total[0] == 0) {
                continue;
            }
            if (w->leaf[at] >> l & 1) {
                total_leaf(w, total, w->child[at * TROP_LANES + l]);
            } else {
                total_below(w, total, w->child[at * TROP_LANES + l]);
            }
        }
    }
}

double trop_tree_wide_score(const struct trop_tree_wide *wide, const double *y, int64_t p)
{
    int64_t d = wide->view.d;
    const double *point = wide->point + p / TROP_LANES * d * TROP_LANES + p % TROP_LANES;
    double score = y[0] * point[0];

    for (int64_t c = 1; c < d; c++) {
        score = fma(y[c], point[c * TROP_LANES], score);
    }
    return score;
}
