/* kernel_pairs_body.c -- a block of tokens meets another (kernel_pairs.h has the formulas).
 *
 * Compiled once per instruction set, as kernel_body.c. A chunk of rows goes over all columns:
 *
 *   scores     s_rj, a chain of fma over c, rows times groups of columns in registers;
 *   weights    in place, in the first-level cache, with totals and largest scores of both sides;
 *   averages   one subtraction and two fma for each pair and coordinate: the sums and the tokens of
 *              the rows stay in registers over all columns, the sum of a group of columns over the
 *              chunk's rows. A core that loads one register a cycle is as busy with weights as
 *              with fma, so that there is one coordinate at a time and nothing else to load.
 *
 * Each loop has the registers for itself. One loop for all three, without stored weights, takes
 * 45 cycles for eight pairs in two dimensions on Zen 4 (AVX-512), these take 27: the chains of an
 * exponential are long, and those of many must be in the scheduler at once.
 *
 * Columns behind the last token have weight 0 and no score.
 */
#include "kernel/kernel_pairs.h"

#include "kernel/kernel_tile.h"

#include KERNEL_LANES

#include "kernel/lanes_exp.h"

#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

/* Loops whose bounds are constants of the caller must be copied into it. */
#define COPIED static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))

#define L TROP_LANES
#define WIDE TROP_PAIRS_BLOCK
#define STRIDE TROP_PAIRS_STRIDE
#define ROWS TROP_PAIRS_ROWS
#define CHAIN 3 /* rows of a chain of a column's sum */
#define GROUPS (TROP_STRIP / TROP_LANES)

/* The kinds of a meeting: all groups of columns are full and logits are close to 0; they are full;
 * some columns are behind the last token; and those, where a block meets itself. */
enum kind { CLOSE, FULL, RAGGED, OWN };

#define EACH for (int g = 0; g < GROUPS; g++)

/* The bits of 2^(i/8), less i in those from 49 on: k = 8 m + i, added there, gives i back and adds
 * m to the exponent. */
static const uint64_t eighths[8] = { 0x3ff0000000000000, 0x3fef72b83c7d517b, 0x3fef06fe0a31b715,
                                     0x3feebfdad5362a27, 0x3feea09e667f3bcd, 0x3feeace5422aa0db,
                                     0x3feee89f995ad3ad, 0x3fef5818dcfba487 };

/* x <- e^x for |x| at most 700, with fewer operations than trop_exp and other bits.
 *
 * x = k ln(2) / 8 + r, |r| <= ln(2) / 16; e^x = 2^(k/8) (1 + p), p = r + r^2 (c0 + ... + c5 r^5).
 * The coefficients are minimax for the error relative to e^r (Remez exchange in 60 digits on
 * |r| <= 1.0005 ln(2) / 16) and rounded: 0.03 u. To that come 2^(k/8) from a table, 0.62 u; the
 * last fma, u; p by its own roundings, 3 u |p| <= 0.14 u; and r by those of the reduction, 2 u |r|
 * <= 0.1 u: less than 2 u. e^0 is 1. The steps of all groups stand side by side, as in lanes_exp.h.
 */
COPIED void exponentials_close(struct lanes x[GROUPS])
{
    const struct lanes shift = lanes_hold(lanes_all(LANES_EXP_SHIFT));
    struct lanes shifted[GROUPS], r[GROUPS], r2[GROUPS], p[GROUPS], q[GROUPS];

    EACH
    {
        shifted[g] = lanes_fma(x[g], lanes_all(8 * TROP_EXP_LOG2E), shift);
    }
    EACH
    {
        q[g] = lanes_subtract(shifted[g], shift);
        r[g] = lanes_fma(q[g], lanes_all(-TROP_EXP_LN2_HI / 8), x[g]);
    }
    EACH
    {
        r[g] = lanes_fma(q[g], lanes_all(-TROP_EXP_LN2_LO / 8), r[g]);
        r2[g] = lanes_multiply(r[g], r[g]);
    }
    EACH
    {
        q[g] = lanes_fma(lanes_all(0x1.a016392c1e9cep-13), r[g], lanes_all(0x1.6c1cbeb81e884p-10));
        p[g] = lanes_fma(lanes_all(0x1.11111125e0a08p-7), r[g], lanes_all(0x1.5555554809565p-5));
    }
    EACH
    {
        q[g] = lanes_fma(q[g], r2[g], p[g]);
        p[g] = lanes_fma(lanes_all(0x1.555555555512fp-3), r[g], lanes_all(0x1.000000000010bp-1));
    }
    EACH
    {
        p[g] = lanes_fma(r2[g], lanes_fma(q[g], r2[g], p[g]), r[g]);
        shifted[g] = lanes_eighths(shifted[g], eighths);
    }
    EACH
    {
        x[g] = lanes_fma(shifted[g], p[g], shifted[g]);
    }
}

