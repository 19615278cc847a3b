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
 *     logit, (d + 4) u (sum_c |q_c| |x_jc - w_c| + |t_i|) with the rounding of q and of the
 *     differences, and 4 u of the exponential and the mass. Entries: slip, and the
 *     interpolation.
 *   - A relative error of an entry's numbers by themselves, noise: 2 sqrt(d) R.
 *   - Weights left out, at most share of the sum by the cut, and 3 share - left by the way:
 *     2 (4 share - left) R.
 *   - Sums of 256 tokens at a time, then of the parts: (256 + parts) u, 4 R; the charges,
 *     the quotient and the last differences: 16 sqrt(d) u R.
 *
 * A hundredth more covers products of errors; all of them are below 1e-2.
 */
#include "attend/tree_softmax_internal.h"

#include "base/exp.h"
#include "base/log.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_TREE_SOFTMAX_UNIT
#define MOST TROP_TREE_SOFTMAX_MOST
#define CHUNK TROP_KERNEL_TREE_CHUNK
#define TOKEN 0x1p-11 /* of what may still be left out may go for one token */
#define SURE 20.0     /* a token whose <q, x - w> is above -SURE is not looked at */
#define GROUPS (TROP_TREE_LEAF / TROP_LANES)

struct rows {
    const struct trop_tree_softmax *s;
    struct trop_tree_softmax_box box;
    int64_t first, count, groups; /* places first .. ; rows; of eight rows */
    struct trop_row row[TROP_TREE_LEAF];
    double q[GROUPS][MOST * TROP_LANES], t[GROUPS][TROP_LANES];
    double sum[GROUPS][(1 + MOST) * TROP_LANES];
    double error[GROUPS][TROP_LANES];  /* bounds of parts, times the parts */
    double proved[GROUPS][TROP_LANES]; /* what of these is interpolation */
    double reach[MOST];                /* of the tokens in the chunk */
    int64_t held;                      /* tokens in the chunk */
    double parts;                      /* that were added up */
};

/* ---- queries and maximisers -------------------------------------------------------------------
 */

static void begin_row(struct rows *r, struct trop_tree_softmax_worker *w, int64_t k)
{
    const struct trop_tree_softmax *s = r->s;
    int64_t i = s->queries->order[r->first + (k < r->count ? k : 0)];
    int64_t g = k / TROP_LANES, l = k % TROP_LANES;
    const double *y = s->scene->y + i * s->d;

    if (k < r->count && !s->dry) {
        r->row[k] = (struct trop_row){
            .scene = s->scene, .n = s->scene->n, .i = i, .y = y, .tied = w->tied, .count = -1
        };
        trop_tree_maximum_row(w->maximum, r->row + k);
    }
    const double *best = s->scene->keys + r->row[k < r->count ? k : 0].best * s->d;
    const double *witness = s->scene->keys + r->box.witness * s->d;
    double offset = 0;
    for (int64_t c = 0; c < s->d; c++) {
        double q = s->scene->numbers.beta * y[c];
        r->q[g][c * TROP_LANES + l] = q;
        offset = fma(q, best[c] - witness[c], offset);
    }
    r->t[g][l] = offset;
}

static void begin(struct rows *r, struct trop_tree_softmax_worker *w, int64_t node, double left)
{
    const struct trop_tree_softmax *s = w->softmax;
    const struct trop_tree *t = s->queries;

    r->s = s;
    r->first = t->node[node].first;
    /* Equal queries are one row. */
    r->count = trop_tree_equal(t, node) ? 1 : t->node[node].last - r->first;
    r->groups = (r->count + TROP_LANES - 1) / TROP_LANES;
    r->held = 0;
    r->parts = 0;
    if (s->dry) {
        trop_tree_softmax_box_fill(&r->box, w, node, left);
        return;
    }
    trop_tree_maximum_aim(w->maximum, s->scene, s->keys, t->low + node * s->d,
                          t->high + node * s->d, 0);
    trop_tree_softmax_box_around(&r->box, s, node, w->maximum->witness, left);
    memset(r->sum, 0, sizeof r->sum);
    memset(r->error, 0, sizeof r->error);
    memset(r->proved, 0, sizeof r->proved);
    memset(r->reach, 0, sizeof r->reach);
    for (int64_t k = 0; k < r->groups * TROP_LANES; k++) {
        begin_row(r, w, k);
    }
}

