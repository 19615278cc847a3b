/* rows.h -- the rows of attention on a device, with the bits of the processor's kernels.
 *
 * One source, compiled by nvcc for a GPU and as C for the tests of the host (grid_cuda.h and
 * tests/support/grid_host.h say how): part of device_body.c. The order of every sum is that of
 * kernel.h. A row's sums over a block of TROP_BLOCK columns go to lane j mod TROP_LANES and are
 * added pairwise; the blocks' sums wait in `part` and are added in order by finish. So columns are
 * shared among as many threads as the device wants, and no bit depends on how many those are.
 *
 *   begin    a row's error bound, and the c of its softmax (attend_shift.h)
 *   tops     the largest score of each block; of softmax only where c is beta times the maximum
 *   raise    that c
 *   soften   sums of exp(beta s - c) and of their differences, and the largest scores, by block
 *   cut      of localmax: the maximisers, and from which scores on a column is in the set
 *   level    sums over that set and of its differences, by block, and what names it
 *   finish   the average, the exact maximisers, the note
 *
 * What makes the bits the same: no contraction (-fmad=false), fma where it is written; a maximum is
 * a > b ? a : b; nothing out of range becomes an integer. Columns behind the last have weight 0 on
 * the processor and are left out here: a sum that begins with +0 does not change by +0 or -0.
 *
 * Maximisers are decided as attend_settle.c does it: blocks whose largest score is within two
 * bounds of the row's are scored again, and candidates compared by decide_sieve.h. What that leaves
 * open, and ties of distinct points under hardmax, is left to the caller by the note's doubt.
 */
#ifndef TROP_CUDA_ROWS_H
#define TROP_CUDA_ROWS_H

#define FEW 4 /* coordinates up to which a row is one thread's */

enum mode { TOPS, SOFTEN, LEVEL }; /* what a sweep is for */
enum need { ONCE, AGAIN };         /* passes of softmax that a row takes */

/* What is known of all rows: how many are in doubt; 1 where scores would have to be scaled; 1 when
 * a token is not finite; the bits of the largest |avg - x|^2. */
enum flag { DOUBTS, SCALED, BROKEN, SQUARE, FLAGS };

/* What kernels are told. Everything is the device's own memory. */
struct job {
    int64_t n, d, stride;
    const double *xt, *y, *mass, *reach, *most, *least;
    int64_t norms, rule, causal, lowest, scale, scaled, margins;
    double beta, multiple, shift, delta;

    int64_t first, rows;  /* of the slab: the rows that are done together */
    int64_t room;         /* rows of a slab at most */
    int64_t per;          /* blocks of columns that a block of threads takes */
    double *part;         /* (blocks, 1 + d, room) a block's sum of weights, then of differences */
    double *top;          /* (blocks, room) its largest score */
    double *bound;        /* (n) */
    int32_t *need;        /* (n) enum need */
    int32_t *wanted;      /* how many rows need a pass for their maxima */
    int64_t *flags;       /* enum flag */
    double *displacement; /* (n, d) */
    struct trop_device_note *notes; /* (n) */
};

/* ---- a row ------------------------------------------------------------------------------- */

DEVICE int64_t visible_of(const struct job *p, int64_t i)
{
    return p->causal ? i + 1 : p->n;
}

DEVICE int64_t blocks_of(int64_t columns)
{
    return (columns + TROP_BLOCK - 1) / TROP_BLOCK;
}

/* Query i: coordinate c stands at c * y_step. */
DEVICE const double *query_of(int64_t *y_step, const struct job *p, int64_t i)
{
    *y_step = p->y ? 1 : p->stride;
    return p->y ? p->y + i * p->d : p->xt + i;
}

DEVICE double score_of(const struct job *p, const double *y, int64_t y_step, int64_t j)
{
    double s = y[0] * p->xt[j];

    for (int64_t c = 1; c < p->d; c++) {
        s = fma(y[c * y_step], p->xt[c * p->stride + j], s);
    }
    return s;
}

DEVICE double *part_of(const struct job *p, int64_t block, int64_t k, int64_t i)
{
    return p->part + (block * (p->d + 1) + k) * p->room + (i - p->first);
}

DEVICE double top_of(const struct job *p, int64_t i)
{
    const int64_t blocks = blocks_of(visible_of(p, i));
    double most = -INFINITY;

    for (int64_t b = 0; b < blocks; b++) {
        const double t = p->top[b * p->room + (i - p->first)];
        most = t > most ? t : most;
    }
    return most;
}

