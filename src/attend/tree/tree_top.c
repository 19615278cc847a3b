/* tree_top.c -- which few of many points can be on top, for many directions together
 * (tree_top.h).
 *
 * Directions r = y / max_c |y_c| are on a face of the cube, and the rows' directions are sorted
 * into a tree, as the points are. Both trees are gone down together. A box T of directions has a
 * front: nodes of the tree of points that hold all that can be on top in a direction of T. From a
 * witness w, some point that is high in the middle of T, a node S is left out when
 *
 *   max over r in T, x in S of <r, x - w>  < 0
 *
 * (trop_tree_slab_lead: on a curved surface it is the slabs that see it). What is left of a front
 * is opened once and handed to the two halves of T. Where T is a leaf, its front is opened to the
 * leaves of the points. Their points are gathered as differences x - w, and each direction of T
 * takes their scores: those within two bounds of the largest are told of.
 *
 * On a surface of dimension d - 1 with its points spread evenly, the front of a T of k directions
 * has some 4^(d - 1) nodes of about k points: a few hundred scores a row in three dimensions,
 * instead of n.
 *
 * Rounding, u = 2^-53. r_c is off from y_c / max |y| by u |r_c|, or by 2^-1075 where it
 * underflows; boxes of directions are wider by 2^-50 on every side where they are not exactly 1
 * or -1. A difference t has a relative error of u, and <r, t> is one fma chain: with those of r
 * it is off by (d + 2) u sum |r_c t_c| at most, for which trop_decide_bound has (d + 4), and by
 * 2^-1075 sum |t_c|. Where the sum of the largest |t_c| is not finite nothing is left out.
 *
 * What is found is the same for any trees, fronts and witnesses: they decide the cost alone. They
 * are functions of the points and directions, not of the workers.
 */
#include "attend/tree/tree_top.h"

#include "attend/decide.h"
#include "attend/tree/tree.h"
#include "attend/tree/tree_slab.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 6        /* dimension, at most */
#define WIDER 0x1p-50 /* a box of directions, on every side */
#define FRONTS 8      /* room for fronts: so many numbers for a point */
#define SAMPLE 32     /* directions whose columns are counted */
#define ROW_COST 8192 /* of a row, in scores of the direct method: about 1 us */
#define COLUMN_COST 4 /* of a score of a row, and of what gathering it takes for one row */

/* What one worker has. */
struct search {
    const struct trop_tree_top *top;
    int64_t worker, first, last; /* the places of its directions */
    int64_t *front;              /* (room) fronts, one behind the other */
    double *xt;                  /* (d, stride) gathered x - w */
    double *score;               /* (stride) */
    int32_t *number;             /* (stride) points of the columns */
    int64_t *set;                /* (stride) */
    int32_t *rival;              /* (stride) */
    double columns;              /* counted */
};

struct trop_tree_top {
    int64_t d, capacity, workers, stride, room;
    struct trop_tree *points, *queries;
    double *direction; /* (n, d) */
    int32_t *found;    /* (n) in the order of the tree of directions */
    struct search *search;
    /* of the search that is on */
    const struct trop_kernel *kernel;
    const double *y;
    const int64_t *row;
    trop_tree_top_told *told; /* NULL: columns are counted */
    void *context;
};

/* ---- memory ---------------------------------------------------------------------------------- */

void trop_tree_top_free(struct trop_tree_top *top)
{
    if (!top) {
        return;
    }
    for (int64_t w = 0; top->search && w < top->workers; w++) {
        struct search *s = top->search + w;
        TROP_FREE(s->front, s->xt, s->score, s->number, s->set, s->rival);
    }
    trop_tree_free(top->points);
    trop_tree_free(top->queries);
    TROP_FREE(top->direction, top->found, top->search, top);
}

enum trop_status trop_tree_top_create(struct trop_tree_top **out, int64_t n, int64_t d,
                                      int64_t workers)
{
    struct trop_tree_top *top = trop_alloc(1, sizeof *top);
    int whole = top != NULL;

    if (top) {
        top->d = d;
        top->capacity = n;
        top->workers = workers;
        top->stride = (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
        top->room = FRONTS * n + 64;
        whole = TROP_ALLOC(TROP_PART(top->direction, trop_alloc_product(n, d)),
                           TROP_PART(top->found, n), TROP_PART(top->search, workers)) &&
                trop_tree_create(&top->points, n, d) == TROP_OK &&
                trop_tree_slab_create(top->points) == TROP_OK &&
                trop_tree_create(&top->queries, n, d) == TROP_OK;
    }
    for (int64_t w = 0; whole && w < workers; w++) {
        struct search *s = top->search + w;
        *s = (struct search){ .top = top, .worker = w };
        whole = TROP_ALLOC(TROP_PART(s->front, top->room),
                           TROP_PART(s->xt, trop_alloc_product(d, top->stride)),
                           TROP_PART(s->score, top->stride), TROP_PART(s->number, top->stride),
                           TROP_PART(s->set, top->stride), TROP_PART(s->rival, top->stride));
    }
    if (!whole) {
        trop_tree_top_free(top);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a search of maxima among %lld points",
                         (long long)n);
    }
    *out = top;
    return TROP_OK;
}

