/* fw_figures_plane.c -- the random polygons of the figures, and plane geometry to check them by.
 *
 * The authors draw k angles, uniform on (0, 2 pi), and for unequal norms k radii on (.4, 1) after
 * them, with numpy's default_rng(42): the generator PCG64 (O'Neill: a 128-bit linear congruence, of
 * which XSL-RR makes 64 bits), whose state comes from the number 42 by numpy's SeedSequence. Both
 * are done here bit by bit, so that the polygons are those of the paper. Where they ask for k
 * vertices (bij), they draw again, from the same stream, until the hull has as many.
 *
 * Polygons (count, 2) run counterclockwise. A half-plane is a x + b y >= c.
 */
#include "claim/fw/fw_figures.h"

#include "base/math/cos.h"
#include "base/math/sin.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define TRIES 500

/* ---- 128 bits in two words ---- */

struct wide {
    uint64_t high, low;
};

static struct wide wide_add(struct wide a, struct wide b)
{
    const uint64_t low = a.low + b.low;

    return (struct wide){ a.high + b.high + (low < a.low), low };
}

/* The upper half of a product of two words. */
static uint64_t product_high(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t other = a0 * b1 + (middle & 0xffffffff);

    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static struct wide wide_multiply(struct wide a, struct wide b)
{
    return (struct wide){ product_high(a.low, b.low) + a.high * b.low + a.low * b.high,
                          a.low * b.low };
}

/* ---- PCG64 as numpy seeds it ---- */

struct generator {
    struct wide state, increment;
};

static void advance(struct generator *g)
{
    const struct wide multiplier = { 0x2360ed051fc65da4, 0x4385df649fccf645 };

    g->state = wide_add(wide_multiply(g->state, multiplier), g->increment);
}

static uint64_t next(struct generator *g)
{
    advance(g);
    const uint64_t folded = g->state.high ^ g->state.low;
    const unsigned turn = (unsigned)(g->state.high >> 58);
    return folded >> turn | folded << (-turn & 63);
}

/* On [0, 1), a multiple of 2^-53. */
static double uniform(struct generator *g)
{
    return (double)(next(g) >> 11) * 0x1p-53;
}

static uint32_t hash(uint32_t value, uint32_t *constant, uint32_t multiplier)
{
    value ^= *constant;
    *constant *= multiplier;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    const uint32_t value = 0xca01f9dd * x - 0x4973f715 * y;

    return value ^ value >> 16;
}

/* SeedSequence(seed).generate_state(4): a pool of four words, mixed, and eight words out of it. */
static void spread_seed(uint64_t out[4], uint32_t seed)
{
    uint32_t pool[4] = { seed, 0, 0, 0 }, constant = 0x43b0d7e5, word[2];

    for (int i = 0; i < 4; i++) {
        pool[i] = hash(pool[i], &constant, 0x931e8875);
    }
    for (int from = 0; from < 4; from++) {
        for (int to = 0; to < 4; to++) {
            if (from != to) {
                pool[to] = mix(pool[to], hash(pool[from], &constant, 0x931e8875));
            }
        }
    }
    constant = 0x8b51f9dd;
    for (int i = 0; i < 4; i++) {
        word[0] = hash(pool[2 * i % 4], &constant, 0x58f38ded);
        word[1] = hash(pool[(2 * i + 1) % 4], &constant, 0x58f38ded);
        out[i] = word[0] | (uint64_t)word[1] << 32;
    }
}

static void seed_generator(struct generator *g, uint32_t seed)
{
    uint64_t words[4];

    spread_seed(words, seed);
    *g = (struct generator){ { 0, 0 }, { words[2] << 1 | words[3] >> 63, words[3] << 1 | 1 } };
    advance(g);
    g->state = wide_add(g->state, (struct wide){ words[0], words[1] });
    advance(g);
}

/* ---- the points of the figures ---- */

static void draw_points(double *out, int64_t k, int unequal, struct generator *g)
{
    for (int64_t i = 0; i < k; i++) {
        const double angle = 2 * PI * uniform(g);
        out[2 * i] = trop_cos(angle);
        out[2 * i + 1] = trop_sin(angle);
    }
    for (int64_t i = 0; i < k && unequal; i++) {
        const double radius = .4 + (1. - .4) * uniform(g);
        out[2 * i] *= radius;
        out[2 * i + 1] *= radius;
    }
}

void trop_fw_figures_points(double *out, const struct trop_case *c, int64_t k, int unequal,
                            int all_vertices)
{
    struct generator g;
    const int64_t *list = NULL;
    int64_t vertices = 0;

    seed_generator(&g, 42);
    for (int64_t try = 0; try < TRIES && vertices != k; try++) {
        draw_points(out, k, unequal, &g);
        vertices = all_vertices ? trop_hull_vertices(&list, trop_case_hull(c, out, k, 2)) : k;
    }
}

void trop_fw_figures_grid(double z[2], int64_t k, int64_t grid)
{
    z[0] = -1 + 2 * (double)(k % grid) / (double)(grid - 1);
    z[1] = -1 + 2 * (double)(k / grid) / (double)(grid - 1);
}

/* ---- polygons ---- */

void trop_fw_figures_clip(double *polygon, int64_t *count, double a, double b, double c)
{
    double kept[2 * TROP_FW_CORNERS];
    int64_t size = 0;

    for (int64_t i = 0; i < *count; i++) {
        const double *p = polygon + 2 * i, *q = polygon + 2 * ((i + 1) % *count);
        const double at_p = a * p[0] + b * p[1] - c, at_q = a * q[0] + b * q[1] - c;
        if (at_p >= 0 && size < TROP_FW_CORNERS) {
            kept[2 * size] = p[0];
            kept[2 * size++ + 1] = p[1];
        }
        if ((at_p >= 0) != (at_q >= 0) && size < TROP_FW_CORNERS) {
            const double t = at_p / (at_p - at_q);
            kept[2 * size] = p[0] + t * (q[0] - p[0]);
            kept[2 * size++ + 1] = p[1] + t * (q[1] - p[1]);
        }
    }
    memcpy(polygon, kept, (size_t)(2 * size) * sizeof *polygon);
    *count = size;
}

double trop_fw_figures_area(const double *polygon, int64_t count)
{
    double twice = 0;

    for (int64_t i = 0; i < count; i++) {
        const double *p = polygon + 2 * i, *q = polygon + 2 * ((i + 1) % count);
        twice += p[0] * q[1] - p[1] * q[0];
    }
    return twice / 2;
}

double trop_fw_figures_depth(const double *polygon, int64_t count, const double *x)
{
    double least = INFINITY;

    for (int64_t i = 0; i < count; i++) {
        const double *p = polygon + 2 * i, *q = polygon + 2 * ((i + 1) % count);
        const double dx = q[0] - p[0], dy = q[1] - p[1], length = sqrt(dx * dx + dy * dy);
        if (length > 0) {
            least = fmin(least, (dx * (x[1] - p[1]) - dy * (x[0] - p[0])) / length);
        }
    }
    return count > 2 ? least : -INFINITY;
}

/* ---- from the library ---- */

int64_t trop_fw_figures_outline(double *out, const struct trop_case *c, const double *x, int64_t n)
{
    const int64_t *index = NULL;
    const int64_t count = trop_hull_outline(&index, trop_case_hull(c, x, n, 2));

    for (int64_t i = 0; i < count; i++) {
        memcpy(out + 2 * i, x + 2 * index[i], 2 * sizeof *out);
    }
    return count;
}

int64_t trop_fw_figures_polygon(double *out, const struct trop_case *c,
                                const struct trop_cells *cells, const char *name, int64_t row)
{
    struct trop_value value;

    trop_case_try(c, trop_field_cell(&value, trop_cells_field_table(), cells, "cells", name, row));
    if (value.kind != TROP_KIND_NUMBERS || value.shape[0] > TROP_FW_CORNERS) {
        return 0;
    }
    memcpy(out, value.numbers, (size_t)(2 * value.shape[0]) * sizeof *out);
    return value.shape[0];
}
