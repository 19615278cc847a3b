/* kernel_tile_body.c -- tiles of rows (kernel_tile.h has their formulas).
 *
 * Compiled once per instruction set, as kernel_body.c. Three loops make a block:
 *
 *   scores     s_rj of a few rows (kernel_tile_scores.h);
 *   weights    of the block, in place, in the first-level cache;
 *   averages   sum_j w_rj (x_jc - a_rc) of the same rows (kernel_tile_averages.h).
 *
 * Columns that a row does not see have score -INFINITY and weight 0.
 */
#include "kernel/kernel_tile.h"

#include KERNEL_LANES

#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

/* What the loops that are shared with single precision are made of. */
#define REAL double
#define VECTOR struct lanes
#define WIDE TROP_LANES
#define LANES(name) lanes_##name
#define EXPONENTIAL lanes_exp
#define STRIP TROP_STRIP
#define TILE struct trop_tile

#include "kernel/kernel_tile_scores.h"
#include "kernel/kernel_tile_averages.h"
#include "kernel/kernel_tile_sweep.h"
#include "kernel/kernel_tile_level.h"
#include "kernel/kernel_tile_rates.h"

/* ---- packing --------------------------------------------------------------------------- */

static void pack(double *restrict packed, const double *restrict xt, int64_t stride, int64_t first,
                 int64_t last, int64_t d)
{
    for (; first < last; first += TROP_STRIP) {
        size_t columns = (size_t)(last - first < TROP_STRIP ? last - first : TROP_STRIP);
        for (int64_t c = 0; c < d; c++) {
            double *to = packed + first * d + c * TROP_STRIP;
            memset(to, 0, TROP_STRIP * sizeof *to);
            memcpy(to, xt + c * stride + first, columns * sizeof *to);
        }
    }
}

/* ---- weights ----------------------------------------------------------------------------- */

/* score <- mass exp(beta score - shift); returns the block's sum. */
static double soften_row(double *restrict score, const double *restrict mass, int64_t strips,
                         double beta, double shift)
{
    const struct lanes factor = lanes_all(beta), less = lanes_all(-shift);
    struct lanes sum = lanes_all(0);

    for (int64_t j = 0; j < strips * TROP_STRIP; j += 2 * TROP_LANES) {
        struct lanes a = lanes_exp(lanes_fma(factor, lanes_load(score + j), less));
        struct lanes b = lanes_exp(lanes_fma(factor, lanes_load(score + j + TROP_LANES), less));
        if (mass) {
            a = lanes_multiply(a, lanes_load(mass + j));
            b = lanes_multiply(b, lanes_load(mass + j + TROP_LANES));
        }
        lanes_store(score + j, a);
        lanes_store(score + j + TROP_LANES, b);
        sum = lanes_add(lanes_add(sum, a), b);
    }
    return lanes_tree(sum);
}

/* score <- mass on the set, 0 off it; returns the block's sum. first: its column. */
static double level_row(struct trop_tile *tile, int64_t r, double *restrict score,
                        const double *restrict mass, int64_t first, int64_t strips)
{
    const struct lanes low = lanes_all(tile->low[r]), high = lanes_all(tile->high[r]);
    struct lanes sum = lanes_all(0);
    struct lanes_whole tags = lanes_whole_zero();

    for (int64_t j = 0; j < strips * TROP_STRIP; j += TROP_LANES) {
        struct lanes s = lanes_load(score + j), w = lanes_all(1);
        unsigned near = lanes_reach(s, low), in = lanes_reach(s, high);
        if (near != in) {
            in |= decided(tile, r, first + j, near & ~in);
        }
        w = lanes_keep(mass ? lanes_load(mass + j) : w, in);
        lanes_store(score + j, w);
        sum = lanes_add(sum, w);
        if (in) {
            tags = lanes_whole_add(tags, tile->tag + first + j, in);
            if (tile->members[r] == 0) {
                tile->lowest[r] = first + j + __builtin_ctz(in);
            }
            tile->members[r] += __builtin_popcount(in);
        }
    }
    tile->set[r] += lanes_whole_sum(tags);
    return lanes_tree(sum);
}

static void weigh(struct trop_tile *tile, int64_t r, double *score, int64_t first, int64_t strips,
                  enum work work)
{
    const double *mass = tile->mass ? tile->mass + first : NULL;

    if (work == SOFTEN) {
        tile->total[r] += soften_row(score, mass, strips, tile->beta, tile->shift[r]);
    } else {
        tile->total[r] += level_row(tile, r, score, mass, first, strips);
    }
}

/* ---- tiles ------------------------------------------------------------------------------- */

/* The largest score of a row in a block whose maxima are known. */
static double reach(const struct trop_tile *tile, int64_t r, int64_t first)
{
    int64_t last = (tile->visible[r] - 1) / tile->span;
    double top = -INFINITY;

    for (int64_t k = first / tile->span; k < (first + TROP_BLOCK) / tile->span && k <= last; k++) {
        double t = tile->top[r * tile->spans + k];
        top = t > top ? t : top;
    }
    return top;
}

static int wanted(const struct trop_tile *tile, int64_t r, int64_t first)
{
    return tile->visible[r] > first &&
           !(tile->least[r] > -INFINITY && reach(tile, r, first) < tile->least[r]);
}

