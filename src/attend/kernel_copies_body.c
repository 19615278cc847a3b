/* kernel_copies_body.c -- eight copies of a small system side by side (kernel_copies.h).
 *
 * Compiled once per instruction set, as kernel_body.c is. A softmax row is two passes, the first
 * of which falls into scores and weights where the largest score must be known:
 *
 *   scores    s_j = <y, x_j>, one fma chain over the coordinates;
 *   weights   w_j = exp(beta s_j - c), one fma, c as attend_tile.c has it;
 *   sums      sum w_j and sum w_j (x_jc - x_ic), column j to partial sum j mod 8, the partial sums
 *             added by the tree of kernel.h, blocks of TROP_BLOCK columns in order.
 *
 * Columns from n up to a multiple of 8 have weight 0 and add exact zeros, as there. Passes are
 * apart so that each keeps what it needs in registers: sixteen constants of exp in the first, 24
 * partial sums (the weights, two coordinates) in the second.
 *
 * Where all rows of all copies have one c (attend_tile.c, "alike") and queries are the tokens,
 * w_ij = w_ji: weights are taken for i <= j alone, two rows at a time, and stored for both.
 *
 * Zeros: a sum that starts at +0 never becomes -0 when rounded to nearest, so a column of weight 0
 * changes no bit, whether it is added or left out, and fma(1, t, s) is s + t.
 */
#include "attend/kernel_copies.h"

#include KERNEL_LANES

#include "attend/lanes_exp.h"

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define L TROP_LANES
#define ALL ((1u << L) - 1)
#define TWO 2 /* coordinates that are summed together */

static inline struct lanes tree(const struct lanes s[L])
{
    return lanes_add(lanes_add(lanes_add(s[0], s[4]), lanes_add(s[2], s[6])),
                     lanes_add(lanes_add(s[1], s[5]), lanes_add(s[3], s[7])));
}

/* ---- scores ---------------------------------------------------------------------------------- */

static inline struct lanes score(const double *restrict y, const double *restrict x, int64_t d)
{
    struct lanes s = lanes_multiply(lanes_load(y), lanes_load(x));

    for (int64_t c = 1; c < d; c++) {
        s = lanes_fma(lanes_load(y + c * L), lanes_load(x + c * L), s);
    }
    return s;
}

/* The scores of a row; returns their largest. d is a number that the compiler knows where it is
 * worth it. */
static inline struct lanes scores_of(double *restrict row, const double *restrict y,
                                     const double *restrict x, int64_t n, int64_t d)
{
    struct lanes top = lanes_all(-INFINITY);

    for (int64_t j = 0; j < n; j++) {
        struct lanes s = score(y, x + j * d * L, d);
        lanes_store(row + j * L, s);
        top = lanes_larger(s, top);
    }
    return top;
}

