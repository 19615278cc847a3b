/* kernel_tile_body.c -- tiles of rows (kernel_tile.h has their formulas).
 *
 * Compiled once per instruction set, as kernel_body.c. Three loops make a block:
 *
 *   scores     s_rj, a chain of fma over c, for a chunk of rows and a strip of columns in
 *              registers: a token is loaded once per chunk, a query once per strip;
 *   weights    of the block, in place, in the first-level cache;
 *   averages   sum_j w_rj (x_jc - a_rc), lanes along j, for a few rows and coordinates in
 *              registers, with their anchors. The subtraction runs beside the fma.
 *
 * Columns that a row does not see have score -INFINITY and weight 0.
 */
#include "attend/kernel_tile.h"

#include KERNEL_LANES

#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

/* Loops whose bounds are constants of the caller must be copied into it. */
#define COPIED static inline __attribute__((always_inline))

#define CHUNK TROP_TILE_CHUNK
#define COORDINATES 4 /* of an average at once */

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t strips_of(int64_t width)
{
    return (width + TROP_STRIP - 1) / TROP_STRIP;
}

/* ---- packing --------------------------------------------------------------------------- */

static void pack(double *restrict packed, const double *restrict xt, int64_t stride, int64_t first,
                 int64_t last, int64_t d)
{
    for (; first < last; first += TROP_STRIP) {
        size_t columns = (size_t)least_of(last - first, TROP_STRIP);
        for (int64_t c = 0; c < d; c++) {
            double *to = packed + first * d + c * TROP_STRIP;
            memset(to, 0, TROP_STRIP * sizeof *to);
            memcpy(to, xt + c * stride + first, columns * sizeof *to);
        }
    }
}

/* ---- scores ------------------------------------------------------------------------------- */

/* The scores of some rows on groups * 8 columns. */
COPIED void score_part(struct lanes s[][LANES_GROUPS], const double *const *y,
                       const double *restrict x, int64_t d, int rows, int groups)
{
    struct lanes xc[LANES_GROUPS];

    for (int g = 0; g < groups; g++) {
        xc[g] = lanes_hold(lanes_load(x + g * TROP_LANES));
    }
    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < groups; g++) {
            s[r][g] = lanes_multiply(lanes_all(y[r][0]), xc[g]);
        }
    }
    for (int64_t c = 1; c < d; c++) {
        for (int g = 0; g < groups; g++) {
            xc[g] = lanes_hold(lanes_load(x + c * TROP_STRIP + g * TROP_LANES));
        }
        for (int r = 0; r < rows; r++) {
            struct lanes yc = lanes_all(y[r][c]);
            for (int g = 0; g < groups; g++) {
                s[r][g] = lanes_fma(yc, xc[g], s[r][g]);
            }
        }
    }
}

/* Scores of a block into score (rows, TROP_BLOCK), unless it is NULL, and their maxima: one
 * per strip (fine) or one in all. */
COPIED void score_block(double *restrict score, double *const *top, const double *const *y,
                        const double *restrict packed, int64_t strips, int64_t d, int fine,
                        int rows, int groups)
{
    struct lanes best[CHUNK];

    for (int r = 0; r < rows; r++) {
        best[r] = lanes_all(-INFINITY);
    }
    for (int64_t t = 0; t < strips; t++) {
        for (int j = 0; j < TROP_STRIP; j += groups * TROP_LANES) {
            struct lanes s[CHUNK][LANES_GROUPS];
            score_part(s, y, packed + t * TROP_STRIP * d + j, d, rows, groups);
            for (int r = 0; r < rows; r++) {
                for (int g = 0; g < groups; g++) {
                    best[r] = lanes_larger(s[r][g], best[r]);
                    if (score) {
                        lanes_store(score + r * TROP_BLOCK + t * TROP_STRIP + j + g * TROP_LANES,
                                    s[r][g]);
                    }
                }
            }
        }
        for (int r = 0; fine && r < rows; r++) {
            top[r][t] = lanes_largest(best[r]);
            best[r] = lanes_all(-INFINITY);
        }
    }
    for (int r = 0; !fine && r < rows; r++) {
        *top[r] = lanes_largest(best[r]);
    }
}

