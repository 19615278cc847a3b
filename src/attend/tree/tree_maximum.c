/* tree_maximum.c -- exact maximisers of a score, for the queries of a box together
 * (tree_maximum.h).
 *
 * Rounding. A gathered difference t_c = x_jc - w_c has a relative error of u = 2^-53, and
 * <y, t> is one fma chain: off by at most (d + 2) u sum_c |y_c t_c|, which
 * trop_decide_bound covers with reach_c = max_j |t_jc|. Columns further than two bounds
 * below the largest are not maximisers; the others are settled exactly (decide.h).
 */
#include "attend/tree/tree_maximum.h"

#include "attend/decide.h"
#include "attend/tree/tree_slab.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>

void trop_tree_maximum_free(struct trop_tree_maximum *m)
{
    if (!m) {
        return;
    }
    TROP_FREE(m->xt, m->reach, m->token, m->copies, m->score, m->stack, m->set, m->w, m);
}

enum trop_status trop_tree_maximum_create(struct trop_tree_maximum **out, int64_t n, int64_t d)
{
    struct trop_tree_maximum *m = trop_alloc(1, sizeof *m);
    if (!m) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a search of maxima");
    }
    m->stride = (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
    m->room = 2 * n + 2;
    if (!TROP_ALLOC(TROP_PART(m->xt, trop_alloc_product(d, m->stride)), TROP_PART(m->reach, d),
                    TROP_PART(m->token, m->stride), TROP_PART(m->copies, m->stride),
                    TROP_PART(m->score, m->stride), TROP_PART(m->stack, m->room),
                    TROP_PART(m->set, m->stride), TROP_PART(m->w, d))) {
        trop_tree_maximum_free(m);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a search of maxima among %lld tokens",
                         (long long)n);
    }
    *out = m;
    return TROP_OK;
}

int64_t trop_tree_maximum_near(struct trop_tree_maximum *m, const struct trop_tree *tree,
                               const double *y)
{
    int64_t depth = 0;

    m->tree = tree;
    m->witness = tree->order[0];
    for (int64_t c = 0; c < tree->d; c++) {
        m->w[c] = tree->xt[c * tree->stride];
    }
    m->stack[depth++] = 0;
    while (depth > 0) {
        int64_t k = m->stack[--depth], child = tree->node[k].child;
        if (!(trop_tree_slab_reach(tree, k, y, m->w) > 0)) {
            continue;
        }
        if (child == 0) {
            /* The best token of the leaf becomes the witness, if it is better. */
            const struct trop_tree *t = m->tree;
            int64_t first = t->node[k].first, last = t->node[k].last, at = -1;
            double best = 0;
            if (trop_tree_equal(t, k)) {
                last = first + 1;
            }
            for (int64_t p = first; p < last; p++) {
                double lead = 0;
                for (int64_t c = 0; c < t->d; c++) {
                    lead += y[c] * (t->xt[c * t->stride + p] - m->w[c]);
                }
                at = lead > best ? p : at;
                best = lead > best ? lead : best;
            }
            for (int64_t c = 0; c < t->d && at >= 0; c++) {
                m->w[c] = t->xt[c * t->stride + at];
            }
            m->witness = at >= 0 ? t->order[at] : m->witness;
            continue;
        }
        /* The better half is looked at first. */
        int swap = trop_tree_reach(tree, child, y) > trop_tree_reach(tree, child + 1, y);
        m->stack[depth++] = child + swap;
        m->stack[depth++] = child + 1 - swap;
    }
    return m->witness;
}

/* 1 unless w is better than the token at a place for every query of the box: trop_tree_lead
 * of a point, with the same allowance for rounding. */
static int leads(const struct trop_tree *t, int64_t place, const double *low, const double *high,
                 const double *w)
{
    double sum = 0, size = 0;

    for (int64_t c = 0; c < t->d; c++) {
        double a = t->xt[c * t->stride + place] - w[c];
        double y = fabs(low[c]) > fabs(high[c]) ? fabs(low[c]) : fabs(high[c]);
        sum += a > 0 ? high[c] * a : low[c] * a;
        size += y * fabs(a);
    }
    return !(sum + (1.01 * 0x1p-53 * (double)(t->d + 4) * size + 0x1p-1073 * (double)(t->d + 2)) <
             0);
}

