/* walk.h -- steps of the layer with the tokens where they are, on the device; part of
 * device_body.c.
 *
 *   extents   of each coordinate, and of |x|^2, the extremes over a part of the tokens
 *   measure   those of all tokens: reach, most and least; whether scores would have to be scaled
 *   query     y = t x, unless t = 1
 *   move      x + gamma (avg - x) into the other copy of the tokens, and what a step leaves behind
 *             beside them: targets, leaders, changes of target (flow_look.c)
 *
 * Between measure and move stand the kernels of rows.h. Extremes do not depend on the order in
 * which they are found, nor do counts. Rows in doubt are counted: while there is one no token
 * moves, and the step is the processor's.
 */
#ifndef TROP_CUDA_WALK_H
#define TROP_CUDA_WALK_H

#define PARTS 64 /* of the tokens, whose extremes are found side by side */
#define LARGE 0x1p400
#define SMALL 0x1p-401 /* sizes from SMALL to below LARGE are not scaled (attend_load.c) */

struct walk {
    struct job job;
    double *xt, *next, *y; /* job.xt to be written; (d, stride) where tokens go to; (n, d) */
    double *reach, *most, *least;
    double *extent; /* (d + 2, PARTS) */
    int64_t *target, *led;
    int64_t *switches; /* how many, and the last step with one */
    double factor;     /* y = factor x */
    double gamma;
    int64_t step, proved; /* proved: targets and leaders stay */
};

KERNEL_OF(extents, struct walk)
{
    const struct job *p = &job.job;
    const int64_t c = BLOCK_Y;
    SHARED(double, most, GRID_THREADS);
    SHARED(double, least, GRID_THREADS);

    EACH_THREAD
    {
        double top = 0, low = INFINITY;
        for (int64_t j = BLOCK_X * GRID_THREADS + thread; j < p->n; j += PARTS * GRID_THREADS) {
            double size = 0;
            if (c < p->d) {
                size = fabs(p->xt[c * p->stride + j]);
            } else {
                for (int64_t k = 0; k < p->d; k++) {
                    const double x = p->xt[k * p->stride + j];
                    size += x * x;
                }
            }
            top = size > top ? size : top;
            low = size < low ? size : low;
        }
        most[thread] = top;
        least[thread] = low;
    }
    MEET();
    EACH_THREAD
    {
        if (thread == 0) {
            for (int k = 1; k < GRID_THREADS; k++) {
                most[0] = most[k] > most[0] ? most[k] : most[0];
                least[0] = least[k] < least[0] ? least[k] : least[0];
            }
            job.extent[c * PARTS + BLOCK_X] = most[0];
            if (c == p->d) {
                job.extent[(c + 1) * PARTS + BLOCK_X] = least[0];
            }
        }
    }
    MEET();
}

/* One block of threads. */
KERNEL_OF(measure, struct walk)
{
    const int64_t d = job.job.d;

    EACH_THREAD
    {
        for (int64_t c = thread; c < d + 2; c += GRID_THREADS) {
            double best = job.extent[c * PARTS];
            for (int k = 1; k < PARTS; k++) {
                const double e = job.extent[c * PARTS + k];
                best = (c <= d ? e > best : e < best) ? e : best;
            }
            *(c < d ? job.reach + c : c == d ? job.most : job.least) = best;
        }
        if (thread < FLAGS && thread != BROKEN) {
            job.job.flags[thread] = 0;
        }
    }
    MEET();
    EACH_THREAD
    {
        if (thread == 0) {
            double size = 0;
            for (int64_t c = 0; c < d; c++) {
                size = job.reach[c] > size ? job.reach[c] : size;
            }
            const double query = fabs(job.factor) * size;
            job.job.flags[SCALED] = !((size == 0 || (size >= SMALL && size < LARGE)) &&
                                      (query == 0 || (query >= SMALL && query < LARGE)));
        }
    }
    MEET();
}

KERNEL_OF(query, struct walk)
{
    EACH_THREAD
    {
        const int64_t i = row_of(&job.job, BLOCK_X, thread);
        for (int64_t c = 0; i >= 0 && c < job.job.d; c++) {
            job.y[i * job.job.d + c] = job.factor * job.xt[c * job.job.stride + i];
        }
    }
    MEET();
}

/* Where token i looks, and whether it leads: flow_look.c without merged tokens. */
DEVICE void notice(const struct walk *w, int64_t i)
{
    const struct job *p = &w->job;
    const struct trop_device_note *note = p->notes + i;
    const int64_t before = w->target[i], now = note->unique ? note->best : -1;

    if (!(now >= 0 && before >= 0 && same_place(p, before, note->best))) {
        if (now >= 0 && before >= 0) {
            grid_add(w->switches, 1);
            w->switches[1] = w->step;
        }
        w->target[i] = now;
    }
    if (note->best == i && (note->ties == 1 || (p->rule == TROP_DEVICE_HARDMAX && p->lowest))) {
        w->led[i] = 1;
    }
}

KERNEL_OF(move, struct walk)
{
    const struct job *p = &job.job;

    EACH_THREAD
    {
        const int64_t i = row_of(p, BLOCK_X, thread);
        if (i >= 0) {
            const struct trop_device_note *note = p->notes + i;
            const int hard = p->rule == TROP_DEVICE_HARDMAX;
            const int64_t only =
                p->n == 1 || (hard && (note->unique || p->lowest)) ? note->best : -1;
            if (!job.proved) {
                notice(&job, i);
            }
            for (int64_t c = 0; c < p->d; c++) {
                const double *x = p->xt + c * p->stride;
                const double step = p->displacement[i * p->d + c];
                /* dynamics_layer.c: a step of 1 ends at the average, or at the one token there. */
                const double to = job.gamma != 1 ? fma(job.gamma, step, x[i])
                                  : only >= 0    ? x[only]
                                                 : x[i] + step;
                job.next[c * p->stride + i] = to;
                if (!(fabs(to) <= DBL_MAX)) {
                    job.job.flags[BROKEN] = 1;
                }
            }
        }
    }
    MEET();
}

#endif
