/* kernel_single_pairs.h -- pairs of tokens in single precision, each once; part of
 * kernel_single_body.c. attend_pairs_single.c has the mathematics and how far off it is.
 *
 * Tokens r of a chunk of rows and j of the columns share u_rj = 2^(a_rj - fall_r), with
 * a_rj = -half_j + <z_r, z_j>, fall_r = half_r - TROP_PAIRS_SINGLE_LIFT, one fma chain over the
 * coordinates in index order; the pair adds
 *
 *   u_rj lift_j, u_rj mass_j  to row r,   u_rj lift_r, u_rj mass_r  to row j,
 *
 * and to the largest exponents a_rj + exponent_j of r and a_rj + exponent_r - half_r of j.
 *
 * When rows meet columns:
 *
 *   row r      column j goes to lane j mod 16, groups of columns in order, lanes are added by the
 *              tree of lanes_single_tree, and the sum is added in double to what the row has;
 *   column j   rows go by in chunks of TROP_PAIRS_ROWS, each a chain in row order; chunks are added
 *              in order, and their sum is added in double to what the column has.
 *
 * All builds return the same bits.
 */
#ifndef TROP_KERNEL_KERNEL_SINGLE_PAIRS_H
#define TROP_KERNEL_KERNEL_SINGLE_PAIRS_H

#define TOGETHER 2 /* groups of columns whose scores are taken at once */

/* a_rj of a chunk of rows from r on. */
static void pair_scores(const struct trop_pairs_single *p, const struct trop_pairs_single_side *row,
                        int64_t r, const struct trop_pairs_single_side *column)
{
    const float *zr = row->z + r / STRIP * STRIP * p->d + r % STRIP;

    for (int64_t j = 0; j < column->count; j += TOGETHER * WIDE) {
        const float *x = column->z + j / STRIP * STRIP * p->d + j % STRIP;
        VECTOR s[TROP_PAIRS_ROWS][TOGETHER];
        for (int k = 0; k < TROP_PAIRS_ROWS; k++) {
            for (int g = 0; g < TOGETHER; g++) {
                s[k][g] = LANES(subtract)(LANES(all)(0), LANES(load)(column->half + j + g * WIDE));
            }
        }
        for (int64_t c = 0; c < p->d; c++) {
            VECTOR xc[TOGETHER];
            for (int g = 0; g < TOGETHER; g++) {
                xc[g] = LANES(hold)(LANES(load)(x + c * STRIP + g * WIDE));
            }
            for (int k = 0; k < TROP_PAIRS_ROWS; k++) {
                const VECTOR y = LANES(all)(zr[c * STRIP + k]);
                for (int g = 0; g < TOGETHER; g++) {
                    s[k][g] = LANES(fma)(y, xc[g], s[k][g]);
                }
            }
        }
        for (int k = 0; k < TROP_PAIRS_ROWS; k++) {
            for (int g = 0; g < TOGETHER; g++) {
                LANES(store)(p->weight + k * TROP_PAIRS_SINGLE_STRIDE + j + g * WIDE, s[k][g]);
            }
        }
    }
}

/* Scores of row r, the k-th of its chunk, to weights, with totals and the largest exponents. */
COPIED void pair_weights(const struct trop_pairs_single *p, struct trop_pairs_single_side *row,
                         int64_t r, const struct trop_pairs_single_side *column, int k)
{
    const VECTOR fall = LANES(all)(row->half[r] - TROP_PAIRS_SINGLE_LIFT);
    const VECTOR back = LANES(all)(row->exponent[r] - row->half[r]);
    const VECTOR mass = LANES(all)(row->mass[r]);
    float *restrict weight = p->weight + k * TROP_PAIRS_SINGLE_STRIDE;
    VECTOR total = LANES(all)(0), best = LANES(all)(-INFINITY);

    for (int64_t j = 0; j < column->count; j += WIDE) {
        const VECTOR s = LANES(load)(weight + j);
        const VECTOR w = LANES(exp2)(LANES(subtract)(s, fall));
        best = LANES(larger)(LANES(add)(s, LANES(load)(column->exponent + j)), best);
        LANES(store)
        (p->column_top + j, LANES(larger)(LANES(add)(s, back), LANES(load)(p->column_top + j)));
        LANES(store)(weight + j, w);
        total = LANES(fma)(w, LANES(load)(column->mass + j), total);
        LANES(store)
        (p->chunk_total + j,
         k == 0 ? LANES(multiply)(w, mass) : LANES(fma)(w, mass, LANES(load)(p->chunk_total + j)));
    }
    p->row_top[r] = LANES(largest)(best);
    row->total[r] += (double)LANES(tree)(total);
}

