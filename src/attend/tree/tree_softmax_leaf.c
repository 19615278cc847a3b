/* tree_softmax_leaf.c -- the rows of a leaf: maximisers, tokens, entries, and the bound.
 *
 * Weights are taken from a witness w of the leaf and an offset t_i = <q_i, x_best - w> of the
 * row, best its exact maximiser, so that none exceeds 1:
 *
 *   tokens    m_j exp(<q_i, x_j - w> - t_i)
 *   entries   exp(scale + <q_i - c_T, c_S - w_S> + <q_i, w_S - w> - t_i) value(q_i)
 *
 * and the row is sum w_j (x_j - w) / sum w_j - (x_i - w).
 *
 * The bound, in units of R = max_j |x_j - x_i|. The tight box around the cloud has a token at
 * both ends of each side, so its half diagonal is at most sqrt(d) R, which bounds the charges
 * |x_j - c0| of entries; |x_j - w| <= 2 R.
 *
 *   - A relative error eps_j of each weight moves the average by at most 2 max eps_j R; parts
 *     of the sum with different bounds count by their share of it. Tokens: rounding of the
 *     logit, (d + 5) u (sum_c |q_c| |x_jc - w_c| + |t_i|) with the rounding of q and of the
 *     differences, and 4 u of the exponential and the mass. Entries: slip, and the
 *     interpolation.
 *   - A relative error of an entry's numbers by themselves, noise: 2 sqrt(d) R.
 *   - Weights left out, at most share of the sum by the cut, and 3 share - left by the way:
 *     2 (4 share - left) R.
 *   - Tokens in single precision: what has been paid for them, 2 (s->blur - blur) R
 *     (tree_softmax_near.c), and 2^-120 of all mass for powers that are lost.
 *   - Sums of 256 tokens at a time, then of the parts: (256 + parts) u, 4 R; the charges,
 *     the quotient and the last differences: 16 sqrt(d) u R.
 *
 * A hundredth more covers products of errors; all of them are below 1e-2.
 */
#include "attend/tree/tree_softmax_internal.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_TREE_SOFTMAX_UNIT
#define MOST TROP_TREE_SOFTMAX_MOST
#define CHUNK TROP_KERNEL_TREE_CHUNK

/* ---- queries and maximisers ------------------------------------------------------------------ */

/* A place between the rows and a whole group repeats the first row. */
static void begin_row(struct trop_tree_softmax_rows *r, int64_t k)
{
    const struct trop_tree_softmax *s = r->s;
    const struct trop_row *row = r->row + (k < r->count ? k : 0);
    int64_t g = k / TROP_LANES, l = k % TROP_LANES;
    const double *best = s->scene->keys + row->best * s->d;
    const double *witness = s->scene->keys + r->box.witness * s->d;
    double offset = 0;

    for (int64_t c = 0; c < s->d; c++) {
        double q = s->scene->numbers.beta * row->y[c];
        r->q[g][c * TROP_LANES + l] = q;
        offset = fma(q, best[c] - witness[c], offset);
    }
    r->t[g][l] = offset;
}

/* The maximisers of the rows of a leaf of the tree. */
static void maximise(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w,
                     int64_t leaf)
{
    const struct trop_tree_softmax *s = r->s;
    const struct trop_tree *t = s->queries;

    trop_tree_maximum_aim(w->maximum, s->scene, s->keys, t->low + leaf * s->d,
                          t->high + leaf * s->d, 0);
    for (int64_t p = t->node[leaf].first; p < t->node[leaf].last; p++) {
        int64_t k = p - r->first, i = t->order[p];
        if (k < r->count) {
            r->row[k] = (struct trop_row){ .scene = s->scene,
                                           .n = s->scene->n,
                                           .i = i,
                                           .y = s->scene->y + i * s->d,
                                           .tied = w->tied,
                                           .count = -1 };
            trop_tree_maximum_row(w->maximum, r->row + k);
        }
    }
}

