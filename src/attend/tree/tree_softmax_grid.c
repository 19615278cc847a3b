/* tree_softmax_grid.c -- tokens summed up on the nodes of a box of queries.
 *
 * An entry for a box T (centre c_T, nodes eta_a) and a node S of the keys (middle c_S), with
 * a witness w, holds for the tokens j that were added to it
 *
 *   G_a = sum_j m_j (1, x_j - c0) exp(<c_T, x_j - w> - scale) exp(<eta_a - c_T, x_j - c_S>).
 *
 * The last exponent is at most rho in each coordinate: that is what fits means. The sum for
 * a query q is exp(<q, w> + scale + <q - c_T, c_S - w>) times the interpolant of G at q.
 *
 * To a smaller box T' and a larger node S', G moves by interpolation at the nodes of T',
 * one coordinate after another, times exp(<eta' - c_T', c_S - c_S'>), and
 *
 *   scale' = scale + <c_T' - c_T, c_S - w> + <c_T', w - w'>.
 *
 * scale is a maximum of logits, so that nothing overflows, and what underflows weighs less
 * than 1e-300 of its entry. Logits are differences from a witness: their rounding goes with
 * the distance of tokens that matter, not with the size of the cloud.
 *
 * Rounding, u = 2^-53. What is common to all nodes (the logit of a token at c_T, the change
 * of scale) is an error of a weight: `slip`, (2 d + 4) u times the magnitudes that were
 * added. What differs from node to node is `noise`, a relative error of the interpolant:
 *
 *   fresh tokens: a sum of n in parts of 32 parts of 256, an exponential for each
 *     coordinate: lebesgue^d (256 + 32 + n / 8192 + 8 d + 16) u;
 *   a move: the noise before grows by g_c = 1 + drift or lebesgue in each coordinate c (as
 *     `off`, the interpolation error, does). One coordinate after another is summed up, p
 *     products whose factors l_a(t), 3 p operations, are off by 4 p u: 5 p u lebesgue at
 *     each point that coordinate k arrives at. Seen as an interpolant this is lebesgue times
 *     as much in each coordinate; in those up to k it stays so, in a later one it moves to
 *     the smaller box and grows by g_c: 5 p u lebesgue^(d+1) prod_{c > k} g_c for each k. At
 *     the new nodes each member's sum adds one more, and an exponential for each
 *     coordinate: lebesgue^d times (members + 8 d + 16) u.
 */
#include "attend/tree/tree_softmax_internal.h"

#include "base/math/exp.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_TREE_SOFTMAX_UNIT
#define ORDER TROP_KERNEL_TREE_ORDER
#define CHUNK TROP_KERNEL_TREE_CHUNK
#define CHUNKS 32  /* added up before they are added to the grid */
#define MOVES 4    /* from box to box, for which an order is chosen */
#define IN_SPACE 2 /* the same in three dimensions, where a quarter is 64 boxes */
#define MEMBERS 64 /* of a new entry, about */

/* ---- bounds ------------------------------------------------------------------------------- */

static double power(double a, int64_t d)
{
    double r = 1;
    for (int64_t c = 0; c < d; c++) {
        r *= a;
    }
    return r;
}

double trop_tree_softmax_grid_fresh(const struct trop_tree_softmax *s, int64_t tokens)
{
    double terms = CHUNK + CHUNKS + (double)tokens / (CHUNK * CHUNKS) + 8 * (double)s->d + 16;
    return power(s->order->lebesgue, s->d) * terms * UNIT;
}

double trop_tree_softmax_grid_read(const struct trop_tree_softmax *s)
{
    return power(s->order->lebesgue, s->d) * (double)(5 * s->order->p * s->d + 8) * UNIT;
}

double trop_tree_softmax_grid_off(const struct trop_tree_softmax *s,
                                  const struct trop_tree_softmax_entry *entry)
{
    double sum = 0;
    for (int64_t c = 0; c < s->d; c++) {
        sum += entry->off[c] + s->order->error;
    }
    return 1.01 * sum;
}