/* e^x of the groups of a strip. */
COPIED void exponentials(struct lanes x[GROUPS], enum kind kind)
{
    if (kind == CLOSE) {
        exponentials_close(x);
        return;
    }
    EACH
    {
        x[g] = lanes_exp(x[g]);
    }
}

COPIED void add_to(double *to, struct lanes a)
{
    lanes_store(to, lanes_add(lanes_load(to), a));
}

/* The lanes of a group of columns that hold tokens, of `left` that are left. */
static inline unsigned mask_of(int64_t left)
{
    return left >= L ? (1U << L) - 1 : left > 0 ? (1U << left) - 1 : 0;
}

/* 0 for columns with a token, -INFINITY for the others. */
static inline struct lanes hidden(unsigned mask)
{
    double none[L];

    for (int l = 0; l < L; l++) {
        none[l] = mask >> l & 1 ? 0 : -INFINITY;
    }
    return lanes_load(none);
}

/* ---- a chunk of rows: three loops ------------------------------------------------------------ */

/* Scores of a chunk of rows at xi into weight, of columns in whole pairs of groups. */
COPIED void scores(double *restrict weight, const double *restrict xi,
                   const double *restrict packed, int64_t columns, int64_t d, int rows)
{
    for (int64_t j = 0; j < columns; j += 2 * L) {
        const double *restrict x = packed + j / TROP_STRIP * TROP_STRIP * d + j % TROP_STRIP;
        struct lanes s[ROWS][2];
        for (int r = 0; r < rows; r++) {
            for (int g = 0; g < 2; g++) {
                s[r][g] = lanes_multiply(lanes_all(xi[r * d]), lanes_load(x + g * L));
            }
        }
        for (int64_t c = 1; c < d; c++) {
            struct lanes a = lanes_hold(lanes_load(x + c * TROP_STRIP));
            struct lanes b = lanes_hold(lanes_load(x + c * TROP_STRIP + L));
            for (int r = 0; r < rows; r++) {
                s[r][0] = lanes_fma(lanes_all(xi[r * d + c]), a, s[r][0]);
                s[r][1] = lanes_fma(lanes_all(xi[r * d + c]), b, s[r][1]);
            }
        }
        for (int r = 0; r < rows; r++) {
            lanes_store(weight + r * STRIDE + j, s[r][0]);
            lanes_store(weight + r * STRIDE + j + L, s[r][1]);
        }
    }
}

/* Scores of a row to weights, in place, by strips, with the largest of the row and of the columns;
 * returns the row's sum. first: the columns' sum of this chunk of rows begins here. */
