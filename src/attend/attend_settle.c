/* attend_settle.c -- exact maximisers of rows, from the maxima of spans of columns.
 *
 * A computed score is off by at most `bound`, so every exact maximiser lies in a span whose
 * maximum is within 2 bounds of the largest, and is itself within them. Those spans, one or two
 * of generic data, are scored again and their candidates settled. In a collapsed cloud every
 * column is a candidate; they are then sifted by their differences from one of them, whose
 * rounding error shrinks with the distance: what trop_decide_score does first, eight columns at a
 * time.
 */
#include "attend/attend_internal.h"

#include "attend/decide.h"

#include <math.h>
#include <string.h>

#define ROOM 32 /* candidates for the maximum that are settled one by one */

/* ---- a tile's rows ------------------------------------------------------------------------ */

/* A span is scored again for its maximiser: in high dimension a short one is worth more than the
 * time to note it. */
int64_t trop_attend_settle_span(int64_t d)
{
    return d < 16 ? TROP_BLOCK : TROP_STRIP;
}

void trop_attend_settle_begin(struct trop_tile *tile, const struct trop_attend *a)
{
    const struct trop_scene *s = &a->scene;

    tile->d = s->d;
    tile->span = trop_attend_settle_span(s->d);
    tile->values = a->packed_x;
    tile->keys = s->keyst == s->xt ? a->packed_x : a->packed_keys;
    tile->mass = s->mass;
    tile->tag = a->tags;
    tile->rows = 0;
}

double trop_attend_settle_add(struct trop_tile *tile, const struct trop_attend *a, int64_t i)
{
    const struct trop_scene *s = &a->scene;
    int64_t r = tile->rows++;
    double *y = tile->y + r * s->d;

    tile->index[r] = i;
    tile->visible[r] = s->numbers.mask == TROP_MASK_CAUSAL ? i + 1 : s->n;
    tile->least[r] = -INFINITY;
    for (int64_t c = 0; c < s->d; c++) {
        y[c] = s->scale_y ? ldexp(s->y[i * s->d + c], -s->scale_y) : s->y[i * s->d + c];
        tile->anchor[r * s->d + c] = s->xt[c * s->stride + i];
    }
    return trop_decide_bound(y, s->reach, s->d);
}

/* The spans of a row that sees n columns. */
static int64_t spans_of(const struct trop_tile *tile, int64_t n)
{
    return (n + tile->span - 1) / tile->span;
}

/* The largest of whole groups, side by side, so that none waits for the one before. */
static double largest(const double *top, int64_t groups)
{
    double best[TROP_LANES], most = -INFINITY;

    memcpy(best, top, sizeof best);
    for (int64_t k = 1; k < groups; k++) {
        for (int l = 0; l < TROP_LANES; l++) {
            double t = top[k * TROP_LANES + l];
            best[l] = t > best[l] ? t : best[l];
        }
    }
    for (int l = 0; l < TROP_LANES; l++) {
        most = best[l] > most ? best[l] : most;
    }
    return most;
}

double trop_attend_settle_top(const struct trop_tile *tile, int64_t r)
{
    const double *top = tile->top + r * tile->spans;
    int64_t count = spans_of(tile, tile->visible[r]), groups = count / TROP_LANES;
    double most = groups > 0 ? largest(top, groups) : -INFINITY;

    for (int64_t k = groups * TROP_LANES; k < count; k++) {
        most = top[k] > most ? top[k] : most;
    }
    return most;
}

void trop_attend_settle_row(struct trop_row *row, const struct trop_attend *a,
                            const struct trop_tile *tile, int64_t worker, int64_t r, double bound)
{
    int64_t i = tile->index[r];
    trop_attend_begin(row, a, worker, a->scene.y + i * a->scene.d, tile->visible[r]);
    row->i = i;
    row->top = tile->peak[r];
    row->bound = bound;
}

/* ---- exact maximisers from the maxima of spans ----------------------------------------------- */

/* support <- the spans of the row that reach the threshold, until weights are taken; returns how
 * many. */
static int64_t reaching(struct trop_row *row, const struct trop_tile *tile, int64_t r,
                        double threshold)
{
    return row->scene->kernel->collect(row->support, tile->top + r * tile->spans,
                                       spans_of(tile, row->n), threshold);
}

static int64_t last_of(const struct trop_row *row, const struct trop_tile *tile, int64_t first)
{
    return first + tile->span < row->n ? first + tile->span : row->n;
}

/* tied <- the columns with a score of threshold or more; stops once there are more than room. */
static int64_t scan(struct trop_row *row, int64_t room, const struct trop_tile *tile, int64_t r,
                    double threshold)
{
    const struct trop_kernel_tile *kernel = row->scene->kernel->tile;
    int64_t spans = reaching(row, tile, r, threshold), count = 0;

    for (int64_t k = 0; k < spans && count <= room; k++) {
        int64_t first = row->support[k] * tile->span;
        count += kernel->scan(row->tied + count, room - count, tile->y + r * tile->d, tile->keys,
                              first, last_of(row, tile, first), tile->d, threshold);
    }
    return count;
}

/* tied <- the columns that are not proved to be below the one of the largest computed score. */
static int64_t sift(struct trop_row *row, const struct trop_tile *tile, int64_t r, double threshold)
{
    const struct trop_scene *s = row->scene;
    /* A chain of d products of rounded differences: (d + 2) u of the sum of magnitudes,
     * with room for its own rounding, and d products that underflow. */
    double slope = 0x1.04p-53 * (double)(s->d + 8), least = 0x1p-1072 * (double)(s->d + 4);
    int64_t count = 0;

    scan(row, 0, tile, r, row->top);
    const double *pivot = s->keys + row->tied[0] * s->d;
    int64_t spans = reaching(row, tile, r, threshold);
    for (int64_t k = 0; k < spans; k++) {
        int64_t first = row->support[k] * tile->span;
        count += s->kernel->tile->sift(row->tied + count, row->y, pivot, tile->keys, first,
                                       last_of(row, tile, first), s->d, slope, least);
    }
    return count;
}

void trop_attend_settle_note(struct trop_attend_note *note, struct trop_row *row,
                             struct trop_tile *tile, int64_t r, int margins)
{
    const struct trop_scene *s = row->scene;

    double threshold = row->top - 2 * row->bound;
    int scaled = s->scale_k || s->scale_y;
    int64_t count = scan(row, scaled ? row->n : ROOM, tile, r, threshold);
    if (count > ROOM && !scaled) {
        count = sift(row, tile, r, threshold);
    }
    trop_row_settle(row, count);
    if (!note) {
        return;
    }
    if (margins) {
        s->kernel->scores(row->weight, tile->y + r * s->d, s->keyst, s->stride, row->n, s->d);
    }
    trop_attend_note_take(note, row, margins);
}

void trop_attend_settle_softmax(const struct trop_attend_sweep *sweep, int64_t worker, int64_t r,
                                double bound, double scale)
{
    struct trop_attend *a = sweep->attend;
    struct trop_tile *tile = a->tiles + worker;
    struct trop_attend_note *note = sweep->notes + tile->index[r];
    struct trop_row row;

    trop_attend_settle_row(&row, a, tile, worker, r, bound);
    trop_attend_settle_note(note, &row, tile, r, sweep->margins);
    note->only = row.n == 1 ? row.best : -1;
    note->set = 0;
    note->scale = scale;
}
