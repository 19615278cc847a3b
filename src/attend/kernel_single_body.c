/* kernel_single_body.c -- tiles of rows in single precision (kernel_single.h). The loops and
 * their reasons are those of kernel_tile_body.c.
 */
#include "attend/kernel_single.h"

#include KERNEL_LANES

#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

/* Loops whose bounds are constants of the caller must be copied into it. */
#define COPIED static inline __attribute__((always_inline))

#define CHUNK TROP_TILE_CHUNK
#define WIDE TROP_SINGLE_LANES
#define STRIP TROP_SINGLE_STRIP
#define COORDINATES 4 /* of an average at once */

/* ---- scores ------------------------------------------------------------------------------- */

/* The scores of some rows on groups * 16 columns. */
COPIED void score_part(struct lanes_single s[][LANES_GROUPS], const float *const *y,
                       const float *restrict x, int64_t d, int rows, int groups)
{
    struct lanes_single xc[LANES_GROUPS];

    for (int g = 0; g < groups; g++) {
        xc[g] = lanes_single_hold(lanes_single_load(x + g * WIDE));
    }
    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < groups; g++) {
            s[r][g] = lanes_single_multiply(lanes_single_all(y[r][0]), xc[g]);
        }
    }
    for (int64_t c = 1; c < d; c++) {
        for (int g = 0; g < groups; g++) {
            xc[g] = lanes_single_hold(lanes_single_load(x + c * STRIP + g * WIDE));
        }
        for (int r = 0; r < rows; r++) {
            struct lanes_single yc = lanes_single_all(y[r][c]);
            for (int g = 0; g < groups; g++) {
                s[r][g] = lanes_single_fma(yc, xc[g], s[r][g]);
            }
        }
    }
}

/* Scores of a block into score (rows, TROP_BLOCK), unless it is NULL, and their maxima: one
 * per strip (fine) or one in all. */
COPIED void score_block(float *restrict score, float *const *top, const float *const *y,
                        const float *restrict packed, int64_t strips, int64_t d, int fine, int rows,
                        int groups)
{
    struct lanes_single best[CHUNK];

    for (int r = 0; r < rows; r++) {
        best[r] = lanes_single_all(-INFINITY);
    }
    for (int64_t t = 0; t < strips; t++) {
        for (int j = 0; j < STRIP; j += groups * WIDE) {
            struct lanes_single s[CHUNK][LANES_GROUPS];
            score_part(s, y, packed + t * STRIP * d + j, d, rows, groups);
            for (int r = 0; r < rows; r++) {
                for (int g = 0; g < groups; g++) {
                    best[r] = lanes_single_larger(s[r][g], best[r]);
                    if (score) {
                        lanes_single_store(score + r * TROP_BLOCK + t * STRIP + j + g * WIDE,
                                           s[r][g]);
                    }
                }
            }
        }
        for (int r = 0; fine && r < rows; r++) {
            top[r][t] = lanes_single_largest(best[r]);
            best[r] = lanes_single_all(-INFINITY);
        }
    }
    for (int r = 0; !fine && r < rows; r++) {
        *top[r] = lanes_single_largest(best[r]);
    }
}

/* The same; in two and three dimensions queries stay in registers, of half as many rows. */
COPIED void score_rows(float *restrict score, float *const *top, const float *const *y,
                       const float *restrict packed, int64_t strips, int64_t d, int fine, int rows)
{
    const int half = CHUNK / 2;
    float *rest = score ? score + half * TROP_BLOCK : NULL;

    if (fine) {
        score_block(score, top, y, packed, strips, d, 1, rows, LANES_GROUPS);
    } else if (rows == CHUNK && d == 2) {
        score_block(score, top, y, packed, strips, 2, 0, half, LANES_FEW);
        score_block(rest, top + half, y + half, packed, strips, 2, 0, half, LANES_FEW);
    } else if (rows == CHUNK && d == 3) {
        score_block(score, top, y, packed, strips, 3, 0, half, LANES_FEW);
        score_block(rest, top + half, y + half, packed, strips, 3, 0, half, LANES_FEW);
    } else {
        score_block(score, top, y, packed, strips, d, 0, rows, LANES_GROUPS);
    }
}

COPIED void score_any(float *restrict score, float *const *top, const float *const *y,
                      const float *restrict packed, int64_t strips, int64_t d, int fine, int rows)
{
    switch (rows) {
    case 1:
        score_rows(score, top, y, packed, strips, d, fine, 1);
        return;
    case 2:
        score_rows(score, top, y, packed, strips, d, fine, 2);
        return;
    case 3:
        score_rows(score, top, y, packed, strips, d, fine, 3);
        return;
    case 4:
        score_rows(score, top, y, packed, strips, d, fine, 4);
        return;
    case 5:
        score_rows(score, top, y, packed, strips, d, fine, 5);
        return;
    default:
        score_rows(score, top, y, packed, strips, d, fine, CHUNK);
    }
}

