/* device_body.c -- a device (kernel/device.h): its memory, and its kernels one by one.
 *
 * Compiled by nvcc for a GPU and, for tests, as C for the host: DEVICE_GRID is the header that says
 * what a kernel, a block of threads and the device's memory are. So this file keeps to what C and
 * C++ share.
 *
 * Rows are done a slab at a time, so that what they note of each block of columns fits into a part
 * of the memory that does not grow with n^2: at most GRID_SLAB bytes, or one block of threads.
 */
#include DEVICE_GRID

#include "rows.h"
#include "wide.h"
#include "finish.h"
#include "walk.h"
#include "rates.h"

#define RANGES 4096 /* of columns at most */

struct handle {
    int64_t index; /* of the device */
    int64_t n, d, room;
    double *xt, *y, *mass, *reach, *most, *least;
    struct job job;
    struct walk walk; /* of tokens that stay here; its job is made anew for each step */
};

static void device_free(void *pointer)
{
    struct handle *h = (struct handle *)pointer;
    struct trop_device_told told;

    if (!h) {
        return;
    }
    if (grid_select(&told, h->index) == TROP_OK) {
        void *const held[] = {
            h->xt,         h->y,           h->mass,        h->reach,         h->most,
            h->least,      h->job.part,    h->job.top,     h->job.need,      h->job.bound,
            h->job.wanted, h->job.notes,   h->walk.next,   h->job.flags,     h->job.displacement,
            h->walk.led,   h->walk.extent, h->walk.target, h->walk.switches,
        };
        for (size_t k = 0; k < sizeof held / sizeof held[0]; k++) {
            grid_free(held[k]);
        }
    }
    free(h);
}

/* Rows of a slab: a whole number of blocks of threads. */
static int64_t room_of(int64_t n, int64_t d)
{
    const int64_t blocks = (n + TROP_BLOCK - 1) / TROP_BLOCK;
    const int64_t most = GRID_SLAB / 8 / (blocks * (d + 2)) / GRID_THREADS * GRID_THREADS;
    const int64_t all = (n + GRID_THREADS - 1) / GRID_THREADS * GRID_THREADS;

    return most < GRID_THREADS ? GRID_THREADS : most < all ? most : all;
}

static enum trop_status device_create(void **out, struct trop_device_told *told, int64_t index,
                                      int64_t n, int64_t d)
{
    enum trop_status status = grid_open(told, index);
    if (status != TROP_OK) {
        return status;
    }
    struct handle *h = (struct handle *)calloc(1, sizeof *h);
    if (!h) {
        snprintf(told->sentence, sizeof told->sentence, "no memory for a handle");
        return TROP_ERR_MEMORY;
    }
    h->index = index;
    h->n = n;
    h->d = d;
    h->room = room_of(n, d);
    const int64_t blocks = (n + TROP_BLOCK - 1) / TROP_BLOCK, number = (int64_t)sizeof(double);
    const int64_t width = n + 2 * TROP_LANES; /* at least a padded row */
    const struct {
        void *at;
        int64_t bytes;
    } pieces[] = {
        { &h->xt, number * d * width },
        { &h->y, number * n * d },
        { &h->mass, number * width },
        { &h->reach, number * d },
        { &h->most, number * n },
        { &h->least, number * n },
        { &h->job.part, number * blocks * (d + 1) * h->room },
        { &h->job.top, number * blocks * h->room },
        { &h->job.bound, number * n },
        { &h->job.need, (int64_t)sizeof *h->job.need * n },
        { &h->job.wanted, (int64_t)sizeof *h->job.wanted },
        { &h->job.displacement, number * n * d },
        { &h->job.notes, (int64_t)sizeof *h->job.notes * n },
        { &h->job.flags, (int64_t)sizeof *h->job.flags * FLAGS },
        { &h->walk.next, number * d * width },
        { &h->walk.extent, number * (d + 2) * PARTS },
        { &h->walk.target, (int64_t)sizeof(int64_t) * n },
        { &h->walk.led, (int64_t)sizeof(int64_t) * n },
        { &h->walk.switches, (int64_t)sizeof(int64_t) * 2 },
    };
    for (size_t k = 0; k < sizeof pieces / sizeof pieces[0] && status == TROP_OK; k++) {
        void *memory = NULL;
        status = grid_alloc(told, &memory, pieces[k].bytes);
        memcpy(pieces[k].at, &memory, sizeof memory);
    }
    if (status != TROP_OK) {
        device_free(h);
        return status;
    }
    *out = h;
    return TROP_OK;
}