/* Errors after a move to another grid, members of them side by side. */
static void age(struct trop_tree_softmax_entry *to, const struct trop_tree_softmax_entry *from,
                const struct trop_tree_softmax_grid *grid, const struct trop_tree_softmax *s,
                int64_t members)
{
    const struct trop_tree_softmax_order *o = s->order;
    double spread = power(o->lebesgue, s->d), growth = 1, later = 0;

    for (int64_t c = s->d - 1; c >= 0; c--) {
        int quarter = grid->radius[c] <= 0.25 * from->grid.radius[c];
        double g = quarter ? 1 + o->drift : o->lebesgue;
        later += growth;
        growth *= g;
        to->off[c] = o->lebesgue * o->error + g * from->off[c];
    }
    double fresh = 5 * (double)o->p * o->lebesgue * later + 8 * (double)s->d + 16;
    to->noise = growth * from->noise + 1.01 * spread * (fresh + (double)members) * UNIT;
}

static int affordable(const struct trop_tree_softmax *s, const struct trop_tree_softmax_entry *e)
{
    double noise = e->noise + trop_tree_softmax_grid_read(s);
    return 2.03 * (trop_tree_softmax_grid_off(s, e) + sqrt((double)s->d) * noise) <= s->grids;
}

int trop_tree_softmax_grid_lasts(const struct trop_tree_softmax *s)
{
    struct trop_tree_softmax_grid none = { .centre = { 0 } }; /* radius 0: a quarter of all */
    struct trop_tree_softmax_entry e = { .noise = trop_tree_softmax_grid_fresh(s, 1) };

    for (int k = 0; k < (s->d == 3 ? IN_SPACE : MOVES); k++) {
        struct trop_tree_softmax_entry from = e;
        age(&e, &from, &none, s, MEMBERS);
    }
    return affordable(s, &e);
}

int trop_tree_softmax_grid_fits(const struct trop_tree_softmax_worker *w,
                                const struct trop_tree_softmax_box *box, int64_t entry)
{
    struct trop_tree_softmax_entry moved = { 0 };

    age(&moved, w->entry + entry, &box->grid, w->softmax, MEMBERS);
    return affordable(w->softmax, &moved);
}

/* ---- logits ---------------------------------------------------------------------------------- */

/* scale of an entry in the box's terms, and the slip that this adds. */
static double moved_scale(double *slip, const struct trop_tree_softmax_worker *w,
                          const struct trop_tree_softmax_box *box,
                          const struct trop_tree_softmax_entry *e)
{
    const struct trop_tree_softmax *s = w->softmax;
    const double *old = s->scene->keys + e->witness * s->d;
    const double *now = s->scene->keys + box->witness * s->d;
    double sum = e->scale, size = fabs(e->scale);

    for (int64_t c = 0; c < s->d; c++) {
        double centre = box->grid.centre[c], change = centre - e->grid.centre[c];
        double reach = trop_tree_softmax_middle(s->keys, e->node, c) - old[c];
        sum = fma(change, reach, sum);
        sum = fma(centre, old[c] - now[c], sum);
        size += fabs(change * reach) + fabs(centre * (old[c] - now[c]));
    }
    *slip = 1.01 * UNIT * (double)(2 * s->d + 4) * size;
    return sum;
}

/* <c_T, x - w> of the token at a place. */
static double logit(const struct trop_tree_softmax *s, const struct trop_tree_softmax_box *box,
                    int64_t place)
{
    const double *w = s->scene->keys + box->witness * s->d;
    double sum = 0;

    for (int64_t c = 0; c < s->d; c++) {
        sum = fma(box->grid.centre[c], s->keys->xt[c * s->keys->stride + place] - w[c], sum);
    }
    return sum;
}

/* A bound of the rounding of logit - scale, over a node. */
static double logit_slip(const struct trop_tree_softmax *s, const struct trop_tree_softmax_box *box,
                         int64_t node, double scale)
{
    const double *w = s->scene->keys + box->witness * s->d;
    double size = fabs(scale);

    for (int64_t c = 0; c < s->d; c++) {
        double low = fabs(s->keys->low[node * s->d + c] - w[c]);
        double high = fabs(s->keys->high[node * s->d + c] - w[c]);
        size += fabs(box->grid.centre[c]) * (low > high ? low : high);
    }
    return 1.01 * UNIT * (double)(2 * s->d + 4) * size;
}

/* ---- tokens onto a grid ---------------------------------------------------------------------- */

struct chunk {
    int64_t count, chunks; /* tokens that wait; chunks in the last of the work */
    const struct trop_tree_softmax_box *box;
    int64_t entry;
};

/* Those of the trunk are shared by all workers. */
static double *numbers(const struct trop_tree_softmax_worker *w, int64_t entry)
{
    const struct trop_tree_softmax *s = w->softmax;
    return entry < s->shared ? s->trunk.pool + entry * s->size
                             : w->pool + (entry - s->shared) * s->size;
}