/* The row of this thread of the kernels that take one each, or -1. */
DEVICE int64_t row_of(const struct job *p, int64_t block_x, int thread)
{
    const int64_t r = block_x * GRID_THREADS + thread;

    return r < p->rows ? p->first + r : -1;
}

/* ---- begin, raise -------------------------------------------------------------------------- */

DEVICE void begin_row(const struct job *p, int64_t i)
{
    struct trop_device_note *note = p->notes + i;
    const int64_t norm = p->norms == 1 ? 0 : i;
    int64_t y_step;
    const double *y = query_of(&y_step, p, i);
    double shift = 0;

    p->bound[i] = trop_decide_reach(y, p->reach, p->d, y_step);
    p->need[i] = ONCE;
    note->doubt = TROP_DEVICE_SURE;
    if (p->rule == TROP_DEVICE_SOFTMAX) {
        struct trop_attend_shift shared;
        shared.d = p->d;
        shared.beta = p->beta;
        shared.multiple = p->multiple;
        shared.most = p->most[norm];
        shared.least = p->least[norm];
        if (trop_attend_shift_coarse(p->beta, p->bound[i])) {
            note->doubt = TROP_DEVICE_ROW;
        } else if (!trop_attend_shift_once(&shift, &shared, y, y_step, p->xt + i, p->stride)) {
            p->need[i] = AGAIN;
            grid_count(p->wanted);
        }
    }
    note->shift = shift;
}

KERNEL(begin)
{
    EACH_THREAD
    {
        const int64_t i = row_of(&job, BLOCK_X, thread);
        if (i >= 0) {
            begin_row(&job, i);
        }
    }
    MEET();
}

KERNEL(raise)
{
    EACH_THREAD
    {
        const int64_t i = row_of(&job, BLOCK_X, thread);
        if (i >= 0 && job.need[i] == AGAIN) {
            job.notes[i].shift = job.beta * top_of(&job, i);
        }
    }
    MEET();
}

/* ---- the set of localmax
 * -------------------------------------------------------------------------- */

/* Members of a part of a row's set. */
struct found {
    int64_t members, lowest;
    uint64_t set;
};

/* 1 when column j of score s is in the set of row i, whose note has low and high in shift and total
 * until it is finished. Where double does not tell, the row is left to the processor. */
DEVICE int member(struct found *found, const struct job *p, int64_t i, int64_t j, double s,
                  double low, double high)
{
    int sign = s >= high;

    if (!sign && s >= low) {
        int64_t y_step;
        const double *y = query_of(&y_step, p, i);
        sign = trop_decide_sieve(y, y_step, p->xt + j, p->xt + p->notes[i].best, p->stride, p->d,
                                 p->shift, p->delta);
        if (sign == TROP_DECIDE_OPEN) {
            p->notes[i].doubt = TROP_DEVICE_ROW;
            return 0;
        }
        sign = sign >= 0;
    }
    if (sign) {
        found->lowest = found->members == 0 ? j : found->lowest;
        found->members++;
        found->set += trop_kernel_tag(j);
    }
    return sign;
}

/* What a thread has found is added to the row's: whole numbers, in any order. */
DEVICE void found_add(const struct job *p, int64_t i, const struct found *found)
{
    if (found->members > 0) {
        grid_add(&p->notes[i].members, found->members);
        grid_add((int64_t *)&p->notes[i].set, (int64_t)found->set);
        grid_lower(&p->notes[i].lowest, found->lowest);
    }
}

/* ---- sweeps in few dimensions: a row is a thread's --------------------------------------------
 */

struct few {
    int64_t i, visible; /* visible: 0 when there is nothing to do */
    double y[FEW], anchor[FEW], shift, high;
};

DEVICE void few_begin(struct few *row, const struct job *p, int64_t i, int d, int mode)
{
    row->i = i;
    row->visible = 0;
    if (i < 0 || (mode == TOPS && p->rule == TROP_DEVICE_SOFTMAX && p->need[i] != AGAIN)) {
        return;
    }
    int64_t y_step;
    const double *y = query_of(&y_step, p, i);
    row->visible = visible_of(p, i);
    row->shift = p->notes[i].shift;
    row->high = mode == LEVEL ? p->notes[i].total : 0;
    UNROLL for (int c = 0; c < d; c++)
    {
        row->y[c] = y[c * y_step];
        row->anchor[c] = p->xt[c * p->stride + i];
    }
}

/* A row on `width` columns of block b, which stand in x (d, TROP_BLOCK): its sums and its largest
 * score. Columns out of a set would add 0, which changes no sum that began with +0. */
