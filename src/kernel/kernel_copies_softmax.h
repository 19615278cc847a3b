/* kernel_copies_softmax.h -- softmax rows; part of kernel_copies_body.c, after its sums.
 *
 *   w_j = exp(beta s_j - c), one fma, c as attend_tile.c has it.
 *
 * A row is two passes, weights and sums, the first of which falls into scores and weights where the
 * largest score must be known. Passes are apart so that each keeps what it needs in registers:
 * sixteen constants of exp in the first, 24 partial sums (the weights, two coordinates) in the
 * second.
 *
 * Where all rows of all copies have one c (attend_tile.c, "alike") and queries are the tokens,
 * w_ij = w_ji: weights are taken for i <= j alone, two rows at a time, and stored for both.
 */
#ifndef TROP_KERNEL_KERNEL_COPIES_SOFTMAX_H
#define TROP_KERNEL_KERNEL_COPIES_SOFTMAX_H

#include "kernel/lanes_exp.h"

/* ---- weights of a row ------------------------------------------------------------------------ */

/* What attend_tile.c subtracts from the logits of row i before exp: beta b with
 * b = |y_i| max_j |k_j|, rounded up, where the row's own logit is at most TROP_KERNEL_RANGE below
 * it, and beta times the largest score elsewhere. reach: max_j |k_j|^2. The steps are those of
 * attend_tile.c. Returns the lanes in which the bound serves, *shift for these. */
static inline unsigned ceiling(struct lanes *shift, const struct trop_kernel_group *g, int64_t i,
                               struct lanes reach)
{
    const double *y = g->y + i * g->d * L, *x = g->x + i * g->d * L;
    struct lanes beta = lanes_load(g->beta), small = lanes_all(TROP_KERNEL_SMALL);
    struct lanes square = lanes_all(0), self = lanes_all(0);

    for (int64_t c = 0; c < g->d; c++) {
        struct lanes t = lanes_load(y + c * L);
        square = lanes_add(square, lanes_multiply(t, t));
        self = lanes_add(self, lanes_multiply(t, lanes_load(x + c * L)));
    }
    struct lanes b = lanes_multiply(lanes_multiply(lanes_root(square), lanes_root(reach)),
                                    lanes_all(1 + 0x1p-52 * (double)(g->d + 5)));
    struct lanes range = lanes_multiply(beta, lanes_subtract(b, self));
    *shift = lanes_multiply(beta, b);
    return lanes_reach(lanes_all(TROP_KERNEL_RANGE), range) & lanes_reach(square, small) &
           lanes_reach(reach, small);
}

/* e^x for groups of columns, to the row. */
static inline void store_weights(double *restrict row, struct lanes *restrict x, int groups)
{
    lanes_exp_near(x, groups);
    for (int g = 0; g < groups; g++) {
        lanes_store(row + g * L, x[g]);
    }
}

/* Scores and weights in one pass, where no maximum is needed; less is minus what is subtracted. */
static inline void weigh_group(const struct trop_kernel_group *g, const double *restrict y,
                               int64_t j, int64_t d, struct lanes less, int groups)
{
    struct lanes x[LANES_EXP_GROUP], beta = lanes_load(g->beta);

    for (int k = 0; k < groups; k++) {
        x[k] = lanes_fma(beta, score(y, g->x + (j + k) * d * L, d), less);
    }
    store_weights(g->row + j * L, x, groups);
}

static inline void weigh_once(const struct trop_kernel_group *g, const double *restrict y,
                              int64_t d, struct lanes less)
{
    int64_t j = 0;

    for (; j + LANES_EXP_GROUP <= g->n; j += LANES_EXP_GROUP) {
        weigh_group(g, y, j, d, less, LANES_EXP_GROUP);
    }
    for (; j < g->n; j++) {
        weigh_group(g, y, j, d, less, 1);
    }
}

/* a in the lanes of the mask, b in the others */
static inline struct lanes choose(struct lanes a, struct lanes b, unsigned mask)
{
    double from[L], to[L];

    lanes_store(from, a);
    lanes_store(to, b);
    for (int l = 0; l < L; l++) {
        to[l] = mask >> l & 1 ? from[l] : to[l];
    }
    return lanes_load(to);
}

/* Scores first, and their largest for the lanes in which the bound does not serve. Returns what is
 * subtracted. */
static struct lanes weigh_twice(const struct trop_kernel_group *g, const double *y,
                                struct lanes shift, unsigned served)
{
    struct lanes top = scores(g->row, y, g->x, g->n, g->d), beta = lanes_load(g->beta);

    shift = choose(shift, lanes_multiply(beta, top), served);
    for (int64_t j = 0; j < g->n; j++) {
        struct lanes less = lanes_subtract(lanes_all(-0.0), shift);
        lanes_store(g->row + j * L, lanes_exp(lanes_fma(beta, lanes_load(g->row + j * L), less)));
    }
    return shift;
}

/* ---- one shift for all rows ------------------------------------------------------------------ */

