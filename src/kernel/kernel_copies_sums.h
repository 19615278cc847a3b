/* kernel_copies_sums.h -- scores of a row, and sums over it; part of kernel_copies_body.c, after
 * its lanes.
 *
 *   s_j = <y, x_j>,   sum_j w_j,   sum_j w_j (x_jc - x_ic),
 *
 * scores by one fma chain over the coordinates; column j of a sum to partial sum j mod 8, the
 * partial sums added by the tree of kernel.h, blocks of TROP_BLOCK columns in order. Columns from n
 * up to a multiple of 8 have weight 0 and add exact zeros, as in attend_tile.c: a sum that starts
 * at +0 never becomes -0 when rounded to nearest, so that a column of weight 0 changes no bit,
 * whether it is added or left out, and fma(1, t, s) is s + t.
 */
#ifndef TROP_KERNEL_KERNEL_COPIES_SUMS_H
#define TROP_KERNEL_KERNEL_COPIES_SUMS_H

#define TWO 2 /* coordinates that are summed together */

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

#endif
