/* finish.h -- what a row comes to: its average, its exact maximisers, its note; part of
 * device_body.c, after rows.h, whose head says how maximisers are decided. A thread has a row.
 */
#ifndef TROP_CUDA_FINISH_H
#define TROP_CUDA_FINISH_H

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

/* The average from the sums of blocks in their order. */
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

DEVICE void clear(struct trop_device_note *note)
{
    note->best = -1;
    note->ties = 0;
    note->second = -1;
    note->set = 0;
    note->total = 0;
    note->unique = 0;
    note->members = 0;
    note->lowest = INT64_MAX;
}

/* The maximisers of row i, and what is behind them, as far as double tells; the rest is its doubt.
 */
DEVICE void decide(struct trop_device_note *note, const struct job *p, int64_t i)
{
    const int hard = p->rule == TROP_DEVICE_HARDMAX, soft = p->rule == TROP_DEVICE_SOFTMAX;
    const int sure = !p->scaled && settle(note, p, i) && !(hard && !p->lowest && !note->unique);

    note->doubt = sure ? TROP_DEVICE_SURE : soft ? TROP_DEVICE_MAXIMUM : TROP_DEVICE_ROW;
    if (p->margins && sure && note->unique) {
        note->second = second_of(note, p, i);
    }
}

/* Of localmax, between tops and level. */
KERNEL(cut)
{
    EACH_THREAD
    {
        const int64_t i = row_of(&job, BLOCK_X, thread);
        if (i >= 0) {
            struct trop_device_note note = job.notes[i];
            double at, slack;
            clear(&note);
            decide(&note, &job, i);
            trop_attend_shift_cut(&at, &slack, top_of(&job, i), job.bound[i], job.shift, job.delta);
            note.shift = at - slack;
            note.total = at + slack;
            note.set = 0; /* that of the maximisers until here */
            job.notes[i] = note;
        }
    }
    MEET();
}

DEVICE void finish_row(const struct job *p, int64_t i)
{
    struct trop_device_note note = p->notes[i];

    if (p->rule != TROP_DEVICE_LOCALMAX) {
        clear(&note);
    }
    if (p->rule != TROP_DEVICE_LOCALMAX && note.doubt != TROP_DEVICE_ROW) {
        decide(&note, p, i);
    }
    if (note.doubt == TROP_DEVICE_ROW) {
        for (int64_t c = 0; c < p->d; c++) {
            p->displacement[i * p->d + c] = 0;
        }
    } else if (p->rule == TROP_DEVICE_HARDMAX) {
        /* From the first point, to which nothing is added (row.c): a point of -0 is one of 0. */
        for (int64_t c = 0; c < p->d; c++) {
            const double *x = p->xt + c * p->stride;
            p->displacement[i * p->d + c] = (x[note.best] + 0.0) - x[i];
        }
    } else {
        displace(&note, p, i);
    }
    p->notes[i] = note;
    double square = 0; /* flow_look.c */
    for (int64_t c = 0; c < p->d; c++) {
        square = fma(p->displacement[i * p->d + c], p->displacement[i * p->d + c], square);
    }
    grid_raise(p->flags + SQUARE, square);
    if (note.doubt != TROP_DEVICE_SURE) {
        grid_add(p->flags + DOUBTS, 1);
    }
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