static void pair_weigh(const struct trop_pairs_single *p, struct trop_pairs_single_side *row,
                       int64_t r, const struct trop_pairs_single_side *column)
{
    pair_weights(p, row, r, column, 0);
    for (int k = 1; k < TROP_PAIRS_ROWS; k++) {
        pair_weights(p, row, r + k, column, k);
    }
    for (int64_t j = 0; j < column->count; j += WIDE) {
        LANES(store)
        (p->column_total + j,
         LANES(add)(LANES(load)(p->column_total + j), LANES(load)(p->chunk_total + j)));
    }
}

/* One coordinate at a time: the sums and the lifted tokens of the rows stay in registers over all
 * columns, the sum of a group of columns over the rows. */
static void pair_averages(const struct trop_pairs_single *p, struct trop_pairs_single_side *row,
                          int64_t r, const struct trop_pairs_single_side *column)
{
    const float *restrict weight = p->weight;
    const int64_t count = column->count;

    for (int64_t c = 0; c < p->d; c++) {
        const float *restrict lift = column->lift + c * TROP_PAIRS_SINGLE_BLOCK;
        const float *of_row = row->lift + c * TROP_PAIRS_SINGLE_BLOCK + r;
        float *restrict to = p->column + c * TROP_PAIRS_SINGLE_BLOCK;
        double *out = row->out + c * TROP_PAIRS_SINGLE_BLOCK + r;
        VECTOR sum[TROP_PAIRS_ROWS], own[TROP_PAIRS_ROWS];
        for (int k = 0; k < TROP_PAIRS_ROWS; k++) {
            sum[k] = LANES(all)(0);
            own[k] = LANES(hold)(LANES(all)(of_row[k]));
        }
        for (int64_t j = 0; j < count; j += WIDE) {
            const VECTOR x = LANES(hold)(LANES(load)(lift + j));
            VECTOR part = LANES(all)(0);
            for (int k = 0; k < TROP_PAIRS_ROWS; k++) {
                const VECTOR w =
                    LANES(hold)(LANES(load)(weight + k * TROP_PAIRS_SINGLE_STRIDE + j));
                sum[k] = LANES(fma)(w, x, sum[k]);
                part = k == 0 ? LANES(multiply)(w, own[k]) : LANES(fma)(w, own[k], part);
            }
            LANES(store)(to + j, LANES(add)(LANES(load)(to + j), part));
        }
        for (int k = 0; k < TROP_PAIRS_ROWS; k++) {
            out[k] += (double)LANES(tree)(sum[k]);
        }
    }
}

/* As note of kernel_pairs_body.c. What rows have as columns lacks their own half. */
static void pair_note(struct trop_pairs_single_side *side, const float *top, const float *half,
                      uint64_t bit)
{
    for (int64_t i = 0; i < side->count; i++) {
        double before = side->top[i], slack = side->slack[i];
        double now = (double)top[i] + (half ? (double)half[i] : 0);
        if (now >= before - slack) {
            side->near[i] = (now - slack > before ? 0 : side->near[i]) | bit;
            side->top[i] = now > before ? now : before;
        }
    }
}

static void pair_meet(const struct trop_pairs_single *p, struct trop_pairs_single_side *row,
                      struct trop_pairs_single_side *column)
{
    memset(p->column, 0, (size_t)(p->d * TROP_PAIRS_SINGLE_BLOCK) * sizeof *p->column);
    memset(p->column_total, 0, TROP_PAIRS_SINGLE_BLOCK * sizeof *p->column_total);
    for (int64_t j = 0; j < TROP_PAIRS_SINGLE_BLOCK; j++) {
        p->column_top[j] = -INFINITY;
    }
    for (int64_t r = 0; r < row->count; r += TROP_PAIRS_ROWS) {
        pair_scores(p, row, r, column);
        for (int k = 0; row->z == column->z && k < TROP_PAIRS_ROWS; k++) {
            p->weight[k * TROP_PAIRS_SINGLE_STRIDE + r + k] = -TROP_PAIRS_SINGLE_NOWHERE;
        }
        pair_weigh(p, row, r, column);
        pair_averages(p, row, r, column);
    }
    pair_note(row, p->row_top, NULL, column->bit);
    if (row->z == column->z) {
        return; /* a block and itself: every pair was met from both sides, but for the diagonal */
    }
    for (int64_t c = 0; c < p->d; c++) {
        for (int64_t j = 0; j < column->count; j++) {
            column->out[c * TROP_PAIRS_SINGLE_BLOCK + j] +=
                (double)p->column[c * TROP_PAIRS_SINGLE_BLOCK + j];
        }
    }
    for (int64_t j = 0; j < column->count; j++) {
        column->total[j] += (double)p->column_total[j];
    }
    pair_note(column, p->column_top, column->half, row->bit);
}

#endif