DEVICE void few_columns(double *sum, double *most, struct found *found, const struct job *p,
                        const struct few *row, const double *x, const double *mass, int64_t b,
                        int width, int d, int mode)
{
    double lane[TROP_LANES * (FEW + 1)], top = -INFINITY;

    UNROLL for (int k = 0; k < TROP_LANES * (FEW + 1); k++)
    {
        lane[k] = 0;
    }
    for (int first = 0; first < width; first += TROP_LANES) {
        UNROLL for (int l = 0; l < TROP_LANES; l++)
        {
            const int j = first + l;
            if (j < width) {
                double s = row->y[0] * x[j], w = 1;
                UNROLL for (int c = 1; c < d; c++)
                {
                    s = fma(row->y[c], x[c * TROP_BLOCK + j], s);
                }
                top = s > top ? s : top;
                if (mode == SOFTEN) {
                    w = trop_exp_inline(fma(p->beta, s, -row->shift));
                }
                if (mode == SOFTEN || (mode == LEVEL && member(found, p, row->i, b * TROP_BLOCK + j,
                                                               s, row->shift, row->high))) {
                    w = mass ? w * mass[j] : w;
                    lane[l] += w;
                    UNROLL for (int c = 0; c < d; c++)
                    {
                        const int at = (c + 1) * TROP_LANES + l;
                        lane[at] = fma(w, x[c * TROP_BLOCK + j] - row->anchor[c], lane[at]);
                    }
                }
            }
        }
    }
    *most = top;
    UNROLL for (int k = 0; mode != TOPS && k < d + 1; k++)
    {
        sum[k] = trop_kernel_tree(lane + k * TROP_LANES);
    }
}

DEVICE void few_block(const struct job *p, const struct few *row, const double *x,
                      const double *mass, int64_t b, int d, int mode)
{
    const int64_t left = row->visible - b * TROP_BLOCK;
    struct found found = { 0, 0, 0 };
    double sum[FEW + 1], top;

    if (left <= 0) {
        return;
    }
    if (left >= TROP_BLOCK) { /* a number that the compiler knows */
        few_columns(sum, &top, &found, p, row, x, mass, b, TROP_BLOCK, d, mode);
    } else {
        few_columns(sum, &top, &found, p, row, x, mass, b, (int)left, d, mode);
    }
    p->top[b * p->room + (row->i - p->first)] = top;
    UNROLL for (int k = 0; mode != TOPS && k < d + 1; k++)
    {
        *part_of(p, b, k, row->i) = sum[k];
    }
    found_add(p, row->i, &found);
}

/* d and mode are numbers that the compiler knows. */
DEVICE void few_sweep(const struct job *p, int64_t block_x, int64_t block_y, int d, int mode)
{
    const int64_t blocks = blocks_of(p->n), from = block_y * p->per;
    const int64_t to = from + p->per < blocks ? from + p->per : blocks;
    SHARED(double, x, FEW *TROP_BLOCK);
    SHARED(double, mass, TROP_BLOCK);
    PRIVATE(struct few, row);

    if (mode == TOPS && p->rule == TROP_DEVICE_SOFTMAX && *p->wanted == 0) {
        return;
    }
    EACH_THREAD
    {
        few_begin(OWN(row), p, row_of(p, block_x, thread), d, mode);
    }
    for (int64_t b = from; b < to; b++) {
        EACH_THREAD
        {
            for (int k = thread; k < TROP_BLOCK; k += GRID_THREADS) {
                const int64_t j = b * TROP_BLOCK + k;
                UNROLL for (int c = 0; c < d; c++)
                {
                    x[c * TROP_BLOCK + k] = j < p->n ? p->xt[c * p->stride + j] : 0;
                }
                mass[k] = p->mass && j < p->n ? p->mass[j] : 0;
            }
        }
        MEET();
        EACH_THREAD
        {
            few_block(p, OWN(row), x, p->mass ? mass : NULL, b, d, mode);
        }
        MEET();
    }
}

#define FEW_KERNELS(d) \
    KERNEL(tops_##d) \
    { \
        few_sweep(&job, BLOCK_X, BLOCK_Y, d, TOPS); \
    } \
    KERNEL(soften_##d) \
    { \
        few_sweep(&job, BLOCK_X, BLOCK_Y, d, SOFTEN); \
    } \
    KERNEL(level_##d) \
    { \
        few_sweep(&job, BLOCK_X, BLOCK_Y, d, LEVEL); \
    }
FEW_KERNELS(1)
FEW_KERNELS(2)
FEW_KERNELS(3)
FEW_KERNELS(4)

#endif