COPIED double weigh_row(const struct trop_pairs *p, double *restrict weight, double *top,
                        int64_t columns, int first, enum kind kind)
{
    const struct lanes beta = lanes_all(p->beta), less = lanes_all(-p->shift);
    double *restrict sum = p->chunk_total, *restrict most = p->column_top;
    struct lanes total = lanes_all(0), best = lanes_all(-INFINITY);

    for (int64_t j = 0; j < columns; j += TROP_STRIP) {
        struct lanes w[GROUPS];
        for (int g = 0; g < GROUPS; g++) {
            int64_t at = j + g * L;
            struct lanes s = lanes_load(weight + at);
            w[g] = lanes_fma(beta, s, less);
            s = kind >= RAGGED ? lanes_add(s, hidden(mask_of(columns - at))) : s;
            best = lanes_larger(s, best);
            if (kind != OWN) {
                lanes_store(most + at, lanes_larger(s, lanes_load(most + at)));
            }
        }
        exponentials(w, kind);
        for (int g = 0; g < GROUPS; g++) {
            int64_t at = j + g * L;
            w[g] = kind >= RAGGED ? lanes_keep(w[g], mask_of(columns - at)) : w[g];
            lanes_store(weight + at, w[g]);
            total = lanes_add(total, w[g]);
            if (kind != OWN) {
                lanes_store(sum + at, first ? w[g] : lanes_add(lanes_load(sum + at), w[g]));
            }
        }
    }
    *top = lanes_largest(best);
    return lanes_tree(total);
}

/* Scores of a chunk to weights. */
COPIED void weigh(const struct trop_pairs *p, struct trop_pairs_side *row, int64_t r,
                  int64_t columns, int rows, enum kind kind)
{
    row->total[r] += weigh_row(p, p->weight, p->row_top + r, columns, 1, kind);
    for (int k = 1; k < rows; k++) {
        row->total[r + k] +=
            weigh_row(p, p->weight + k * STRIDE, p->row_top + r + k, columns, 0, kind);
    }
    for (int64_t j = 0; kind != OWN && j < columns; j += L) {
        add_to(p->column_total + j, lanes_load(p->chunk_total + j));
    }
}

/* Rows first and on of a chunk, at `anchor`, on a group of columns x: part of the columns' sum. The
 * first product is rounded for both sides, which takes an addition instead of a fma. */
COPIED struct lanes chain(struct lanes *sum, const double *weight, struct lanes x,
                          const struct lanes *anchor, int first, int last)
{
    struct lanes part =
        lanes_multiply(lanes_load(weight + first * STRIDE), lanes_subtract(x, anchor[first]));

    sum[first] = lanes_add(sum[first], part);
    for (int r = first + 1; r < last; r++) {
        const struct lanes w = lanes_hold(lanes_load(weight + r * STRIDE));
        const struct lanes t = lanes_subtract(x, anchor[r]);
        part = lanes_fma(w, t, part);
        sum[r] = lanes_fma(w, t, sum[r]);
    }
    return part;
}

/* One coordinate of a chunk of rows at xi; out: the rows', column: the columns'. */
COPIED void average_part(double *restrict out, double *restrict column,
                         const double *restrict weight, const double *restrict xi,
                         const double *restrict packed, int64_t columns, int64_t d, int rows,
                         enum kind kind)
{
    struct lanes sum[ROWS], anchor[ROWS];

    for (int r = 0; r < rows; r++) {
        sum[r] = lanes_all(0);
        anchor[r] = lanes_hold(lanes_all(xi[r * d]));
    }
    for (int64_t j = 0; j < columns; j += L) {
        const struct lanes x = lanes_hold(lanes_load(packed));
        struct lanes part = chain(sum, weight + j, x, anchor, 0, rows < CHAIN ? rows : CHAIN);
        /* The next group of the strip, or the first of the next strip. */
        packed += (j + L) % TROP_STRIP ? L : d * TROP_STRIP - (TROP_STRIP - L);
        if (rows == ROWS) {
            struct lanes next = chain(sum, weight + j, x, anchor, CHAIN, 2 * CHAIN);
            part = lanes_add(lanes_add(part, next),
                             chain(sum, weight + j, x, anchor, 2 * CHAIN, ROWS));
        }
        if (kind != OWN) {
            lanes_store(column + j, lanes_subtract(lanes_load(column + j), part));
        }
    }
    if (rows == ROWS) {
        add_to(out, lanes_trees(sum));
    } else {
        out[0] += lanes_tree(sum[0]);
    }
}

