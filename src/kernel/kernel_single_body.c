/* kernel_single_body.c -- tiles of rows in single precision (kernel_single.h): the loops of
 * kernel_tile_body.c, with weights of their own, and pairs of tokens (kernel_single_pairs.h).
 */
#include "kernel/kernel_single.h"

#include KERNEL_LANES

#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

/* What the loops that are shared with double precision are made of. */
#define REAL float
#define VECTOR struct lanes_single
#define WIDE TROP_SINGLE_LANES
#define LANES(name) lanes_single_##name
#define EXPONENTIAL lanes_single_exp2
#define STRIP TROP_SINGLE_STRIP
#define TILE struct trop_single

#include "kernel/kernel_tile_scores.h"
#include "kernel/kernel_tile_averages.h"
#include "kernel/kernel_tile_sweep.h"
#include "kernel/kernel_tile_rates.h"

#include "kernel/kernel_single_pairs.h"

/* score <- mass 2^(score - shift); returns the block's sum. */
static float soften_row(float *restrict score, const float *restrict mass, int64_t strips,
                        float shift)
{
    const struct lanes_single less = lanes_single_all(shift);
    struct lanes_single sum = lanes_single_all(0);

    for (int64_t j = 0; j < strips * STRIP; j += WIDE) {
        struct lanes_single w =
            lanes_single_exp2(lanes_single_subtract(lanes_single_load(score + j), less));
        if (mass) {
            w = lanes_single_multiply(w, lanes_single_load(mass + j));
        }
        lanes_single_store(score + j, w);
        sum = lanes_single_add(sum, w);
    }
    return lanes_single_tree(sum);
}

static void weigh(struct trop_single *tile, int64_t r, float *score, int64_t first, int64_t strips,
                  enum work work)
{
    const float *mass = tile->mass ? tile->mass + first : NULL;

    (void)work; /* SOFTEN: there is no other */
    tile->total[r] += (double)soften_row(score, mass, strips, tile->shift[r]);
}

static int wanted(const struct trop_single *tile, int64_t r, int64_t first)
{
    return tile->visible[r] > first;
}

static void clear(struct trop_single *tile)
{
    memset(tile->out, 0, (size_t)(tile->rows * tile->d) * sizeof *tile->out);
    memset(tile->total, 0, (size_t)tile->rows * sizeof *tile->total);
}

static void power(float *x, int64_t n)
{
    for (int64_t j = 0; j < n; j += WIDE) {
        lanes_single_store(x + j, lanes_single_exp2(lanes_single_load(x + j)));
    }
}

const struct trop_kernel_single NAMED(trop_kernel_single_, KERNEL_NAME);
const struct trop_kernel_single NAMED(trop_kernel_single_, KERNEL_NAME) = {
    .meet = pair_meet,
    .tops = tops,
    .soften = soften,
    .power = power,
    .rate_fma = rate_fma,
    .rate_exp = rate_exp,
};
