/* tree_softmax_near.c -- tokens that a leaf sums up one by one.
 *
 * Each token of the leaf's list is looked at once for all rows of the box T: with the witness
 * w and centre c_T, |q_c - c_Tc| <= r_c in T, its weight beside that of w is at most
 *
 *   most_j = m_j exp(<c_T, x_j - w> + sum_c r_c |x_jc - w_c|)      for every row of T.
 *
 *   - A token goes when most_j is little of what may still be left out, which pays for it
 *     (tree_softmax_box.c).
 *   - A faint one is summed up in single precision. A relative error eps_j of its weight
 *     moves a row's average by at most 2 eps_j most_j / m_w R; that is paid for from an eighth
 *     of the accuracy, `blur`, and a token may take a small part of what is left of it.
 *   - The others are summed up in double precision (kernel_tree.h): by powers of two with an
 *     error of BRIEF where the accuracy allows it, by exponentials where not.
 *
 * eps_j. With v = 2^-24, the exponent log2(e) <c_T, x_j - w> = k + f has a whole part k, which is
 * taken into the mass, exactly, and |f| <= 1/2. f + log2(e) <q - c_T, x_j - w> is computed in
 * single precision: f and both factors rounded, then d fma: off by at most (d + 2) v (1/2 +
 * log2(e) size_j), size_j = sum_c r_c |x_jc - w_c|. The rounding of the parts in double precision
 * is in size_j too, times 2^24. The power of two is off by 4 v, mass and moment by v each, and
 * partial sums of 32 by 32 v each, which count twice because those of masses and of moments are
 * not the same error:
 *
 *   eps_j <= 1.01 ((d + 3) size_j + 84) v,   where size_j <= SIZE, so that eps_j < 1e-2.
 *
 * Differences x_j - w are divided by a power of two, so that none exceeds 1; powers below
 * 2^-125 are lost, which tree_softmax_leaf.c counts.
 */
#include "attend/tree/tree_softmax_internal.h"

#include "base/math/exp.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_TREE_SOFTMAX_UNIT
#define MOST TROP_TREE_SOFTMAX_MOST
#define CHUNK TROP_KERNEL_TREE_CHUNK
#define WIDE TROP_KERNEL_TREE_WIDE
#define TOKEN 0x1p-11   /* of what may still be left out may go for one token */
#define FAINT 0x1p-11   /* of what may still be blurred may go for one token */
#define SURE 10.0       /* a token whose <q, x - w> is above -SURE is not looked at */
#define SINGLE 0x1p-24  /* v */
#define DEEPEST (-60.0) /* <c_T, x - w> whose power stays well within single precision */
#define SUMS 84.0       /* of eps, what does not go with the exponent */
#define SIZE 8192.0     /* of an exponent in single precision, at most */
#define STEEPEST 0x1p60 /* a query in single precision, at most */

/* ---- chunks ---------------------------------------------------------------------------------- */

static void flush_direct(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w)
{
    w->work_done.direct += (double)(r->held * r->groups * TROP_LANES);
    for (int64_t g = 0; g < r->groups && !r->s->dry && r->held > 0; g++) {
        /* What the chunk adds to eight rows. */
        const struct trop_tree_softmax *s = r->s;
        const struct trop_kernel_tree *kernel = s->kernel->tree;
        /* One more where q has been multiplied by log2(e). */
        double before[TROP_LANES], steps = (double)(s->d + (s->brief > 0 ? 5 : 4));
        memcpy(before, r->sum[g], sizeof before);
        if (s->brief > 0) {
            kernel->brief(r->sum[g], r->power[g], r->shift[g], w->x, CHUNK,
                          s->scene->mass ? w->weight : NULL, r->held, s->d);
        } else {
            kernel->direct(r->sum[g], r->power[g], r->shift[g], w->x, CHUNK, w->weight, r->held,
                           s->d);
        }
        for (int64_t l = 0; l < TROP_LANES; l++) {
            double size = fabs(r->t[g][l]), part = r->sum[g][l] - before[l];
            for (int64_t c = 0; c < s->d; c++) {
                size += fabs(r->q[g][c * TROP_LANES + l]) * r->reach[c];
            }
            r->error[g][l] += part * 2 * ((1.01 * steps * size + 4) * UNIT + s->brief);
            r->proved[g][l] += part * 2 * s->brief;
        }
    }
    memset(r->reach, 0, sizeof r->reach);
    r->held = 0;
    r->parts++;
}

static void flush_faint(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w)
{
    const struct trop_tree_softmax *s = r->s;
    int64_t groups = (r->count + WIDE - 1) / WIDE;

    w->work_done.faint += (double)(r->faint * groups * WIDE);
    for (int64_t g = 0; g < groups && !s->dry && r->faint > 0; g++) {
        s->kernel->tree->faint(r->moment[g], r->y[g], w->token, r->faint, s->d);
    }
    r->parts += (double)(r->faint / TROP_KERNEL_TREE_FAINT + 1);
    r->faint = 0;
}

