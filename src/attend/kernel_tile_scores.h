/* kernel_tile_scores.h -- the scores of a few rows on a block of columns, and their maxima; part of
 * kernel_tile_body.c, after its lanes.
 *
 * A score is a chain of fma over c. A chunk of rows and a strip of columns stand in registers: a
 * token is loaded once per chunk, a query once per strip.
 */
#ifndef TROP_ATTEND_KERNEL_TILE_SCORES_H
#define TROP_ATTEND_KERNEL_TILE_SCORES_H

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

#endif