/* max_j |k_j|^2, and the smallest */
static inline struct lanes farthest(struct lanes *nearest, const struct trop_kernel_group *g)
{
    struct lanes most = lanes_all(0), least = lanes_all(INFINITY);

    for (int64_t j = 0; j < g->n; j++) {
        struct lanes square = lanes_all(0);
        for (int64_t c = 0; c < g->d; c++) {
            struct lanes t = lanes_load(g->x + (j * g->d + c) * L);
            square = lanes_add(square, lanes_multiply(t, t));
        }
        most = lanes_larger(square, most);
        least = lanes_smaller(square, least);
    }
    *nearest = least;
    return most;
}

/* ---- weights that serve two rows ------------------------------------------------------------- */

/* Weights of the rows i, i + 1, ..., as many as rows says, on the columns from i on, and of these
 * columns' rows on column i, i + 1, ... . pitch: numbers from a row of pairs to the next. */
static inline void weigh_rows(const struct trop_kernel_group *g, int64_t i, int64_t d,
                              struct lanes less, int rows)
{
    const double *restrict y = g->x + i * d * L;
    const int64_t pitch = (g->width + 1) * L;
    double *right = g->pairs + i * pitch + i * L, *down = right;
    struct lanes x[LANES_EXP_GROUP], beta = lanes_load(g->beta);

    for (int64_t j = i; j < g->n; j++, right += L, down += pitch) {
        for (int k = 0; k < rows; k++) {
            x[k] = lanes_fma(beta, score(y + k * d * L, g->x + j * d * L, d), less);
        }
        lanes_exp_near(x, rows);
        for (int k = 0; k < rows; k++) {
            lanes_store(right + k * pitch, x[k]);
            lanes_store(down + k * L, x[k]);
        }
    }
}

static inline void weigh_pairs(const struct trop_kernel_group *g, int64_t i, int64_t d,
                               struct lanes less)
{
    if (i + LANES_EXP_GROUP <= g->n) {
        weigh_rows(g, i, d, less, LANES_EXP_GROUP);
    } else {
        weigh_rows(g, i, d, less, 1);
    }
}

/* One shift for all rows of all lanes: e_ij = e_ji, for products commute and a chain has one
 * order. All rows are weighed before any is summed: taken in turns the two loops, each of which
 * keeps its own arithmetic busy, cost a sixth more than one after the other. */
static void softmax_alike(struct trop_kernel_group *g, struct lanes shift)
{
    struct lanes less = lanes_subtract(lanes_all(-0.0), shift);

    for (int64_t i = 0; i < g->n; i += LANES_EXP_GROUP) {
        switch (g->d) {
        case 2:
            weigh_pairs(g, i, 2, less);
            break;
        case 3:
            weigh_pairs(g, i, 3, less);
            break;
        default:
            weigh_pairs(g, i, g->d, less);
        }
    }
    for (int64_t i = 0; i < g->n; i++) {
        lanes_store(g->total + i * L, displace(g, g->pairs + i * (g->width + 1) * L, i));
        lanes_store(g->shift + i * L, shift);
    }
}

static void softmax(struct trop_kernel_group *g)
{
    struct lanes least, most = farthest(&least, g), common, shift;
    /* one: the lanes in which all rows have one shift (attend_tile.c says when), which is in
     * common. With beta = 0 the shift is 0 in any case. */
    struct lanes beta = lanes_load(g->beta);
    struct lanes reach = lanes_multiply(lanes_all(g->multiple), most);
    struct lanes b = lanes_multiply(reach, lanes_all(1 + 0x1p-52 * (double)(g->d + 5)));
    struct lanes low = lanes_multiply(lanes_all(g->multiple), least);
    struct lanes range = lanes_multiply(beta, lanes_subtract(b, low));
    common = lanes_multiply(beta, b);
    unsigned one = g->same & (lanes_reach(lanes_all(0), beta) |
                              (lanes_reach(lanes_all(TROP_KERNEL_ALIKE), range) &
                               lanes_reach(most, lanes_all(TROP_KERNEL_SMALL)) &
                               lanes_reach(reach, lanes_all(TROP_KERNEL_SMALL))));

    if (g->near && g->pairs && g->multiple == 1 && one == ALL) {
        softmax_alike(g, common);
        return;
    }
    clear_tail(g);
    for (int64_t i = 0; i < g->n; i++) {
        const double *y = g->y + i * g->d * L;
        unsigned served = ceiling(&shift, g, i, most) | one;
        shift = one ? choose(common, shift, one) : shift;
        if (g->near && served == ALL) {
            struct lanes less = lanes_subtract(lanes_all(-0.0), shift);
            switch (g->d) {
            case 2:
                weigh_once(g, y, 2, less);
                break;
            case 3:
                weigh_once(g, y, 3, less);
                break;
            default:
                weigh_once(g, y, g->d, less);
            }
        } else {
            shift = weigh_twice(g, y, shift, served);
        }
        lanes_store(g->shift + i * L, shift);
        lanes_store(g->total + i * L, displace(g, g->row, i));
    }
}

#endif