void trop_tree_maximum_aim(struct trop_tree_maximum *m, const struct trop_scene *scene,
                           const struct trop_tree *tree, const double *low, const double *high,
                           int whole)
{
    int64_t d = tree->d, depth = 0;
    double *centre = m->score; /* scratch until the rows */

    for (int64_t c = 0; c < d; c++) {
        centre[c] = 0.5 * low[c] + 0.5 * high[c];
        m->reach[c] = 0;
    }
    m->scene = scene;
    m->whole = whole;
    m->columns = 0;
    const double *w = scene->keys + trop_tree_maximum_near(m, tree, centre) * d;
    m->stack[depth++] = 0;
    while (depth > 0) {
        int64_t k = m->stack[--depth], child = tree->node[k].child;
        if (trop_tree_slab_lead(tree, k, low, high, w) < 0) {
            continue;
        }
        if (child == 0) {
            const struct trop_tree *t = m->tree;
            int64_t first = t->node[k].first, last = t->node[k].last, copies = 1;
            if (!m->whole && trop_tree_equal(t, k)) {
                copies = last - first;
                last = first + 1;
            }
            for (int64_t p = first; p < last; p++) {
                if (!leads(t, p, low, high, w)) {
                    continue;
                }
                m->token[m->columns] = t->order[p];
                m->copies[m->columns] = copies;
                for (int64_t c = 0; c < t->d; c++) {
                    double a = t->xt[c * t->stride + p] - w[c];
                    m->xt[c * m->stride + m->columns] = a;
                    m->reach[c] = fabs(a) > m->reach[c] ? fabs(a) : m->reach[c];
                }
                m->columns++;
            }
        } else {
            m->stack[depth++] = child + 1;
            m->stack[depth++] = child;
        }
    }
    /* What stands behind the columns is computed on, and thrown away. */
    for (int64_t k = m->columns; k % TROP_LANES != 0; k++) {
        for (int64_t c = 0; c < d; c++) {
            m->xt[c * m->stride + k] = 0;
        }
    }
}

static int before(const void *context, int64_t a, int64_t b)
{
    const struct trop_tree_maximum *m = context;
    return m->token[a] < m->token[b];
}

/* The computed score of the best token, and the bound that every column has. */
static void measure(struct trop_row *row, const struct trop_scene *s)
{
    const double *best = s->keys + row->best * s->d;

    row->top = 0;
    for (int64_t c = 0; c < s->d; c++) {
        row->top = fma(row->y[c], best[c], row->top);
    }
    row->bound = trop_decide_bound(row->y, s->reach, s->d);
}

static int is_zero(const double *y, int64_t d)
{
    int zero = 1;
    for (int64_t c = 0; c < d; c++) {
        zero &= y[c] == 0;
    }
    return zero;
}

void trop_tree_maximum_row(struct trop_tree_maximum *m, struct trop_row *row)
{
    const struct trop_scene *s = m->scene;

    if (is_zero(row->y, s->d)) {
        /* A query of 0 ties with every token. */
        row->ties = m->tree->n;
        row->best = 0;
        row->distinct = trop_tree_equal(m->tree, 0);
        for (int64_t j = 0; j < (m->whole ? row->ties : 1); j++) {
            row->tied[j] = j;
        }
        measure(row, m->scene);
        return;
    }
    double top = s->kernel->scores(m->score, row->y, m->xt, m->stride, m->columns, s->d);
    double bound = trop_decide_bound(row->y, m->reach, s->d);
    int64_t count = s->kernel->collect(m->set, m->score, m->columns, top - 2 * bound);

    if (count > 1) {
        trop_sort(m->set, count, before, m);
    }
    for (int64_t k = 0; k < count; k++) {
        row->tied[k] = m->token[m->set[k]];
    }
    trop_row_settle(row, count);
    /* How many tokens the kept columns stand for; both lists ascend by token. */
    int64_t total = 0, k = 0;
    for (int64_t t = 0; t < row->ties; t++) {
        while (m->token[m->set[k]] != row->tied[t]) {
            k++;
        }
        total += m->copies[m->set[k]];
    }
    row->ties = total;
    measure(row, s);
}