/* ---- tokens -----------------------------------------------------------------------------------
 */

static void flush(struct rows *r, struct trop_tree_softmax_worker *w)
{
    const struct trop_tree_softmax *s = r->s;
    int64_t d = s->d;

    w->work_done.direct += (double)(r->held * r->groups * TROP_LANES);
    for (int64_t g = 0; g < r->groups && !s->dry && r->held > 0; g++) {
        double before[TROP_LANES];
        memcpy(before, r->sum[g], sizeof before);
        s->kernel->tree->direct(r->sum[g], r->q[g], r->t[g], w->x, CHUNK, w->weight, r->held, d);
        for (int64_t l = 0; l < TROP_LANES; l++) {
            double size = fabs(r->t[g][l]);
            for (int64_t c = 0; c < d; c++) {
                size += fabs(r->q[g][c * TROP_LANES + l]) * r->reach[c];
            }
            r->error[g][l] +=
                (r->sum[g][l] - before[l]) * 2 * (1.01 * (double)(d + 4) * size + 4) * UNIT;
        }
    }
    memset(r->reach, 0, sizeof r->reach);
    r->held = 0;
    r->parts++;
}

/* Places (kept) of those of count tokens that do not go: a token goes when it weighs little
 * of what may still be left out, which pays for it. Returns how many stay. */
static int64_t sieve(int64_t *kept, struct rows *r, int64_t place, int64_t count)
{
    const struct trop_tree_softmax *s = r->s;
    const double *witness = s->scene->keys + r->box.witness * s->d;
    double most[CHUNK], spent = 0, allowed = TOKEN * r->box.left * r->box.mass;
    int64_t stay = 0;

    s->kernel->tree->most(most, s->keys->xt + place, s->keys->stride, count, r->box.low,
                          r->box.high, witness, s->d);
    for (int64_t k = 0; k < count; k++) {
        double weight = s->mass[place + k] * most[k];
        int goes = weight <= allowed;
        kept[stay] = place + k;
        stay += !goes;
        spent += goes ? weight : 0;
    }
    if (spent > 0) {
        r->box.left -= 1.01 * spent / r->box.mass;
    }
    return stay;
}

/* The tokens at count places that stay, or the whole of them, behind those that the chunk holds. */
static void take(struct rows *r, struct trop_tree_softmax_worker *w, int64_t place, int64_t count,
                 int whole)
{
    const struct trop_tree_softmax *s = r->s;
    const double *witness = s->scene->keys + r->box.witness * s->d;
    int64_t kept[CHUNK], stay = whole ? count : sieve(kept, r, place, count);

    for (int64_t k = 0; k < count && whole; k++) {
        kept[k] = place + k;
    }
    for (int64_t c = 0; c < s->d; c++) {
        const double *x = s->keys->xt + c * s->keys->stride;
        double *to = w->x + c * CHUNK + r->held, reach = r->reach[c];
        for (int64_t k = 0; k < stay; k++) {
            to[k] = x[kept[k]] - witness[c];
            reach = fabs(to[k]) > reach ? fabs(to[k]) : reach;
        }
        r->reach[c] = reach;
    }
    for (int64_t k = 0; k < stay; k++) {
        w->weight[r->held + k] = s->mass[kept[k]];
    }
    r->held += stay;
}

/* 1 when hardly a token of the node would go: none is worth a look. */
static int matters(const struct rows *r, int64_t node)
{
    const struct trop_tree *t = r->s->keys;
    const double *low = t->low + node * t->d, *high = t->high + node * t->d;
    const double *witness = r->s->scene->keys + r->box.witness * t->d;
    double lead = 0;

    for (int64_t c = 0; c < t->d; c++) {
        double q = r->box.grid.centre[c];
        lead += q * ((q > 0 ? low[c] : high[c]) - witness[c]);
    }
    return lead > -SURE;
}

static void add_leaf(struct rows *r, struct trop_tree_softmax_worker *w, int64_t node)
{
    const struct trop_tree *t = r->s->keys;
    int whole = matters(r, node);
    int64_t place = t->node[node].first, last = t->node[node].last;

    while (place < last) {
        int64_t count = last - place < CHUNK - r->held ? last - place : CHUNK - r->held;
        take(r, w, place, count, whole);
        place += count;
        if (r->held == CHUNK) {
            flush(r, w);
        }
    }
}

