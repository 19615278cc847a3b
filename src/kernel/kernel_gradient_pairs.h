/* kernel_gradient_pairs.h -- products of rows with vectors as pairs; part of
 * kernel_gradient_body.c, after its lanes.
 *
 * With part the high bits of a (learn/split.h) and x + y a vector in two,
 *
 *   a (x + y) = part x + a y + (a - part) x,
 *
 * the first exact in any order of summation, the others rounded: for each 8 coordinates two
 * additions and a difference beside three fma, where a plain product has one. A sum has a chain for
 * each of the three kinds, and several rows (or vectors) go side by side, so that no fma waits for
 * the one before: 12 chains with one vector, 24 with eight. Eight sums share the tree that adds
 * their lanes.
 *
 * Keys are read once a step, and do not fit in cache when the data are large. The processor by
 * itself reads ahead to the end of a page at most, which is 8 rows of 64 coordinates: each page
 * then begins with a wait for memory. What comes after is asked for early, into the second cache,
 * where the keys of several asks fit, and a little at a time, so that requests do not queue:
 * without that a step at n = 1000, T = d = 64 takes one worker 4.7 ms instead of 2.4.
 */
#ifndef TROP_KERNEL_KERNEL_GRADIENT_PAIRS_H
#define TROP_KERNEL_KERNEL_GRADIENT_PAIRS_H

#define ASKED 4 /* lines that are asked for while eight vectors are multiplied by one */

/* The sums of one row with one vector: high parts, and the two kinds of others. */
struct pair_sums {
    struct lanes high, rest, off;
};

/* One piece of a row: a, its high bits, and the others. */
struct pair_piece {
    struct lanes a, part, left;
};

static inline struct pair_piece pair_piece(struct lanes a, struct lanes shift)
{
    const struct lanes part = lanes_subtract(lanes_add(a, shift), shift);

    return (struct pair_piece){ a, part, lanes_subtract(a, part) };
}

static inline void pair_add(struct pair_sums *sum, const struct pair_piece *p, struct lanes x,
                            struct lanes y)
{
    sum->high = lanes_fma(p->part, x, sum->high);
    sum->rest = lanes_fma(p->a, y, sum->rest);
    sum->off = lanes_fma(p->left, x, sum->off);
}

/* Asks for the lines that a piece of row m has to: one of each stream for two rows. */
static inline void pair_ask(const double *const ahead[2], int64_t at, int m)
{
    for (int k = 0; k < 2; k++) {
        if (m % 2 == 0 && ahead[k]) {
            __builtin_prefetch(ahead[k] + at / 2 + m / 2 * TROP_LANES, 0, 2);
        }
    }
}

/* The sums of count rows to high and low. */
COPIED void pair_rows(struct lanes *high, struct lanes *low, const double *const *row,
                      const double *const ahead[2], int64_t n, struct lanes shift,
                      const struct trop_kernel_gradient_split *x, int count)
{
    struct pair_sums sum[LANES_PAIR_ROWS];
    int64_t k = 0;

    for (int m = 0; m < count; m++) {
        sum[m] = (struct pair_sums){ lanes_all(0), lanes_all(0), lanes_all(0) };
    }
    for (; k + TROP_LANES <= n; k += TROP_LANES) {
        const struct lanes one = lanes_hold(lanes_load(x->high + k));
        const struct lanes two = lanes_hold(lanes_load(x->rest + k));
        for (int m = 0; m < count; m++) {
            const struct pair_piece p = pair_piece(lanes_hold(lanes_load(row[m] + k)), shift);
            pair_ask(ahead, k * count, m);
            pair_add(&sum[m], &p, one, two);
        }
    }
    if (k < n) { /* outside the loop, whose count the compiler then knows */
        for (int m = 0; m < count; m++) {
            const struct pair_piece p = pair_piece(lanes_load_some(row[m] + k, n - k), shift);
            pair_add(&sum[m], &p, lanes_load(x->high + k), lanes_load(x->rest + k));
        }
    }
    for (int m = 0; m < count; m++) {
        high[m] = sum[m].high;
        low[m] = lanes_add(sum[m].rest, sum[m].off);
    }
}

/* Rows k to k + together - 1 of a group, of which some may be missing: one is then the last once
 * more, and what comes of it is not read. */
COPIED void pair_part(struct lanes *high, struct lanes *low, const double *a,
                      const double *const ahead[2], int64_t rows, int64_t n, struct lanes shift,
                      const struct trop_kernel_gradient_split *x, int k, int together)
{
    const double *row[LANES_PAIR_ROWS], *from[2];

    for (int m = 0; m < together; m++) {
        row[m] = a + (k + m < rows ? k + m : rows - 1) * n;
    }
    for (int m = 0; m < 2; m++) {
        from[m] = ahead[m] && k + together <= rows ? ahead[m] + k * n / 2 : NULL;
    }
    pair_rows(high + k, low + k, row, from, n, shift, x, together);
}