static void score_stored(float *score, float *const *top, const float *const *y,
                         const float *packed, int64_t strips, int64_t d, int fine, int rows)
{
    score_any(score, top, y, packed, strips, d, fine, rows);
}

static void score_passed(float *const *top, const float *const *y, const float *packed,
                         int64_t strips, int64_t d, int fine, int rows)
{
    score_any(NULL, top, y, packed, strips, d, fine, rows);
}

/* A row that sees only some of the block's columns: the others, and the strip's padding,
 * are -INFINITY, and the maxima are those of what is left. */
static void blind(float *restrict score, float *restrict top, int64_t seen, int64_t strips,
                  int fine)
{
    struct lanes_single best = lanes_single_all(-INFINITY);

    for (int64_t j = seen; j < strips * STRIP; j++) {
        score[j] = -INFINITY;
    }
    for (int64_t t = 0; t < strips; t++) {
        best = fine ? lanes_single_all(-INFINITY) : best;
        for (int j = 0; j < STRIP; j += WIDE) {
            best = lanes_single_larger(lanes_single_load(score + t * STRIP + j), best);
        }
        top[fine ? t : 0] = lanes_single_largest(best);
    }
}

/* ---- weights and averages ------------------------------------------------------------------ */

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

/* One block's part of some rows and coordinates, c and on. */
COPIED void average_part(double *const *out, const float *const *anchor,
                         const float *restrict weight, const float *restrict packed, int64_t strips,
                         int64_t d, int64_t c, int rows, int coordinates)
{
    struct lanes_single s[LANES_AVERAGE_ROWS][COORDINATES], a[LANES_AVERAGE_ROWS][COORDINATES];

    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < coordinates; k++) {
            s[r][k] = lanes_single_all(0);
            a[r][k] = lanes_single_all(anchor[r][c + k]);
        }
    }
    for (int64_t t = 0; t < strips; t++) {
        const float *restrict x = packed + (t * d + c) * STRIP;
        const float *restrict w = weight + t * STRIP;
        for (int j = 0; j < STRIP; j += WIDE) {
            struct lanes_single wr[LANES_AVERAGE_ROWS];
            for (int r = 0; r < rows; r++) {
                wr[r] = lanes_single_hold(lanes_single_load(w + r * TROP_BLOCK + j));
            }
            for (int k = 0; k < coordinates; k++) {
                struct lanes_single xk = lanes_single_hold(lanes_single_load(x + k * STRIP + j));
                for (int r = 0; r < rows; r++) {
                    s[r][k] = lanes_single_fma(wr[r], lanes_single_subtract(xk, a[r][k]), s[r][k]);
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < coordinates; k++) {
            out[r][c + k] += (double)lanes_single_tree(s[r][k]);
        }
    }
}

COPIED void average_rows(double *const *out, const float *const *anchor,
                         const float *restrict weight, const float *restrict packed, int64_t strips,
                         int64_t d, int rows)
{
    int64_t c = 0;
    for (; c + COORDINATES <= d; c += COORDINATES) {
        average_part(out, anchor, weight, packed, strips, d, c, rows, COORDINATES);
    }
    if (d - c == 3) {
        average_part(out, anchor, weight, packed, strips, d, c, rows, 3);
    } else if (d - c == 2) {
        average_part(out, anchor, weight, packed, strips, d, c, rows, 2);
    } else if (d - c == 1) {
        average_part(out, anchor, weight, packed, strips, d, c, rows, 1);
    }
}

static void average_chunk(double *const *out, const float *const *anchor, const float *weight,
                          const float *packed, int64_t strips, int64_t d, int rows)
{
    int r = 0;
    for (; r + LANES_AVERAGE_ROWS <= rows; r += LANES_AVERAGE_ROWS) {
        average_rows(out + r, anchor + r, weight + r * TROP_BLOCK, packed, strips, d,
                     LANES_AVERAGE_ROWS);
    }
    for (; r < rows; r++) {
        average_rows(out + r, anchor + r, weight + r * TROP_BLOCK, packed, strips, d, 1);
    }
}

/* ---- tiles ------------------------------------------------------------------------------------
 */

/* Some rows of a tile on one block. */
struct chunk {
    int rows;
    int64_t row[CHUNK];
    const float *y[CHUNK], *anchor[CHUNK];
    double *out[CHUNK];
    float *top[CHUNK];
};

/* The next rows, from r on, that see the block; returns where the rest begins. */
static int64_t choose(struct chunk *chunk, const struct trop_single *tile, int64_t first, int64_t r)
{
    int64_t d = tile->d, span = first / tile->span;

    chunk->rows = 0;
    for (; r < tile->rows && chunk->rows < CHUNK; r++) {
        if (tile->visible[r] <= first) {
            continue;
        }
        chunk->row[chunk->rows] = r;
        chunk->y[chunk->rows] = tile->y + r * d;
        chunk->anchor[chunk->rows] = tile->anchor + r * d;
        chunk->top[chunk->rows] = tile->top + r * tile->spans + span;
        chunk->out[chunk->rows++] = tile->out + r * d;
    }
    return r;
}

static void chunk_work(struct trop_single *tile, const struct chunk *chunk, int64_t first,
                       int64_t strips, int soft)
{
    const float *mass = tile->mass ? tile->mass + first : NULL;
    const float *x = tile->x + first * tile->d;
    int whole = 1, fine = tile->span == STRIP;

    for (int k = 0; k < chunk->rows; k++) {
        whole &= tile->visible[chunk->row[k]] - first >= strips * STRIP;
    }
    if (!soft && whole) {
        score_passed(chunk->top, chunk->y, x, strips, tile->d, fine, chunk->rows);
        return;
    }
    score_stored(tile->score, chunk->top, chunk->y, x, strips, tile->d, fine, chunk->rows);
    for (int k = 0; k < chunk->rows; k++) {
        int64_t r = chunk->row[k];
        float *score = tile->score + k * TROP_BLOCK;
        if (!whole) {
            blind(score, chunk->top[k], tile->visible[r] - first, strips, fine);
        }
        if (soft) {
            tile->total[r] += (double)soften_row(score, mass, strips, tile->shift[r]);
        }
    }
    if (soft) {
        average_chunk(chunk->out, chunk->anchor, tile->score, x, strips, tile->d, chunk->rows);
    }
}

static void sweep(struct trop_single *tile, int soft)
{
    int64_t n = 0;

    memset(tile->out, 0, (size_t)(tile->rows * tile->d) * sizeof *tile->out);
    for (int64_t r = 0; r < tile->rows; r++) {
        n = tile->visible[r] > n ? tile->visible[r] : n;
        tile->total[r] = 0;
    }
    for (int64_t first = 0; first < n; first += TROP_BLOCK) {
        int64_t width = n - first < TROP_BLOCK ? n - first : TROP_BLOCK;
        struct chunk chunk;
        int64_t r = choose(&chunk, tile, first, 0);
        while (chunk.rows > 0) {
            chunk_work(tile, &chunk, first, (width + STRIP - 1) / STRIP, soft);
            r = choose(&chunk, tile, first, r);
        }
    }
}

static void tops(struct trop_single *tile)
{
    sweep(tile, 0);
}

static void soften(struct trop_single *tile)
{
    sweep(tile, 1);
}

static void power(float *x, int64_t n)
{
    for (int64_t j = 0; j < n; j += WIDE) {
        lanes_single_store(x + j, lanes_single_exp2(lanes_single_load(x + j)));
    }
}

static double rate_fma(int64_t count, double factor)
{
    enum { CHAINS = LANES_AVERAGE_ROWS * COORDINATES };
    const struct lanes_single f = lanes_single_all((float)factor);
    struct lanes_single s[CHAINS], sum = lanes_single_all(0);

    for (int k = 0; k < CHAINS; k++) {
        s[k] = lanes_single_all((float)k);
    }
    for (int64_t i = 0; i < count; i += CHAINS) {
        for (int k = 0; k < CHAINS; k++) {
            s[k] = lanes_single_fma(s[k], f, f);
        }
    }
    for (int k = 0; k < CHAINS; k++) {
        sum = lanes_single_add(sum, s[k]);
    }
    return (double)lanes_single_tree(sum);
}

static double rate_exp(int64_t count, double x)
{
    const struct lanes_single step = lanes_single_all((float)x);
    struct lanes_single sum = lanes_single_all(0), at = step;

    for (int64_t i = 0; i < count; i += 2) {
        struct lanes_single next = lanes_single_add(at, step);
        sum =
            lanes_single_add(lanes_single_add(sum, lanes_single_exp2(at)), lanes_single_exp2(next));
        at = lanes_single_add(next, step);
    }
    return (double)lanes_single_tree(sum);
}

const struct trop_kernel_single NAMED(trop_kernel_single_, KERNEL_NAME);
const struct trop_kernel_single NAMED(trop_kernel_single_, KERNEL_NAME) = {
    .tops = tops,
    .soften = soften,
    .power = power,
    .rate_fma = rate_fma,
    .rate_exp = rate_exp,
};
