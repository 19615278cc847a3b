/* kernel_tile_scores.h -- the scores of a few rows on a block of columns, and their maxima; part of
 * kernel_tile_body.c and of kernel_single_body.c, which have said before
 *
 *   REAL         the type of a number, double or float;
 *   VECTOR       WIDE such numbers side by side;
 *   LANES(load)  the function lanes_load of such vectors, and so on;
 *   STRIP        the columns of a strip of packed tokens.
 *
 * A score is a chain of fma over c. A chunk of rows and a strip of columns stand in registers: a
 * token is loaded once per chunk, a query once per strip.
 */
#ifndef TROP_KERNEL_KERNEL_TILE_SCORES_H
#define TROP_KERNEL_KERNEL_TILE_SCORES_H

/* Loops whose bounds are constants of the caller must be copied into it. */
#define COPIED static inline __attribute__((always_inline))

#define CHUNK TROP_TILE_CHUNK

/* The scores of some rows on groups * WIDE columns. */
COPIED void score_part(VECTOR s[][LANES_GROUPS], const REAL *const *y, const REAL *restrict x,
                       int64_t d, int rows, int groups)
{
    VECTOR xc[LANES_GROUPS];

    for (int g = 0; g < groups; g++) {
        xc[g] = LANES(hold)(LANES(load)(x + g * WIDE));
    }
    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < groups; g++) {
            s[r][g] = LANES(multiply)(LANES(all)(y[r][0]), xc[g]);
        }
    }
    for (int64_t c = 1; c < d; c++) {
        for (int g = 0; g < groups; g++) {
            xc[g] = LANES(hold)(LANES(load)(x + c * STRIP + g * WIDE));
        }
        for (int r = 0; r < rows; r++) {
            VECTOR yc = LANES(all)(y[r][c]);
            for (int g = 0; g < groups; g++) {
                s[r][g] = LANES(fma)(yc, xc[g], s[r][g]);
            }
        }
    }
}

/* Scores of a block into score (rows, TROP_BLOCK), unless it is NULL, and their maxima: one
 * per strip (fine) or one in all. */
COPIED void score_block(REAL *restrict score, REAL *const *top, const REAL *const *y,
                        const REAL *restrict packed, int64_t strips, int64_t d, int fine, int rows,
                        int groups)
{
    VECTOR best[CHUNK];

    for (int r = 0; r < rows; r++) {
        best[r] = LANES(all)(-INFINITY);
    }
    for (int64_t t = 0; t < strips; t++) {
        for (int j = 0; j < STRIP; j += groups * WIDE) {
            VECTOR s[CHUNK][LANES_GROUPS];
            score_part(s, y, packed + t * STRIP * d + j, d, rows, groups);
            for (int r = 0; r < rows; r++) {
                for (int g = 0; g < groups; g++) {
                    best[r] = LANES(larger)(s[r][g], best[r]);
                    if (score) {
                        LANES(store)(score + r * TROP_BLOCK + t * STRIP + j + g * WIDE, s[r][g]);
                    }
                }
            }
        }
        for (int r = 0; fine && r < rows; r++) {
            top[r][t] = LANES(largest)(best[r]);
            best[r] = LANES(all)(-INFINITY);
        }
    }
    for (int r = 0; !fine && r < rows; r++) {
        *top[r] = LANES(largest)(best[r]);
    }
}

/* The same; in two and three dimensions queries stay in registers, of half as many rows. */
COPIED void score_rows(REAL *restrict score, REAL *const *top, const REAL *const *y,
                       const REAL *restrict packed, int64_t strips, int64_t d, int fine, int rows)
{
    const int half = CHUNK / 2;
    REAL *rest = score ? score + half * TROP_BLOCK : NULL;

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

COPIED void score_any(REAL *restrict score, REAL *const *top, const REAL *const *y,
                      const REAL *restrict packed, int64_t strips, int64_t d, int fine, int rows)
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

static void score_stored(REAL *score, REAL *const *top, const REAL *const *y, const REAL *packed,
                         int64_t strips, int64_t d, int fine, int rows)
{
    score_any(score, top, y, packed, strips, d, fine, rows);
}

static void score_passed(REAL *const *top, const REAL *const *y, const REAL *packed, int64_t strips,
                         int64_t d, int fine, int rows)
{
    score_any(NULL, top, y, packed, strips, d, fine, rows);
}

/* A row that sees only some of the block's columns: the others, and the strip's padding,
 * are -INFINITY, and the maxima are those of what is left. */
static void blind(REAL *restrict score, REAL *restrict top, int64_t seen, int64_t strips, int fine)
{
    VECTOR best = LANES(all)(-INFINITY);

    for (int64_t j = seen; j < strips * STRIP; j++) {
        score[j] = -INFINITY;
    }
    for (int64_t t = 0; t < strips; t++) {
        if (fine) {
            best = LANES(all)(-INFINITY);
        }
        for (int j = 0; j < STRIP; j += WIDE) {
            best = LANES(larger)(LANES(load)(score + t * STRIP + j), best);
        }
        top[fine ? t : 0] = LANES(largest)(best);
    }
}

#endif