static inline struct lanes scores(double *restrict row, const double *restrict y,
                                  const double *restrict x, int64_t n, int64_t d)
{
    switch (d) {
    case 1:
        return scores_of(row, y, x, n, 1);
    case 2:
        return scores_of(row, y, x, n, 2);
    case 3:
        return scores_of(row, y, x, n, 3);
    case 4:
        return scores_of(row, y, x, n, 4);
    default:
        return scores_of(row, y, x, n, d);
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* One block's part of the sum of weights. */
static inline struct lanes sum_weights(const double *restrict row, int64_t width)
{
    struct lanes s[L];

    for (int l = 0; l < L; l++) {
        s[l] = lanes_all(0);
    }
    for (int64_t j = 0; j < width; j += L) {
        for (int l = 0; l < L; l++) {
            s[l] = lanes_add(s[l], lanes_load(row + (j + l) * L));
        }
    }
    return tree(s);
}

/* One block's part of one or TWO coordinates of sum w_j (x_j - a). */
static inline void sum_group(double *restrict out, const double *restrict row,
                             const double *restrict x, const double *restrict anchor, int64_t width,
                             int64_t d, int coordinates)
{
    struct lanes s[TWO][L], a[TWO];

    for (int c = 0; c < coordinates; c++) {
        a[c] = lanes_load(anchor + c * L);
        for (int l = 0; l < L; l++) {
            s[c][l] = lanes_all(0);
        }
    }
    for (int64_t j = 0; j < width; j += L) {
        for (int l = 0; l < L; l++) {
            const double *restrict xj = x + (j + l) * d * L;
            struct lanes w = lanes_load(row + (j + l) * L);
            for (int c = 0; c < coordinates; c++) {
                s[c][l] = lanes_fma(w, lanes_subtract(lanes_load(xj + c * L), a[c]), s[c][l]);
            }
        }
    }
    for (int c = 0; c < coordinates; c++) {
        lanes_store(out + c * L, lanes_add(lanes_load(out + c * L), tree(s[c])));
    }
}

static inline void sum_coordinates(double *restrict out, const double *restrict row,
                                   const double *restrict x, const double *restrict anchor,
                                   int64_t width, int64_t d)
{
    int64_t c = 0;

    for (; c + TWO <= d; c += TWO) {
        sum_group(out + c * L, row, x + c * L, anchor + c * L, width, d, TWO);
    }
    if (c < d) {
        sum_group(out + c * L, row, x + c * L, anchor + c * L, width, d, 1);
    }
}

/* displace in the plane with one block of columns, all sums together. A column is two fma and three
 * additions; where the registers hold the sums, three of four weights are added by an fma, so that
 * both kinds of arithmetic have as much to do. */
static inline struct lanes displace_plane(double *restrict out, const double *restrict row,
                                          const double *restrict x, const double *restrict anchor,
                                          int64_t width)
{
    struct lanes s[L], u[L], v[L], a = lanes_load(anchor), b = lanes_load(anchor + L);
    const struct lanes one = lanes_hold(lanes_all(1));

    for (int l = 0; l < L; l++) {
        s[l] = u[l] = v[l] = lanes_all(0);
    }
    for (int64_t j = 0; j < width; j += L) {
        for (int l = 0; l < L; l++) {
            const double *restrict xj = x + (j + l) * 2 * L;
            struct lanes w = lanes_hold(lanes_load(row + (j + l) * L));
            s[l] = LANES_MANY && l % 4 ? lanes_fma(one, w, s[l]) : lanes_add(s[l], w);
            u[l] = lanes_fma(w, lanes_subtract(lanes_load(xj), a), u[l]);
            v[l] = lanes_fma(w, lanes_subtract(lanes_load(xj + L), b), v[l]);
        }
    }
    struct lanes total = tree(s);
    lanes_store(out, lanes_divide(tree(u), total));
    lanes_store(out + L, lanes_divide(tree(v), total));
    return total;
}

/* move_i = sum_j w_j (x_j - x_i) / sum_j w_j, weights (width); returns the sum of weights. */
static inline struct lanes displace(const struct trop_kernel_group *g, const double *weights,
                                    int64_t i)
{
    int64_t d = g->d;
    const double *anchor = g->x + i * d * L;
    double *out = g->move + i * d * L;
    struct lanes total = lanes_all(0);

    if (d == 2 && g->width <= TROP_BLOCK) {
        return displace_plane(out, weights, g->x, anchor, g->width);
    }
    for (int64_t c = 0; c < d; c++) {
        lanes_store(out + c * L, lanes_all(0));
    }
    for (int64_t first = 0; first < g->width; first += TROP_BLOCK) {
        int64_t block = first + TROP_BLOCK < g->width ? TROP_BLOCK : g->width - first;
        const double *row = weights + first * L, *x = g->x + first * d * L;
        total = lanes_add(total, sum_weights(row, block));
        sum_coordinates(out, row, x, anchor, block, d);
    }
    for (int64_t c = 0; c < d; c++) {
        lanes_store(out + c * L, lanes_divide(lanes_load(out + c * L), total));
    }
    return total;
}

static inline void clear_tail(struct trop_kernel_group *g)
{
    for (int64_t j = g->n; j < g->width; j++) {
        lanes_store(g->row + j * L, lanes_all(0));
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

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

static void weigh_whole(const struct trop_kernel_group *g, const double *y, struct lanes less)
{
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

/* The lanes in which all rows have one shift, as attend_tile.c has it, and *shift for these. With
 * beta = 0 it is 0 in any case. */
static inline unsigned alike(struct lanes *shift, const struct trop_kernel_group *g,
                             struct lanes most, struct lanes least)
{
    struct lanes beta = lanes_load(g->beta);
    struct lanes reach = lanes_multiply(lanes_all(g->multiple), most);
    struct lanes b = lanes_multiply(reach, lanes_all(1 + 0x1p-52 * (double)(g->d + 5)));
    struct lanes low = lanes_multiply(lanes_all(g->multiple), least);
    struct lanes range = lanes_multiply(beta, lanes_subtract(b, low));

    *shift = lanes_multiply(beta, b);
    return g->same &
           (lanes_reach(lanes_all(0), beta) | (lanes_reach(lanes_all(TROP_KERNEL_ALIKE), range) &
                                               lanes_reach(most, lanes_all(TROP_KERNEL_SMALL)) &
                                               lanes_reach(reach, lanes_all(TROP_KERNEL_SMALL))));
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
    unsigned one = alike(&common, g, most, least);

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
            weigh_whole(g, y, lanes_subtract(lanes_all(-0.0), shift));
        } else {
            shift = weigh_twice(g, y, shift, served);
        }
        lanes_store(g->shift + i * L, shift);
        lanes_store(g->total + i * L, displace(g, g->row, i));
    }
}

/* The largest score of a row so far, the largest of the others, and the column of the first. */
struct race {
    struct lanes top, second, best;
};

static inline void race_enter(struct race *race, struct lanes s, int64_t j)
{
    race->second = lanes_larger(lanes_smaller(s, race->top), race->second);
    race->best = lanes_if_above(s, race->top, lanes_all((double)j), race->best);
    race->top = lanes_larger(s, race->top);
}

/* The lanes in which another column may have the exact maximum: as row.c has it, one within two
 * bounds of the top. */
static inline void note_ties(struct trop_kernel_group *g, int64_t i, const struct race *race)
{
    struct lanes slack = lanes_multiply(lanes_all(2), lanes_load(g->slack));
    unsigned tied = lanes_reach(race->second, lanes_subtract(race->top, slack));

    g->tied[i] = (uint8_t)tied;
    g->ties |= tied;
}

static inline struct race race_run(const struct trop_kernel_group *g, int64_t i, int64_t d)
{
    struct race race = { lanes_all(-INFINITY), lanes_all(-INFINITY), lanes_all(0) };
    const double *y = g->y + i * d * L;

    for (int64_t j = 0; j < g->n; j++) {
        struct lanes s = score(y, g->x + j * d * L, d);
        lanes_store(g->row + j * L, s);
        race_enter(&race, s, j);
    }
    return race;
}

static inline struct race race_of(const struct trop_kernel_group *g, int64_t i)
{
    return g->d == 2 ? race_run(g, i, 2) : g->d == 3 ? race_run(g, i, 3) : race_run(g, i, g->d);
}

/* The one maximiser's place less the token's own. Zeros are +0, as the sums of row.c leave them. */
static void hardmax(struct trop_kernel_group *g)
{
    int64_t d = g->d;

    for (int64_t i = 0; i < g->n; i++) {
        struct race race = race_of(g, i);
        double *best = g->best + i * L;
        note_ties(g, i, &race);
        lanes_store(best, race.best);
        for (int l = 0; l < L; l++) {
            const double *at = g->x + (int64_t)best[l] * d * L + l;
            for (int64_t c = 0; c < d; c++) {
                int64_t m = (i * d + c) * L + l;
                g->move[m] = (at[c * L] - g->x[m]) + 0.0;
            }
        }
    }
}

/* Weights 1 on s_j >= m - epsilon, 0 elsewhere. With the exact maximum m within a bound of top,
 * and s_j likewise, a score farther than two bounds and some roundings from top - epsilon is
 * decided. */
static void local_row(struct trop_kernel_group *g, int64_t i, struct lanes top)
{
    struct lanes epsilon = lanes_load(g->cut), one = lanes_all(1), zero = lanes_all(0);
    struct lanes size = lanes_add(lanes_magnitude(top), epsilon);
    struct lanes slack = lanes_fma(lanes_all(2), lanes_load(g->slack),
                                   lanes_fma(lanes_all(0x1p-50), size, lanes_all(0x1p-1000)));
    struct lanes cut = lanes_subtract(top, epsilon);
    struct lanes low = lanes_subtract(cut, slack), high = lanes_add(cut, slack);
    uint8_t *member = g->member + i * g->width;

    for (int64_t j = 0; j < g->n; j++) {
        struct lanes s = lanes_load(g->row + j * L);
        unsigned within = lanes_reach(s, high), near = lanes_reach(s, low);
        member[j] = (uint8_t)near;
        g->doubt |= near ^ within;
        lanes_store(g->row + j * L, lanes_if_above(low, s, zero, one));
    }
}

static void localmax(struct trop_kernel_group *g)
{
    clear_tail(g);
    for (int64_t i = 0; i < g->n; i++) {
        struct race race = race_of(g, i);
        note_ties(g, i, &race);
        lanes_store(g->best + i * L, race.best);
        local_row(g, i, race.top);
        lanes_store(g->count + i * L, displace(g, g->row, i));
    }
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void reach_of(double *restrict out, const double *restrict x, int64_t n, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        struct lanes most = lanes_all(0);
        for (int64_t i = 0; i < n; i++) {
            most = lanes_larger(most, lanes_magnitude(lanes_load(x + (i * d + c) * L)));
        }
        lanes_store(out + c * L, most);
    }
}

static void query(double *restrict y, const double *restrict x, int64_t n, int64_t d,
                  const double *matrix, double scale, const double *sign)
{
    struct lanes turn = lanes_load(sign);

    for (int64_t i = 0; i < n; i++) {
        const double *xi = x + i * d * L;
        for (int64_t c = 0; c < d; c++) {
            struct lanes sum = lanes_all(0);
            for (int64_t k = 0; matrix && k < d; k++) {
                sum = lanes_fma(lanes_all(matrix[c * d + k]), lanes_load(xi + k * L), sum);
            }
            if (!matrix) {
                sum = lanes_multiply(lanes_all(scale), lanes_load(xi + c * L));
            }
            lanes_store(y + (i * d + c) * L, lanes_multiply(turn, sum));
        }
    }
}

static void advance(double *restrict out, const double *restrict x, const double *restrict move,
                    const double *gamma, int64_t count)
{
    struct lanes g = lanes_load(gamma);

    for (int64_t m = 0; m < count; m++) {
        lanes_store(out + m * L, lanes_fma(g, lanes_load(move + m * L), lanes_load(x + m * L)));
    }
}

static void combine(double *restrict out, const double *restrict x, const double *restrict k,
                    const double *h, const double *weights, int stages, int64_t count)
{
    struct lanes step = lanes_load(h);

    for (int64_t m = 0; m < count; m++) {
        struct lanes sum = lanes_all(0);
        for (int s = 0; s < stages; s++) {
            sum = lanes_fma(lanes_all(weights[s]), lanes_load(k + (s * count + m) * L), sum);
        }
        lanes_store(out + m * L, lanes_fma(step, sum, lanes_load(x + m * L)));
    }
}

static inline void tangent_of(double *restrict move, const double *restrict x, double scale,
                              int64_t n, int64_t d)
{
    struct lanes factor = lanes_all(scale);

    for (int64_t i = 0; i < n; i++, move += d * L, x += d * L) {
        struct lanes along = lanes_all(0);
        for (int64_t c = 0; c < d; c++) {
            struct lanes v = lanes_multiply(factor, lanes_load(move + c * L));
            lanes_store(move + c * L, v);
            along = lanes_fma(lanes_load(x + c * L), v, along);
        }
        along = lanes_subtract(lanes_all(-0.0), along);
        for (int64_t c = 0; c < d; c++) {
            struct lanes v = lanes_fma(along, lanes_load(x + c * L), lanes_load(move + c * L));
            lanes_store(move + c * L, v);
        }
    }
}

static void tangent(double *restrict move, const double *restrict x, double scale, int64_t n,
                    int64_t d)
{
    if (d == 2) { /* a number that the compiler knows */
        tangent_of(move, x, scale, n, 2);
    } else {
        tangent_of(move, x, scale, n, d);
    }
}

static void stretch(double *restrict move, const double *restrict factor, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        struct lanes f = lanes_load(factor + i * L);
        for (int64_t c = 0; c < d; c++) {
            double *at = move + (i * d + c) * L;
            lanes_store(at, lanes_multiply(lanes_load(at), f));
        }
    }
}

/* |x|, in the order of trop_linalg_norm: coordinate c to partial sum c mod 8. */
static inline struct lanes length(const double *restrict x, int64_t d)
{
    struct lanes s[L];

    for (int l = 0; l < L; l++) {
        s[l] = lanes_all(0);
    }
    for (int64_t c = 0; c < d; c++) {
        struct lanes t = lanes_load(x + c * L);
        s[c % L] = lanes_fma(t, t, s[c % L]);
    }
    return lanes_root(tree(s));
}

static unsigned project(double *restrict x, int64_t n, int64_t d)
{
    struct lanes one = lanes_all(1), rest = lanes_all(0x1p-51);
    unsigned fine = ALL;

    for (int64_t i = 0; i < n; i++, x += d * L) {
        struct lanes norm = d == 2 ? length(x, 2) : d == 3 ? length(x, 3) : length(x, d);
        struct lanes off = lanes_magnitude(lanes_subtract(norm, one));
        fine &= lanes_reach(norm, lanes_all(0x1p-400)) & lanes_reach(lanes_all(0x1p400), norm);
        if (lanes_reach(rest, off) == ALL) {
            continue;
        }
        for (int64_t c = 0; c < d; c++) {
            struct lanes at = lanes_load(x + c * L);
            lanes_store(x + c * L, lanes_if_above(off, rest, lanes_divide(at, norm), at));
        }
    }
    return ~fine & ALL;
}

static void longest(double *restrict out, const double *restrict move, int64_t n, int64_t d)
{
    struct lanes most = lanes_all(0);

    for (int64_t i = 0; i < n; i++, move += d * L) {
        struct lanes r = lanes_all(0);
        for (int64_t c = 0; c < d; c++) {
            struct lanes t = lanes_load(move + c * L);
            r = lanes_fma(t, t, r);
        }
        most = lanes_larger(most, r);
    }
    lanes_store(out, most);
}

static inline struct lanes widest_of(const double *restrict x, int64_t n, int64_t d)
{
    struct lanes most = lanes_all(0);

    for (int64_t i = 1; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            struct lanes r = lanes_all(0);
            for (int64_t c = 0; c < d; c++) {
                struct lanes t = lanes_subtract(lanes_load(x + (i * d + c) * L),
                                                lanes_load(x + (j * d + c) * L));
                r = lanes_fma(t, t, r);
            }
            most = lanes_larger(most, r);
        }
    }
    return most;
}

static void widest(double *restrict out, const double *restrict x, int64_t n, int64_t d)
{
    lanes_store(out, d == 2 ? widest_of(x, n, 2) : widest_of(x, n, d));
}

extern const struct trop_kernel_copies NAMED(trop_kernel_copies_, KERNEL_NAME);
const struct trop_kernel_copies NAMED(trop_kernel_copies_, KERNEL_NAME) = {
    .reach = reach_of,
    .query = query,
    .softmax = softmax,
    .hardmax = hardmax,
    .localmax = localmax,
    .advance = advance,
    .combine = combine,
    .tangent = tangent,
    .stretch = stretch,
    .project = project,
    .widest = widest,
    .longest = longest,
};