/* ---- the rows ----------------------------------------------------------------------------------
 */

/* The scene's arrays, and the job that says where they are. */
static enum trop_status load(struct handle *h, struct trop_device_told *told,
                             const struct trop_device_scene *s)
{
    const int64_t number = (int64_t)sizeof(double);
    const int soft = s->rule == TROP_DEVICE_SOFTMAX;
    const struct {
        double *to;
        const double *from;
        int64_t count;
    } rows[] = {
        { h->xt, s->xt, h->d * s->stride },        { h->y, s->y, s->y ? s->n * h->d : 0 },
        { h->mass, s->mass, s->mass ? s->n : 0 },  { h->reach, s->reach, h->d },
        { h->most, s->most, soft ? s->norms : 0 }, { h->least, s->least, soft ? s->norms : 0 },
    };
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && status == TROP_OK; k++) {
        if (rows[k].count > 0) {
            status = grid_put(told, rows[k].to, rows[k].from, number * rows[k].count);
        }
    }
    struct job *job = &h->job;
    job->n = s->n;
    job->d = h->d;
    job->stride = s->stride;
    job->xt = h->xt;
    job->y = s->y ? h->y : NULL;
    job->mass = s->mass ? h->mass : NULL;
    job->reach = h->reach;
    job->most = h->most;
    job->least = h->least;
    job->norms = s->norms;
    job->rule = s->rule;
    job->causal = s->causal;
    job->lowest = s->first;
    job->scale = s->scale;
    job->scaled = s->scaled;
    job->margins = s->margins;
    job->shift = s->shift;
    job->delta = s->delta;
    job->beta = s->beta;
    job->multiple = s->multiple;
    job->room = h->room;
    return status == TROP_OK ? grid_zero(told, job->flags, (int64_t)sizeof *job->flags * FLAGS)
                             : status;
}

/* Blocks of columns that a block of threads takes, so that the device is busy: columns are cut
 * where rows alone are too few. */
static int64_t share(int64_t rows, int64_t blocks, int64_t width)
{
    const int64_t wanted = (width + rows - 1) / rows;
    const int64_t ranges = wanted < 1 ? 1 : wanted > RANGES ? RANGES : wanted;

    return (blocks + ranges - 1) / ranges;
}

