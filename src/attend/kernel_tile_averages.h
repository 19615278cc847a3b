/* kernel_tile_averages.h -- sums of weighted differences on a block of columns; part of
 * kernel_tile_body.c, after its lanes.
 *
 *   sum_j w_rj (x_jc - a_rc),
 *
 * lanes along j, for a few rows and coordinates in registers, with their anchors. The subtraction
 * runs beside the fma.
 */
#ifndef TROP_ATTEND_KERNEL_TILE_AVERAGES_H
#define TROP_ATTEND_KERNEL_TILE_AVERAGES_H

#define COORDINATES 4 /* of an average at once */

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

#endif
