/* attend_device.c -- the rows of a sweep on a device (kernel/device.h), and what it leaves open.
 *
 * The device has the averages, and the maximisers as far as double tells them apart. The rest is
 * done here, by the rows that the processor would have done: those whose scores are too coarse for
 * beta, maximisers that only exact arithmetic tells apart, and ties of distinct points under
 * hardmax. So the bits are those of rows by themselves (method = rows) on any processor.
 */
#include "attend/attend_internal.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/math/log.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>

struct trop_attend_device {
    const struct trop_device *device;
    void *handle;
    struct trop_device_note *notes; /* (n) */
    double *y;                      /* (n, d) scaled queries */
    int64_t open;                   /* rows of the last sweep that were left to the processor */
};

static enum trop_status fails(enum trop_status status, const struct trop_device *device,
                              const struct trop_device_told *told)
{
    return status == TROP_OK ? TROP_OK
                             : trop_fail(status, "device = %s: %s", device->name, told->sentence);
}

enum trop_status trop_attend_device(struct trop_attend *a, int64_t index)
{
    struct trop_device_told told = { "" };
    const struct trop_device *device;
    int64_t number;
    enum trop_status status = trop_device_choose(&device, &number, index);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_attend_device *d = trop_alloc(1, sizeof *d);
    a->device = d;
    if (!d || !TROP_ALLOC(TROP_PART(d->notes, a->capacity),
                          TROP_PART(d->y, trop_alloc_product(a->capacity, a->scene.d)))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens of dimension %lld",
                         (long long)a->capacity, (long long)a->scene.d);
    }
    d->device = device;
    return fails(device->create(&d->handle, &told, number, a->capacity, a->scene.d), device, &told);
}

void trop_attend_device_free(struct trop_attend *a)
{
    struct trop_attend_device *d = a->device;

    if (d && d->handle) {
        d->device->free(d->handle);
    }
    if (d) {
        TROP_FREE(d->notes, d->y, d);
    }
}

int64_t trop_attend_device_open(const struct trop_attend *a)
{
    return a->device ? a->device->open : 0;
}

/* ---- what the device is told ---------------------------------------------------------------- */

static void describe(struct trop_device_scene *out, struct trop_attend *a, int margins)
{
    const struct trop_scene *s = &a->scene;
    const struct trop_row probe = { .scene = s };
    const int causal = s->numbers.mask == TROP_MASK_CAUSAL, soft = s->numbers.rule->exponential;
    const int own = s->y == s->keys && !s->scale_y && !s->scale_k;

    double shift, delta;

    trop_rule_localmax_numbers(&shift, &delta, &s->numbers);
    for (int64_t k = 0; !own && k < s->n * s->d; k++) {
        a->device->y[k] = s->scale_y ? ldexp(s->y[k], -s->scale_y) : s->y[k];
    }
    if (soft) {
        trop_attend_tile_norms(a);
    }
    *out = (struct trop_device_scene){
        .n = s->n,
        .stride = s->stride,
        .xt = s->xt,
        .y = own ? NULL : a->device->y,
        .mass = s->mass,
        .reach = s->reach,
        .rule = s->numbers.rule->device,
        .causal = causal,
        .first = s->numbers.ties == TROP_TIES_FIRST,
        .scale = s->scale_x,
        .scaled = s->scale_x || s->scale_k || s->scale_y,
        .beta = soft ? trop_row_beta(&probe) : 0,
        .shift = shift,
        .delta = delta,
        .multiple = a->multiple,
        .most = causal ? a->norm : a->norm + s->n - 1,
        .least = causal ? a->norm_least : a->norm_least + s->n - 1,
        .norms = causal ? s->n : 1,
        .margins = margins,
    };
}

/* ---- what it has found ------------------------------------------------------------------------
 */

/* The maximisers of row i, and what they tell, as trop_attend_note_take has them. */
static void take(struct trop_attend_note *note, struct trop_attend *a, int64_t i, int margins)
{
    const struct trop_device_note *seen = a->device->notes + i;
    const struct trop_scene *s = &a->scene;
    int64_t tied = seen->best;
    struct trop_row row = { .scene = s,
                            .i = i,
                            .y = s->y + i * s->d,
                            .tied = &tied,
                            .ties = seen->ties,
                            .best = seen->best,
                            .distinct = seen->unique };

    trop_attend_note_take(note, &row, 0);
    if (margins && seen->unique) {
        note->margin = seen->second < 0
                           ? INFINITY
                           : trop_decide_difference(s->kernel, row.y, s->keys + seen->best * s->d,
                                                    s->keys + seen->second * s->d, s->d);
    }
}

static void soft_note(struct trop_attend_note *note, struct trop_attend *a, int64_t i,
                      int64_t worker, int margins)
{
    const struct trop_device_note *seen = a->device->notes + i;
    const int64_t visible = a->scene.numbers.mask == TROP_MASK_CAUSAL ? i + 1 : a->scene.n;

    if (seen->doubt == TROP_DEVICE_MAXIMUM) {
        struct trop_row row;
        trop_attend_row_look(&row, a, worker, i);
        trop_attend_note_take(note, &row, margins);
    } else {
        take(note, a, i, margins);
    }
    note->only = visible == 1 ? note->best : -1;
    note->set = 0;
    note->scale = seen->shift + trop_log(seen->total);
}

/* Of hardmax where the maximisers are one point, or the first of them has all the weight: what
 * trop_attend_note_weigh has then. */