double *trop_tree_softmax_grid_numbers(const struct trop_tree_softmax_worker *w, int64_t entry)
{
    return numbers(w, entry);
}

/* What the chunks have added up goes to the grid. */
static void settle(struct trop_tree_softmax_worker *w, struct chunk *chunk)
{
    double *to = numbers(w, chunk->entry), *from = w->work[2];

    for (int64_t k = 0; k < w->softmax->size && chunk->chunks > 0; k++) {
        to[k] += from[k];
        from[k] = 0;
    }
    chunk->chunks = 0;
}

static void flush(struct trop_tree_softmax_worker *w, struct chunk *chunk)
{
    const struct trop_tree_softmax *s = w->softmax;
    double step[TROP_KERNEL_TREE_GRID * ORDER] = { 0 };
    int64_t width = (chunk->count + TROP_LANES - 1) / TROP_LANES * TROP_LANES;

    for (int64_t k = chunk->count; k < width; k++) {
        w->weight[k] = 0;
        for (int64_t c = 0; c < s->d; c++) {
            w->x[c * CHUNK + k] = 0;
            w->charge[c * CHUNK + k] = 0;
        }
    }
    for (int64_t c = 0; c < s->d; c++) {
        for (int64_t a = 0; a < s->order->p; a++) {
            step[c * ORDER + a] = chunk->box->grid.radius[c] * s->node[a];
        }
    }
    memset(w->work[0], 0, (size_t)s->size * sizeof *w->work[0]);
    s->kernel->tree->spread(w->work[0], w->weight, w->x, w->charge, CHUNK, width, step, s->d,
                            s->order->p);
    for (int64_t k = 0; k < s->size; k++) {
        w->work[2][k] += w->work[0][k];
    }
    chunk->count = 0;
    if (++chunk->chunks == CHUNKS) {
        settle(w, chunk);
    }
}

static void add_tokens(struct trop_tree_softmax_worker *w, struct chunk *chunk, int64_t node)
{
    const struct trop_tree_softmax *s = w->softmax;
    const struct trop_tree *t = s->keys;
    const struct trop_tree_softmax_entry *e = w->entry + chunk->entry;
    double middle[TROP_TREE_SOFTMAX_MOST];

    for (int64_t c = 0; c < s->d; c++) {
        middle[c] = trop_tree_softmax_middle(t, e->node, c);
    }
    for (int64_t p = t->node[node].first; p < t->node[node].last; p++) {
        int64_t k = chunk->count++;
        w->weight[k] = s->mass[p] * trop_exp_inline(logit(s, chunk->box, p) - e->scale);
        for (int64_t c = 0; c < s->d; c++) {
            w->x[c * CHUNK + k] = t->xt[c * t->stride + p] - middle[c];
            w->charge[c * CHUNK + k] = s->charge[c * t->stride + p];
        }
        if (chunk->count == CHUNK) {
            flush(w, chunk);
        }
    }
}

/* ---- entries onto a smaller box -------------------------------------------------------------- */

/* The weights of interpolation from the nodes of one grid at the nodes of another, kept
 * for the next entry of the same grid. */
static void prepare(struct trop_tree_softmax_worker *w, const struct trop_tree_softmax_grid *from,
                    const struct trop_tree_softmax_grid *to)
{
    const struct trop_tree_softmax *s = w->softmax;
    int64_t p = s->order->p;

    if (memcmp(from, &w->from, sizeof *from) == 0 && memcmp(to, &w->to, sizeof *to) == 0) {
        return;
    }
    w->from = *from;
    w->to = *to;
    for (int64_t c = 0; c < s->d; c++) {
        double *matrix = w->matrix + c * ORDER * ORDER;
        int last = c == s->d - 1;
        for (int64_t b = 0; b < p; b++) {
            double place = to->centre[c] - from->centre[c], run = 1, row[ORDER];
            place =
                from->radius[c] > 0 ? fma(to->radius[c], s->node[b], place) / from->radius[c] : 0;
            for (int64_t a = 0; a < p; a++) {
                row[a] = run * s->scale[a];
                run *= place - s->node[a];
            }
            run = 1;
            for (int64_t a = p - 1; a >= 0; a--) {
                matrix[last ? a * ORDER + b : b * ORDER + a] = row[a] * run;
                run *= place - s->node[a];
            }
        }
    }
}

/* ---- a new entry ----------------------------------------------------------------------------- */