static void hold_faint(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w,
                       const struct trop_kernel_tree_sift *sift, int64_t k, double mass)
{
    int64_t d = r->s->d;
    float *token = w->token + r->faint++ * (2 + 2 * d);

    double level = TROP_EXP_LOG2E * sift->level[k], shifted = level + 0x1.8p52;
    double whole = shifted - 0x1.8p52;

    mass *= trop_exp_value((uint64_t)((int64_t)whole + 1023) << 52);
    token[0] = (float)(level - whole);
    token[1 + d] = (float)mass;
    for (int64_t c = 0; c < d; c++) {
        double away = sift->away[c][k] * r->s->shrink;
        token[1 + c] = (float)away;
        token[2 + d + c] = (float)(mass * away);
    }
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Shares out count tokens of the tree's order that have been sifted. */
static void share_out(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w,
                      const struct trop_kernel_tree_sift *sift, const double *mass, int64_t count)
{
    double steep = 1.01 * SINGLE * (double)(r->s->d + 3), flat = 1.01 * SINGLE * SUMS;
    double light = TOKEN * r->box.left * r->box.mass, dim = FAINT * r->blur * r->box.mass;
    double gone = 0, blurred = 0;

    for (int64_t k = 0; k < count; k++) {
        double weight = sift->most[k], grain = weight * fma(steep, sift->size[k], flat);
        if (weight <= light) {
            gone += weight;
        } else if (grain <= dim && sift->size[k] <= SIZE && sift->level[k] >= DEEPEST) {
            hold_faint(r, w, sift, k, mass[k]);
            blurred += grain;
        } else {
            for (int64_t c = 0; c < r->s->d; c++) {
                double away = sift->away[c][k];
                w->x[c * CHUNK + r->held] = away;
                r->reach[c] = fabs(away) > r->reach[c] ? fabs(away) : r->reach[c];
            }
            w->weight[r->held++] = mass[k];
        }
    }
    if (gone > 0) {
        r->box.left -= 1.01 * gone / r->box.mass;
    }
    if (blurred > 0) {
        r->blur -= 1.01 * blurred / r->box.mass;
    }
}

/* 1 when no token of the node would go or be faint: none is worth a look. */
static int matters(const struct trop_tree_softmax_rows *r, int64_t node)
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

static void add_leaf(struct trop_tree_softmax_rows *r, struct trop_tree_softmax_worker *w,
                     int64_t node)
{
    const struct trop_tree_softmax *s = r->s;
    const struct trop_tree *t = s->keys;
    const double *witness = s->scene->keys + r->box.witness * s->d;
    int whole = matters(r, node);
    int64_t place = t->node[node].first, last = t->node[node].last;

    while (place < last) {
        int64_t room = CHUNK - (r->held > r->faint ? r->held : r->faint);
        int64_t count = last - place < room ? last - place : room;
        if (whole) {
            /* count tokens from a place on that all matter. */
            for (int64_t c = 0; c < s->d; c++) {
                const double *x = s->keys->xt + c * s->keys->stride + place;
                double *to = w->x + c * CHUNK + r->held, reach = r->reach[c];
                for (int64_t k = 0; k < count; k++) {
                    to[k] = x[k] - witness[c];
                    reach = fabs(to[k]) > reach ? fabs(to[k]) : reach;
                }
                r->reach[c] = reach;
            }
            memcpy(w->weight + r->held, s->mass + place, (size_t)count * sizeof *w->weight);
            r->held += count;
        } else {
            s->kernel->tree->sift(w->sift, t->xt + place, t->stride, s->mass + place, count,
                                  r->box.grid.centre, r->box.grid.radius, witness, s->d);
            share_out(r, w, w->sift, s->mass + place, count);
        }
        place += count;
        if (r->held == CHUNK) {
            flush_direct(r, w);
        }
        if (r->faint == CHUNK) {
            flush_faint(r, w);
        }
    }
}

void trop_tree_softmax_near_add(struct trop_tree_softmax_rows *r,
                                struct trop_tree_softmax_worker *w, int64_t node)
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

/* ---- rows ------------------------------------------------------------------------------------ */

/* Queries by their differences from the centre, in units of single precision. */
void trop_tree_softmax_near_begin(struct trop_tree_softmax_rows *r)
{
    const struct trop_tree_softmax *s = r->s;
    double stretch = TROP_EXP_LOG2E / s->shrink, unit = s->brief > 0 ? 8 * TROP_EXP_LOG2E : 1;

    r->held = 0;
    r->faint = 0;
    r->blur = s->blur;
    memset(r->reach, 0, sizeof r->reach);
    for (int64_t c = 0; c < s->d; c++) {
        r->blur = r->box.grid.radius[c] * stretch <= STEEPEST ? r->blur : 0;
    }
    if (s->dry) {
        return;
    }
    memset(r->moment, 0, (size_t)((r->count + WIDE - 1) / WIDE) * sizeof *r->moment);
    for (int64_t k = 0; k < r->groups * TROP_LANES; k++) {
        int64_t g = k / TROP_LANES, l = k % TROP_LANES;
        r->shift[g][l] = r->t[g][l] * unit;
        for (int64_t c = 0; c < s->d; c++) {
            double q = r->q[g][c * TROP_LANES + l], away = q - r->box.grid.centre[c];
            r->power[g][c * TROP_LANES + l] = q * unit;
            r->y[k / WIDE][c * WIDE + k % WIDE] = r->blur > 0 ? (float)(away * stretch) : 0;
        }
    }
}

void trop_tree_softmax_near_end(struct trop_tree_softmax_rows *r,
                                struct trop_tree_softmax_worker *w)
{
    const struct trop_tree_softmax *s = r->s;

    flush_direct(r, w);
    flush_faint(r, w);
    for (int64_t k = 0; k < r->count && !s->dry; k++) {
        int64_t g = k / TROP_LANES, l = k % TROP_LANES;
        const double *moment = r->moment[k / WIDE] + k % WIDE;
        double factor = trop_exp_inline(-r->t[g][l]);
        r->sum[g][l] += factor * moment[0];
        factor /= s->shrink;
        for (int64_t c = 0; c < s->d; c++) {
            r->sum[g][(1 + c) * TROP_LANES + l] += factor * moment[(1 + c) * WIDE];
        }
    }
}
