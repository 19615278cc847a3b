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

#define FEW 4          /* coordinates up to which a row is one thread's */
#define WIDE_ROWS 16   /* rows of a block of threads above: TROP_LANES threads each */
#define WIDE_CHUNK 32  /* coordinates of a query at a time */
#define WIDE_COLUMNS 2 /* of a thread: TROP_BLOCK / GRID_THREADS */

enum need { ONCE, AGAIN }; /* passes of softmax that a row takes */

/* What kernels are told. Everything is the device's own memory. */
struct job {
    int64_t n, d, stride;
    const double *xt, *y, *mass, *reach, *most, *least;
    int64_t norms, rule, causal, lowest, scale, scaled, margins;
    double beta, multiple;

    int64_t first, rows; /* of the slab: the rows that are done together */
    int64_t room;        /* rows of a slab at most */
    int64_t per;         /* blocks of columns that a block of threads takes */
    double *part;        /* (blocks, 1 + d, room) a block's sum of weights, then of differences */
    double *top;         /* (blocks, room) its largest score */
    double *bound;       /* (n) */
    int32_t *need;       /* (n) enum need */
    int32_t *wanted; /* how many rows need a pass for their maxima; then how many are in doubt */
    double *displacement;           /* (n, d) */
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

/* ---- sweeps in few dimensions: a row is a thread's --------------------------------------------
 */

struct few {
    int64_t i, visible; /* visible: 0 when there is nothing to do */
    double y[FEW], anchor[FEW], shift;
};

DEVICE void few_begin(struct few *row, const struct job *p, int64_t i, int d, int soften)
{
    row->i = i;
    row->visible = 0;
    if (i < 0 || (!soften && p->rule == TROP_DEVICE_SOFTMAX && p->need[i] != AGAIN)) {
        return;
    }
    int64_t y_step;
    const double *y = query_of(&y_step, p, i);
    row->visible = visible_of(p, i);
    row->shift = p->notes[i].shift;
    UNROLL for (int c = 0; c < d; c++)
    {
        row->y[c] = y[c * y_step];
        row->anchor[c] = p->xt[c * p->stride + i];
    }
}

/* A row on `width` columns of a block, which stand in x (d, TROP_BLOCK): its sums and its largest
 * score. */
DEVICE void few_columns(double *sum, double *most, const struct few *row, const double *x,
                        const double *mass, double beta, int width, int d, int soften)
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
                double s = row->y[0] * x[j];
                UNROLL for (int c = 1; c < d; c++)
                {
                    s = fma(row->y[c], x[c * TROP_BLOCK + j], s);
                }
                top = s > top ? s : top;
                if (soften) {
                    double w = trop_exp_inline(fma(beta, s, -row->shift));
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
    UNROLL for (int k = 0; soften && k < d + 1; k++)
    {
        sum[k] = trop_kernel_tree(lane + k * TROP_LANES);
    }
}

DEVICE void few_block(const struct job *p, const struct few *row, const double *x,
                      const double *mass, int64_t b, int d, int soften)
{
    const int64_t left = row->visible - b * TROP_BLOCK;
    double sum[FEW + 1], top;

    if (left <= 0) {
        return;
    }
    if (left >= TROP_BLOCK) { /* a number that the compiler knows */
        few_columns(sum, &top, row, x, mass, p->beta, TROP_BLOCK, d, soften);
    } else {
        few_columns(sum, &top, row, x, mass, p->beta, (int)left, d, soften);
    }
    p->top[b * p->room + (row->i - p->first)] = top;
    UNROLL for (int k = 0; soften && k < d + 1; k++)
    {
        *part_of(p, b, k, row->i) = sum[k];
    }
}

/* d and soften are numbers that the compiler knows. */
DEVICE void few_sweep(const struct job *p, int64_t block_x, int64_t block_y, int d, int soften)
{
    const int64_t blocks = blocks_of(p->n), from = block_y * p->per;
    const int64_t to = from + p->per < blocks ? from + p->per : blocks;
    SHARED(double, x, FEW *TROP_BLOCK);
    SHARED(double, mass, TROP_BLOCK);
    PRIVATE(struct few, row);

    if (!soften && p->rule == TROP_DEVICE_SOFTMAX && *p->wanted == 0) {
        return;
    }
    EACH_THREAD
    {
        few_begin(OWN(row), p, row_of(p, block_x, thread), d, soften);
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
            few_block(p, OWN(row), x, p->mass ? mass : NULL, b, d, soften);
        }
        MEET();
    }
}