/* The same; in two and three dimensions queries stay in registers, of half as many rows. */
COPIED void score_rows(double *restrict score, double *const *top, const double *const *y,
                       const double *restrict packed, int64_t strips, int64_t d, int fine, int rows)
{
    const int half = CHUNK / 2;
    double *rest = score ? score + half * TROP_BLOCK : NULL;

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

COPIED void score_any(double *restrict score, double *const *top, const double *const *y,
                      const double *restrict packed, int64_t strips, int64_t d, int fine, int rows)
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

static void score_stored(double *score, double *const *top, const double *const *y,
                         const double *packed, int64_t strips, int64_t d, int fine, int rows)
{
    score_any(score, top, y, packed, strips, d, fine, rows);
}

static void score_passed(double *const *top, const double *const *y, const double *packed,
                         int64_t strips, int64_t d, int fine, int rows)
{
    score_any(NULL, top, y, packed, strips, d, fine, rows);
}

/* A row that sees only some of the block's columns: the others, and the strip's padding,
 * are -INFINITY, and the maxima are those of what is left. */
static void blind(double *restrict score, double *restrict top, int64_t seen, int64_t strips,
                  int fine)
{
    struct lanes best = lanes_all(-INFINITY);

    for (int64_t j = seen; j < strips * TROP_STRIP; j++) {
        score[j] = -INFINITY;
    }
    for (int64_t t = 0; t < strips; t++) {
        best = fine ? lanes_all(-INFINITY) : best;
        for (int j = 0; j < TROP_STRIP; j += TROP_LANES) {
            best = lanes_larger(lanes_load(score + t * TROP_STRIP + j), best);
        }
        top[fine ? t : 0] = lanes_largest(best);
    }
}

/* ---- weights ----------------------------------------------------------------------------------
 */

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

/* The lanes of doubt that are in, one by one. */
static unsigned decided(const struct trop_tile *tile, int64_t r, int64_t j, unsigned doubt)
{
    unsigned in = 0;
    for (int l = 0; doubt >> l; l++) {
        if ((doubt >> l & 1) && tile->decide(tile->context, r, j + l)) {
            in |= 1U << l;
        }
    }
    return in;
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

/* ---- averages
 * ------------------------------------------------------------------------------------ */

/* One block's part of some rows and coordinates, c and on. */
COPIED void average_part(double *const *out, const double *const *anchor,
                         const double *restrict weight, const double *restrict packed,
                         int64_t strips, int64_t d, int64_t c, int rows, int coordinates)
{
    struct lanes s[LANES_AVERAGE_ROWS][COORDINATES], a[LANES_AVERAGE_ROWS][COORDINATES];

    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < coordinates; k++) {
            s[r][k] = lanes_all(0);
            a[r][k] = lanes_all(anchor[r][c + k]);
        }
    }
    for (int64_t t = 0; t < strips; t++) {
        const double *restrict x = packed + (t * d + c) * TROP_STRIP;
        const double *restrict w = weight + t * TROP_STRIP;
        for (int j = 0; j < TROP_STRIP; j += TROP_LANES) {
            struct lanes wr[LANES_AVERAGE_ROWS];
            for (int r = 0; r < rows; r++) {
                wr[r] = lanes_hold(lanes_load(w + r * TROP_BLOCK + j));
            }
            for (int k = 0; k < coordinates; k++) {
                struct lanes xk = lanes_hold(lanes_load(x + k * TROP_STRIP + j));
                for (int r = 0; r < rows; r++) {
                    s[r][k] = lanes_fma(wr[r], lanes_subtract(xk, a[r][k]), s[r][k]);
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < coordinates; k++) {
            out[r][c + k] += lanes_tree(s[r][k]);
        }
    }
}

COPIED void average_rows(double *const *out, const double *const *anchor,
                         const double *restrict weight, const double *restrict packed,
                         int64_t strips, int64_t d, int rows)
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

static void average_chunk(double *const *out, const double *const *anchor, const double *weight,
                          const double *packed, int64_t strips, int64_t d, int rows)
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

/* ---- tiles
 * ------------------------------------------------------------------------------------------ */

enum work { TOPS, SOFTEN, LEVEL };

/* Some rows of a tile on one block. */
struct chunk {
    int rows;
    int64_t row[CHUNK];
    const double *y[CHUNK], *anchor[CHUNK];
    double *out[CHUNK], *top[CHUNK];
};

/* The largest score of a row in a block whose maxima are known. */
static double reach(const struct trop_tile *tile, int64_t b, int64_t r)
{
    int64_t spans = TROP_BLOCK / tile->span, last = (tile->visible[r] - 1) / tile->span;
    double top = -INFINITY;

    for (int64_t k = b * spans; k < (b + 1) * spans && k <= last; k++) {
        double t = tile->top[r * tile->spans + k];
        top = t > top ? t : top;
    }
    return top;
}

/* The next rows, from r on, that want block b; returns where the rest begins. */
static int64_t choose(struct chunk *chunk, const struct trop_tile *tile, int64_t b, int64_t r)
{
    int64_t d = tile->d, first = b * TROP_BLOCK, span = first / tile->span;

    chunk->rows = 0;
    for (; r < tile->rows && chunk->rows < CHUNK; r++) {
        if (tile->visible[r] <= first ||
            (tile->least[r] > -INFINITY && reach(tile, b, r) < tile->least[r])) {
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

static void chunk_work(struct trop_tile *tile, const struct chunk *chunk, int64_t first,
                       int64_t strips, enum work work)
{
    const double *mass = tile->mass ? tile->mass + first : NULL;
    const double *keys = tile->keys + first * tile->d;
    int whole = 1, fine = tile->span == TROP_STRIP;

    for (int k = 0; k < chunk->rows; k++) {
        whole &= tile->visible[chunk->row[k]] - first >= strips * TROP_STRIP;
    }
    if (work == TOPS && whole) {
        score_passed(chunk->top, chunk->y, keys, strips, tile->d, fine, chunk->rows);
    } else {
        score_stored(tile->score, chunk->top, chunk->y, keys, strips, tile->d, fine, chunk->rows);
    }
    for (int k = 0; k < chunk->rows; k++) {
        int64_t r = chunk->row[k];
        double *score = tile->score + k * TROP_BLOCK;
        if (!whole) {
            blind(score, chunk->top[k], tile->visible[r] - first, strips, fine);
        }
        if (work == SOFTEN) {
            tile->total[r] += soften_row(score, mass, strips, tile->beta, tile->shift[r]);
        } else if (work == LEVEL) {
            tile->total[r] += level_row(tile, r, score, mass, first, strips);
        }
    }
    if (work != TOPS) {
        average_chunk(chunk->out, chunk->anchor, tile->score, tile->values + first * tile->d,
                      strips, tile->d, chunk->rows);
    }
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

static void sweep(struct trop_tile *tile, enum work work)
{
    int64_t n = 0;

    for (int64_t r = 0; r < tile->rows; r++) {
        n = tile->visible[r] > n ? tile->visible[r] : n;
    }
    clear(tile);
    for (int64_t b = 0; b * TROP_BLOCK < n; b++) {
        int64_t first = b * TROP_BLOCK, strips = strips_of(least_of(n - first, TROP_BLOCK));
        struct chunk chunk;
        int64_t r = choose(&chunk, tile, b, 0);
        while (chunk.rows > 0) {
            chunk_work(tile, &chunk, first, strips, work);
            r = choose(&chunk, tile, b, r);
        }
    }
}

static void tops(struct trop_tile *tile)
{
    sweep(tile, TOPS);
}

static void soften(struct trop_tile *tile)
{
    sweep(tile, SOFTEN);
}

static void level(struct trop_tile *tile)
{
    sweep(tile, LEVEL);
}

/* ---- single rows
 * ----------------------------------------------------------------------------------------- */

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

static int64_t scan(int64_t *restrict set, int64_t room, const double *restrict y,
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

static double rate_fma(int64_t count, double factor)
{
    enum { CHAINS = LANES_AVERAGE_ROWS * COORDINATES };
    const struct lanes f = lanes_all(factor);
    struct lanes s[CHAINS], sum = lanes_all(0);

    for (int k = 0; k < CHAINS; k++) {
        s[k] = lanes_all(k);
    }
    for (int64_t i = 0; i < count; i += CHAINS) {
        for (int k = 0; k < CHAINS; k++) {
            s[k] = lanes_fma(s[k], f, f);
        }
    }
    for (int k = 0; k < CHAINS; k++) {
        sum = lanes_add(sum, s[k]);
    }
    return lanes_tree(sum);
}

static double rate_exp(int64_t count, double x)
{
    struct lanes sum = lanes_all(0), at = lanes_all(x), step = lanes_all(x);

    for (int64_t i = 0; i < count; i += 2) {
        struct lanes next = lanes_add(at, step);
        sum = lanes_add(lanes_add(sum, lanes_exp(at)), lanes_exp(next));
        at = lanes_add(next, step);
    }
    return lanes_tree(sum);
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