void trop_tree_top_build(struct trop_tree_top *top, const double *p, int64_t m)
{
    trop_tree_build(top->points, p, m, top->workers);
    trop_tree_slab_build(top->points, top->workers);
}

/* ---- a box of directions --------------------------------------------------------------------- */

/* A box with its witness, a place of the points. */
struct aim {
    double low[MOST], high[MOST], middle[MOST], w[MOST];
    int64_t witness;
};

/* The box of a node of directions. */
static void aim_at(struct aim *aim, const struct trop_tree *q, int64_t node)
{
    for (int64_t c = 0; c < q->d; c++) {
        double low = q->low[node * q->d + c], high = q->high[node * q->d + c];
        int edge = low == high && (low == 1 || low == -1);
        aim->middle[c] = 0.5 * low + 0.5 * high;
        aim->low[c] = edge ? low : low - WIDER;
        aim->high[c] = edge ? high : high + WIDER;
    }
}

/* The point at a place becomes the witness where it is higher in the middle; top: how high that
 * is. */
static inline void raise(struct aim *aim, double *top, const struct trop_tree *t, int64_t place)
{
    double sum = 0;

    for (int64_t c = 0; c < t->d; c++) {
        sum += aim->middle[c] * t->xt[c * t->stride + place];
    }
    aim->witness = sum > *top ? place : aim->witness;
    *top = sum > *top ? sum : *top;
}

/* The witness: the highest of the one there was and of a point of each node of a front. */
static void raise_over(struct aim *aim, const struct trop_tree *t, const int64_t *front,
                       int64_t count)
{
    double top = -INFINITY;

    raise(aim, &top, t, aim->witness);
    for (int64_t k = 0; k < count; k++) {
        const struct trop_tree_node *s = t->node + front[k];
        raise(aim, &top, t, s->first + (s->last - s->first) / 2);
    }
    for (int64_t c = 0; c < t->d; c++) {
        aim->w[c] = t->xt[c * t->stride + aim->witness];
    }
}

static inline int stays(const struct trop_tree *t, int64_t node, const struct aim *aim)
{
    return !(trop_tree_slab_lead(t, node, aim->low, aim->high, aim->w) < 0);
}

/* Opens the nodes of a front and keeps what may be on top: out, which has room for two for each.
 * Returns how many. */
static int64_t refine(int64_t *out, const struct trop_tree *t, const struct aim *aim,
                      const int64_t *front, int64_t count)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < count; k++) {
        int64_t child = t->node[front[k]].child;
        int64_t first = child > 0 ? child : front[k], last = child > 0 ? child + 1 : front[k];
        for (int64_t node = first; node <= last; node++) {
            out[kept] = node;
            kept += stays(t, node, aim);
        }
    }
    return kept;
}

/* ---- a leaf of directions -------------------------------------------------------------------- */

/* Gathers a leaf of points behind the columns; returns how many there are then. */
static int64_t gather(struct search *s, const struct aim *aim, int64_t node, int64_t columns)
{
    const struct trop_tree *t = s->top->points;
    int64_t first = t->node[node].first, count = t->node[node].last - first;

    /* Columns of equal points would be the same: the points of a list are distinct. */
    for (int64_t c = 0; c < t->d; c++) {
        const double *x = t->xt + c * t->stride + first;
        double *column = s->xt + c * s->top->stride + columns;
        for (int64_t k = 0; k < count; k++) {
            column[k] = x[k] - aim->w[c];
        }
    }
    for (int64_t k = 0; k < count; k++) {
        s->number[columns + k] = (int32_t)t->order[first + k];
    }
    return columns + count;
}

/* The columns of the leaves of a front. */
static int64_t gather_front(struct search *s, const struct aim *aim, const int64_t *front,
                            int64_t count)
{
    int64_t columns = 0;

    for (int64_t k = 0; k < count; k++) {
        columns = gather(s, aim, front[k], columns);
    }
    return columns;
}

/* The largest |x_c - w_c| of the columns: reach (d). What stands behind them is computed on, and
 * thrown away. Returns the sum. */
static double measure(double *reach, struct search *s, int64_t columns)
{
    double sum = 0;

    for (int64_t c = 0; c < s->top->d; c++) {
        double *column = s->xt + c * s->top->stride, most = 0;
        for (int64_t k = 0; k < columns; k++) {
            double size = fabs(column[k]);
            most = size > most ? size : most;
            sum += size != size ? size : 0;
        }
        for (int64_t k = columns; k % TROP_LANES != 0; k++) {
            column[k] = 0;
        }
        reach[c] = most;
        sum += most;
    }
    return sum;
}