#define FEW_KERNELS(d) \
    KERNEL(tops_##d) \
    { \
        few_sweep(&job, BLOCK_X, BLOCK_Y, d, 0); \
    } \
    KERNEL(soften_##d) \
    { \
        few_sweep(&job, BLOCK_X, BLOCK_Y, d, 1); \
    }
FEW_KERNELS(1)
FEW_KERNELS(2)
FEW_KERNELS(3)
FEW_KERNELS(4)

/* ---- sweeps in many dimensions ------------------------------------------------------------------
 */

#define WIDE_AT (thread / TROP_LANES) /* the row of a thread, */
#define WIDE_LANE (thread % TROP_LANES)
#define WIDE_TOGETHER 4 /* coordinates of an average that share a load of the weights */

/* Row r of the block of threads; rows behind the last are the last one again, and not written. */
DEVICE int64_t wide_row(const struct job *p, int64_t block_x, int r)
{
    const int64_t k = block_x * WIDE_ROWS + r;

    return p->first + (k < p->rows ? k : p->rows - 1);
}

DEVICE int wide_writes(const struct job *p, int64_t block_x, int r, int64_t b, int soften)
{
    const int64_t i = wide_row(p, block_x, r);

    return block_x * WIDE_ROWS + r < p->rows && visible_of(p, i) > b * TROP_BLOCK &&
           (soften || p->rule != TROP_DEVICE_SOFTMAX || p->need[i] == AGAIN);
}

struct wide {
    double s[WIDE_ROWS * WIDE_COLUMNS];
};

/* The scores of all rows on the thread's columns, by the coordinates c0 .. c1-1. */
DEVICE void wide_scores(struct wide *own, const struct job *p, const double *y, int64_t b,
                        int64_t c0, int64_t c1, int thread)
{
    for (int64_t c = c0; c < c1; c++) {
        UNROLL for (int k = 0; k < WIDE_COLUMNS; k++)
        {
            const int64_t j = b * TROP_BLOCK + thread + k * GRID_THREADS;
            const double x = j < p->n ? p->xt[c * p->stride + j] : 0;
            UNROLL for (int r = 0; r < WIDE_ROWS; r++)
            {
                double *s = own->s + r * WIDE_COLUMNS + k;
                const double yc = y[r * WIDE_CHUNK + (c - c0)];
                *s = c == 0 ? yc * x : fma(yc, x, *s);
            }
        }
    }
}

/* Scores of a lane of a row become weights: their sum, and the largest score. */
DEVICE void wide_weigh(double *sum, double *most, double *score, const struct job *p, int64_t i,
                       int64_t b, int lane, int soften)
{
    const int64_t left = visible_of(p, i) - b * TROP_BLOCK;
    const double shift = p->notes[i].shift;
    double total = 0, top = -INFINITY;

    for (int j = lane; j < TROP_BLOCK; j += TROP_LANES) {
        double w = 0;
        if (j < left) {
            const double s = score[j];
            top = s > top ? s : top;
            if (soften) {
                w = trop_exp_inline(fma(p->beta, s, -shift));
                w = p->mass ? w * p->mass[b * TROP_BLOCK + j] : w;
            }
        }
        score[j] = w;
        total += w;
    }
    *sum = total;
    *most = top;
}

/* One lane's sums of a few coordinates, c and on, of row i. */
DEVICE void wide_average(double *lanes, const struct job *p, const double *weight, int64_t i,
                         int64_t b, int64_t c, int lane)
{
    double s[WIDE_TOGETHER], anchor[WIDE_TOGETHER];

    UNROLL for (int k = 0; k < WIDE_TOGETHER; k++)
    {
        s[k] = 0;
        anchor[k] = c + k < p->d ? p->xt[(c + k) * p->stride + i] : 0;
    }
    for (int j = lane; j < TROP_BLOCK; j += TROP_LANES) {
        const int64_t column = b * TROP_BLOCK + j;
        const double w = weight[j];
        if (column < p->n) {
            UNROLL for (int k = 0; k < WIDE_TOGETHER; k++)
            {
                const double x = c + k < p->d ? p->xt[(c + k) * p->stride + column] : 0;
                s[k] = fma(w, x - anchor[k], s[k]);
            }
        }
    }
    UNROLL for (int k = 0; k < WIDE_TOGETHER; k++)
    {
        lanes[k * GRID_THREADS] = s[k];
    }
}

DEVICE void wide_sweep(const struct job *p, int64_t block_x, int64_t block_y, int soften)
{
    const int64_t blocks = blocks_of(p->n), from = block_y * p->per;
    const int64_t to = from + p->per < blocks ? from + p->per : blocks;
    SHARED(double, score, WIDE_ROWS *TROP_BLOCK);
    SHARED(double, y, WIDE_ROWS *WIDE_CHUNK);
    SHARED(double, lanes, WIDE_TOGETHER *GRID_THREADS);
    PRIVATE(struct wide, own);

    if (!soften && p->rule == TROP_DEVICE_SOFTMAX && *p->wanted == 0) {
        return;
    }
    for (int64_t b = from; b < to; b++) {
        for (int64_t c0 = 0; c0 < p->d; c0 += WIDE_CHUNK) {
            const int64_t c1 = c0 + WIDE_CHUNK < p->d ? c0 + WIDE_CHUNK : p->d;
            EACH_THREAD
            {
                for (int k = thread; k < WIDE_ROWS * WIDE_CHUNK; k += GRID_THREADS) {
                    int64_t y_step;
                    const double *q = query_of(&y_step, p, wide_row(p, block_x, k / WIDE_CHUNK));
                    const int64_t c = c0 + k % WIDE_CHUNK;
                    y[k] = c < c1 ? q[c * y_step] : 0;
                }
            }
            MEET();
            EACH_THREAD
            {
                wide_scores(OWN(own), p, y, b, c0, c1, thread);
            }
            MEET();
        }
        EACH_THREAD
        {
            UNROLL for (int k = 0; k < WIDE_ROWS * WIDE_COLUMNS; k++)
            {
                score[k / WIDE_COLUMNS * TROP_BLOCK + thread + k % WIDE_COLUMNS * GRID_THREADS] =
                    OWN(own)->s[k];
            }
        }
        MEET();
        EACH_THREAD
        {
            wide_weigh(lanes + thread, lanes + GRID_THREADS + thread, score + WIDE_AT * TROP_BLOCK,
                       p, wide_row(p, block_x, WIDE_AT), b, WIDE_LANE, soften);
        }
        MEET();
        EACH_THREAD
        {
            if (WIDE_LANE == 0 && wide_writes(p, block_x, WIDE_AT, b, soften)) {
                const int64_t i = wide_row(p, block_x, WIDE_AT);
                const double *most = lanes + GRID_THREADS + thread;
                double top = -INFINITY;
                for (int l = 0; l < TROP_LANES; l++) {
                    top = most[l] > top ? most[l] : top;
                }
                p->top[b * p->room + (i - p->first)] = top;
                if (soften) {
                    *part_of(p, b, 0, i) = trop_kernel_tree(lanes + thread);
                }
            }
        }
        MEET();
        for (int64_t c = 0; soften && c < p->d; c += WIDE_TOGETHER) {
            EACH_THREAD
            {
                wide_average(lanes + thread, p, score + WIDE_AT * TROP_BLOCK,
                             wide_row(p, block_x, WIDE_AT), b, c, WIDE_LANE);
            }
            MEET();
            EACH_THREAD
            {
                /* Thread l of a row's eight adds the lanes of coordinate c + l. */
                const int64_t i = wide_row(p, block_x, WIDE_AT);
                if (WIDE_LANE < WIDE_TOGETHER && c + WIDE_LANE < p->d &&
                    wide_writes(p, block_x, WIDE_AT, b, 1)) {
                    *part_of(p, b, 1 + c + WIDE_LANE, i) =
                        trop_kernel_tree(lanes + WIDE_LANE * GRID_THREADS + WIDE_AT * TROP_LANES);
                }
            }
            MEET();
        }
    }
}

KERNEL(tops_many)
{
    wide_sweep(&job, BLOCK_X, BLOCK_Y, 0);
}

KERNEL(soften_many)
{
    wide_sweep(&job, BLOCK_X, BLOCK_Y, 1);
}

/* ---- finish
 * --------------------------------------------------------------------------------------- */

DEVICE int same_place(const struct job *p, int64_t a, int64_t b)
{
    int same = 1;

    for (int64_t c = 0; c < p->d; c++) {
        same &= p->xt[c * p->stride + a] == p->xt[c * p->stride + b];
    }
    return same;
}

/* Takes column j into the maximisers so far; 0: double does not tell. */
DEVICE int settle_one(struct trop_device_note *note, const struct job *p, const double *y,
                      int64_t y_step, int64_t j)
{
    const int sign = note->ties == 0 ? 1
                                     : trop_decide_sieve(y, y_step, p->xt + j, p->xt + note->best,
                                                         p->stride, p->d, 0, 0);

    if (sign == TROP_DECIDE_OPEN) {
        return 0;
    }
    if (sign > 0) {
        note->best = j;
        note->ties = 0;
        note->set = 0;
        note->unique = 1;
    } else if (sign == 0 && !same_place(p, j, note->best)) {
        note->unique = 0;
    }
    if (sign >= 0) {
        note->ties++;
        note->set += trop_kernel_tag(j);
    }
    return 1;
}

/* The exact maximisers of row i; 0: double does not tell. */
DEVICE int settle(struct trop_device_note *note, const struct job *p, int64_t i)
{
    const int64_t visible = visible_of(p, i), blocks = blocks_of(visible);
    const double threshold = top_of(p, i) - 2 * p->bound[i];
    int64_t y_step;
    const double *y = query_of(&y_step, p, i);

    for (int64_t b = 0; b < blocks; b++) {
        const int64_t end = (b + 1) * TROP_BLOCK < visible ? (b + 1) * TROP_BLOCK : visible;
        if (!(p->top[b * p->room + (i - p->first)] >= threshold)) {
            continue;
        }
        for (int64_t j = b * TROP_BLOCK; j < end; j++) {
            if (score_of(p, y, y_step, j) >= threshold && !settle_one(note, p, y, y_step, j)) {
                return 0;
            }
        }
    }
    return note->ties > 0;
}

/* The best column behind the maximisers. One of them is no further from the best than double tells:
 * what settle passed over without a tie was beaten for certain, by it or by one that it beat. */
DEVICE int64_t second_of(const struct trop_device_note *note, const struct job *p, int64_t i)
{
    const int64_t visible = visible_of(p, i), blocks = blocks_of(visible);
    const double threshold = top_of(p, i) - 2 * p->bound[i], *best = p->xt + note->best;
    double most = -INFINITY;
    int64_t y_step, at = -1;
    const double *y = query_of(&y_step, p, i);

    for (int64_t b = 0; b < blocks; b++) {
        const int64_t end = (b + 1) * TROP_BLOCK < visible ? (b + 1) * TROP_BLOCK : visible;
        if (!(p->top[b * p->room + (i - p->first)] > most)) {
            continue;
        }
        for (int64_t j = b * TROP_BLOCK; j < end; j++) {
            const double s = score_of(p, y, y_step, j);
            if (s > most && !(s >= threshold && trop_decide_sieve(y, y_step, p->xt + j, best,
                                                                  p->stride, p->d, 0, 0) == 0)) {
                most = s;
                at = j;
            }
        }
    }
    return at;
}

/* The averages of softmax, from the sums of blocks in their order. */
DEVICE void displace(struct trop_device_note *note, const struct job *p, int64_t i)
{
    const int64_t blocks = blocks_of(visible_of(p, i));
    double total = 0;

    for (int64_t b = 0; b < blocks; b++) {
        total += *part_of(p, b, 0, i);
    }
    for (int64_t c = 0; c < p->d; c++) {
        double sum = 0;
        for (int64_t b = 0; b < blocks; b++) {
            sum += *part_of(p, b, 1 + c, i);
        }
        const double value = total > 0 ? sum / total : 0;
        p->displacement[i * p->d + c] = p->scale ? ldexp(value, (int)p->scale) : value;
    }
    note->total = total;
}

/* What is decided here of row i, as far as double tells; the rest is its doubt. */
DEVICE void finish_row(const struct job *p, int64_t i)
{
    struct trop_device_note note = p->notes[i];
    const int hard = p->rule == TROP_DEVICE_HARDMAX;

    note.best = -1;
    note.ties = 0;
    note.second = -1;
    note.set = 0;
    note.total = 0;
    note.unique = 0;
    if (note.doubt != TROP_DEVICE_ROW) {
        const int sure = !p->scaled && settle(&note, p, i) && !(hard && !p->lowest && !note.unique);
        note.doubt = sure ? TROP_DEVICE_SURE : hard ? TROP_DEVICE_ROW : TROP_DEVICE_MAXIMUM;
        if (!hard) {
            displace(&note, p, i);
        }
        if (p->margins && sure && note.unique) {
            note.second = second_of(&note, p, i);
        }
    }
    if (hard && note.doubt == TROP_DEVICE_SURE) {
        /* From the first point, to which nothing is added (row.c): a point of -0 is one of 0. */
        for (int64_t c = 0; c < p->d; c++) {
            const double *x = p->xt + c * p->stride;
            p->displacement[i * p->d + c] = (x[note.best] + 0.0) - x[i];
        }
    } else if (note.doubt == TROP_DEVICE_ROW) {
        for (int64_t c = 0; c < p->d; c++) {
            p->displacement[i * p->d + c] = 0;
        }
    }
    p->notes[i] = note;
}

KERNEL(finish)
{
    EACH_THREAD
    {
        const int64_t i = row_of(&job, BLOCK_X, thread);
        if (i >= 0) {
            finish_row(&job, i);
        }
    }
    MEET();
}

#endif