static void begin(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w,
                  int64_t node, double left)
{
    const struct trop_tree_softmax *s = w->softmax;
    const struct trop_tree *t = s->queries;
    int64_t stack[2 * TROP_TREE_SOFTMAX_ROWS], depth = 0;

    r->s = s;
    r->first = t->node[node].first;
    /* Equal queries are one row. */
    r->count = trop_tree_equal(t, node) ? 1 : t->node[node].last - r->first;
    r->groups = (r->count + TROP_LANES - 1) / TROP_LANES;
    r->parts = 0;
    stack[depth++] = node;
    while (depth > 0 && !s->dry) {
        int64_t k = stack[--depth];
        if (t->node[k].child == 0) {
            maximise(r, w, k);
        } else {
            stack[depth++] = t->node[k].child + 1;
            stack[depth++] = t->node[k].child;
        }
    }
    /* The search has found a witness of a leaf by itself. */
    if (t->node[node].child == 0 && !s->dry) {
        trop_tree_softmax_box_around(&r->box, s, node, w->maximum->witness, left);
    } else {
        trop_tree_softmax_box_fill(&r->box, w, node, left);
    }
    for (int64_t k = 0; k < r->groups * TROP_LANES && !s->dry; k++) {
        begin_row(r, k);
    }
    memset(r->sum, 0, (size_t)r->groups * sizeof *r->sum);
    memset(r->error, 0, (size_t)r->groups * sizeof *r->error);
    memset(r->proved, 0, (size_t)r->groups * sizeof *r->proved);
    trop_tree_softmax_near_begin(r);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The exponent of an entry for one row, and the rounding of it. */
static double exponent(double *slip, const struct trop_tree_softmax_rows *r,
                       const struct trop_tree_softmax_entry *e, int64_t g, int64_t l)
{
    const struct trop_tree_softmax *s = r->s;
    const double *now = s->scene->keys + r->box.witness * s->d;
    const double *old = s->scene->keys + e->witness * s->d;
    double sum = e->scale - r->t[g][l], size = fabs(e->scale) + fabs(r->t[g][l]);

    for (int64_t c = 0; c < s->d; c++) {
        double q = r->q[g][c * TROP_LANES + l], away = q - e->grid.centre[c];
        double reach = trop_tree_softmax_middle(s->keys, e->node, c) - old[c];
        sum = fma(away, reach, sum);
        sum = fma(q, old[c] - now[c], sum);
        size += fabs(away * reach) + fabs(q * (old[c] - now[c]));
    }
    *slip = (1.01 * (double)(2 * s->d + 5) * size + 4) * UNIT;
    return sum;
}

static void add_entry(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w,
                      int64_t entry)
{
    const struct trop_tree_softmax *s = r->s;
    const struct trop_tree_softmax_entry *e = w->entry + entry;
    double place[MOST * TROP_LANES], value[(1 + MOST) * TROP_LANES];

    if (trop_tree_softmax_box_drops(&r->box, s, e->node)) {
        w->work_done.pruned++;
        return;
    }
    w->work_done.read += (double)(r->groups * TROP_LANES);
    r->parts++;
    for (int64_t g = 0; g < r->groups && !s->dry; g++) {
        for (int64_t c = 0; c < s->d; c++) {
            double radius = e->grid.radius[c];
            for (int64_t l = 0; l < TROP_LANES; l++) {
                double away = r->q[g][c * TROP_LANES + l] - e->grid.centre[c];
                place[c * TROP_LANES + l] = radius > 0 ? away / radius : 0;
            }
        }
        s->kernel->tree->read(value, trop_tree_softmax_grid_numbers(w, entry), place, s->node,
                              s->scale, s->d, s->order->p);
        for (int64_t l = 0; l < TROP_LANES; l++) {
            const double *witness = s->scene->keys + r->box.witness * s->d;
            double slip, factor = trop_exp_inline(exponent(&slip, r, e, g, l));
            double weight = factor * value[l], off = trop_tree_softmax_grid_off(s, e);
            double noise = e->noise + trop_tree_softmax_grid_read(s);
            r->sum[g][l] += weight;
            for (int64_t c = 0; c < s->d; c++) {
                double *to = r->sum[g] + (1 + c) * TROP_LANES + l;
                *to += fma(s->centre[c] - witness[c], weight,
                           factor * value[(1 + c) * TROP_LANES + l]);
            }
            r->proved[g][l] += weight * 2 * off;
            r->error[g][l] += weight * 2 * (off + slip + e->slip + sqrt((double)s->d) * noise);
        }
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static void finish(const struct trop_tree_softmax_rows *r, int64_t k, int64_t i)
{
    const struct trop_tree_softmax *s = r->s;
    int64_t d = s->d, g = k / TROP_LANES, l = k % TROP_LANES;
    const double *x = s->scene->x + i * d, *witness = s->scene->keys + r->box.witness * d;
    double total = r->sum[g][l], root = sqrt((double)d);
    double rounding = (4 * (CHUNK + r->parts) + 16 * root) * UNIT;

    for (int64_t c = 0; c < d; c++) {
        s->displacement[i * d + c] =
            r->sum[g][(1 + c) * TROP_LANES + l] / total - (x[c] - witness[c]);
    }
    /* Exponentials that underflow are lost whole. */
    rounding += 2 * s->total * (s->blur > 0 ? 0x1p-120 : 0x1p-990) / total;
    s->bounds[i] = 1.01 * (r->error[g][l] / total + 2 * (4 * s->share - r->box.left) +
                           2 * (s->blur - r->blur) + rounding);
    s->floors[i] = 1.01 * ((r->error[g][l] - r->proved[g][l]) / total + rounding);
    if (s->notes) {
        struct trop_attend_note *note = s->notes + i;
        struct trop_row row = r->row[k];
        row.i = i;
        trop_attend_note_take(note, &row, 0);
        note->only = s->scene->n == 1 ? row.best : -1;
        note->set = 0;
        note->scale = fma(s->scene->numbers.beta, row.top, trop_log(total));
    }
}

/* 1 when an entry's tokens, all of its node, cost less one by one. */
static int smaller(const struct trop_tree_softmax_worker *w, int64_t entry)
{
    const struct trop_tree_softmax_entry *e = w->entry + entry;
    const struct trop_tree_node *node = w->softmax->keys->node + e->node;

    return e->tokens == node->last - node->first &&
           w->softmax->cost_pair * (double)e->tokens < w->softmax->cost_read;
}

void trop_tree_softmax_leaf(struct trop_tree_softmax_worker *w, int64_t node, int64_t first,
                            int64_t last, double left)
{
    const struct trop_tree_softmax *s = w->softmax;
    const struct trop_tree_node *leaf = s->queries->node + node;
    struct trop_tree_softmax_rows r;

    begin(&r, w, node, left);
    for (int64_t k = first; k < last; k++) {
        if (w->list[k].entry < 0 || smaller(w, w->list[k].entry)) {
            trop_tree_softmax_near_add(&r, w, w->list[k].node);
        } else {
            add_entry(&r, w, w->list[k].entry);
        }
    }
    trop_tree_softmax_near_end(&r, w);
    for (int64_t p = leaf->first; p < leaf->last && !s->dry; p++) {
        finish(&r, r.count == 1 ? 0 : p - leaf->first, s->queries->order[p]);
    }
}