static void hard_note(struct trop_attend_note *note, struct trop_attend *a, int64_t i, int margins)
{
    const struct trop_device_note *seen = a->device->notes + i;
    const int causal = a->scene.numbers.mask == TROP_MASK_CAUSAL;

    take(note, a, i, margins);
    note->only = seen->best;
    note->set = (uint64_t)seen->ties + seen->set;
    if (a->scene.numbers.ties == TROP_TIES_FIRST) {
        note->alone = note->only == i;
        note->set = causal ? (uint64_t)seen->best : 1 + trop_kernel_tag(seen->best);
    }
}

/* Of localmax, as its tiles have it (attend_tile.c). */
static void level_note(struct trop_attend_note *note, struct trop_attend *a, int64_t i, int margins)
{
    const struct trop_device_note *seen = a->device->notes + i;
    const int causal = a->scene.numbers.mask == TROP_MASK_CAUSAL;

    take(note, a, i, margins);
    note->only = seen->members == 1 ? seen->lowest : -1;
    note->alone = note->only == i;
    note->set = causal ? (uint64_t)seen->lowest : (uint64_t)seen->members + seen->set;
    note->set = seen->members ? note->set : 0;
}

static void note_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct trop_attend_sweep *sweep = context;
    struct trop_attend *a = sweep->attend;

    for (int64_t i = first; i < last; i++) {
        if (a->device->notes[i].doubt == TROP_DEVICE_ROW) {
            trop_attend_row_alone(sweep, i, worker);
            continue;
        }
        a->trouble[i] = NULL;
        if (a->scene.numbers.rule->device == TROP_DEVICE_LOCALMAX) {
            if (a->scene.numbers.form == TROP_FORM_RELATIVE && a->device->notes[i].members == 0) {
                a->trouble[i] = trop_rule_localmax_empty;
            }
            if (sweep->notes) {
                level_note(sweep->notes + i, a, i, sweep->margins);
            }
        } else if (sweep->notes && a->scene.numbers.rule->exponential) {
            soft_note(sweep->notes + i, a, i, worker, sweep->margins);
        } else if (sweep->notes) {
            hard_note(sweep->notes + i, a, i, sweep->margins);
        }
    }
}

enum trop_status trop_attend_device_rows(struct trop_attend_sweep *sweep)
{
    struct trop_attend *a = sweep->attend;
    struct trop_attend_device *d = a->device;
    struct trop_device_told told = { "" };
    struct trop_device_scene scene;

    if (!a->scene.numbers.rule->device) { /* who makes the handle has refused it before */
        return trop_fail(TROP_ERR_UNSUPPORTED, "device = %s: has no rule = %s", d->device->name,
                         a->scene.numbers.rule->name);
    }
    describe(&scene, a, sweep->margins);
    enum trop_status status = fails(
        d->device->rows(sweep->displacement, d->notes, d->handle, &told, &scene), d->device, &told);
    if (status != TROP_OK) {
        return status;
    }
    trop_parallel(a->workers, a->scene.n, note_some, sweep);
    d->open = 0;
    for (int64_t i = 0; i < a->scene.n; i++) {
        d->open += d->notes[i].doubt != TROP_DEVICE_SURE;
    }
    return TROP_OK;
}

/* ---- tokens that stay there ---------------------------------------------------------------------
 */

enum trop_status trop_attend_device_stay(int64_t *stays, struct trop_attend *a,
                                         const struct trop_matrix *key_query,
                                         const struct trop_attend_walk *walk)
{
    struct trop_attend_device *d = a->device;
    const struct trop_scene *s = &a->scene;
    struct trop_device_told told = { "" };
    struct trop_device_scene scene;

    *stays = 0;
    if (!d || s->numbers.rule->device == TROP_DEVICE_LOCALMAX ||
        s->numbers.mask != TROP_MASK_FULL || key_query->values || s->scale_x || s->scale_k ||
        s->scale_y) {
        return TROP_OK;
    }
    describe(&scene, a, 0);
    *stays = 1;
    return fails(
        d->device->stay(d->handle, &told, &scene, walk->target, walk->led, walk->last_switch),
        d->device, &told);
}

enum trop_status trop_attend_device_look(int64_t *sure, double *square, struct trop_attend *a,
                                         const struct trop_matrix *key_query,
                                         const struct trop_rule_numbers *numbers)
{
    struct trop_attend_device *d = a->device;
    struct trop_device_told told = { "" };
    const int soft = (numbers->rule->uses & TROP_RULE_USES_BETA) != 0;
    const int negative = soft && numbers->beta < 0;

    return fails(d->device->look(sure, square, d->handle, &told, soft ? fabs(numbers->beta) : 0,
                                 negative ? -key_query->scale : key_query->scale),
                 d->device, &told);
}

enum trop_status trop_attend_device_move(struct trop_attend *a, double gamma, int64_t step,
                                         int64_t proved)
{
    struct trop_device_told told = { "" };

    return fails(a->device->device->move(a->device->handle, &told, gamma, step, proved),
                 a->device->device, &told);
}

enum trop_status trop_attend_device_leave(double *x, struct trop_attend_walk *walk,
                                          struct trop_attend *a)
{
    struct trop_attend_device *d = a->device;
    const struct trop_scene *s = &a->scene;
    struct trop_device_told told = { "" };
    int64_t switches[2];
    enum trop_status status =
        fails(d->device->leave(a->xt, walk->target, walk->led, switches, d->handle, &told),
              d->device, &told);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t j = 0; j < s->n; j++) {
        for (int64_t c = 0; c < s->d; c++) {
            x[j * s->d + c] = a->xt[c * s->stride + j];
        }
    }
    walk->switches += switches[0];
    walk->last_switch = switches[1];
    return TROP_OK;
}