/* Tells of the worker's rows of a leaf of directions. */
static void meet(struct search *s, const struct aim *aim, int64_t node, const int64_t *front,
                 int64_t count)
{
    const struct trop_tree_top *top = s->top;
    const struct trop_tree *q = top->queries;
    int64_t first = q->node[node].first, last = q->node[node].last, d = top->d;
    int64_t columns = gather_front(s, aim, front, count);
    double reach[MOST], r[MOST];

    if (!top->told) {
        s->columns += (double)columns;
        return;
    }
    double sum = measure(reach, s, columns);
    first = first > s->first ? first : s->first;
    last = last < s->last ? last : s->last;
    for (int64_t p = first; p < last; p++) {
        for (int64_t c = 0; c < d; c++) {
            r[c] = q->xt[c * q->stride + p];
        }
        int64_t rivals = columns;
        if (sum <= DBL_MAX) {
            double best = top->kernel->scores(s->score, r, s->xt, top->stride, columns, d);
            double slack = 2 * (trop_decide_bound(r, reach, d) + 0x1p-1070 * sum);
            rivals = top->kernel->collect(s->set, s->score, columns, best - slack);
        }
        for (int64_t k = 0; k < rivals; k++) {
            s->rival[k] = s->number[sum <= DBL_MAX ? s->set[k] : k];
        }
        top->found[p] = rivals == 1 ? s->rival[0] : -1;
        if (rivals > 1) {
            top->told(top->context, s->worker, top->row[q->order[p]], s->rival, rivals);
        }
    }
}

/* ---- both trees ------------------------------------------------------------------------------ */

static int has_inner(const struct trop_tree *t, const int64_t *front, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        if (t->node[front[k]].child > 0) {
            return 1;
        }
    }
    return 0;
}

/* The worker's directions in a node, all of whose points on top are under front (count), which
 * ends before `free`. The depth is that of the tree. Where room ends, a front is opened no
 * further, which costs time and nothing else. */
static void descend(struct search *s, int64_t node, int64_t witness, const int64_t *front,
                    int64_t count, int64_t *free)
{
    const struct trop_tree *t = s->top->points;
    const struct trop_tree_node *n = s->top->queries->node + node;
    const int64_t *end = s->front + s->top->room;
    struct aim aim = { .witness = witness };

    if (n->last <= s->first || n->first >= s->last) {
        return;
    }
    aim_at(&aim, s->top->queries, node);
    raise_over(&aim, t, front, count);
    for (int more = 1; more && 2 * count <= end - free;) {
        count = refine(free, t, &aim, front, count);
        front = free;
        free += count;
        more = n->child == 0 && has_inner(t, front, count);
        raise_over(&aim, t, front, count);
    }
    if (n->child > 0) {
        descend(s, n->child, aim.witness, front, count, free);
        descend(s, n->child + 1, aim.witness, front, count, free);
        return;
    }
    meet(s, &aim, node, front, count);
}

static void search_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_tree_top *top = context;
    struct search *s = top->search + worker;

    s->first = first;
    s->last = last;
    s->front[0] = 0;
    descend(s, 0, 0, s->front, 1, s->front + 1);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void turn_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_tree_top *top = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        const double *y = top->y + top->row[k] * top->d;
        double size = 0;
        for (int64_t c = 0; c < top->d; c++) {
            size = fabs(y[c]) > size ? fabs(y[c]) : size;
        }
        for (int64_t c = 0; c < top->d; c++) {
            top->direction[k * top->d + c] = y[c] / size;
        }
    }
}

/* 1 when some of the directions need few enough columns. */
static int pays(struct trop_tree_top *top, int64_t count)
{
    top->search->columns = 0;
    for (int64_t k = 0; k < SAMPLE; k++) {
        int64_t place = count * k / SAMPLE;
        search_some(top, place, place + 1, 0);
    }
    return ROW_COST + COLUMN_COST * top->search->columns / SAMPLE < (double)top->points->n;
}

int trop_tree_top_search(int32_t *point, struct trop_tree_top *top, const double *y,
                         const int64_t *row, int64_t count, const struct trop_kernel *kernel,
                         int always, trop_tree_top_told *told, void *context)
{
    top->kernel = kernel;
    top->y = y;
    top->row = row;
    top->told = NULL;
    top->context = context;
    trop_parallel(top->workers, count, turn_some, top);
    trop_tree_build(top->queries, top->direction, count, top->workers);
    if (!always && !pays(top, count)) {
        return 0;
    }
    top->told = told;
    trop_parallel(top->workers, count, search_some, top);
    /* A loop by itself: what misses the caches here does so many at a time. */
    for (int64_t p = 0; p < count; p++) {
        point[top->queries->order[p]] = top->found[p];
    }
    return 1;
}
