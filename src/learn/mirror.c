/* mirror.c -- lp mirror descent on single-precision weights that others keep, as tropism.torch's
 * tensors:
 *
 *   u <- u - lr g   or   u - lr g / |g|_q,      w = sgn(u) |u|^e.
 *
 * A step reads and writes each number once, by blocks (kernel_mirror.h). Blocks whose weights are
 * not what the last step wrote are left to the caller, who takes the dual from them and then asks
 * for those alone.
 *
 * |g|_q = (sum (s |g_i|)^q)^(1/q) / s with s a power of two and 1/2 <= s max |g| < 1, so that
 * nothing overflows; a power is within 3e-10 of itself, a sum of n within n u / 16 more, and the
 * norm within 1 / q of that. 64 parts of the entries, which depend on n alone, are added in order.
 */
#include "kernel/kernel_mirror.h"
#include "base/math/pow.h"
#include "base/parallel.h"
#include "tropism.h"

#include <math.h>

#define BLOCK TROP_KERNEL_MIRROR_BLOCK
#define PARTS 64
#define SHARE 65536 /* entries for which a worker is woken */

static const struct trop_kernel_mirror *kernel(void)
{
    return trop_kernel_choose(0)->mirror;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t workers_of(int64_t n, int64_t threads)
{
    return least(least(threads > 0 ? threads : trop_parallel_cores(), n / SHARE + 1), PARTS);
}

/* ---- norms ----------------------------------------------------------------------------------- */

struct parts {
    const float *g;
    int64_t n, each; /* entries, and of a part: a multiple of BLOCK */
    double scale, q; /* scale 0: the largest entries */
    double out[PARTS];
};

static void parts_measure(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct parts *parts = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        const int64_t from = least(k * parts->each, parts->n);
        const int64_t some = least(parts->each, parts->n - from);
        parts->out[k] = parts->scale > 0
                            ? kernel()->power_sum(parts->g + from, some, parts->scale, parts->q)
                            : kernel()->largest(parts->g + from, some);
    }
}

double trop_mirror_norm(const float *g, int64_t n, double q, int64_t threads)
{
    const int64_t workers = workers_of(n, threads), blocks = (n + BLOCK - 1) / BLOCK;
    struct parts parts = { .g = g, .n = n, .each = (blocks + PARTS - 1) / PARTS * BLOCK, .q = q };
    double most = 0, sum = 0;
    int exponent = 0;

    trop_parallel(workers, PARTS, parts_measure, &parts);
    for (int64_t k = 0; k < PARTS; k++) {
        most = parts.out[k] > most ? parts.out[k] : most;
    }
    if (most > 0) {
        (void)frexp(most, &exponent);
    }
    parts.scale = isfinite(most) ? ldexp(1, -exponent) : 1;
    trop_parallel(workers, PARTS, parts_measure, &parts);
    for (int64_t k = 0; k < PARTS; k++) {
        sum += parts.out[k];
    }
    if (isnan(sum) || isinf(most)) {
        return NAN;
    }
    return trop_pow(sum, 1 / q) / parts.scale;
}

/* ---- steps ----------------------------------------------------------------------------------- */

struct steps {
    const struct trop_kernel_mirror_step *step;
    int64_t n;
    int64_t left[PARTS];
};

static void steps_take(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct steps *steps = context;

    steps->left[worker] = kernel()->step(steps->step, first * BLOCK, least(last * BLOCK, steps->n));
}

int64_t trop_mirror_step(float *w, float *kept, void *u, int64_t wide, const float *g, int64_t n,
                         const double *law, int64_t changed, int64_t threads)
{
    const struct trop_kernel_mirror_step step = {
        .u = u,
        .w = w,
        .kept = kept,
        .g = g,
        .e = law[0],
        .lr = law[1],
        .norm = law[2],
        .wide = wide != 0,
        .changed = changed != 0,
    };
    struct steps steps = { .step = &step, .n = n };
    int64_t left = 0;

    trop_parallel(workers_of(n, threads), (n + BLOCK - 1) / BLOCK, steps_take, &steps);
    for (int64_t k = 0; k < PARTS; k++) {
        left += steps.left[k];
    }
    return left;
}

void trop_mirror_map(void *out, const void *u, int64_t wide, int64_t n, double e)
{
    if (wide) {
        kernel()->map_wide(out, u, n, e);
    } else {
        kernel()->map(out, u, n, e);
    }
}
