/* kernel_tile_averages.h -- sums of weighted differences on a block of columns; part of
 * kernel_tile_body.c and of kernel_single_body.c, as kernel_tile_scores.h.
 *
 *   sum_j w_rj (x_jc - a_rc),
 *
 * lanes along j, for a few rows and coordinates in registers, with their anchors. The subtraction
 * runs beside the fma. The sums of blocks are added in double.
 */
#ifndef TROP_KERNEL_KERNEL_TILE_AVERAGES_H
#define TROP_KERNEL_KERNEL_TILE_AVERAGES_H

#define COORDINATES 4 /* of an average at once */

/* One block's part of some rows and coordinates, c and on. */
COPIED void average_part(double *const *out, const REAL *const *anchor, const REAL *restrict weight,
                         const REAL *restrict packed, int64_t strips, int64_t d, int64_t c,
                         int rows, int coordinates)
{
    VECTOR s[LANES_AVERAGE_ROWS][COORDINATES], a[LANES_AVERAGE_ROWS][COORDINATES];

    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < coordinates; k++) {
            s[r][k] = LANES(all)(0);
            a[r][k] = LANES(all)(anchor[r][c + k]);
        }
    }
    for (int64_t t = 0; t < strips; t++) {
        const REAL *restrict x = packed + (t * d + c) * STRIP;
        const REAL *restrict w = weight + t * STRIP;
        for (int j = 0; j < STRIP; j += WIDE) {
            VECTOR wr[LANES_AVERAGE_ROWS];
            for (int r = 0; r < rows; r++) {
                wr[r] = LANES(hold)(LANES(load)(w + r * TROP_BLOCK + j));
            }
            for (int k = 0; k < coordinates; k++) {
                VECTOR xk = LANES(hold)(LANES(load)(x + k * STRIP + j));
                for (int r = 0; r < rows; r++) {
                    s[r][k] = LANES(fma)(wr[r], LANES(subtract)(xk, a[r][k]), s[r][k]);
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < coordinates; k++) {
            out[r][c + k] += (double)LANES(tree)(s[r][k]);
        }
    }
}

COPIED void average_rows(double *const *out, const REAL *const *anchor, const REAL *restrict weight,
                         const REAL *restrict packed, int64_t strips, int64_t d, int rows)
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

static void average_chunk(double *const *out, const REAL *const *anchor, const REAL *weight,
                          const REAL *packed, int64_t strips, int64_t d, int rows)
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

#endif