COPIED void averages(const struct trop_pairs *p, double *restrict out, const double *restrict xi,
                     const double *restrict packed, int64_t columns, int rows, enum kind kind)
{
    for (int64_t c = 0; c < p->d; c++) {
        average_part(out + c * WIDE, p->column + c * WIDE, p->weight, xi + c,
                     packed + c * TROP_STRIP, columns, p->d, rows, kind);
    }
}

/* Apart from each other, so that each has the registers for itself. */
APART void scores_chunk(double *weight, const double *xi, const double *packed, int64_t columns,
                        int64_t d)
{
    scores(weight, xi, packed, columns, d, ROWS);
}

APART void weigh_close(const struct trop_pairs *p, struct trop_pairs_side *row, int64_t r,
                       int64_t columns)
{
    weigh(p, row, r, columns, ROWS, CLOSE);
}

APART void weigh_full(const struct trop_pairs *p, struct trop_pairs_side *row, int64_t r,
                      int64_t columns)
{
    weigh(p, row, r, columns, ROWS, FULL);
}

APART void weigh_ragged(const struct trop_pairs *p, struct trop_pairs_side *row, int64_t r,
                        int64_t columns)
{
    weigh(p, row, r, columns, ROWS, RAGGED);
}

APART void average_chunk(const struct trop_pairs *p, double *out, const double *xi,
                         const double *packed, int64_t columns)
{
    averages(p, out, xi, packed, columns, ROWS, FULL);
}

/* Rows, in whole chunks, on columns, for both. */
static void chunks_meet(const struct trop_pairs *p, struct trop_pairs_side *row,
                        const struct trop_pairs_side *column, enum kind kind)
{
    int64_t d = p->d;

    for (int64_t r = 0; r < row->count; r += ROWS) {
        const double *xi = row->x + r * d;
        scores_chunk(p->weight, xi, column->packed, column->count, d);
        if (kind == CLOSE) {
            weigh_close(p, row, r, column->count);
        } else if (kind == FULL) {
            weigh_full(p, row, r, column->count);
        } else {
            weigh_ragged(p, row, r, column->count);
        }
        average_chunk(p, row->out + r, xi, column->packed, column->count);
    }
}

COPIED void chunk_alone(const struct trop_pairs *p, struct trop_pairs_side *side, int64_t r,
                        int rows)
{
    const double *xi = side->x + r * p->d;

    scores(p->weight, xi, side->packed, side->count, p->d, rows);
    weigh(p, side, r, side->count, rows, OWN);
    averages(p, side->out + r, xi, side->packed, side->count, rows, OWN);
}

/* ---- largest scores, and the two sides ------------------------------------------------------- */

/* What the largest scores of a meeting with the block of that bit tell. */
static void note(struct trop_pairs_side *side, const double *top, uint64_t bit)
{
    for (int64_t i = 0; i < side->count; i++) {
        double before = side->top[i], slack = side->slack[i];
        if (top[i] >= before - slack) {
            side->near[i] = (top[i] - slack > before ? 0 : side->near[i]) | bit;
            side->top[i] = top[i] > before ? top[i] : before;
        }
    }
}

/* What the columns got is theirs. */
static void hand_over(const struct trop_pairs *p, struct trop_pairs_side *column)
{
    for (int64_t c = 0; c < p->d; c++) {
        for (int64_t j = 0; j < column->count; j += L) {
            add_to(column->out + c * WIDE + j, lanes_load(p->column + c * WIDE + j));
        }
    }
    for (int64_t j = 0; j < column->count; j += L) {
        add_to(column->total + j, lanes_load(p->column_total + j));
    }
}

/* No part of any column yet. */
static void begin(const struct trop_pairs *p)
{
    memset(p->column, 0, (size_t)(p->d * WIDE) * sizeof *p->column);
    memset(p->column_total, 0, WIDE * sizeof *p->column_total);
    for (int64_t j = 0; j < WIDE; j++) {
        p->column_top[j] = p->row_top[j] = -INFINITY;
    }
}