#define SWEEP_CASES(d) \
    case 3 * d + TOPS: \
        LAUNCH(tops_##d, x, y, *job); \
        break; \
    case 3 * d + SOFTEN: \
        LAUNCH(soften_##d, x, y, *job); \
        break; \
    case 3 * d + LEVEL: \
        LAUNCH(level_##d, x, y, *job); \
        break;

static void sweep(const struct job *job, enum mode mode)
{
    const int64_t blocks = (job->n + TROP_BLOCK - 1) / TROP_BLOCK;
    const int64_t y = (blocks + job->per - 1) / job->per;
    const int64_t x = (job->rows + GRID_THREADS - 1) / GRID_THREADS;
    const int64_t wide = (job->rows + WIDE_ROWS - 1) / WIDE_ROWS;

    switch (3 * job->d + mode) {
        SWEEP_CASES(1)
        SWEEP_CASES(2)
        SWEEP_CASES(3)
        SWEEP_CASES(4)
    default:
        if (mode == SOFTEN) {
            LAUNCH(soften_many, wide, y, *job);
        } else if (mode == LEVEL) {
            LAUNCH(level_many, wide, y, *job);
        } else {
            LAUNCH(tops_many, wide, y, *job);
        }
    }
}

static enum trop_status slab(struct handle *h, struct trop_device_told *told, int64_t first)
{
    struct job *job = &h->job;
    const int64_t blocks = (job->n + TROP_BLOCK - 1) / TROP_BLOCK;

    job->first = first;
    job->rows = job->n - first < job->room ? job->n - first : job->room;
    job->per =
        share(job->d > FEW ? job->rows * TROP_LANES : job->rows, blocks, grid_width(h->index));
    const int64_t x = (job->rows + GRID_THREADS - 1) / GRID_THREADS;
    enum trop_status status = grid_zero(told, job->wanted, sizeof *job->wanted);
    if (status != TROP_OK) {
        return status;
    }
    LAUNCH(begin, x, 1, *job);
    sweep(job, TOPS);
    if (job->rule == TROP_DEVICE_SOFTMAX) {
        LAUNCH(raise, x, 1, *job);
        sweep(job, SOFTEN);
    } else if (job->rule == TROP_DEVICE_LOCALMAX) {
        LAUNCH(cut, x, 1, *job);
        sweep(job, LEVEL);
    }
    LAUNCH(finish, x, 1, *job);
    return grid_launched(told, "the kernels of the rows");
}

static enum trop_status device_rows(double *displacement, struct trop_device_note *notes,
                                    void *handle, struct trop_device_told *told,
                                    const struct trop_device_scene *scene)
{
    struct handle *h = (struct handle *)handle;
    enum trop_status status = grid_select(told, h->index);

    if (status == TROP_OK) {
        status = load(h, told, scene);
    }
    for (int64_t first = 0; first < scene->n && status == TROP_OK; first += h->room) {
        status = slab(h, told, first);
    }
    if (status == TROP_OK) {
        status = grid_take(told, displacement, h->job.displacement,
                           (int64_t)sizeof *displacement * scene->n * h->d);
    }
    if (status == TROP_OK) {
        status = grid_take(told, notes, h->job.notes, (int64_t)sizeof *notes * scene->n);
    }
    return status;
}

/* ---- tokens that stay
 * ------------------------------------------------------------------------------ */

static enum trop_status device_stay(void *handle, struct trop_device_told *told,
                                    const struct trop_device_scene *scene, const int64_t *target,
                                    const int64_t *led, int64_t last_switch)
{
    struct handle *h = (struct handle *)handle;
    const int64_t switches[2] = { 0, last_switch };
    enum trop_status status = grid_select(told, h->index);

    if (status == TROP_OK) {
        status = load(h, told, scene);
    }
    if (status == TROP_OK) {
        status = grid_put(told, h->walk.target, target, (int64_t)sizeof *target * scene->n);
    }
    if (status == TROP_OK) {
        status = grid_put(told, h->walk.led, led, (int64_t)sizeof *led * scene->n);
    }
    return status == TROP_OK ? grid_put(told, h->walk.switches, switches, sizeof switches) : status;
}

/* The tokens are measured, and so the rows are told what a scene tells. */
static void measure_all(struct handle *h, double beta, double factor)
{
    struct walk *w = &h->walk;
    struct job *job = &h->job;

    job->xt = h->xt;
    job->y = factor == 1 ? NULL : h->y;
    job->beta = beta;
    job->multiple = factor > 0 ? factor : 0;
    job->margins = 0;
    job->first = 0;
    job->rows = job->n;
    w->job = *job;
    w->xt = h->xt;
    w->y = h->y;
    w->reach = h->reach;
    w->most = h->most;
    w->least = h->least;
    w->factor = factor;
    LAUNCH(extents, PARTS, job->d + 1, *w);
    LAUNCH(measure, 1, 1, *w);
    if (factor != 1) {
        LAUNCH(query, (job->n + GRID_THREADS - 1) / GRID_THREADS, 1, *w);
    }
}

static enum trop_status device_look(int64_t *sure, double *square, void *handle,
                                    struct trop_device_told *told, double beta, double factor)
{
    struct handle *h = (struct handle *)handle;
    int64_t flags[FLAGS] = { 0 };
    enum trop_status status = grid_select(told, h->index);

    if (status == TROP_OK) {
        measure_all(h, beta, factor);
    }
    for (int64_t first = 0; first < h->job.n && status == TROP_OK; first += h->room) {
        status = slab(h, told, first);
    }
    if (status == TROP_OK) {
        status = grid_take(told, flags, h->job.flags, sizeof flags);
    }
    memcpy(square, flags + SQUARE, sizeof *square);
    *sure = !flags[DOUBTS] && !flags[SCALED] && !flags[BROKEN];
    return status;
}

static enum trop_status device_move(void *handle, struct trop_device_told *told, double gamma,
                                    int64_t step, int64_t proved)
{
    struct handle *h = (struct handle *)handle;
    struct walk *w = &h->walk;
    double *moved = w->next;
    enum trop_status status = grid_select(told, h->index);

    if (status != TROP_OK) {
        return status;
    }
    w->job = h->job;
    w->job.first = 0;
    w->job.rows = h->job.n;
    w->gamma = gamma;
    w->step = step;
    w->proved = proved;
    LAUNCH(move, (h->job.n + GRID_THREADS - 1) / GRID_THREADS, 1, *w);
    w->next = h->xt;
    h->xt = moved;
    return grid_launched(told, "the kernels of a step");
}

static enum trop_status device_leave(double *xt, int64_t *target, int64_t *led, int64_t *switches,
                                     void *handle, struct trop_device_told *told)
{
    struct handle *h = (struct handle *)handle;
    const int64_t bytes = (int64_t)sizeof *target * h->job.n;
    enum trop_status status = grid_select(told, h->index);

    for (int64_t c = 0; c < h->d && status == TROP_OK; c++) {
        status = grid_take(told, xt + c * h->job.stride, h->xt + c * h->job.stride,
                           (int64_t)sizeof *xt * h->job.n);
    }
    if (status == TROP_OK) {
        status = grid_take(told, target, h->walk.target, bytes);
    }
    if (status == TROP_OK) {
        status = grid_take(told, led, h->walk.led, bytes);
    }
    return status == TROP_OK
               ? grid_take(told, switches, h->walk.switches, 2 * (int64_t)sizeof *switches)
               : status;
}

/* ---- the table ----------------------------------------------------------------------------------
 */

static void device_describe(char *out, int64_t size, void *handle)
{
    grid_describe(out, size, ((struct handle *)handle)->index);
}

/* Rounds of the loops that are timed: some tens of milliseconds. */
static enum trop_status rate(double *out, struct handle *h, struct trop_device_told *told,
                             int exponentials)
{
    const int64_t threads = 4 * grid_width(h->index), blocks = threads / GRID_THREADS;
    const struct rate job = { h->job.part, 1 << 14, 0.5 };
    struct grid_watch watch;
    double seconds = 0;

    for (int again = 0; again < 2; again++) { /* the first time warms up */
        enum trop_status status = grid_watch_begin(told, &watch);
        if (status != TROP_OK) {
            return status;
        }
        if (exponentials) {
            LAUNCH(rate_exp, blocks, 1, job);
        } else {
            LAUNCH(rate_fma, blocks, 1, job);
        }
        status = grid_watch_end(told, &seconds, &watch);
        if (status == TROP_OK) {
            status = grid_launched(told, "the kernels of rates");
        }
        if (status != TROP_OK) {
            return status;
        }
    }
    *out = (double)(blocks * GRID_THREADS) * (double)job.count * RATE_CHAINS / seconds;
    return TROP_OK;
}

static enum trop_status device_rates(double *fma_rate, double *exp_rate, void *handle,
                                     struct trop_device_told *told)
{
    struct handle *h = (struct handle *)handle;
    enum trop_status status = grid_select(told, h->index);

    if (status == TROP_OK) {
        status = rate(fma_rate, h, told, 0);
    }
    return status == TROP_OK ? rate(exp_rate, h, told, 1) : status;
}

static const struct trop_device device = {
    TROP_VERSION,    sizeof(struct trop_device),
    GRID_NAME,       device_create,
    device_free,     device_rows,
    device_stay,     device_look,
    device_move,     device_leave,
    device_describe, device_rates,
};

#ifdef __cplusplus
extern "C"
#endif
    __attribute__((visibility("default"))) const struct trop_device *
    trop_device_entry(void);

const struct trop_device *trop_device_entry(void)
{
    return &device;
}