static void clear(struct trop_tile *tile)
{
    memset(tile->out, 0, (size_t)(tile->rows * tile->d) * sizeof *tile->out);
    for (int64_t r = 0; r < tile->rows; r++) {
        tile->total[r] = 0;
        tile->members[r] = 0;
        tile->lowest[r] = 0;
        tile->set[r] = 0;
    }
}

static void level(struct trop_tile *tile)
{
    switch (tile->d) { /* numbers that the compiler knows: the query stays in registers */
    case 2:
        level_narrow(tile, 2);
        break;
    case 3:
        level_narrow(tile, 3);
        break;
    default:
        sweep(tile, LEVEL);
    }
}

/* ---- single rows ------------------------------------------------------------------------- */

/* The columns of a mask, from column j on; those from last on are not there. */
static int64_t take(int64_t *restrict set, int64_t count, unsigned mask, int64_t j, int64_t last)
{
    for (; mask != 0; mask &= mask - 1) {
        int64_t k = j + __builtin_ctz(mask);
        if (k < last) {
            set[count++] = k;
        }
    }
    return count;
}

COPIED int64_t scan_part(int64_t *restrict set, int64_t room, const double *restrict y,
                         const double *restrict packed, int64_t first, int64_t last, int64_t d,
                         double threshold)
{
    const struct lanes cut = lanes_all(threshold);
    const double *query = y;
    int64_t count = 0;

    for (int64_t j = first; j < last && count <= room; j += LANES_GROUPS * TROP_LANES) {
        struct lanes s[1][LANES_GROUPS];
        score_part(s, &query, packed + j / TROP_STRIP * TROP_STRIP * d + j % TROP_STRIP, d, 1,
                   LANES_GROUPS);
        /* Most strips hold no candidate: one comparison decides that. */
        struct lanes best = s[0][0];
        for (int g = 1; g < LANES_GROUPS; g++) {
            best = lanes_larger(s[0][g], best);
        }
        for (int g = 0; lanes_reach(best, cut) && g < LANES_GROUPS; g++) {
            count = take(set, count, lanes_reach(s[0][g], cut), j + g * TROP_LANES, last);
        }
    }
    return count;
}

static int64_t scan(int64_t *restrict set, int64_t room, const double *restrict y,
                    const double *restrict packed, int64_t first, int64_t last, int64_t d,
                    double threshold)
{
    switch (d) { /* numbers that the compiler knows: the query stays in registers */
    case 2:
        return scan_part(set, room, y, packed, first, last, 2, threshold);
    case 3:
        return scan_part(set, room, y, packed, first, last, 3, threshold);
    default:
        return scan_part(set, room, y, packed, first, last, d, threshold);
    }
}

static double peak(const double *restrict y, const double *restrict packed, int64_t first,
                   int64_t last, int64_t d)
{
    struct lanes best = lanes_all(-INFINITY);
    const double *query = y;

    for (int64_t j = first; j < last; j += LANES_GROUPS * TROP_LANES) {
        double score[LANES_GROUPS * TROP_LANES];
        struct lanes s[1][LANES_GROUPS];
        score_part(s, &query, packed + j / TROP_STRIP * TROP_STRIP * d + j % TROP_STRIP, d, 1,
                   LANES_GROUPS);
        for (int g = 0; g < LANES_GROUPS; g++) {
            lanes_store(score + g * TROP_LANES, s[0][g]);
        }
        for (int64_t l = last - j; l < LANES_GROUPS * TROP_LANES; l++) {
            score[l] = -INFINITY;
        }
        for (int g = 0; g < LANES_GROUPS; g++) {
            best = lanes_larger(lanes_load(score + g * TROP_LANES), best);
        }
    }
    return lanes_largest(best);
}

static int64_t sift(int64_t *restrict set, const double *restrict y, const double *restrict pivot,
                    const double *restrict packed, int64_t first, int64_t last, int64_t d,
                    double slope, double least)
{
    const struct lanes steep = lanes_all(-slope), floor = lanes_all(-least);
    int64_t count = 0;

    for (int64_t j = first; j < last; j += TROP_LANES) {
        const double *x = packed + j / TROP_STRIP * TROP_STRIP * d + j % TROP_STRIP;
        struct lanes value = lanes_all(0), size = lanes_all(0);
        for (int64_t c = 0; c < d; c++) {
            struct lanes t = lanes_subtract(lanes_load(x + c * TROP_STRIP), lanes_all(pivot[c]));
            value = lanes_fma(lanes_all(y[c]), t, value);
            size = lanes_fma(lanes_all(fabs(y[c])), lanes_size(t), size);
        }
        count = take(set, count, lanes_reach(value, lanes_fma(steep, size, floor)), j, last);
    }
    return count;
}

static void exponential(double *x, int64_t n)
{
    for (int64_t j = 0; j < n; j += TROP_LANES) {
        lanes_store(x + j, lanes_exp(lanes_load(x + j)));
    }
}

const struct trop_kernel_tile NAMED(trop_kernel_tile_, KERNEL_NAME);
const struct trop_kernel_tile NAMED(trop_kernel_tile_, KERNEL_NAME) = {
    .pack = pack,
    .tops = tops,
    .soften = soften,
    .level = level,
    .scan = scan,
    .peak = peak,
    .sift = sift,
    .exponential = exponential,
    .rate_fma = rate_fma,
    .rate_exp = rate_exp,
};