static enum kind kind_of(const struct trop_pairs *p, const struct trop_pairs_side *columns)
{
    return columns->count % TROP_STRIP ? RAGGED : p->close ? CLOSE : FULL;
}

static void meet(const struct trop_pairs *p, struct trop_pairs_side *rows,
                 struct trop_pairs_side *columns)
{
    begin(p);
    chunks_meet(p, rows, columns, kind_of(p, columns));
    hand_over(p, columns);
    note(rows, p->row_top, columns->bit);
    note(columns, p->column_top, rows->bit);
}

/* The tokens of a block from `first` on, `count` of them: what the loops above use of it. */
static struct trop_pairs_side part_of(const struct trop_pairs_side *side, int64_t d, int64_t first,
                                      int64_t count)
{
    return (struct trop_pairs_side){ .count = count,
                                     .x = side->x + first * d,
                                     .packed = side->packed + first * d,
                                     .out = side->out + first,
                                     .total = side->total + first };
}

/* The scratch of rows and of columns, from there on. */
static struct trop_pairs scratch_of(const struct trop_pairs *p, int64_t row, int64_t column)
{
    struct trop_pairs part = *p;

    part.row_top += row;
    part.column += column;
    part.chunk_total += column;
    part.column_total += column;
    part.column_top += column;
    return part;
}

/* Every strip's rows on its own columns, then on the columns of the strips behind it. */
static void own(const struct trop_pairs *p, struct trop_pairs_side *rows)
{
    int64_t n = rows->count;

    for (int64_t first = 0; first < n; first += TROP_STRIP) {
        struct trop_pairs scratch = scratch_of(p, first, 0);
        struct trop_pairs_side strip =
            part_of(rows, p->d, first, n - first < TROP_STRIP ? n - first : TROP_STRIP);
        /* Rows on the columns of the same tokens, for the rows alone. */
        int64_t r = 0;
        for (; r + ROWS <= strip.count; r += ROWS) {
            chunk_alone(&scratch, &strip, r, ROWS);
        }
        for (; r < strip.count; r++) {
            chunk_alone(&scratch, &strip, r, 1);
        }
    }
    note(rows, p->row_top, rows->bit);
    begin(p);
    for (int64_t first = 0; first + TROP_STRIP < n; first += TROP_STRIP) {
        int64_t next = first + TROP_STRIP;
        struct trop_pairs scratch = scratch_of(p, first, next);
        struct trop_pairs_side strip = part_of(rows, p->d, first, TROP_STRIP);
        struct trop_pairs_side behind = part_of(rows, p->d, next, n - next);
        chunks_meet(&scratch, &strip, &behind, kind_of(p, &behind));
    }
    hand_over(p, rows);
    note(rows, p->row_top, rows->bit);
    note(rows, p->column_top, rows->bit);
}

static void exponential(double *x)
{
    struct lanes strip[GROUPS];

    EACH
    {
        strip[g] = lanes_load(x + g * L);
    }
    exponentials_close(strip);
    EACH
    {
        lanes_store(x + g * L, strip[g]);
    }
}

static double rate_exp(int64_t count, double x)
{
    struct lanes sum[GROUPS], at = lanes_all(x), step = lanes_all(x);

    EACH
    {
        sum[g] = lanes_all(0);
    }
    for (int64_t i = 0; i < count; i += GROUPS) {
        struct lanes e[GROUPS];
        EACH
        {
            e[g] = at = lanes_add(at, step);
        }
        exponentials_close(e);
        EACH
        {
            sum[g] = lanes_add(sum[g], e[g]);
        }
    }
    return lanes_tree(lanes_add(lanes_add(sum[0], sum[1]), lanes_add(sum[2], sum[3])));
}

const struct trop_kernel_pairs NAMED(trop_kernel_pairs_, KERNEL_NAME);
const struct trop_kernel_pairs NAMED(trop_kernel_pairs_, KERNEL_NAME) = {
    .meet = meet,
    .own = own,
    .exponential = exponential,
    .rate_exp = rate_exp,
};