static void add_tokens(struct rows *r, struct trop_tree_softmax_worker *w, int64_t node)
{
    const struct trop_tree *t = r->s->keys;
    int64_t *stack = w->maximum->stack, depth = 0;

    stack[depth++] = node;
    while (depth > 0) {
        int64_t k = stack[--depth], child = t->node[k].child;
        if (trop_tree_softmax_box_drops(&r->box, r->s, k)) {
            w->work_done.pruned++;
        } else if (child == 0) {
            add_leaf(r, w, k);
        } else {
            stack[depth++] = child + 1;
            stack[depth++] = child;
        }
    }
}

/* ---- entries ------------------------------------------------------------------------------------
 */

/* The exponent of an entry for one row, and the rounding of it. */
static double exponent(double *slip, const struct rows *r, const struct trop_tree_softmax_entry *e,
                       int64_t g, int64_t l)
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

static void add_value(struct rows *r, const struct trop_tree_softmax_entry *e, const double *value,
                      int64_t g, int64_t l)
{
    const struct trop_tree_softmax *s = r->s;
    const double *witness = s->scene->keys + r->box.witness * s->d;
    double slip, factor = trop_exp_inline(exponent(&slip, r, e, g, l));
    double weight = factor * value[l], off = trop_tree_softmax_grid_off(s, e);
    double noise = e->noise + trop_tree_softmax_grid_read(s);

    r->sum[g][l] += weight;
    for (int64_t c = 0; c < s->d; c++) {
        double *to = r->sum[g] + (1 + c) * TROP_LANES + l;
        *to += fma(s->centre[c] - witness[c], weight, factor * value[(1 + c) * TROP_LANES + l]);
    }
    r->proved[g][l] += weight * 2 * off;
    r->error[g][l] += weight * 2 * (off + slip + e->slip + sqrt((double)s->d) * noise);
}

static void add_entry(struct rows *r, struct trop_tree_softmax_worker *w, int64_t entry)
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
            add_value(r, e, value, g, l);
        }
    }
}

/* ---- results
 * -------------------------------------------------------------------------------------- */

static void finish(const struct rows *r, int64_t k, int64_t i)
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
    rounding += 2 * s->total * 0x1p-1020 / total;
    s->bounds[i] = 1.01 * (r->error[g][l] / total + 2 * (4 * s->share - r->box.left) + rounding);
    s->floors[i] = 1.01 * ((r->error[g][l] - r->proved[g][l]) / total + rounding);
    if (s->notes) {
        struct trop_attend_note *note = s->notes + i;
        struct trop_row row = r->row[k];
        row.i = i;
        trop_attend_note_take(note, &row, 0);
        note->members = s->scene->n;
        note->set = 0;
        note->scale = fma(s->scene->numbers.beta, row.top, trop_log(total));
    }
}

/* 1 when an entry's tokens, all of its node, cost less one by one. */
static int smaller(const struct trop_tree_softmax_worker *w, int64_t entry)
{
    const struct trop_tree_softmax_entry *e = w->entry + entry;
    const struct trop_tree_node *node = w->softmax->keys->node + e->node;

    return e->tokens == node->last - node->first && (double)e->tokens < w->softmax->cost_read;
}

void trop_tree_softmax_leaf(struct trop_tree_softmax_worker *w, int64_t node, int64_t first,
                            int64_t last, double left)
{
    const struct trop_tree_softmax *s = w->softmax;
    const struct trop_tree_node *leaf = s->queries->node + node;
    struct rows r;

    begin(&r, w, node, left);
    for (int64_t k = first; k < last; k++) {
        if (w->list[k].entry < 0 || smaller(w, w->list[k].entry)) {
            add_tokens(&r, w, w->list[k].node);
        } else {
            add_entry(&r, w, w->list[k].entry);
        }
    }
    flush(&r, w);
    for (int64_t p = leaf->first; p < leaf->last && !s->dry; p++) {
        finish(&r, r.count == 1 ? 0 : p - leaf->first, s->queries->order[p]);
    }
}