int64_t trop_tree_softmax_grid_open(struct trop_tree_softmax_worker *w,
                                    const struct trop_tree_softmax_box *box, int64_t node)
{
    if (w->entries == w->entry_room + (w == &w->softmax->trunk ? 0 : w->softmax->shared)) {
        return -1;
    }
    w->entry[w->entries] = (struct trop_tree_softmax_entry){
        .grid = box->grid, .node = node, .witness = box->witness, .scale = -INFINITY
    };
    return w->entries++;
}

/* The largest logit of the members; every error the largest of theirs. */
static void weigh_members(struct trop_tree_softmax_worker *w,
                          const struct trop_tree_softmax_box *box, int64_t entry,
                          const struct trop_tree_softmax_element *members, int64_t count)
{
    const struct trop_tree_softmax *s = w->softmax;
    struct trop_tree_softmax_entry *e = w->entry + entry;
    int64_t tokens = 0;

    for (int64_t k = 0; k < count; k++) {
        const struct trop_tree_node *node = s->keys->node + members[k].node;
        struct trop_tree_softmax_entry aged = { 0 };
        double slip, scale;
        if (members[k].entry < 0) {
            tokens += node->last - node->first;
            for (int64_t p = node->first; p < node->last && !s->dry; p++) {
                scale = logit(s, box, p);
                e->scale = scale > e->scale ? scale : e->scale;
            }
            continue;
        }
        e->tokens += w->entry[members[k].entry].tokens;
        scale = moved_scale(&slip, w, box, w->entry + members[k].entry);
        e->scale = scale > e->scale ? scale : e->scale;
        slip += w->entry[members[k].entry].slip + 4 * UNIT;
        e->slip = slip > e->slip ? slip : e->slip;
        age(&aged, w->entry + members[k].entry, &box->grid, s, count);
        e->noise = aged.noise > e->noise ? aged.noise : e->noise;
        for (int64_t c = 0; c < s->d; c++) {
            e->off[c] = aged.off[c] > e->off[c] ? aged.off[c] : e->off[c];
        }
    }
    e->tokens += tokens;
    if (tokens > 0) {
        double noise = trop_tree_softmax_grid_fresh(s, tokens);
        double slip = logit_slip(s, box, e->node, e->scale) + 4 * UNIT;
        e->noise = noise > e->noise ? noise : e->noise;
        e->slip = slip > e->slip ? slip : e->slip;
    }
}

void trop_tree_softmax_grid_fill(struct trop_tree_softmax_worker *w,
                                 const struct trop_tree_softmax_box *box, int64_t entry,
                                 const struct trop_tree_softmax_element *members, int64_t count)
{
    const struct trop_tree_softmax *s = w->softmax;
    struct chunk chunk = { .box = box, .entry = entry };
    double ignored;

    weigh_members(w, box, entry, members, count);
    memset(numbers(w, entry), 0, (size_t)(s->dry ? 0 : s->size) * sizeof(double));
    for (int64_t k = 0; k < count; k++) {
        const struct trop_tree_node *node = s->keys->node + members[k].node;
        if (members[k].entry < 0) {
            w->work_done.spread += (double)(node->last - node->first);
        } else {
            w->work_done.merged++;
        }
        if (s->dry) {
            continue;
        }
        if (members[k].entry < 0) {
            add_tokens(w, &chunk, members[k].node);
        } else {
            double scale = moved_scale(&ignored, w, box, w->entry + members[k].entry);
            double factor = trop_exp_inline(scale - w->entry[entry].scale);
            const struct trop_tree_softmax_entry *e = w->entry + members[k].entry;
            double step[TROP_KERNEL_TREE_GRID * ORDER] = { 0 };
            const double *in = numbers(w, members[k].entry);
            prepare(w, &e->grid, &box->grid);
            for (int64_t c = 0; c < s->d; c++) {
                double *out = w->work[c % 2];
                double change = trop_tree_softmax_middle(s->keys, e->node, c) -
                                trop_tree_softmax_middle(s->keys, w->entry[entry].node, c);
                s->kernel->tree->shift(out, in, w->matrix + c * ORDER * ORDER, c, s->d,
                                       s->order->p);
                in = out;
                for (int64_t a = 0; a < s->order->p; a++) {
                    step[c * ORDER + a] = box->grid.radius[c] * s->node[a] * change;
                }
            }
            s->kernel->tree->weigh(numbers(w, entry), in, factor, step, s->d, s->order->p);
        }
    }
    if (chunk.count > 0) {
        flush(w, &chunk);
    }
    settle(w, &chunk);
}
