/* wide.h -- tops and soften in many dimensions; part of device_body.c, after rows.h.
 *
 * A block of threads has WIDE_ROWS rows, TROP_LANES threads for each. Scores of a block of columns
 * are taken column by column, WIDE_COLUMNS a thread, and stand in shared memory; then a thread has
 * a lane of a row: its weights, and its sums of a few coordinates at a time.
 */
#ifndef TROP_CUDA_WIDE_H
#define TROP_CUDA_WIDE_H

#define WIDE_ROWS 16   /* rows of a block of threads above: TROP_LANES threads each */
#define WIDE_CHUNK 32  /* coordinates of a query at a time */
#define WIDE_COLUMNS 2 /* of a thread: TROP_BLOCK / GRID_THREADS */
#define WIDE_AT (thread / TROP_LANES) /* the row of a thread, */
#define WIDE_LANE (thread % TROP_LANES)
#define WIDE_TOGETHER 4 /* coordinates of an average that share a load of the weights */

/* Row r of the block of threads; rows behind the last are the last one again, and not written. */
DEVICE int64_t wide_row(const struct job *p, int64_t block_x, int r)
{
    const int64_t k = block_x * WIDE_ROWS + r;

    return p->first + (k < p->rows ? k : p->rows - 1);
}

DEVICE int wide_writes(const struct job *p, int64_t block_x, int r, int64_t b, int mode)
{
    const int64_t i = wide_row(p, block_x, r);

    return block_x * WIDE_ROWS + r < p->rows && visible_of(p, i) > b * TROP_BLOCK &&
           (mode != TOPS || p->rule != TROP_DEVICE_SOFTMAX || p->need[i] == AGAIN);
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

/* Scores of a lane of a row become weights: their sum, and the largest score. writes: 0 of a row
 * that stands there a second time. */
DEVICE void wide_weigh(double *sum, double *most, double *score, const struct job *p, int64_t i,
                       int64_t b, int lane, int writes, int mode)
{
    const int64_t left = visible_of(p, i) - b * TROP_BLOCK;
    const double shift = p->notes[i].shift;
    const double high = mode == LEVEL ? p->notes[i].total : 0;
    struct found found = { 0, 0, 0 };
    double total = 0, top = -INFINITY;

    for (int j = lane; j < TROP_BLOCK; j += TROP_LANES) {
        double w = 0;
        if (j < left) {
            const double s = score[j];
            top = s > top ? s : top;
            if (mode == SOFTEN) {
                w = trop_exp_inline(fma(p->beta, s, -shift));
            } else if (mode == LEVEL) {
                w = member(&found, p, i, b * TROP_BLOCK + j, s, shift, high);
            }
            w = p->mass ? w * p->mass[b * TROP_BLOCK + j] : w;
        }
        score[j] = w;
        total += w;
    }
    *sum = total;
    *most = top;
    if (writes) {
        found_add(p, i, &found);
    }
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

DEVICE void wide_sweep(const struct job *p, int64_t block_x, int64_t block_y, int mode)
{
    const int64_t blocks = blocks_of(p->n), from = block_y * p->per;
    const int64_t to = from + p->per < blocks ? from + p->per : blocks;
    SHARED(double, score, WIDE_ROWS *TROP_BLOCK);
    SHARED(double, y, WIDE_ROWS *WIDE_CHUNK);
    SHARED(double, lanes, WIDE_TOGETHER *GRID_THREADS);
    PRIVATE(struct wide, own);

    if (mode == TOPS && p->rule == TROP_DEVICE_SOFTMAX && *p->wanted == 0) {
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
                       p, wide_row(p, block_x, WIDE_AT), b, WIDE_LANE,
                       wide_writes(p, block_x, WIDE_AT, b, mode), mode);
        }
        MEET();
        EACH_THREAD
        {
            if (WIDE_LANE == 0 && wide_writes(p, block_x, WIDE_AT, b, mode)) {
                const int64_t i = wide_row(p, block_x, WIDE_AT);
                const double *most = lanes + GRID_THREADS + thread;
                double top = -INFINITY;
                for (int l = 0; l < TROP_LANES; l++) {
                    top = most[l] > top ? most[l] : top;
                }
                p->top[b * p->room + (i - p->first)] = top;
                if (mode != TOPS) {
                    *part_of(p, b, 0, i) = trop_kernel_tree(lanes + thread);
                }
            }
        }
        MEET();
        for (int64_t c = 0; mode != TOPS && c < p->d; c += WIDE_TOGETHER) {
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
                    wide_writes(p, block_x, WIDE_AT, b, mode)) {
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
    wide_sweep(&job, BLOCK_X, BLOCK_Y, TOPS);
}

KERNEL(soften_many)
{
    wide_sweep(&job, BLOCK_X, BLOCK_Y, SOFTEN);
}

KERNEL(level_many)
{
    wide_sweep(&job, BLOCK_X, BLOCK_Y, LEVEL);
}

#endif