/* count rows, 2, 4 or 8. The parts of a group are written out, so that all sums are in registers.
 */
COPIED void pair_group(double *out, double *low, const double *a, const double *const ahead[2],
                       int64_t rows, int64_t n, struct lanes shift,
                       const struct trop_kernel_gradient_split *x, int count)
{
    const int together = count < LANES_PAIR_ROWS ? count : LANES_PAIR_ROWS;
    struct lanes h[TROP_LANES], l[TROP_LANES];

    for (int k = 0; k < TROP_LANES; k++) {
        h[k] = l[k] = lanes_all(0);
    }
    pair_part(h, l, a, ahead, rows, n, shift, x, 0, together);
    if (count > together) {
        pair_part(h, l, a, ahead, rows, n, shift, x, together, together);
    }
    if (count > 2 * together) {
        pair_part(h, l, a, ahead, rows, n, shift, x, 2 * together, together);
        pair_part(h, l, a, ahead, rows, n, shift, x, 3 * together, together);
    }
    lanes_store(out, lanes_trees(h));
    lanes_store(low, lanes_trees(l));
}

static void products(double *out, double *low, const double *a, int64_t rows, int64_t n,
                     double shift, const struct trop_kernel_gradient_split *x,
                     const double *const ahead[2])
{
    const struct lanes all = lanes_all(shift);
    const double *from[2] = { ahead[0], ahead[1] };
    int64_t r = 0;

    for (; rows - r > 4; r += TROP_LANES) {
        pair_group(out + r, low + r, a + r * n, from, rows - r, n, all, x, 8);
        for (int m = 0; m < 2; m++) {
            from[m] = from[m] ? from[m] + TROP_LANES / 2 * n : NULL;
        }
    }
    if (rows - r > 2) {
        pair_group(out + r, low + r, a + r * n, from, rows - r, n, all, x, 4);
    } else if (rows - r > 0) {
        pair_group(out + r, low + r, a + r * n, from, rows - r, n, all, x, 2);
    }
}

/* One row with eight vectors; ASKED lines from ahead on are asked for with each piece, unless it is
 * NULL. */
static inline void pair_eight(double high[TROP_LANES], double low[TROP_LANES], const double *a,
                              int64_t n, struct lanes shift,
                              const struct trop_kernel_gradient_split x[TROP_LANES],
                              const double *ahead)
{
    struct pair_sums sum[TROP_LANES];
    struct lanes h[TROP_LANES], l[TROP_LANES];

    for (int m = 0; m < TROP_LANES; m++) {
        sum[m] = (struct pair_sums){ lanes_all(0), lanes_all(0), lanes_all(0) };
    }
    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct pair_piece p = pair_piece(lanes_load_some(a + k, n - k), shift);
        for (int m = 0; m < TROP_LANES; m++) {
            pair_add(&sum[m], &p, lanes_hold(lanes_load(x[m].high + k)), lanes_load(x[m].rest + k));
            if (ahead && m < ASKED) {
                __builtin_prefetch(ahead + k * ASKED + m * TROP_LANES, 0, 2);
            }
        }
    }
    for (int m = 0; m < TROP_LANES; m++) {
        h[m] = sum[m].high;
        l[m] = lanes_add(sum[m].rest, sum[m].off);
    }
    lanes_store(high, lanes_trees(h));
    lanes_store(low, lanes_trees(l));
}

/* out_k = from_k, so many of them, stride apart. */
static inline void pair_deal(double *out, int64_t stride, const double from[TROP_LANES],
                             int64_t count)
{
    for (int64_t k = 0; k < count; k++, out += stride) {
        *out = from[k];
    }
}

static void products_many(const struct trop_kernel_gradient_many *m)
{
    const double *const none[2] = { NULL, NULL };
    int64_t k = 0;

    for (; LANES_MANY && m->count - k > TROP_LANES / 2; k += TROP_LANES) {
        /* Vectors k to k + many - 1, at most eight. */
        int64_t many = m->count - k < TROP_LANES ? m->count - k : TROP_LANES;
        struct trop_kernel_gradient_split eight[TROP_LANES];
        double *out = m->out + k * m->stride, *low = m->low + k * m->stride;
        for (int l = 0; l < TROP_LANES; l++) {
            eight[l] = m->x[k + (l < many ? l : many - 1)];
        }
        for (int64_t r = 0; r < m->rows; r++) {
            const int64_t at = ASKED * r * m->n;
            const double *ahead = at + ASKED * m->n <= m->span ? m->ahead + at : NULL;
            double h[TROP_LANES], l[TROP_LANES];
            pair_eight(h, l, m->a + r * m->n, m->n, lanes_all(m->shift), eight, ahead);
            pair_deal(out + r, m->stride, h, many);
            pair_deal(low + r, m->stride, l, many);
        }
    }
    for (; k < m->count; k++) {
        products(m->out + k * m->stride, m->low + k * m->stride, m->a, m->rows, m->n, m->shift,
                 m->x + k, none);
    }
}

#endif
